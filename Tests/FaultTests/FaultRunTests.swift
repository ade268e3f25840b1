import FaultInjection
import SuiteHarness
import Testing

@Suite("The suite under faults", .serialized, .timeLimit(.minutes(8)))
struct FaultRunTests {
    @Test(
        "stores every reading once and tells of every alert through kill -9 of the services, a database stopped at once and broker restarts",
        arguments: StoreUnderTest.Kind.allCases)
    func storesEverythingOnce(_ store: StoreUnderTest.Kind) async throws {
        var plan = FaultPlan(seed: 2, store: store)
        plan.readings = 20_000
        plan.seconds = 15
        plan.interval = 1.2
        plan.longest = 3
        // Of a debug build.
        plan.memory = 1000
        plan.kinds = [.kill, .kill, .kill, .restartBroker, .stopDatabase]
        let verdict = try await FaultRun(plan).run()
        #expect(verdict.problems == [], "\(verdict.remarks)\n\(plan.schedule)")
    }
}
