import Access
import Observability
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import SensorIngest
@testable import ServiceKit
@testable import Settings

@Suite("What operators decide, in the database", .timeLimit(.minutes(2)))
struct SharedDecisionsTests {
    /// A process among several, with files of its own.
    private struct Replica {
        let registry: DeviceRegistry
        let deviceRules: DeviceRules
        let statuses = DeviceStatusTracker()
        let exchange = Exchange(store: ParameterStore(path: nil))
        let rate: LiveValue<Int>
        let shared: SharedDecisions
        let decisions: DeviceDecisions
        let follower: DecisionFollower

        init(_ name: String, _ database: String, quarantined: [String] = []) async throws {
            registry = try DeviceRegistry(path: ":memory:")
            for device in quarantined {
                try await registry.setQuarantined(DeviceAddress(participant: "anna", device: device), true, now: .now)
            }
            deviceRules = DeviceRules(rules: try await registry.rules())
            shared = SharedDecisions(PostgresState(PostgresConfiguration(connection: database), SharedDecisions.schema))
            let configuration = try Configuration(SensorIngestService.command.settings, flags: [], environment: [:])
            rate = try await exchange.live(SensorIngestService.rateLimit, configuration)
            let decisions = DeviceDecisions(registry: registry, deviceRules: deviceRules, statuses: statuses, shared: shared)
            DeviceParameters(decisions).add(to: exchange)
            exchange.share(shared)
            self.decisions = decisions
            follower = Self.follower(decisions, shared, exchange, name)
        }

        /// The one of the same process, started again.
        func follower(named name: String) -> DecisionFollower { Self.follower(decisions, shared, exchange, name) }

        private static func follower(
            _ decisions: DeviceDecisions, _ shared: SharedDecisions, _ exchange: Exchange, _ name: String
        ) -> DecisionFollower {
            DecisionFollower(decisions, shared, exchange, replica: name, log: Logger(service: "test", level: .error, sink: { _ in }))
        }

        func set(_ name: String, _ value: String, forAll: Bool = true) async throws {
            try await exchange.set(name, .text(value), forAll: forAll)
        }

        /// The devices in quarantine, and those that are bound.
        var decided: String {
            get async throws { "\(try await exchange.value(of: "quarantine").text); \(try await exchange.value(of: "bindings").text)" }
        }
    }

    private let database: String

    init() throws { database = try PostgresServer.shared().makeDatabase() }

    @Test("one that was away learns the newest of everything, on its disk and told as its own: quarantine, release, bindings, parameters")
    func learns() async throws {
        let (a, b) = (try await Replica("a", database), try await Replica("b", database))
        for one in [a, b] { try await one.follower.learn(orFail: true) }
        for (name, value) in [
            ("quarantine", "anna/1"), ("quarantine", "anna/2"), ("bindings", "x=anna"), ("bindings", "y=bert"), ("rate-limit", "5"),
            ("rate-limit", "7"), ("release", "anna/2"), ("bindings", "y="),
        ] { try await a.set(name, value) }
        #expect(try await b.decided == "; ")
        #expect(b.rate.current == 0)
        try await b.follower.learn(orFail: true)
        #expect(try await b.decided == "anna/1; x=anna")
        #expect(b.rate.current == 7)
        #expect(try await b.registry.rules() == b.deviceRules.rules)
        #expect(b.statuses.due(at: .now).map(\.participant) == ["anna"])
        try await b.set("release", "anna/1")
        for one in [a, b] { try await one.follower.learn(orFail: true) }
        #expect(try await a.decided == "; x=anna")
        #expect(try await a.registry.rules().quarantined.isEmpty)
        let new = try await Replica("c", database)
        try await new.follower.learn(orFail: true)
        #expect(try await new.decided == "; x=anna")
        #expect(new.rate.current == 7)
    }

    @Test("what a process kept for itself before is everybody's, unless something else is decided already; it brings it once")
    func adopts() async throws {
        let a = try await Replica("a", database)
        try await a.follower.learn(orFail: true)
        try await a.set("quarantine", "anna/1")
        try await a.set("release", "anna/1")
        let b = try await Replica("b", database, quarantined: ["1", "2"])
        try await b.follower.learn(orFail: true)
        #expect(try await b.decided == "anna/2; ")
        try await a.follower.learn(orFail: true)
        #expect(try await a.decided == "anna/2; ")
        // Taken back while it was away, and not brought a second time.
        try await a.set("release", "anna/2")
        let again = try await Replica("b", database, quarantined: ["2"])
        try await again.follower.learn(orFail: true)
        #expect(try await again.decided == "; ")
    }

    @Test("after a backup was restored, whose numbers are lower, what is decided holds everywhere all the same")
    func restored() async throws {
        let (a, b) = (try await Replica("a", database), try await Replica("b", database))
        for one in [a, b] { try await one.follower.learn(orFail: true) }
        for _ in 0..<3 {
            try await a.set("quarantine", "anna/1")
            try await a.set("release", "anna/1")
        }
        try await b.follower.learn(orFail: true)
        try PostgresServer.psql("DELETE FROM vigil_ingest.decision; UPDATE vigil_ingest.decided SET last = 0", in: database)
        try await a.set("quarantine", "anna/1")
        for one in [a, b] { try await one.follower.learn(orFail: true) }
        for one in [a, b] { #expect(try await one.decided == "anna/1; ") }
    }

    @Test(
        "after that, a parameter that is set for all is taken over as well, by one that ran on and by one that was started anew",
        arguments: [false, true])
    func restoredParameter(startsAnew: Bool) async throws {
        let (a, b) = (try await Replica("a", database), try await Replica("b", database))
        for one in [a, b] { try await one.follower.learn(orFail: true) }
        for value in ["5", "6", "7"] { try await a.set("rate-limit", value) }
        try await b.follower.learn(orFail: true)
        #expect(b.rate.current == 7)
        try PostgresServer.psql("DELETE FROM vigil_ingest.decision; UPDATE vigil_ingest.decided SET last = 0", in: database)
        try await a.set("rate-limit", "9")
        let follower = startsAnew ? b.follower(named: "b") : b.follower
        try await follower.learn(orFail: true)
        #expect(b.rate.current == 9)
        // From there on it counts as before.
        try await b.set("rate-limit", "1", forAll: false)
        try await follower.learn(orFail: true)
        #expect(b.rate.current == 1)
        try await a.set("rate-limit", "2")
        try await follower.learn(orFail: true)
        #expect(b.rate.current == 2)
    }

    @Test("a parameter of one replica alone stays its own until it is set for all anew")
    func alone() async throws {
        let (a, b) = (try await Replica("a", database), try await Replica("b", database))
        try await a.set("rate-limit", "5")
        try await b.follower.learn(orFail: true)
        try await b.set("rate-limit", "9", forAll: false)
        try await b.follower.learn(orFail: true)
        #expect(b.rate.current == 9 && a.rate.current == 5)
        try await a.set("rate-limit", "6")
        try await b.follower.learn(orFail: true)
        #expect(b.rate.current == 6)
        await #expect(throws: ExchangeError.self) { try await a.set("rate-limit", "many") }
        #expect(try PostgresServer.psql("SELECT value FROM vigil_ingest.decision WHERE name = 'rate-limit'", in: database) == "6")
    }

    @Test("who is erased is gone from the database, and nobody else with them")
    func erased() async throws {
        let a = try await Replica("a", database)
        for (name, value) in [("quarantine", "anna/1"), ("quarantine", "anna.b/1"), ("bindings", "x=anna"), ("bindings", "anna=bert")] {
            try await a.set(name, value)
        }
        #expect(try await a.shared.about("anna").compactMap { $0["name"] as? String }.sorted() == ["anna/1", "x"])
        #expect(try await a.shared.erase(participant: "anna") == 2)
        #expect(try await a.shared.all(after: 0).map(\.thing.name) == ["anna.b/1", "anna"])
    }

    @Test("without the database nothing is decided, and one that never reached it does not begin; later it goes on with what it knows")
    func away() async throws {
        let gone = try await Replica("a", "host=127.0.0.1 port=1 dbname=x user=x")
        await #expect(throws: (any Error).self) { try await gone.set("quarantine", "anna/1") }
        #expect(try await gone.decided == "; ")
        await #expect(throws: (any Error).self) { try await gone.follower.learn(orFail: true) }
        try await gone.follower.learn(orFail: false)
        let a = try await Replica("a", database)
        try await a.follower.learn(orFail: true)
        try PostgresServer.psql("DROP TABLE vigil_ingest.decision", in: database)
        try await a.follower.learn(orFail: true)
    }
}
