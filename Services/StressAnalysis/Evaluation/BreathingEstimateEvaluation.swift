import Foundation
import Signals

/// Compares the breathing rate that the heart's beats tell with annotated breaths, in windows of 60 s.
enum BreathingEstimateEvaluation {
    private static let window = 60.0

    /// The absolute error of an estimate, breaths a minute.
    struct Pair {
        let error: Double
        let quality: Double
    }

    /// Evaluates the pulse waves of which the breaths are annotated; nil where there is none. Of the records in the order of their names every other
    /// one, from the first on, was used to choose the method and its limits.
    static func run(_ pulses: [URL], breaths: [URL]) throws -> EvaluationReport.BreathingEstimate? {
        let annotated = Dictionary(breaths.map { ($0.lastPathComponent, $0) }, uniquingKeysWith: { first, _ in first })
        var records: [EvaluationReport.BreathingEstimate.Record] = []
        for (index, file) in pulses.enumerated() {
            guard let breaths = try annotated[file.lastPathComponent].map(AnnotatedRecording.init) else { continue }
            let pairs = compare(try AnnotatedRecording(file), BreathingEvaluation.references(breaths, window: window))
            records.append(.init(record: breaths.name, isTuning: index % 2 == 0, pairs: pairs))
        }
        return records.isEmpty ? nil : .init(records: records)
    }

    private static func compare(_ recording: AnnotatedRecording, _ references: [(end: Double, rate: Double)]) -> [Pair?] {
        var detector = PulseDetector(rate: recording.rate), beats: [PulseBeat] = []
        detector.process(recording.samples.span, into: &beats)
        return compare(beats.map { (Double($0.position) / recording.rate, $0.level) }, references)
    }

    /// The same by the electrocardiogram of NeuroKit's resting recording, against the breaths of its belt; nil without it.
    static func electrocardiogram(_ folder: URL) throws -> EvaluationReport.BreathingEstimate? {
        var records: [EvaluationReport.BreathingEstimate.Record] = []
        for name in ["bio_resting_5min_100hz", "bio_eventrelated_100hz"] {
            let file = folder.appending(path: "\(name).csv")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            let columns = try CSVColumns.named(file), rate = 100.0
            guard let heart = columns["ECG"], let belt = columns["RSP"] else { continue }
            let pairs = compare(heart: heart.map { Float($0) }, belt: belt.map { Float($0) }, rate: rate)
            records.append(.init(record: name, isTuning: false, pairs: pairs))
        }
        return records.isEmpty ? nil : .init(records: records)
    }

    private static func compare(heart: [Float], belt: [Float], rate: Double) -> [Pair?] {
        var detector = RPeakDetector(rate: rate), peaks: [RPeak] = []
        detector.process(heart.span, into: &peaks)
        detector.finish(into: &peaks)
        var breathing = BreathDetector(rate: rate), breaths: [Breath] = []
        breathing.process(belt.span, into: &breaths)
        let times = breaths.map { Double($0.position) / rate }
        var references: [(end: Double, rate: Double)] = []
        for end in stride(from: window, through: Double(heart.count) / rate, by: window) {
            guard let pattern = BreathingPattern(times: times.filter { $0 >= end - window && $0 < end }) else { continue }
            references.append((end, pattern.rate))
        }
        return compare(peaks.map { (Double($0.position) / rate, $0.amplitude) }, references)
    }

    /// The estimates as they would be told at each reference.
    private static func compare(_ beats: [(time: Double, size: Float)], _ references: [(end: Double, rate: Double)]) -> [Pair?] {
        var sway = BreathModulation(), next = 0
        var pairs: [Pair?] = []
        for reference in references {
            while next < beats.count, beats[next].time <= reference.end {
                sway.add(at: beats[next].time, size: beats[next].size)
                next += 1
            }
            let estimate = BreathModulation.estimate([sway], through: reference.end)
            pairs.append(estimate.map { Pair(error: abs($0.rate - reference.rate), quality: $0.quality) })
        }
        return pairs
    }
}

extension EvaluationReport {
    /// Breathing rate by the beats against annotations, 60 s windows, breaths a minute.
    package struct BreathingEstimate: Encodable, Sendable {
        package var records: [Record]
        package var tuning, apart: Score

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            package var is_tuning: Bool
            package var score: Score
            /// The absolute errors of what is told, and the number of windows in which nothing is.
            let errors: [Double]
            let withheld: Int

            private enum CodingKeys: CodingKey { case record, is_tuning, score }

            init(record: String, isTuning: Bool, pairs: [BreathingEstimateEvaluation.Pair?]) {
                (self.record, is_tuning) = (record, isTuning)
                errors = pairs.compactMap(\.self).filter { $0.quality >= BreathModulation.leastQuality }.map(\.error)
                withheld = pairs.count - errors.count
                score = Score(errors: errors, withheld: withheld)
            }
        }

        /// Records together.
        package struct Score: Encodable, Sendable {
            package var mae: Double?
            package var within_2: Double?
            /// The share of the windows in which no rate is told.
            package var withheld: Double
            package var windows: Int

            init(errors: [Double], withheld: Int) {
                windows = errors.count + withheld
                self.withheld = Double(withheld) / Double(max(1, windows))
                guard !errors.isEmpty else { return }
                mae = errors.reduce(0, +) / Double(errors.count)
                within_2 = Double(errors.count { $0 <= 2 }) / Double(errors.count)
            }
        }

        init(records: [Record]) {
            self.records = records
            let sum = { (list: [Record]) in Score(errors: list.flatMap(\.errors), withheld: list.reduce(0) { $0 + $1.withheld }) }
            (tuning, apart) = (sum(records.filter(\.is_tuning)), sum(records.filter { !$0.is_tuning }))
        }
    }
}
