import Foundation
import MessageBus
import Observability
import SuiteHarness
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// What bridges have announced, over a restart of ingest.
@Suite("Kept announcements", .timeLimit(.minutes(4)))
struct KeptAnnouncementsTests {
    private static let topic = "homeassistant/sensor/att8/config"
    private static let announcement = Array(
        #"{"name":"Weight","stat_t":"att8room/sensor1/state8","unit_of_meas":"kg","uniq_id":"att8","dev":{"ids":["att8"],"name":"scale8"}}"#
            .utf8)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("vigil-announcements") }

    private func kept() -> KeptAnnouncements {
        KeptAnnouncements(path: folder.path("announcements"), log: Logger(service: "test", level: .warning, sink: { _ in }))
    }

    private func rules(_ prefix: String? = "homeassistant") -> MappingRules { MappingRules(discoveryPrefix: prefix, kept: kept()) }

    private var file: String? { try? String(contentsOfFile: folder.path("announcements"), encoding: .utf8) }

    @Test("are in force from the beginning, until they are taken back or their participant is forgotten")
    func restart() throws {
        #expect(rules().current.filters.isEmpty && file == nil)
        rules().announce([(Self.topic, Self.announcement), ("homeassistant/sensor/anna/config", Array(#"{"stat_t":"beds/anna"}"#.utf8))])
        let next = rules()
        #expect(next.current.filters == ["att8room/sensor1/state8"] && next.remarks.count == 2)
        #expect(next.forget("anna") == ["homeassistant/sensor/anna/config"])
        #expect(file?.contains("anna") == false && rules().remarks.count == 1)
        rules().announce([(Self.topic, [])])
        #expect(rules().remarks.isEmpty && file == "{}")
    }

    @Test("are those below the prefix that is listened to; where nobody listens to any, none are kept")
    func prefixes() throws {
        rules().announce([(Self.topic, Self.announcement)])
        #expect(rules("ha").remarks.isEmpty && file == "{}")
        rules().announce([(Self.topic, Self.announcement)])
        #expect(rules(nil).remarks.isEmpty && file == nil)
    }

    @Test(
        "that are damaged are told of, and not in force",
        arguments: ["", "{", #"{"homeassistant/sensor/att8/config":7}"#, "[]", #"{"homeassistant/sensor/att8/config":"{"#])
    func damaged(text: String) throws {
        try folder.write(text, to: "announcements")
        let told = Mutex(0)
        let kept = KeptAnnouncements(
            path: folder.path("announcements"), log: Logger(service: "test", level: .warning, sink: { _ in told.withLock { $0 += 1 } }))
        let rules = MappingRules(discoveryPrefix: "homeassistant", kept: kept)
        #expect(rules.remarks.isEmpty && told.withLock { $0 } == 1)
        rules.announce([(Self.topic, Self.announcement)])
        #expect(self.rules().current.filters == ["att8room/sensor1/state8"])
    }

    @Test("hold eight mebibytes at most, and what finds no room is told")
    func bounded() {
        let rules = rules()
        for number in 0..<10 {
            let name = String(repeating: "n", count: 1_000_000)
            let text = #"{"name":"heart rate","stat_t":"s/\#(number)","dev":{"name":"\#(name)"}}"#
            rules.announce([("homeassistant/sensor/s\(number)/config", Array(text.utf8))])
        }
        #expect(rules.current.filters.count == 8)
        #expect(rules.remarks.last?.text == "more than 8 MiB are announced")
        #expect(self.rules().current.filters.count == 8)
        rules.announce([("homeassistant/sensor/s0/config", []), (Self.topic, Self.announcement)])
        #expect(rules.current.filters.contains("att8room/sensor1/state8") && rules.current.filters.count == 8)
    }

    @Test(
        "lose no reading over a restart: what comes while ingest is stopped is its sensor's, each reading once",
        arguments: [SIGKILL, SIGTERM], [false, true])
    func queued(signal: Int32, isBesideWide: Bool) async throws {
        let server = try await MosquittoServer.start()
        let wide = isBesideWide ? #""att8room/#", "+/sensor1/+""# : #""rooms/+/pulse""#
        let mapping = try folder.write(
            """
            {mappings: [{topics: [\(wide)], participant: "unknown", device: "bed", knownNames: true, readings: [], ignore: ["*"]}]}
            """, to: "m.json5")
        try await server.publish([OutgoingMessage(topic: Self.topic, payload: Self.announcement, retained: true)])
        let ingest = try SuiteService(
            "vigil-ingest", settings: ["--mappings", mapping], brokerPort: server.port, folder: folder)
        let listener = server.consumer(
            "listener", "vigil/v1/observations/#", "vigil/v1/rejects/#", session: .persistent(expiry: .seconds(600)))
        let heard = Heard(), state = "att8room/sensor1/state8"
        let message = { @Sendable (number: Int) in OutgoingMessage(topic: state, payload: Array("\(40 + Double(number) / 100)".utf8)) }
        try await withRunning(listener) { listener in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                defer { tasks.cancelAll() }
                tasks.addTask { try await heard.follow(listener) }
                try await ingest.start()
                // Until the announcement has come, nobody listens.
                try await eventually("the sensor's first reading") {
                    try await server.publish([message(0)])
                    return heard.values.contains(40)
                }
                try await server.publish((1...300).map(message))
                ingest.signal(signal)
                try await server.publish((301...600).map(message))
                try await eventually("the end") { ingest.hasEnded }
                try ingest.launch()
                try await server.publish((601...900).map(message))
                try await eventually("all readings") { Set(heard.values).count == 901 || heard.rejects > 0 }
                try await ingest.stop()
                #expect(heard.rejects == 0 && heard.sources == ["unknown scale8"])
                let rows = Set(heard.rows.filter { $0.value > 40 })
                #expect(rows.count == 900 && Set(rows.map(\.value)).count == 900)
            }
        }
    }

    @Test(
        "among what waits by a wide filter lets none of it go: each reading is stored once, as its person's, also where the process is killed",
        arguments: [false, true])
    func amidst(isKilled: Bool) async throws {
        let server = try await MosquittoServer.start()
        let ingest = try SuiteService(
            "vigil-ingest", settings: ["--mappings", MappingTests.shipped], brokerPort: server.port, folder: folder)
        let listener = server.consumer(
            "listener", "vigil/v1/observations/#", "vigil/v1/rejects/#", session: .persistent(expiry: .seconds(600)))
        let heard = Heard(), state = "clinic/mapp6/data"
        let announcement = OutgoingMessage(
            topic: Self.topic, payload: Array(#"{"name":"Weight","stat_t":"\#(state)","unit_of_meas":"kg"}"#.utf8), retained: true)
        let message = { @Sendable (number: Int) in
            OutgoingMessage(topic: state, payload: Array(#"{"patient":"annaq","weight_kg":\#(40 + Double(number) / 100)}"#.utf8))
        }
        try await withRunning(listener) { listener in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                defer { tasks.cancelAll() }
                tasks.addTask { try await heard.follow(listener) }
                try await ingest.start()
                try await eventually("the wide filters") {
                    try await server.publish([message(0)])
                    return heard.values.contains(40)
                }
                ingest.signal(SIGSTOP)
                try await server.publish((1...10).map(message) + [announcement] + (11...3000).map(message))
                ingest.signal(SIGCONT)
                if isKilled {
                    try await eventually("the first of them") { heard.values.contains { $0 > 40 } }
                    try await ingest.kill()
                    try ingest.launch()
                }
                try await server.publish((3001...3300).map(message))
                try await eventually("all readings") { Set(heard.values).count == 3301 || heard.rejects > 0 }
                try await ingest.stop()
                #expect(heard.rejects == 0 && heard.sources == ["annaq bridge"])
                let rows = Set(heard.rows.filter { $0.value > 40 })
                #expect(rows.count == 3300 && Set(rows.map(\.value)).count == 3300)
            }
        }
    }

    /// What a reading is to a store.
    struct Row: Hashable {
        let value: Double
        let time: Timestamp
    }

    /// The readings that ingest publishes, and what it refuses.
    final class Heard: Sendable {
        private struct State {
            var rows: [Row] = []
            var sources: Set<String> = []
            var rejects = 0
        }

        private let state = Mutex(State())

        var rows: [Row] { state.withLock { $0.rows } }
        var values: [Double] { rows.map(\.value) }
        var sources: Set<String> { state.withLock { $0.sources } }
        var rejects: Int { state.withLock { $0.rejects } }

        func follow(_ consumer: Consumer) async throws {
            for try await batch in consumer.batches {
                for message in batch.messages {
                    guard message.topic.contains("/observations/") else {
                        state.withLock { $0.rejects += 1 }
                        continue
                    }
                    for group in try BatchDecoder().decode(message.payload.span).groups {
                        state.withLock { state in
                            for observation in group.observations {
                                guard observation.metric == "body-weight", case .value(let value) = observation.content else { continue }
                                state.sources.insert("\(group.participant) \(group.source)")
                                state.rows.append(Row(value: (value * 100).rounded() / 100, time: observation.time))
                            }
                        }
                    }
                }
                batch.settle(.committed)
            }
        }
    }
}
