import Foundation
import Signals

/// Compares the breathing rate in windows of 60 s with the mean of two annotators.
enum BreathingEvaluation {
    private static let window = 60.0

    /// Evaluates the recordings that have annotated breaths; nil where none has.
    static func run(_ files: [URL]) throws -> EvaluationReport.Breathing? {
        var records: [EvaluationReport.Breathing.Record] = []
        var all: [Double] = []
        for file in files {
            let recording = try AnnotatedRecording(file)
            let errors = errors(recording)
            guard !errors.isEmpty else { continue }
            records.append(.init(record: recording.name, mae_60s: errors.reduce(0, +) / Double(errors.count)))
            all += errors
        }
        guard !all.isEmpty else { return nil }
        return .init(
            records: records, mae_60s: all.reduce(0, +) / Double(all.count),
            within_2: Double(all.filter { $0 <= 2 }.count) / Double(all.count), windows: all.count)
    }

    private static func errors(_ recording: AnnotatedRecording) -> [Double] {
        var detector = BreathDetector(rate: recording.rate)
        var breaths: [Breath] = []
        detector.process(recording.samples.span, into: &breaths)
        let detected = breaths.map { Double($0.position) / recording.rate }
        return references(recording, window: window).map { abs((rate(detected, from: $0.end - window) ?? 0) - $0.rate) }
    }

    /// The mean rate of the annotators in each window that has any.
    static func references(_ recording: AnnotatedRecording, window: Double) -> [(end: Double, rate: Double)] {
        let annotators = [recording.description.breaths_annotator1, recording.description.breaths_annotator2]
            .compactMap { $0?.map { Double($0) / recording.rate } }
        let length = Double(recording.samples.count) / recording.rate
        return stride(from: 0, through: length - window, by: window).compactMap { start in
            let rates = annotators.compactMap { rate($0, from: start) }
            return rates.isEmpty ? nil : (start + window, rates.reduce(0, +) / Double(rates.count))
        }
    }

    private static func rate(_ marks: [Double], from start: Double) -> Double? {
        BreathingPattern(times: marks.filter { $0 >= start && $0 < start + window })?.rate
    }
}
