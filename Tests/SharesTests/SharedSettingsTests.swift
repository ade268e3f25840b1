import MessageBus
import Observability
import SQLiteDatabase
import ServiceKit
import Shares
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import HealthModules

@Suite("What was set for persons, in the database", .timeLimit(.minutes(2)))
struct SharedSettingsTests {
    private let database: String

    init() throws { database = try PostgresServer.shared().makeDatabase() }

    private func settings(of replica: String) -> SharedSettings {
        SharedSettings(PostgresState(PostgresConfiguration(connection: database), SharedSettings.schema), replica: replica)
    }

    private func entry(_ person: String, _ value: String) -> SharedSettings.Entry {
        SharedSettings.Entry(person: person, name: "weight.target", value: value)
    }

    @Test("each replica brings what it knows once, and replaces nothing; the newest value counts, and what is taken back or erased is gone")
    func values() async throws {
        let (a, b) = (settings(of: "a"), settings(of: "b"))
        #expect(try await a.all(adopting: [entry("anna", "70")]) == [entry("anna", "70")])
        #expect(Set(try await b.all(adopting: [entry("anna", "71"), entry("bert", "80")])) == [entry("anna", "70"), entry("bert", "80")])
        try await a.set("weight.target", .number(72), of: "anna")
        try await b.set("weight.target", .number(73), of: "anna")
        #expect(Set(try await a.all(adopting: [entry("carl", "90")])) == [entry("anna", "73"), entry("bert", "80")])
        try await b.set("weight.target", nil, of: "anna")
        #expect(try await a.all(adopting: [entry("anna", "70")]) == [entry("bert", "80")])
        #expect(try await a.erase("bert") == 1)
        #expect(try await b.erase("bert") == 0)
        #expect(try await b.all(adopting: [entry("bert", "80")]).isEmpty)
    }

    @Test("a process that stands by learns once a minute what was set, or taken back, at another")
    func refreshed() async throws {
        let process = try ModuleProcess("a", database)
        let other = settings(of: "b")
        func learnt() async throws -> [SharedSettings.Entry] {
            try await process.host.runDue()
            return try await process.state.settings()
        }
        try await other.set("weight.target", .number(70), of: "anna")
        #expect(try await learnt() == [entry("anna", "70")])
        try await other.set("weight.target", .number(71), of: "anna")
        process.pass(.seconds(59))
        #expect(try await learnt() == [entry("anna", "70")])
        process.pass(.seconds(1))
        #expect(try await learnt() == [entry("anna", "71")])
        try await other.set("weight.target", nil, of: "anna")
        process.pass(.seconds(60))
        #expect(try await learnt().isEmpty)
    }

    @Test("who is erased is gone from the database too, also where the process then fails, and is not learnt from there again")
    func erased() async throws {
        let process = try ModuleProcess("a", database)
        for person in ["anna", "bert"] { try await process.host.set("weight.target", .number(70), of: person, due: []) }
        #expect(try await process.host.erase("anna")["shared settings"] == 1)
        try await process.host.runDue()
        #expect(try await process.state.settings() == [entry("bert", "70")])
        // Somebody to whom something was said: that is taken back at the broker, which is away.
        try await process.weigh("bert")
        try await process.host.runDue()
        process.publisher.fail { _ in BusError(.connectionLost, during: .publish) }
        await #expect(throws: BusError.self) { try await process.host.erase("bert") }
        #expect(try await settings(of: "b").all(adopting: []).isEmpty)
    }

    @Test("a replica sees whether another holds the lease, and takes its own for nobody else's")
    func elsewhere() async throws {
        let state = PostgresState(PostgresConfiguration(connection: database), SharedSettings.schema)
        let a = ReplicaName(service: "vigil-modules", name: "a", process: "1")
        try await state.leases.prepare(service: "vigil-modules", shares: 1)
        for name in ["a", "b"] { #expect(try await !settings(of: name).isLeaseElsewhere(), "\(name)") }
        _ = try await state.leases.beat(a, held: [], lease: .seconds(60))
        let hold = try #require(try await state.leases.claim([0], for: a, lease: .seconds(60)).first)
        #expect(try await !settings(of: "a").isLeaseElsewhere())
        #expect(try await settings(of: "b").isLeaseElsewhere())
        try await state.leases.free(hold, of: a)
        #expect(try await !settings(of: "b").isLeaseElsewhere())
    }

    @Test("a process whose lease another has taken publishes nothing, though it has not heard of that yet")
    func fenced() async throws {
        let process = try ModuleProcess("a", database)
        let (own, host, state, publisher) = (process.database, process.host, process.state, process.publisher)
        let timing = LeaseTiming().lease
        let (a, b) = (
            ReplicaName(service: "vigil-modules", name: "a", process: "1"), ReplicaName(service: "vigil-modules", name: "b", process: "2")
        )
        try await own.leases.prepare(service: "vigil-modules", shares: 1)
        _ = try await own.leases.beat(a, held: [], lease: timing)
        let hold = try #require(try await own.leases.claim([0], for: a, lease: timing).first)
        let latch = Latch()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await host.work(holding: hold, until: latch) }
            try await eventually("the statuses") { publisher.messages.count == 1 }
            try await own.leases.free(hold, of: a)
            _ = try await own.leases.beat(b, held: [], lease: timing)
            _ = try await own.leases.claim([0], for: b, lease: timing)
            try await process.weigh("anna")
            try await host.runDue()
            #expect(try await state.result(of: "weight", "anna")?.message?.code == "sudden-gain")
            #expect(publisher.messages.count == 1)
            tasks.cancelAll()
        }
    }
}

/// A host as a process that stands by has it, with the state that is its own and a clock that a test moves.
private struct ModuleProcess {
    let database: PostgresState
    let state: ModuleState
    let publisher = InMemoryPublisher()
    let host: ModuleHost
    private let registry = ModuleRegistry([WeightModule()])
    private let folder: TemporaryFolder
    private let clock = StandingClock()

    init(_ replica: String, _ address: String) throws {
        folder = try TemporaryFolder("modules")
        let path = folder.path("state.sqlite")
        state = ModuleState(try ServiceState(path: path, migrations: ModuleState.migrations, durability: .normal))
        database = PostgresState(PostgresConfiguration(connection: address), SharedSettings.schema)
        host = ModuleHost(
            registry: registry, state: state, runner: DirectEvaluator(registry: registry, stateFile: path), publisher: publisher,
            metrics: ModulesMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, sink: { _ in }), standsBy: true,
            settings: SharedSettings(database, replica: replica), now: { Timestamp.now.seconds }, instant: { [clock] in clock.now })
    }

    func pass(_ duration: Duration) { clock.pass(duration) }

    /// Two weighings, between which the heart may have failed.
    func weigh(_ participant: String) async throws {
        let now = Timestamp.now.seconds
        let weights = [(-86_400.0, 80.0), (-10, 83)].map {
            Observation(metric: "body-weight", time: Timestamp(seconds: now + $0.0), content: .value($0.1), unit: "kg")
        }
        let group = ObservationGroup(participant: participant, source: "scale", received: .now, observations: weights)
        _ = try await ReadingIntake(registry: registry, state: state).take([group], isHistory: false, now: now)
    }
}
