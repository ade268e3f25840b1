import Foundation
import Signals

/// Runs the rhythm analysis over annotated recordings as the service does, a second at a time, and counts right and wrong answers.
enum RhythmEvaluation {
    /// The records on which the classifier's weights were found: those of the first half in the division of P. de Chazal et al., IEEE Trans Biomed
    /// Eng 51 (2004) 1196. Of the same paper: records with a pacemaker count for neither half.
    private static let training: Set = [
        "101", "106", "108", "109", "112", "114", "115", "116", "118", "119", "122", "124", "201", "203", "205", "207", "208", "209", "215",
        "220", "223", "230",
    ]
    private static let paced: Set = ["102", "104", "107", "217"]

    /// Evaluates the recordings whose beats have classes; nil where none has.
    static func run(_ files: [URL]) throws -> EvaluationReport.Rhythm? {
        var report = EvaluationReport.Rhythm(records: [], training: .init(), test: .init(), paced: .init())
        for file in files {
            let recording = try AnnotatedRecording(file)
            guard let score = score(recording) else { continue }
            report.records.append(.init(record: recording.name, score: score))
            if paced.contains(recording.name) {
                report.paced += score
            } else if training.contains(recording.name) {
                report.training += score
            } else {
                report.test += score
            }
        }
        return report.records.isEmpty ? nil : report
    }

    private static func score(_ recording: AnnotatedRecording) -> EvaluationReport.Rhythm.Score? {
        guard let beats = recording.description.beats, let types = recording.description.beat_types, beats.count == types.count else {
            return nil
        }
        let (judged, minutes) = analyse(recording)
        var score = EvaluationReport.Rhythm.Score()
        count(zip(beats, types).map { (Double($0) / recording.rate, $1) }, judged, &score)
        count(recording, minutes, &score)
        return score
    }

    /// The beats as they were judged, and the minutes by their end in seconds.
    private static func analyse(_ recording: AnnotatedRecording) -> (beats: [JudgedBeat], minutes: [(end: Double, minute: RhythmMinute)]) {
        var (detector, analysis) = (RPeakDetector(rate: recording.rate), RhythmAnalysis())
        var (judged, minutes): ([JudgedBeat], [(end: Double, minute: RhythmMinute)]) = ([], [])
        var (peaks, seen, end): ([RPeak], Double, Double) = ([], -1, 60)
        let second = Int(recording.rate)
        for start in stride(from: 0, to: recording.samples.count, by: second) {
            let part = recording.samples[start..<min(start + second, recording.samples.count)]
            detector.process(part.span, into: &peaks)
            for peak in peaks {
                analysis.add(at: Double(peak.position) / recording.rate, shape: peak.shape, isUsable: detector.quality.isUsable)
            }
            peaks.removeAll(keepingCapacity: true)
            let known = analysis.beats.dropLast().filter { $0.time > seen }
            judged += known
            seen = known.last?.time ?? seen
            // As the service does: five seconds later a minute's beats are final.
            if Double(start + second) / recording.rate >= end + 5 {
                if let minute = analysis.minute(endingAt: end) { minutes.append((end, minute)) }
                end += 60
            }
        }
        return (judged, minutes)
    }

    /// The classes of the AAMI (EC57): fusion beats, paced ones and what could not be classed are left out.
    private static func kind(_ letter: Character) -> BeatClass? {
        switch letter {
        case "N", "L", "R", "e", "j": .usual
        case "A", "a", "J", "S": .supraventricular
        case "V", "E": .ventricular
        default: nil
        }
    }

    /// Every annotated beat takes the nearest judged one within 150 ms; one that was not judged counts as missed.
    private static func count(
        _ annotated: [(time: Double, type: Character)], _ judged: [JudgedBeat], _ score: inout EvaluationReport.Rhythm.Score
    ) {
        var next = 0
        for beat in annotated {
            while next < judged.count, judged[next].time < beat.time - 0.15 { next += 1 }
            let near = judged[next...].prefix { $0.time <= beat.time + 0.15 }.min { abs($0.time - beat.time) < abs($1.time - beat.time) }
            guard let truth = kind(beat.type) else { continue }
            score.beats += 1
            if near?.kind == nil { score.not_judged += 1 }
            score.ventricular.add(near?.kind == .ventricular, truth: truth == .ventricular)
            score.supraventricular.add(near?.kind == .supraventricular, truth: truth == .supraventricular)
        }
    }

    /// A minute is one of fibrillation of which it takes 30 s and more.
    private static func count(
        _ recording: AnnotatedRecording, _ minutes: [(end: Double, minute: RhythmMinute)], _ score: inout EvaluationReport.Rhythm.Score
    ) {
        let marks = (recording.description.rhythms ?? []).map { (time: Double($0.sample) / recording.rate, name: $0.name) }
        for (end, minute) in minutes {
            let seconds = { (name: String) in
                marks.indices.reduce(0.0) { sum, index in
                    guard marks[index].name == name else { return sum }
                    let until = index + 1 < marks.count ? marks[index + 1].time : .infinity
                    return sum + max(0, min(until, end) - max(marks[index].time, end - 60))
                }
            }
            let isSuspected = minute.fibrillation >= 30
            if seconds("AFL") >= 30 {
                score.flutter += 1
                if isSuspected { score.flutter_suspected += 1 }
            } else {
                score.fibrillation.add(isSuspected, truth: seconds("AFIB") >= 30)
            }
        }
    }
}

extension EvaluationReport.Rhythm.Count {
    fileprivate mutating func add(_ answer: Bool, truth: Bool) {
        switch (answer, truth) {
        case (true, true): hits += 1
        case (false, true): missed += 1
        case (true, false): false_alarms += 1
        case (false, false): right_rejections += 1
        }
    }

    package var sensitivity: Double { Double(hits) / Double(max(1, hits + missed)) }
    package var precision: Double { Double(hits) / Double(max(1, hits + false_alarms)) }
    package var specificity: Double { Double(right_rejections) / Double(max(1, right_rejections + false_alarms)) }

    fileprivate static func += (left: inout Self, right: Self) {
        left.hits += right.hits
        left.missed += right.missed
        left.false_alarms += right.false_alarms
        left.right_rejections += right.right_rejections
    }
}

extension EvaluationReport.Rhythm.Score {
    fileprivate static func += (left: inout Self, right: Self) {
        left.ventricular += right.ventricular
        left.supraventricular += right.supraventricular
        left.fibrillation += right.fibrillation
        left.flutter += right.flutter
        left.flutter_suspected += right.flutter_suspected
        left.beats += right.beats
        left.not_judged += right.not_judged
    }
}
