import AlertRules
import Alerting
import Testing

@Suite("How many participants alerting remembers")
struct ParticipantLimitTests {
    private static let rules = #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2h"}]}"#

    @Test("turns strangers away where everybody known was heard of lately", arguments: StoreKind.allCases)
    func full(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.rules, on: kind, capacity: 2)
        for participant in ["a", "b", "c"] { try await core.read(120, of: participant) }
        #expect(core.happened() == ["high raised", "high raised"])
    }

    @Test(
        "forgets who was silent for an hour and has no alert, never who has one, and gives no event's number twice",
        arguments: [false, true], StoreKind.allCases)
    func forgetting(restarts: Bool, kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.rules, on: kind, capacity: 2)
        try await core.read(120, of: "a")
        for value in [120.0, 90, 120, 90] { try await core.read(value, of: "b") }
        #expect(core.happened().count == 5)
        try await core.run(to: 3601)
        try await core.read(120, of: "c")
        #expect(core.happened() == ["high raised"])
        if restarts { try await core.restart(at: 3602) }
        try await core.read(90, of: "c")
        #expect(core.happened() == ["high cleared"])
        // "c" begins behind "b", who may come back.
        #expect(core.lastNumber(of: "c", "high") == 6)
        try await core.read(90, of: "a")
        #expect(core.happened() == ["high cleared"])
    }
}
