import Foundation
import SuiteHarness
import TestSupport

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

/// Memory of 100,000 rule states: 10 rules for each of 10,000 participants, all of them heard of. Measured in a process of its own: in one that
/// measured something before, what that left free would be filled first.
struct AlertEngineMemory: Benchmark {
    let name = "alert-engine-memory"
    let unit = "MB"
    let goal = Goal.atMost(60)
    let repeats = 1

    /// The only word of the command line by which this program starts itself for the measurement.
    static let word = "measure-alert-engine-memory"

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        let child = try ChildProcess(try BuiltCommand.path("vigil-bench"), [Self.word], output: folder.path("growth"))
        guard try await child.waitForExit() == 0, let growth = Double(child.output.trimmingCharacters(in: .newlines)) else {
            throw HarnessError("the measurement ended: \(child.output)")
        }
        return growth / 1e6
    }

    /// By how many bytes the resident memory of this process grows.
    static func growth() throws -> Int {
        let before = try resident()
        var load = try AlertLoad()
        for _ in 0..<20 { _ = load.round() }
        return try withExtendedLifetime(load) { try resident() - before }
    }

    private static func resident() throws -> Int {
        guard let usage = ProcessUsage(processID: getpid()) else { throw HarnessError("/proc tells nothing of this process") }
        return usage.resident
    }
}
