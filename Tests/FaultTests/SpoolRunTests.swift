import FaultInjection
import SuiteHarness
import Testing

@Suite("A device with a spool", .serialized, .timeLimit(.minutes(5)))
struct SpoolRunTests {
    @Test("has every reading stored once through kill -9 of the broker")
    func brokerKilled() async throws {
        let verdict = try await SpoolRun(store: .sqlite, count: 20_000, kills: 2).run()
        #expect(verdict.problems == [], "\(verdict.remarks)")
    }
}
