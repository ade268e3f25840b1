import DetectorEvaluation
import Foundation
import Glibc
import SignalSynthesis
import Signals
import StressAnalysis
import SuiteHarness
import TestSupport
import VigilSchema

/// Samples of an electrocardiogram in which R peaks are found, a second of one core's time.
struct RPeaks: Benchmark {
    enum Yardstick { case filters, sleepecg }

    let measured: Yardstick
    var name: String { measured == .filters ? "rpeaks" : "rpeaks-against-sleepecg" }
    let unit = "samples/s"
    var goal: Goal { measured == .filters ? .ratio(0.6) : .ratio(0.7) }
    let repeats = 5
    var yardstick: String? {
        measured == .filters
            ? "the same filters and running means in C, without beats" : "sleepecg's detector in C, all samples in one call"
    }
    private static let rounds = 60

    init(yardstick: Yardstick) { measured = yardstick }

    func product(_ bench: Workbench) async throws -> Double {
        let ecg = Self.ecg
        var peaks: [RPeak] = []
        let start = ProcessorTime.now
        for _ in 0..<Self.rounds {
            var detector = RPeakDetector(rate: 250)
            peaks.removeAll(keepingCapacity: true)
            // In the blocks of half a second in which devices send.
            for first in stride(from: 0, to: ecg.count, by: 125) {
                detector.process(ecg.span.extracting(first..<min(first + 125, ecg.count)), into: &peaks)
            }
            detector.finish(into: &peaks)
        }
        let seconds = Double(ProcessorTime.now - start) / 1e9
        guard peaks.count > 300 else { throw HarnessError("found \(peaks.count) beats in ten minutes") }
        return Double(ecg.count * Self.rounds) / seconds
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let file = folder.path("ecg.f32"), ecg = Self.ecg
        try ecg.withUnsafeBytes { try Data($0).write(to: URL(filePath: file)) }
        let nanoseconds: Int64
        switch measured {
        case .filters:
            nanoseconds = try await LimitProgram("filters", ["--samples", file, "--rounds", "\(Self.rounds)"], in: folder).processorTime()
        case .sleepecg:
            let output = try await PythonEnvironment(packages: ["sleepecg>=0.6"], folder: folder).run(
                script: Self.script, [file, "\(Self.rounds)"])
            nanoseconds = LimitProgram.values(in: output)["nanoseconds"] ?? 0
        }
        return Double(ecg.count * Self.rounds) * 1e9 / Double(nanoseconds)
    }

    /// Ten minutes at 250 Hz.
    private static let ecg: [Float] = {
        var wearer = SyntheticWearer(seed: 1)
        return wearer.advance(seconds: 600).ecg
    }()

    /// The first call designs the filter, and is not counted.
    private static let script = """
        import numpy, sleepecg, sys, time
        ecg = numpy.fromfile(sys.argv[1], dtype=numpy.float32).astype(float)
        sleepecg.detect_heartbeats(ecg, 250)
        start = time.thread_time_ns()
        for _ in range(int(sys.argv[2])):
            beats = sleepecg.detect_heartbeats(ecg, 250)
        print(f"nanoseconds={time.thread_time_ns() - start}")
        assert len(beats) > 300
        """
}

/// Measures the cost of one five-second stress update of one person, beyond the work on the samples.
struct StressUpdate: Benchmark {
    let name = "stress-update"
    let unit = "µs"
    let goal = Goal.atMostRatio(5.3)
    let repeats = 5
    let yardstick: String? = "one pass over the last minute's samples in C: mean and variance"

    func product(_ bench: Workbench) async throws -> Double {
        let speed = ChainSpeed()
        Output.note("\(Table.number(speed.wearersPerCore)) wearers a core, all signals")
        return speed.updateMicroseconds
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let updates = 20_000
        let nanoseconds = try await LimitProgram("windows", ["--updates", "\(updates)"], in: try bench.freshFolder()).processorTime()
        return Double(nanoseconds) / 1000 / Double(updates)
    }
}

/// Decoding what devices send, a second of one core's time: a reading of 139 bytes a message, or a block of 100 samples.
struct JSONDecode: Benchmark {
    enum Load: String { case readings = "json-decode", samples = "json-decode-samples" }

    let load: Load
    var name: String { load.rawValue }
    var unit: String { load == .readings ? "messages/s" : "samples/s" }
    let goal = Goal.ratio(0.5)
    let repeats = 5
    let yardstick: String? = "simdjson's on-demand parser, the same fields"

    func product(_ bench: Workbench) async throws -> Double {
        let (decoder, payload, messages) = (ReadingDecoder(), payload, messages)
        let start = ProcessorTime.now
        var readings = 0
        for _ in 0..<messages { readings += try decoder.decode(payload.span).readings.count }
        let seconds = Double(ProcessorTime.now - start) / 1e9
        guard readings == messages else { throw HarnessError("decoded \(readings) of \(messages)") }
        return Double(messages * each) / seconds
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        try await NativePeer.simdjson.rate(["reading"], payload: payload, messages: messages, readings: 1, in: try bench.freshFolder())
            * Double(each)
    }

    private var payload: [UInt8] { load == .readings ? Self.reading : Self.block }
    private var messages: Int { load == .readings ? 2_000_000 : 200_000 }
    /// Values in a message.
    private var each: Int { load == .readings ? 1 : 100 }

    /// 139 bytes: all of a reading's usual fields, and one that is passed over.
    private static let reading = Array(
        #"{"metric": "heart-rate", "time": 1484840182.412345, "value": 71.25, "unit": "/min", "zone": 60, "comment": "left wrist, resting, fw 2.4.1"}"#
            .utf8)

    private static let block = Array(
        (#"{"metric": "ecg", "time": 1484840182.412345, "period": 0.004, "unit": "mV", "samples": ["#
            + (0..<100).map { String(format: "%.3f", sin(Double($0) / 10)) }.joined(separator: ", ") + "]}").utf8)
}
