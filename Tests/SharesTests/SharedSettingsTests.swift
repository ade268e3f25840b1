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

    @Test("a process whose lease another has taken publishes nothing, though it has not heard of that yet")
    func fenced() async throws {
        let folder = try TemporaryFolder("modules")
        let path = folder.path("state.sqlite")
        let state = ModuleState(try ServiceState(path: path, migrations: ModuleState.migrations, durability: .normal))
        let registry = ModuleRegistry([WeightModule()]), publisher = InMemoryPublisher()
        let own = PostgresState(PostgresConfiguration(connection: database), SharedSettings.schema)
        let host = ModuleHost(
            registry: registry, state: state, runner: DirectEvaluator(registry: registry, stateFile: path), publisher: publisher,
            metrics: ModulesMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, sink: { _ in }), standsBy: true,
            settings: SharedSettings(own, replica: "a"), now: { Timestamp.now.seconds })
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
            let now = Timestamp.now.seconds
            let weights = [(-86_400.0, 80.0), (-10, 83)].map {
                Observation(metric: "body-weight", time: Timestamp(seconds: now + $0.0), content: .value($0.1), unit: "kg")
            }
            let group = ObservationGroup(participant: "anna", source: "scale", received: .now, observations: weights)
            _ = try await ReadingIntake(registry: registry, state: state).take([group], isHistory: false, now: now)
            try await host.runDue()
            #expect(try await state.result(of: "weight", "anna")?.message?.code == "sudden-gain")
            #expect(publisher.messages.count == 1)
            tasks.cancelAll()
        }
    }
}
