import Foundation
import Testing

@testable import Alerting

@Suite("Alert core that forgets a participant", .timeLimit(.minutes(5)))
struct CoreErasureTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, maximumAge: "1h"}]}
        """

    /// A core that has judged two people, one of them after the state was written.
    private func harness(_ kind: StoreKind) async throws -> CoreHarness {
        let harness = try await CoreHarness(Self.rules, on: kind)
        try await harness.run(to: 5)
        try await harness.read(150, of: "erika-mustermann")
        try await harness.checkpoint()
        try await harness.read(151, of: "erika-mustermann")
        try await harness.read(152, of: "max-mustermann")
        return harness
    }

    private func mentions(_ name: String, in kept: [[UInt8]]) -> Int {
        kept.count { Data($0).range(of: Data(name.utf8)) != nil }
    }

    @Test("keeps nothing that names the participant, neither in the state nor in the journal", arguments: StoreKind.allCases)
    func erasure(kind: StoreKind) async throws {
        // Without erasure the name is there, else the next look would say nothing.
        #expect(mentions("erika-mustermann", in: try await harness(kind).kept()) > 0)
        let harness = try await harness(kind)
        try await harness.erase("erika-mustermann")
        let kept = try await harness.kept()
        #expect(mentions("erika-mustermann", in: kept) == 0)
        #expect(mentions("max-mustermann", in: kept) > 0)
    }
}
