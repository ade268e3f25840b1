import Glibc
import SuiteHarness

/// Readings judged a second on one core, by 10 rules for each of 10,000 participants.
struct AlertEngineRate: Benchmark {
    let name = "alert-engine-rate"
    let unit = "readings/s"
    let goal = Goal.atLeast(200_000)

    func product(_ bench: Workbench) async throws -> Double {
        var load = try AlertLoad()
        for _ in 0..<3 { _ = load.round() }
        let start = MonotonicTime.now
        var (readings, events) = (0, 0)
        while MonotonicTime.now - start < 3_000_000_000 {
            let round = load.round()
            readings += round.readings
            events += round.events
        }
        let seconds = Double(MonotonicTime.now - start) / 1e9
        Output.note("\(Int(Double(events) / seconds)) events/s")
        return Double(readings) / seconds
    }
}

/// Memory of 100,000 rule states: 10 rules for each of 10,000 participants, all of them heard of.
struct AlertEngineMemory: Benchmark {
    let name = "alert-engine-memory"
    let unit = "MB"
    let goal = Goal.atMost(60)
    let repeats = 1

    func product(_ bench: Workbench) async throws -> Double {
        let before = ProcessUsage(processID: getpid())?.resident ?? 0
        var load = try AlertLoad()
        for _ in 0..<20 { _ = load.round() }
        let after = ProcessUsage(processID: getpid())?.resident ?? 0
        return withExtendedLifetime(load) { Double(after - before) / 1e6 }
    }
}
