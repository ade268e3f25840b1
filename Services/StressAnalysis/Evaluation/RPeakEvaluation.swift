import Foundation
import Signals

/// Runs the R-peak detector over annotated recordings, whole and without a setting per record.
struct RPeakEvaluation {
    /// Resampled to that rate first; nil as recorded.
    var rate: Double?
    /// With synthetic electrode noise at that many decibels; nil as recorded.
    var noise: Double?

    private(set) var samples = 0
    private(set) var seconds = 0.0

    init(rate: Double?, noise: Double?) { (self.rate, self.noise) = (rate, noise) }

    /// Evaluates the recordings that have beats; nil where none has.
    mutating func run(_ files: [URL]) throws -> EvaluationReport.RPeaks? {
        var records: [EvaluationReport.RPeaks.Record] = []
        var (wide, narrow) = (MarkMatching(), MarkMatching())
        for file in files {
            let recording = try RecordedSignal(file)
            guard let beats = recording.description.beats else { continue }
            let (detected, reference, rate) = detect(recording, beats)
            let at150 = MarkMatching(reference: reference, detected: detected, within: Int64(0.15 * rate))
            let at75 = MarkMatching(reference: reference, detected: detected, within: Int64(0.075 * rate))
            (wide, narrow) = (wide + at150, narrow + at75)
            records.append(
                .init(
                    record: recording.name, beats: reference.count, detected: detected.count, se_150: at150.sensitivity,
                    ppv_150: at150.precision, f1_150: at150.f1, f1_75: at75.f1))
        }
        guard !records.isEmpty else { return nil }
        return .init(
            records: records,
            total: .init(se_150: wide.sensitivity, ppv_150: wide.precision, f1_150: wide.f1, f1_75: narrow.f1))
    }

    private mutating func detect(_ recording: RecordedSignal, _ beats: [Int64]) -> (detected: [Int64], reference: [Int64], rate: Double) {
        let (signal, reference, rate) = prepared(recording, beats)
        var peaks: [RPeak] = []
        peaks.reserveCapacity(2 * beats.count)
        seconds += ProcessorTime.of {
            var detector = RPeakDetector(rate: rate)
            detector.process(signal.span, into: &peaks)
            detector.finish(into: &peaks)
        }
        samples += signal.count
        let isCounted = { (position: Int64) in noise == nil || NoiseMixer.isNoisy(Int(position), rate: rate) }
        return (peaks.map(\.position).filter(isCounted), reference.filter(isCounted), rate)
    }

    private func prepared(_ recording: RecordedSignal, _ beats: [Int64]) -> ([Float], [Int64], Double) {
        let target = rate ?? recording.rate
        let marks = beats.map { Int64((Double($0) * target / recording.rate).rounded()) }
        let signal = Resampler.resample(recording.samples, from: recording.rate, to: target)
        guard let noise else { return (signal, marks, target) }
        let seed = recording.name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return (NoiseMixer.mix(signal, beats: marks, rate: target, decibels: noise, seed: seed), marks, target)
    }
}
