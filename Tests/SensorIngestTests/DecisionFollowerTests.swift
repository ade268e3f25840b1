import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Observability
@testable import SensorIngest
@testable import ServiceKit

@Suite("Who follows what operators decide", .timeLimit(.minutes(2)))
struct DecisionFollowerTests {
    /// A log whose lines can be looked at.
    private final class Lines: Sendable {
        private let noted = Mutex<[String]>([])
        var log: Logger { Logger(service: "test", level: .debug, sink: { line in self.noted.withLock { $0.append("\(line)") } }) }

        func count(_ text: String) -> Int { noted.withLock { $0.count { $0.contains(text) } } }
    }

    private static func follower(_ name: String, _ database: String, _ lines: Lines, _ clock: any Clock<Duration>) throws
        -> DecisionFollower
    {
        let shared = SharedDecisions(PostgresState(PostgresConfiguration(connection: database), SharedDecisions.schema))
        let decisions = DeviceDecisions(
            registry: try DeviceRegistry(path: ":memory:"), deviceRules: DeviceRules(), statuses: DeviceStatusTracker(), shared: shared)
        return DecisionFollower(
            decisions, shared, Exchange(store: ParameterStore(path: nil)), replica: name, log: lines.log, clock: clock)
    }

    @Test("looks every ten seconds, and tells once that nothing can be learnt, and once that it can again")
    func looks() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let lines = Lines(), clock = SteppingClock(0)
        let follower = try Self.follower("a", database, lines, clock)
        try await follower.learn(orFail: true)
        let running = Task { try await follower.run() }
        defer { running.cancel() }
        func look(_ times: Int) async throws {
            for _ in 0..<times {
                let before = clock.steps.count
                clock.allow(1)
                try await eventually("the next look") { clock.steps.count == before + 1 }
            }
        }
        try await eventually("the first wait") { clock.steps == [.seconds(10)] }
        try await look(1)
        #expect(lines.count("decided elsewhere") == 0)
        try PostgresServer.psql("ALTER TABLE vigil_ingest.decision RENAME TO away", in: database)
        try await look(2)
        #expect(lines.count("what was decided elsewhere is not known") == 1 && lines.count("known again") == 0)
        // One that has never learnt anything may be told to do without, or not to.
        let others = Lines(), other = try Self.follower("b", database, others, clock)
        await #expect(throws: (any Error).self) { try await other.learn(orFail: true) }
        #expect(others.count("decided elsewhere") == 0)
        try await other.learn(orFail: false)
        #expect(others.count("what was decided elsewhere is not known") == 1)
        try PostgresServer.psql("ALTER TABLE vigil_ingest.away RENAME TO decision", in: database)
        try await look(2)
        #expect(lines.count("what was decided elsewhere is known again") == 1 && lines.count("is not known") == 1)
        #expect(clock.steps.allSatisfy { $0 == .seconds(10) })
    }

    @Test("the service takes operators' commands about devices")
    func commands() async throws {
        let folder = try TemporaryFolder("vigil-ingest"), context = try IngestContext.make(in: folder)
        _ = try await SensorIngestService.command.build(context)
        try await context.exchange.set("quarantine", .text("anna/watch"))
        #expect(try await context.exchange.value(of: "quarantine") == .text("anna/watch"))
        #expect(try await context.exchange.value(of: "devices").text.contains(#""quarantined":true"#))
        try await context.exchange.set("bindings", .text("ring=anna"))
        #expect(try await context.exchange.value(of: "bindings") == .text("ring=anna"))
        try await context.exchange.set("release", .text("anna/watch"))
        #expect(try await context.exchange.value(of: "quarantine") == .text(""))
    }
}
