import DetectorEvaluation
import Foundation
import Glibc
import SignalSynthesis
import Signals
import StressAnalysis
import SuiteHarness
import VigilSchema

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

/// Measures the cost of one five-second stress update of one person, beyond the work on the samples.
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

/// Decoding what devices send, a second of one core's time: a reading of 139 bytes a message, or a block of 100 samples.
struct JSONDecode: Benchmark {
    enum Load: String { case readings = "json-decode", samples = "json-decode-samples" }

    let load: Load
    var name: String { load.rawValue }
    var unit: String { load == .readings ? "messages/s" : "samples/s" }
    var goal: Goal { .atLeast(load == .readings ? 5_000_000 : 15_000_000) }
    let repeats = 5

    func product(_ bench: Workbench) async throws -> Double {
        let payload = load == .readings ? Self.reading : Self.block
        let (messages, each) = load == .readings ? (2_000_000, 1) : (200_000, 100)
        let decoder = ReadingDecoder()
        let start = ProcessorTime.now
        var readings = 0
        for _ in 0..<messages { readings += try decoder.decode(payload.span).readings.count }
        let seconds = Double(ProcessorTime.now - start) / 1e9
        guard readings == messages else { throw HarnessError("decoded \(readings) of \(messages)") }
        return Double(messages * each) / seconds
    }

    /// 139 bytes: all of a reading's usual fields, and one that is passed over.
    private static let reading = Array(
        #"{"metric": "heart-rate", "time": 1484840182.412345, "value": 71.25, "unit": "/min", "zone": 60, "comment": "left wrist, resting, fw 2.4.1"}"#
            .utf8)

    private static let block = Array(
        (#"{"metric": "ecg", "time": 1484840182.412345, "period": 0.004, "unit": "mV", "samples": ["#
            + (0..<100).map { String(format: "%.3f", sin(Double($0) / 10)) }.joined(separator: ", ") + "]}").utf8)
}
