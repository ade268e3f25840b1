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
