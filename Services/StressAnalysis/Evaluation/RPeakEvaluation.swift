import Foundation
import SignalSynthesis
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
            let recording = try AnnotatedRecording(file)
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

    private mutating func detect(_ recording: AnnotatedRecording, _ beats: [Int64]) -> (detected: [Int64], reference: [Int64], rate: Double)
    {
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

    private func prepared(_ recording: AnnotatedRecording, _ beats: [Int64]) -> ([Float], [Int64], Double) {
        let target = rate ?? recording.rate
        let marks = beats.map { Int64((Double($0) * target / recording.rate).rounded()) }
        let signal = Resampler.resample(recording.samples, from: recording.rate, to: target)
        guard let noise else { return (signal, marks, target) }
        let seed = recording.name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return (NoiseMixer.mix(signal, beats: marks, rate: target, decibels: noise, seed: seed), marks, target)
    }
}

/// The number of a reference's marks that a detector found: one to one, nearest pairs first.
package struct MarkMatching: Equatable, Sendable {
    package var hits = 0
    package var missed = 0
    package var extra = 0

    /// Both in ascending order; a pair is at most `reach` apart.
    package init(reference: [Int64], detected: [Int64], within reach: Int64) {
        var pairs: [(distance: Int64, reference: Int, detected: Int)] = []
        var first = 0
        for (index, mark) in reference.enumerated() {
            while first < detected.count, detected[first] < mark - reach { first += 1 }
            var candidate = first
            while candidate < detected.count, detected[candidate] <= mark + reach {
                pairs.append((abs(detected[candidate] - mark), index, candidate))
                candidate += 1
            }
        }
        hits = Self.oneToOne(pairs, reference.count, detected.count)
        missed = reference.count - hits
        extra = detected.count - hits
    }

    package init() {}

    private static func oneToOne(_ pairs: [(distance: Int64, reference: Int, detected: Int)], _ references: Int, _ detections: Int) -> Int {
        var usedReference = [Bool](repeating: false, count: references)
        var usedDetected = [Bool](repeating: false, count: detections)
        var hits = 0
        for pair in pairs.sorted(by: { $0 < $1 }) where !usedReference[pair.reference] && !usedDetected[pair.detected] {
            (usedReference[pair.reference], usedDetected[pair.detected]) = (true, true)
            hits += 1
        }
        return hits
    }

    /// The share of the reference's marks that were found.
    package var sensitivity: Double { Double(hits) / Double(max(1, hits + missed)) }

    /// The share of what was found that is right.
    package var precision: Double { Double(hits) / Double(max(1, hits + extra)) }

    /// The harmonic mean of both.
    package var f1: Double { 2 * Double(hits) / Double(max(1, 2 * hits + missed + extra)) }

    package static func + (left: MarkMatching, right: MarkMatching) -> MarkMatching {
        var sum = left
        sum.hits += right.hits
        sum.missed += right.missed
        sum.extra += right.extra
        return sum
    }
}
