import AlertRules
import Alerting
import Testing

@Suite("vigil-alert after a downtime")
struct DowntimeTests {
    private static let delayed = """
        {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "10m", staleAfter: "2h",
          escalate: [{after: "5m", to: "nurse"}, {after: "30m", to: "doctor"}]}]}
        """
    private static let immediate = """
        {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "9h",
          escalate: [{after: "5m", to: "nurse"}, {after: "30m", to: "doctor"}]}]}
        """
    private static let silent = """
        {rules: [{id: "silent", kind: "technical", metric: "heart-rate", severity: "notice", noData: "5m"}]}
        """

    @Test(
        "does not raise what the readings that waited at the broker disprove, and raises what they prove, as of its time",
        arguments: StoreKind.allCases)
    func waitingReadings(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.delayed, on: kind)
        try await core.read(120)
        try await core.run(to: 60)
        try await core.restart(at: 3600)
        for second in stride(from: 61, to: 300, by: 5) { try await core.read(120, received: Int64(second)) }
        try await core.read(90, received: 300)
        #expect(core.happened() == ["high pending", "high cancelled"])
        for second in stride(from: 305, through: 3600, by: 5) { try await core.read(120, received: Int64(second)) }
        try await core.drain()
        #expect(core.times() == [305, 905, 1205, 2705])
    }

    @Test(
        "fires what was pending and is not disproved, and escalations that are overdue, each as of its moment",
        arguments: StoreKind.allCases)
    func overdue(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.delayed, on: kind)
        try await core.read(120)
        try await core.restart(at: 3600)
        #expect(core.happened() == ["high pending"])
        try await core.drain()
        #expect(core.times() == [610, 910, 2410])
    }

    @Test("does not escalate what was acknowledged by a command that waited", arguments: StoreKind.allCases)
    func acknowledgedMeanwhile(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.immediate, on: kind)
        try await core.read(120)
        try await core.restart(at: 3600)
        try await core.command(#"{"command": "acknowledge", "actor": "nurse"}"#, rule: "high")
        try await core.drain()
        try await core.run(to: 3700)
        #expect(core.happened() == ["high raised", "high acknowledged"])
    }

    @Test("ends a silence that ran out meanwhile, also where the machine was started anew", arguments: [false, true], StoreKind.allCases)
    func silence(reboot: Bool, kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.immediate, on: kind)
        try await core.read(120)
        try await core.command(#"{"command": "silence", "actor": "nurse", "reason": "bath", "duration": "10m"}"#, rule: "high")
        try await core.run(to: 30)
        try await core.restart(at: 3600, reboot: reboot)
        try await core.drain()
        #expect(core.happened() == ["high raised", "high silenced", "high silence-ended", "high escalated", "high escalated"])
    }

    @Test("does not take its own downtime for a sensor's silence, but goes on counting after it", arguments: StoreKind.allCases)
    func ownSilence(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.silent, on: kind)
        try await core.read(70)
        try await core.run(to: 200)
        try await core.restart(at: 3600)
        try await core.drain()
        try await core.run(to: 3699)
        #expect(core.happened() == [])
        // A few seconds before the kill were not noted: they count as unseen too.
        try await core.run(to: 3706)
        #expect(core.happened() == ["silent raised"])
    }

    @Test("tells of a sensor's silence that the readings of others prove", arguments: StoreKind.allCases)
    func provedSilence(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.silent, on: kind)
        try await core.read(70)
        try await core.restart(at: 3600)
        for second in stride(from: 5, through: 3600, by: 5) { try await core.read(70, of: "13", received: Int64(second)) }
        #expect(core.happened() == ["silent raised"])
    }

    @Test("goes on by itself where the end of the queue is never told", arguments: StoreKind.allCases)
    func withoutMarker(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.delayed, on: kind)
        try await core.read(120)
        try await core.restart(at: 3600)
        try await core.run(to: 3620)
        #expect(core.happened() == ["high pending", "high raised", "high escalated", "high escalated"])
    }

    @Test("treats a machine that slept like a downtime", arguments: StoreKind.allCases)
    func sleep(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.silent, on: kind)
        try await core.read(70)
        try await core.sleep(to: 3600)
        try await core.drain()
        #expect(core.happened() == [])
        try await core.read(70)
        try await core.run(to: 3899)
        #expect(core.happened() == [])
    }

    @Test(
        "neither fires nor clears anything when the machine's wall clock leaps", arguments: [86_400, -86_400] as [Int64], StoreKind.allCases
    )
    func leap(by seconds: Int64, kind: StoreKind) async throws {
        let core = try await CoreHarness(
            """
            {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "10m", staleAfter: "1h"},
              {id: "above", metric: "heart-rate", severity: "warning", above: 110, escalate: [{after: "15m", to: "nurse"}]},
              {id: "silent", kind: "technical", metric: "heart-rate", severity: "notice", noData: "5m"}]}
            """, on: kind)
        try await core.read(120)
        try await core.command(#"{"command": "silence", "actor": "nurse", "reason": "bath", "duration": "10m"}"#, rule: "above")
        #expect(core.happened() == ["high pending", "above raised", "above silenced"])
        core.leap = seconds
        try await core.run(to: 299)
        #expect(core.happened() == [])
        try await core.run(to: 602)
        #expect(core.happened() == ["silent raised", "above data-lost", "above silence-ended"])
        try await core.run(to: 611)
        #expect(core.happened() == ["high raised"])
    }
}
