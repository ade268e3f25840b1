import Glibc
import Signals
import StressAnalysis
import SuiteHarness

/// Samples of an electrocardiogram in which R peaks are found, a second of one core.
struct RPeaks: Benchmark {
    let name = "rpeaks"
    let unit = "samples/s"
    let goal = Goal.atLeast(20_000_000)
    private static let rounds = 60

    func product(_ bench: Workbench) async throws -> Double {
        var wearer = SyntheticWearer(seed: 1)
        let ecg = wearer.advance(seconds: 600).ecg
        var peaks: [RPeak] = []
        let start = MonotonicTime.now
        for _ in 0..<Self.rounds {
            var detector = RPeakDetector(rate: 250)
            peaks.removeAll(keepingCapacity: true)
            // In the blocks of half a second in which devices send.
            for first in stride(from: 0, to: ecg.count, by: 125) {
                detector.process(ecg.span.extracting(first..<min(first + 125, ecg.count)), into: &peaks)
            }
            detector.finish(into: &peaks)
        }
        let seconds = Double(MonotonicTime.now - start) / 1e9
        guard peaks.count > 300 else { throw HarnessError("found \(peaks.count) beats in ten minutes") }
        return Double(ecg.count * Self.rounds) / seconds
    }
}

/// What one five-second stress update of one person costs, beyond the work on the samples.
struct StressUpdate: Benchmark {
    let name = "stress-update"
    let unit = "µs"
    let goal = Goal.atMost(50)

    func product(_ bench: Workbench) async throws -> Double {
        let speed = ChainSpeed()
        Output.note("\(Table.number(speed.wearersPerCore)) wearers a core, all signals")
        return speed.updateMicroseconds
    }
}
