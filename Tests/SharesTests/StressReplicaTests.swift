import MessageBus
import ServiceKit
import SignalSynthesis
import SuiteHarness
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("vigil-stress as replicas", .timeLimit(.minutes(15)))
struct StressReplicaTests {
    @Test("what is said with shares moved again and again is, value for value, what one process says that has them all")
    func equality() async throws {
        let (moved, alone) = (try await StressCluster(shares: 4), try await StressCluster(shares: 4))
        let (a, b, only) = (try moved.replica("a"), try moved.replica("b"), try alone.replica("a"))
        for one in [a, b, only] { try await one.start() }
        try await moved.waitUntilOwned(["a": 2, "b": 2])
        try await alone.waitUntilOwned(["a": 4])
        let heard = (HeardStress(), HeardStress())
        try await heard.0.listening(to: moved.broker) {
            try await heard.1.listening(to: alone.broker) {
                var wearers = Wearers(count: 6)
                for round in 0..<12 {
                    let messages = wearers.next(seconds: 15)
                    for cluster in [moved, alone] { try await cluster.broker.publish(messages) }
                    try await eventually("what follows from round \(round): \(heard.0.newest) \(heard.1.newest)") {
                        heard.0.newest >= wearers.time - 15 && heard.1.newest >= wearers.time - 15
                    }
                    let (share, to) = (round % 4, round / 2 % 2 == 0 ? "b" : "a")
                    try moved.move(share, to: to)
                    try await moved.waitUntil("share \(share) at \(to)") { try moved.owner(of: share) == to }
                }
                try await eventually("the same observations") { heard.0.count == heard.1.count }
            }
        }
        #expect(heard.0.said == heard.1.said)
        #expect(heard.0.said.count > 6 * 25 && !heard.0.texts.contains { $0.contains("warming up") })
        #expect(try Int(moved.psql("SELECT sum(epoch) FROM vigil_stress.lease"))! > 8, "shares have moved")
        for one in [a, b, only] { try await one.stop() }
    }

    @Test(
        "a killed replica's wearers warm up at the other, whose values are then theirs; its profiles are known there, and one answers a command"
    )
    func takeOver() async throws {
        let cluster = try await StressCluster(shares: 4)
        let (a, b) = (try cluster.replica("a"), try cluster.replica("b"))
        for one in [a, b] { try await one.start() }
        try await cluster.waitUntilOwned(["a": 2, "b": 2])
        let heard = HeardStress()
        try await heard.listening(to: cluster.broker) {
            var wearers = Wearers(count: 6)
            for name in wearers.names { try await cluster.command(#"{"command": "mode", "participant": "\#(name)", "mode": "base"}"#) }
            try await eventually("an answer to each command; \(heard.answers)") { heard.answers.count == wearers.names.count }
            try await cluster.broker.publish(wearers.next(seconds: 40))
            try await eventually("the first values") { heard.newest >= wearers.time - 15 && heard.names.count == 6 }
            let before = heard.latest
            try await b.kill()
            try await cluster.waitUntilOwned(["a": 4])
            try await cluster.broker.publish(wearers.next(seconds: 120))
            try await eventually("values after the take-over") { heard.newest >= wearers.time - 15 }
            // Nobody says another thing about a moment than was said before.
            #expect(heard.contradictions.isEmpty, "\(heard.contradictions)")
            #expect(heard.texts.contains { $0.contains("warming up") })
            #expect(heard.latest.allSatisfy { $0.value > before[$0.key] ?? 0 })
        }
        #expect(heard.answers.count == 6, "each command is answered once")
        #expect(try cluster.psql("SELECT count(*) FROM vigil_stress.profile WHERE content LIKE '%base%'") == "6")
        for one in [a] { try await one.stop() }
    }
}

/// A broker, a database and replicas of vigil-stress.
struct StressCluster {
    let broker: MosquittoServer
    private let folders: [String: TemporaryFolder]
    private let server: PostgresServer
    private let database: String
    private let shares: Int

    init(shares: Int) async throws {
        self.shares = shares
        broker = try await MosquittoServer.start()
        folders = try ["a", "b"].reduce(into: [:]) { $0[$1] = try TemporaryFolder("vigil-stress-\($1)") }
        server = try PostgresServer()
        database = try server.makeDatabase()
    }

    func replica(_ name: String) throws -> SuiteService {
        let state = StoreUnderTest.postgres(server, connection: database).setting()
        return try SuiteService(
            "vigil-stress", settings: ["--state", state, "--shares", "\(shares)", "--instance", name], brokerPort: broker.port,
            folder: folders[name] ?? TemporaryFolder("vigil-stress"))
    }

    func psql(_ sql: String) throws -> String { try server.psql(sql, in: database) }

    func owner(of share: Int) throws -> String {
        try psql("SELECT owner FROM vigil_stress.lease WHERE share = \(share) AND expires > now()")
    }

    func move(_ share: Int, to replica: String) throws {
        _ = try psql("UPDATE vigil_stress.lease SET wanted = '\(replica)' WHERE share = \(share)")
    }

    func command(_ json: String) async throws {
        try await broker.publish([
            OutgoingMessage(
                topic: "vigil/v1/requests/me/stress", payload: Array(json.utf8),
                properties: MessageProperties(responseTopic: "vigil/v1/responses/me/1"))
        ])
    }

    func waitUntilOwned(_ wanted: [String: Int]) async throws {
        try await waitUntil("shares as \(wanted)") {
            let rows = try psql("SELECT owner, count(*) FROM vigil_stress.lease WHERE owner IS NOT NULL AND expires > now() GROUP BY owner")
            return rows.split(separator: "\n").sorted() == wanted.map { "\($0)|\($1)" }.map { $0[...] }.sorted()
        }
    }

    func waitUntil(_ what: String, _ condition: () throws -> Bool) async throws {
        try await eventually(within: .seconds(90), what) {
            // Each look starts a program.
            try await Task.sleep(for: .milliseconds(100))
            return try condition()
        }
    }
}

/// Synthetic people with an electrocardiogram, breathing and skin conductance.
struct Wearers: Sendable {
    let names: [String]
    private(set) var time = 1_700_000_000.0
    private var people: [SyntheticWearer]

    init(count: Int) {
        names = (0..<count).map { "wearer-\($0)" }
        people = (0..<count).map {
            SyntheticWearer(seed: UInt64($0 + 1), script: WearerScript([.init("only", seconds: 7200, state: .rest)]))
        }
    }

    /// The messages of the next seconds, under topics with shares.
    mutating func next(seconds: Int) -> [OutgoingMessage] {
        (0..<seconds).flatMap { _ in
            defer { time += 1 }
            return people.indices.flatMap { message($0) }
        }
    }

    private mutating func message(_ index: Int) -> [OutgoingMessage] {
        let signals = people[index].advance(seconds: 1)
        let partition = Partition(participant: names[index])
        let block = { (metric: String, samples: [Float], unit: String, rate: Double, time: Double) in
            Observation(
                metric: metric, time: Timestamp(seconds: time), content: .samples(samples.map(Double.init), period: 1 / rate), unit: unit)
        }
        return [
            block("ecg", signals.ecg, "mV", 250, time), block("airflow", signals.airflow, "1", 25, time),
            block("skin-conductance", signals.skinConductance, "uS", 4, time),
        ].map { observation in
            let group = ObservationGroup(
                participant: names[index], source: "chest", received: Timestamp(seconds: time), observations: [observation])
            let batch = ObservationBatch(id: ULID.make(at: Timestamp(seconds: time)), groups: [group])
            return OutgoingMessage(topic: Topic.waveforms(partition).path(.shared), payload: BatchEncoder.encode(batch))
        }
    }
}

/// What vigil-stress said, and answered.
final class HeardStress: Sendable {
    /// One value's identity.
    struct Key: Hashable {
        let participant: String
        let metric: String
        let time: Timestamp
    }

    private struct State {
        var said: [Key: Observation.Content] = [:]
        var contradictions: [Key] = []
        var answers: [String] = []
    }

    private let state = Mutex(State())

    var said: [Key: Observation.Content] { state.withLock { $0.said } }
    var contradictions: [Key] { state.withLock { $0.contradictions } }
    var answers: [String] { state.withLock { $0.answers } }
    var count: Int { said.count }
    var names: Set<String> { Set(said.keys.map(\.participant)) }
    var texts: Set<String> { Set(said.values.compactMap { if case .text(let text) = $0 { text } else { nil } }) }
    /// By participant, the newest moment that something was said of.
    var latest: [String: Double] { said.keys.reduce(into: [:]) { $0[$1.participant] = max($0[$1.participant] ?? 0, $1.time.seconds) } }
    /// The oldest of them.
    var newest: Double { latest.values.min() ?? 0 }

    func listening(to broker: MosquittoServer, _ body: @Sendable @escaping () async throws -> Void) async throws {
        let events = EventLog()
        let consumer = broker.consumer(
            "test-listener", "vigil/v1/observations/+/+/+/derived", "vigil/v1/responses/me/#", onEvent: events.note)
        try await withRunning(consumer) { [self] consumer in
            try await withRunning({ try await self.take(consumer) }, stop: { consumer.drain() }) {
                try await events.waitUntilReady()
                try await body()
            }
        }
    }

    private func take(_ consumer: Consumer) async throws {
        for try await delivery in consumer.batches {
            for message in delivery.messages { take(message) }
            delivery.settle(.committed)
        }
    }

    private func take(_ message: IncomingMessage) {
        guard let batch = try? BatchDecoder().decode(message.payload.span) else {
            return state.withLock { $0.answers.append(message.text) }
        }
        state.withLock { state in
            for group in batch.groups {
                for one in group.observations {
                    let key = Key(participant: group.participant, metric: one.metric, time: one.time)
                    if let known = state.said[key], known != one.content { state.contradictions.append(key) }
                    state.said[key] = one.content
                }
            }
        }
    }
}
