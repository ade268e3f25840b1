import Glibc
import MessageBus
import SuiteHarness
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("vigil-ingest with another that stands by", .timeLimit(.minutes(8)))
struct IngestReplicaTests {
    @Test("one takes what devices send; killed or frozen, the other goes on, and nothing that a device was told is taken is missing")
    func takesOver() async throws {
        let broker = try await MosquittoServer.start()
        let server = try PostgresServer()
        let database = try server.makeDatabase()
        let folders = try [TemporaryFolder("vigil-ingest-a"), TemporaryFolder("vigil-ingest-b")]
        let state = StoreUnderTest.postgres(server, connection: database).setting()
        let (a, b) = (
            try SuiteService("vigil-ingest", settings: ["--state", state, "--instance", "a"], brokerPort: broker.port, folder: folders[0]),
            try SuiteService("vigil-ingest", settings: ["--state", state, "--instance", "b"], brokerPort: broker.port, folder: folders[1])
        )
        let owner = { @Sendable (wanted: String) in
            try await eventually(within: .seconds(90), "\(wanted) at work") {
                // Each look starts a program.
                try await Task.sleep(for: .milliseconds(100))
                return try server.psql("SELECT owner FROM vigil_ingest.lease WHERE expires > now()", in: database) == wanted
            }
        }
        let taken = Taken()
        try await a.start()
        try await owner("a")
        try await b.start()
        let events = EventLog()
        let watcher = broker.consumer("test-watcher", "vigil/v1/observations/+/readings", onEvent: events.note)
        try await withRunning(watcher) { watcher in
            try await withRunning({ try await taken.collect(watcher) }, stop: { watcher.drain() }) {
                try await events.waitUntilReady()
                try await broker.publish(Self.readings(0..<500))
                try await eventually("500 taken; \(a.lastLines)") { taken.count == 500 }
                try await a.kill()
                try await broker.publish(Self.readings(500..<1000))
                try await owner("b")
                try await eventually("1000 taken") { taken.count == 1000 }
                try await a.start()
                b.signal(SIGSTOP)
                try await broker.publish(Self.readings(1000..<1500))
                try await owner("a")
                try await eventually("1500 taken") { taken.count == 1500 }
                b.signal(SIGCONT)
                try await broker.publish(Self.readings(1500..<2000))
                try await eventually("2000 taken") { taken.count == 2000 }
                try await owner("a")
            }
        }
        for one in [a, b] { try await one.stop() }
    }

    @Test("what was decided while one was away holds where it takes over: quarantine, and what was set for all")
    func decisions() async throws {
        let broker = try await MosquittoServer.start()
        let server = try PostgresServer()
        let database = try server.makeDatabase()
        let state = StoreUnderTest.postgres(server, connection: database).setting()
        let folders = try ["a", "b"].map { try TemporaryFolder("vigil-ingest-\($0)") }
        let (a, b) = (
            try SuiteService("vigil-ingest", settings: ["--state", state, "--instance", "a"], brokerPort: broker.port, folder: folders[0]),
            try SuiteService("vigil-ingest", settings: ["--state", state, "--instance", "b"], brokerPort: broker.port, folder: folders[1])
        )
        let owner = { @Sendable (wanted: String) in
            try await eventually(within: .seconds(90), "\(wanted) at work") {
                // Each look starts a program.
                try await Task.sleep(for: .milliseconds(100))
                return try server.psql("SELECT owner FROM vigil_ingest.lease WHERE expires > now()", in: database) == wanted
            }
        }
        try await b.start()
        try await owner("b")
        try await a.start()
        try await b.stop()
        try await owner("a")
        try await broker.publish([
            Self.setting("quarantine", #""p1/watch""#), Self.setting("latest", "true"), Self.setting("quarantine", #""p2/watch""#),
            Self.setting("release", #""p2/watch""#),
        ])
        try await eventually("all decided; \(a.lastLines)") {
            try await Task.sleep(for: .milliseconds(100))
            return try server.psql("SELECT count(*) FROM vigil_ingest.decision WHERE value IN ('yes', 'no', 'true')", in: database) == "3"
                && server.psql("SELECT value FROM vigil_ingest.decision WHERE name = 'p2/watch'", in: database) == "no"
        }
        try await b.start()
        try await a.kill()
        try await owner("b")
        let taken = Taken()
        let events = EventLog()
        let watcher = broker.consumer("test-watcher", "vigil/v1/observations/+/readings", "vigil/v1/latest/#", onEvent: events.note)
        try await withRunning(watcher) { watcher in
            try await withRunning({ try await taken.collect(watcher) }, stop: { watcher.drain() }) {
                try await events.waitUntilReady()
                try await broker.publish(Self.readings(0..<100))
                try await eventually("ninety taken; \(b.lastLines)") {
                    taken.count >= 90 && taken.topics.count { $0.contains("/latest/") } >= 9
                }
                #expect(taken.count == 90 && taken.topics.allSatisfy { !$0.contains("/latest/p1/") })
            }
        }
        try await b.stop()
    }

    /// What sets a parameter for all.
    private static func setting(_ name: String, _ value: String) -> OutgoingMessage {
        OutgoingMessage(
            topic: Topic.moduleSet(service: "vigil-ingest").path, payload: Array(#"{"name": "\#(name)", "value": \#(value)}"#.utf8))
    }

    @Test("devices cannot be bound where another takes over that knows nothing of it, and a state that is no database is refused in words")
    func refusals() async throws {
        let folder = try TemporaryFolder("vigil-ingest-refused")
        for (settings, words) in [
            (["--state", "postgresql://nobody@127.0.0.1:1/x", "--bind-devices"], "false with --state"),
            (["--state", "sqlite:x"], "postgresql://"),
        ] {
            let service = try SuiteService("vigil-ingest", settings: settings, brokerPort: 1, folder: folder)
            try service.launch()
            try await eventually("the end") { service.hasEnded }
            #expect(service.lastLines.contains(words), "\(service.lastLines)")
        }
    }

    /// Of ten devices, each with a time and a number of its own.
    private static func readings(_ numbers: Range<Int>) -> [OutgoingMessage] {
        numbers.map { number in
            OutgoingMessage(
                topic: Topic.ingest(participant: "p\(number % 10)", device: "watch").path,
                payload: Array(#"{"metric":"steps","time":\#(1_700_000_000 + number),"value":\#(number)}"#.utf8))
        }
    }
}

/// The numbers that came through.
private final class Taken: Sendable {
    private let numbers = Mutex<Set<Int>>([])
    private let seen = Mutex<Set<String>>([])

    var topics: Set<String> { seen.withLock { $0 } }

    var count: Int { numbers.withLock { $0.count } }

    func collect(_ consumer: Consumer) async throws {
        for try await delivery in consumer.batches {
            seen.withLock { $0.formUnion(delivery.messages.map(\.topic)) }
            for batch in delivery.messages.compactMap({ try? BatchDecoder().decode($0.payload.span) }) {
                let values = batch.groups.flatMap(\.observations).compactMap { one -> Int? in
                    if one.metric == "steps", case .value(let value) = one.content { return Int(value) }
                    return nil
                }
                numbers.withLock { $0.formUnion(values) }
            }
            delivery.settle(.committed)
        }
    }
}
