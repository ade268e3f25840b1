import Foundation
import Signals

/// Runs the detectors over NeuroKit's example recordings (100 Hz) and compares with what NeuroKit finds there.
enum NeuroKitEvaluation {
    private static let rate = 100.0
    /// The peaks of the skin-conductance responses that NeuroKit 0.2.13 (`eda_process`, defaults) finds, in samples.
    private static let responses: [Int64] = [1495, 2304, 2754, 4748, 7023, 10640, 12205, 13268, 14741]

    /// Responses within a second of NeuroKit's; nil where the recording is missing.
    static func skin(_ folder: URL) throws -> EvaluationReport.SkinConductance? {
        guard let signal = try column("EDA", of: folder.appending(path: "bio_eventrelated_100hz.csv")) else { return nil }
        var detector = SkinConductanceDetector(rate: rate)
        var events: [SkinEvent] = []
        detector.process(signal.span, into: &events)
        let peaks = events.compactMap { event -> Int64? in
            if case .response(let response) = event { response.peak } else { nil }
        }
        let matching = MarkMatching(reference: responses, detected: peaks, within: Int64(rate))
        return .init(
            recall: matching.sensitivity, precision: matching.precision, reference: responses.count, detected: peaks.count)
    }

    /// Heart-rate variability of the resting recording; nil where it is missing.
    static func variability(_ folder: URL) throws -> EvaluationReport.HRV? {
        guard let signal = try column("ECG", of: folder.appending(path: "bio_resting_5min_100hz.csv")) else { return nil }
        var detector = RPeakDetector(rate: rate)
        var peaks: [RPeak] = []
        detector.process(signal.span, into: &peaks)
        detector.finish(into: &peaks)
        let intervals = zip(peaks.dropFirst(), peaks).map { Double($0.position - $1.position) * 1000 / rate }
        var cleaner = RRCleaner()
        var cleaned: [RRInterval] = []
        for (peak, interval) in zip(peaks.dropFirst(), intervals) {
            cleaner.push(milliseconds: interval, at: Double(peak.position) / rate, into: &cleaned)
        }
        guard let raw = HeartRateVariability(intervals), let corrected = HeartRateVariability(cleaned.map(\.milliseconds)) else {
            return nil
        }
        return .init(
            heart_rate: raw.heartRate, sdnn: raw.sdnn, rmssd: raw.rmssd, pnn50: raw.pnn50, corrected_sdnn: corrected.sdnn,
            corrected_rmssd: corrected.rmssd, corrected_pnn50: corrected.pnn50, beats: peaks.count)
    }

    private static func column(_ name: String, of file: URL) throws -> [Float]? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try CSVColumns.named(file)[name]?.map { Float($0) }
    }
}
