import FaultInjection
import SuiteHarness
import Testing

@Suite("Schedule of faults")
struct ScheduleTests {
    private func plan(_ seed: UInt64) -> FaultPlan { FaultPlan(seed: seed, store: .postgres) }

    @Test("repeats itself for the same seed and differs for another")
    func followsFromTheSeed() {
        #expect(plan(7).schedule.entries == plan(7).schedule.entries)
        #expect(plan(7).schedule.entries != plan(8).schedule.entries)
    }

    @Test("never lets two faults hit one target at once", arguments: 1...20 as ClosedRange<UInt64>)
    func targetsAreFree(_ seed: UInt64) {
        var busy: [String: Double] = [:]
        for entry in plan(seed).schedule.entries {
            #expect(busy[entry.fault.target, default: 0] <= entry.at)
            busy[entry.fault.target] = entry.at + entry.fault.seconds
        }
        #expect(!busy.isEmpty)
    }
}
