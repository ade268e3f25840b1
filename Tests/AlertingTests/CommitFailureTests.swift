import Alerting
import MessageBus
import TestSupport
import Testing
import VigilSchema

@Suite("Alert core whose store fails", .timeLimit(.minutes(5)))
struct CommitFailureTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, maximumAge: "1h"}]}
        """

    @Test(
        "decides nothing while nothing can be stored, not even at a checkpoint, and tells everything once it can",
        arguments: StoreKind.allCases)
    func failedCommit(kind: StoreKind) async throws {
        let harness = try await CoreHarness(Self.rules, on: kind)
        try await harness.run(to: 5)
        try harness.refuseWrites(true)
        await #expect(throws: (any Error).self) { try await harness.read(150) }
        // The engine had moved on: a checkpoint of that would keep an alert as raised that nobody was told of.
        await #expect(throws: (any Error).self) { try await harness.checkpoint() }
        await #expect(throws: (any Error).self) { try await harness.run(to: 12) }
        #expect(harness.happened().isEmpty)
        try harness.refuseWrites(false)
        try await harness.recover()
        try await harness.checkpoint()
        #expect(harness.happened().isEmpty)
        try await harness.redeliver()
        #expect(harness.happened() == ["high raised"])
        try await harness.restart(at: 15)
        try await harness.drain()
        try await harness.read(90)
        #expect(harness.happened() == ["high cleared"])
    }

    @Test("judges on in memory while nothing can be stored: a critical alarm is told once its delay is over, and again under its number")
    func unstored() async throws {
        let harness = try await CoreHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, for: "15s", maximumAge: "1h"}]}"#, on: .sqlite)
        try await harness.run(to: 5)
        try harness.refuseWrites(true)
        await #expect(throws: (any Error).self) { try await harness.read(150) }
        #expect(harness.health.failingSince == 5_000_000)
        #expect(harness.health.takeAlarms().alarms.isEmpty)
        for second in Int64(6)...19 { try? await harness.run(to: second) }
        #expect(harness.health.takeAlarms().alarms.isEmpty)
        for second in Int64(20)...30 { try? await harness.run(to: second) }
        let told = harness.health.takeAlarms().alarms
        #expect(told.map(\.transition) == ["raised"])
        #expect(harness.happened().isEmpty)
        try harness.refuseWrites(false)
        try await harness.redeliver()
        #expect(harness.health.failingSince == nil)
        try await harness.run(to: 60)
        #expect(harness.happened().contains("high raised"))
        #expect(harness.health.takeAlarms().alarms.isEmpty)
    }

    @Test("gives out what was committed although the commit seemed to fail", arguments: StoreKind.allCases)
    func doubtfulCommit(kind: StoreKind) async throws {
        let harness = try await CoreHarness(Self.rules, on: kind)
        try await harness.run(to: 5)
        try await harness.read(150)
        _ = harness.happened()
        await harness.publishingFailed()
        try await harness.run(to: 20)
        #expect(harness.published("alert-events").count == 2, "the same event again, byte for byte")
        #expect(Set(harness.published("alert-events").map(\.payload)).count == 1)
    }

    @Test(
        "publishes an event before the state that it led to, and the removal of a state after its last event", arguments: StoreKind.allCases
    )
    func order(kind: StoreKind) async throws {
        let harness = try await CoreHarness(Self.rules, on: kind)
        try await harness.read(150)
        try await harness.run(to: 1)
        try await harness.read(90)
        let topics = harness.published("alert").map { "\($0.topic.split(separator: "/")[2]) \($0.retained) \($0.payload.isEmpty)" }
        #expect(topics == ["alert-events false false", "alerts true false", "alert-events false false", "alerts true true"])
        try await harness.restart(at: 2)
        #expect(harness.published("alert").suffix(4).map(\.topic) == harness.published("alert").prefix(4).map(\.topic))
    }

    @Test("ends the alert of a rule that a new profile excludes", arguments: StoreKind.allCases)
    func exclusion(kind: StoreKind) async throws {
        let harness = try await CoreHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, ages: ["adult", "older"]}]}"#, on: kind)
        try await harness.read(150)
        try await harness.command(
            #"{"command": "set-profile", "actor": "n", "profile": {"born": "2015-03-01"}}"#, rule: "high")
        #expect(harness.happened() == ["high raised", "high profile-changed", "high cleared"])
        #expect(harness.published("alerts").last?.payload.isEmpty == true)
    }

    @Test("brings the shown value up to date, at most once in five seconds", arguments: StoreKind.allCases)
    func newestValue(kind: StoreKind) async throws {
        let harness = try await CoreHarness(#"{rules: [{id: "low", metric: "heart-rate", severity: "critical", below: 90}]}"#, on: kind)
        try await harness.read(84)
        for value in [80.0, 78, 74, 70] {
            try await harness.run(to: harness.now + 1)
            try await harness.read(value)
        }
        try await harness.run(to: 20)
        let states = try harness.published("alerts").map { try AlertMessage(decoding: $0.payload) }
        #expect(states.map(\.value) == [84, 70], "\(states.map(\.value))")
        #expect(states.last?.sequence == 1 && states.last?.updated != nil)
        #expect(states.last?.message["en"]?.contains("70 per minute") == true, "\(states.last?.message ?? [:])")
        #expect(harness.happened() == ["low raised"])
    }
}
