import Foundation
import SuiteHarness
import TestSupport

/// Readings judged a second of one core's time, by 10 rules for each of 10,000 participants.
struct AlertEngineRate: Benchmark {
    let name = "alert-engine-rate"
    let unit = "readings/s"
    let goal = Goal.ratio(0.02)
    let yardstick: String? = "the same levels, hysteresis and delays as a table of compares in C"

    func product(_ bench: Workbench) async throws -> Double {
        var load = try AlertLoad()
        for _ in 0..<3 { _ = load.round() }
        let start = ProcessorTime.now
        var (readings, events) = (0, 0)
        while ProcessorTime.now - start < 3_000_000_000 {
            let round = load.round()
            readings += round.readings
            events += round.events
        }
        let seconds = Double(ProcessorTime.now - start) / 1e9
        Output.note("\(Int(Double(events) / seconds)) events/s")
        return Double(readings) / seconds
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let rounds = 200
        let nanoseconds = try await LimitProgram("rules", ["--rounds", "\(rounds)"], in: try bench.freshFolder()).processorTime()
        return Double(rounds * AlertLoad.participants * 5) * 1e9 / Double(nanoseconds)
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
