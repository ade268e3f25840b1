import Foundation
import Signals

/// Measures the intervals of the usual beat, minute by minute, as the service does. They have no annotations: how much a wearer's minutes differ
/// bounds the error from below, and how many are withheld is known.
enum IntervalEvaluation {
    /// Evaluates electrocardiograms whose beats are annotated; nil where there is none.
    static func run(_ files: [URL]) throws -> [EvaluationReport.Intervals]? {
        let records = try files.map(AnnotatedRecording.init).filter { $0.description.beats != nil }.map(measure)
        return records.isEmpty ? nil : records
    }

    private static func measure(_ recording: AnnotatedRecording) -> EvaluationReport.Intervals {
        var (detector, peaks): (RPeakDetector, [RPeak]) = (RPeakDetector(rate: recording.rate), [])
        let minute = Int(60 * recording.rate)
        var found: [BeatIntervals?] = []
        for start in stride(from: 0, to: recording.samples.count - minute + 1, by: minute) {
            detector.process(recording.samples[start..<start + minute].span, into: &peaks)
            found.append(detector.takeAverage().flatMap(BeatIntervals.init))
        }
        let course = { (value: (BeatIntervals) -> Double?) in
            EvaluationReport.Intervals.Course(found.compactMap { $0.flatMap(value) }, of: found.count)
        }
        return .init(
            record: recording.name, minutes: found.count, pr: course(\.pr), qrs: course(\.qrs), qt: course(\.qt), qtc: course(\.qtc),
            st: course { 1000 * $0.st })
    }
}

extension EvaluationReport {
    /// The intervals of one record, in ms, and its ST level, in µV.
    package struct Intervals: Encodable, Sendable {
        package var record: String
        package var minutes: Int
        package var pr, qrs, qt, qtc, st: Course

        /// The minutes of one interval.
        package struct Course: Encodable, Sendable {
            /// The share of the minutes in which it is told.
            package var known: Double
            package var median: Double?
            /// The median change from one told minute to the next.
            package var change: Double?

            init(_ values: [Double], of count: Int) {
                known = Double(values.count) / Double(max(1, count))
                median = Median.of(values)
                change = Median.of(zip(values.dropFirst(), values).map { abs($0 - $1) })
            }
        }
    }
}
