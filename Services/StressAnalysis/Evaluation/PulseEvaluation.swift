import Foundation
import Signals

/// Compares the pulse rate of the last 15 s with the bedside monitor's heart rate, second by second.
enum PulseEvaluation {
    private static let window = 15.0
    /// Seconds before the first comparison: the monitor averages too.
    private static let settling = 20

    /// Evaluates the recordings that have a monitor's heart rate; nil where none has.
    static func run(_ files: [URL]) throws -> EvaluationReport.Pulse? {
        var records: [EvaluationReport.Pulse.Record] = []
        var all: (errors: [Double], withheld: Int) = ([], 0)
        for file in files {
            let recording = try AnnotatedRecording(file)
            guard let monitor = recording.description.monitor_heart_rate_1hz else { continue }
            let (errors, withheld) = compare(rates(recording), monitor)
            guard !errors.isEmpty || withheld > 0 else { continue }
            records.append(.init(record: recording.name, mae: mean(errors), withheld: share(withheld, errors)))
            all = (all.errors + errors, all.withheld + withheld)
        }
        guard !all.errors.isEmpty else { return nil }
        let near = all.errors.count { $0 <= 5 }
        return .init(
            records: records, mae: mean(all.errors) ?? 0, within_5: Double(near) / Double(all.errors.count),
            withheld: share(all.withheld, all.errors))
    }

    private static func compare(_ rates: [Double?], _ monitor: [Double?]) -> (errors: [Double], withheld: Int) {
        let pairs = zip(rates, monitor).dropFirst(settling).compactMap { rate, truth in truth.flatMap { $0 > 0 ? (rate, $0) : nil } }
        return (pairs.compactMap { rate, truth in rate.map { abs($0 - truth) } }, pairs.count { $0.0 == nil })
    }

    /// The rate at each second; nil where it is withheld, as the service does.
    private static func rates(_ recording: AnnotatedRecording) -> [Double?] {
        var (detector, cleaner) = (PulseDetector(rate: recording.rate), RRCleaner())
        var (beats, intervals): ([PulseBeat], [RRInterval]) = ([], [])
        var last: Double?
        let second = Int(recording.rate)
        return stride(from: 0, to: recording.samples.count - second + 1, by: second).map { start in
            detector.process(recording.samples[start..<start + second].span, into: &beats)
            for beat in beats {
                let time = Double(beat.position) / recording.rate
                defer { last = time }
                guard let last else { continue }
                if time - last > 3 { cleaner.gap() } else { cleaner.push(milliseconds: 1000 * (time - last), at: time, into: &intervals) }
            }
            beats.removeAll(keepingCapacity: true)
            guard detector.fault == nil, !detector.isTooFast else { return nil }
            return rate(intervals, at: Double(start + second) / recording.rate)
        }
    }

    private static func rate(_ intervals: [RRInterval], at time: Double) -> Double? {
        let recent = intervals.reversed().prefix { $0.time > time - window }.map(\.milliseconds)
        guard recent.count >= 3, !PulseDetector.isIrregular(recent) else { return nil }
        return 60_000 * Double(recent.count) / recent.reduce(0, +)
    }

    private static func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

    private static func share(_ withheld: Int, _ errors: [Double]) -> Double {
        Double(withheld) / Double(max(1, withheld + errors.count))
    }
}
