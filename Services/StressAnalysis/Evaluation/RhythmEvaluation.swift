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
        var records: [EvaluationReport.Rhythm.Record] = []
        for file in files {
            let recording = try AnnotatedRecording(file)
            if let score = score(recording) { records.append(.init(record: recording.name, score: score)) }
        }
        guard !records.isEmpty else { return nil }
        let scores = { (isIn: (String) -> Bool) in records.filter { isIn($0.record) }.map(\.score) }
        let sum = { (list: [EvaluationReport.Rhythm.Score]) in list.reduce(into: EvaluationReport.Rhythm.Score()) { $0 += $1 } }
        let test = scores { !paced.contains($0) && !training.contains($0) }
        return .init(
            records: records, training: sum(scores { training.contains($0) }), test: sum(test), paced: sum(scores { paced.contains($0) }),
            intervals: .init(scores { !paced.contains($0) }), test_intervals: .init(test))
    }

    private static func score(_ recording: AnnotatedRecording) -> EvaluationReport.Rhythm.Score? {
        guard let truth = RhythmTruth(recording) else { return nil }
        let found = FoundRhythm(recording)
        var score = EvaluationReport.Rhythm.Score()
        score.hours = truth.end / 3600
        countBeats(truth, found, &score)
        countFibrillation(truth, found, &score)
        countRuns(truth, found, &score)
        return score
    }

    /// Every annotated beat takes the nearest found one within 150 ms, nearest pairs first.
    private static func countBeats(_ truth: RhythmTruth, _ found: FoundRhythm, _ score: inout EvaluationReport.Rhythm.Score) {
        var taken = [Bool](repeating: false, count: found.beats.count)
        var next = 0
        for beat in truth.beats {
            while next < found.beats.count, found.beats[next].time < beat.time - 0.15 { next += 1 }
            let near = (next..<found.beats.count).prefix { found.beats[$0].time <= beat.time + 0.15 }.filter { !taken[$0] }
                .min { abs(found.beats[$0].time - beat.time) < abs(found.beats[$1].time - beat.time) }
            if let near { taken[near] = true }
            score.matrix[beat.row][near.map { column(found.beats[$0].kind) } ?? 4] += 1
        }
        for (index, beat) in found.beats.enumerated() where !taken[index] && !truth.isFluttering(at: beat.time) {
            score.matrix[5][column(beat.kind)] += 1
        }
    }

    private static func column(_ kind: BeatClass?) -> Int {
        switch kind {
        case .usual: 0
        case .supraventricular: 1
        case .ventricular: 2
        case nil: 3
        }
    }

    /// By seconds. The end of a recording belongs to what goes on.
    private static func countFibrillation(_ truth: RhythmTruth, _ found: FoundRhythm, _ score: inout EvaluationReport.Rhythm.Score) {
        let intervals = found.intervals.filter { $0.rhythm == .suspectedFibrillation }
        for second in stride(from: 0.5, to: truth.end, by: 1) {
            guard let rhythm = truth.rhythm(at: second), rhythm != "AFL" else { continue }
            score.fibrillation.add(intervals.contains { $0.start <= second && second < $0.end }, truth: rhythm == "AFIB")
        }
        for episode in truth.rhythms where episode.name == "AFIB" && episode.end - episode.start >= 60 {
            score.episodes += 1
            guard let first = intervals.first(where: { $0.end > episode.start && $0.start < episode.end }) else { continue }
            score.onsets.append(max(0, first.start - episode.start))
        }
    }

    /// Runs of five beats and more; shorter ones, and flutter, count for nothing.
    private static func countRuns(_ truth: RhythmTruth, _ found: FoundRhythm, _ score: inout EvaluationReport.Rhythm.Score) {
        let intervals = found.intervals.filter { [.ventricularRun, .sustainedVentricularRun, .idioventricular].contains($0.rhythm) }
        let meets = { (run: ClosedRange<Double>) in
            intervals.contains { $0.start <= run.upperBound + 0.15 && $0.end >= run.lowerBound - 0.15 }
        }
        for run in truth.runs(of: 5) { score.runs.add(meets(run), truth: true) }
        for interval in intervals {
            let beats = found.beats.count { $0.time >= interval.start && $0.time <= interval.end }
            let isTrue = truth.runs(of: 3).contains { $0.lowerBound - 0.15 <= interval.end && $0.upperBound + 0.15 >= interval.start }
            if beats >= 5, !isTrue, !truth.isFluttering(at: interval.start) { score.runs.add(true, truth: false) }
        }
    }
}

/// What the cardiologists wrote.
private struct RhythmTruth {
    /// Seconds, and the row in the matrix.
    let beats: [(time: Double, row: Int)]
    let rhythms: [(name: String, start: Double, end: Double)]
    let end: Double

    init?(_ recording: AnnotatedRecording) {
        guard let beats = recording.description.beats, let types = recording.description.beat_types, beats.count == types.count else {
            return nil
        }
        let end = Double(recording.samples.count) / recording.rate
        self.end = end
        self.beats = zip(beats, types).map { (Double($0) / recording.rate, Self.row($1)) }
        let marks = (recording.description.rhythms ?? []).map { (time: Double($0.sample) / recording.rate, name: $0.name) }
        rhythms = marks.indices.map { (marks[$0].name, marks[$0].time, $0 + 1 < marks.count ? marks[$0 + 1].time : end) }
    }

    /// The classes of the AAMI (EC57).
    private static func row(_ letter: Character) -> Int {
        switch letter {
        case "N", "L", "R", "e", "j": 0
        case "A", "a", "J", "S": 1
        case "V", "E": 2
        case "F": 3
        default: 4
        }
    }

    func rhythm(at time: Double) -> String? { rhythms.first { $0.start <= time && time < $0.end }?.name }

    func isFluttering(at time: Double) -> Bool { rhythm(at: time) == "VFL" }

    /// So many ventricular beats and more in a row, from the first to the last.
    func runs(of count: Int) -> [ClosedRange<Double>] {
        var (runs, row): ([ClosedRange<Double>], [Double]) = ([], [])
        for beat in beats + [(.infinity, 0)] {
            if beat.row == 2 {
                row.append(beat.time)
            } else {
                if let first = row.first, let last = row.last, row.count >= count { runs.append(first...last) }
                row.removeAll()
            }
        }
        return runs
    }
}

/// What the analysis said.
private struct FoundRhythm {
    var beats: [JudgedBeat] = []
    var intervals: [RhythmInterval] = []

    init(_ recording: AnnotatedRecording) {
        var (detector, analysis) = (RPeakDetector(rate: recording.rate), RhythmAnalysis())
        var (peaks, seen): ([RPeak], Double) = ([], -1)
        let second = Int(recording.rate)
        for start in stride(from: 0, to: recording.samples.count, by: second) {
            let part = recording.samples[start..<min(start + second, recording.samples.count)]
            detector.process(part.span, into: &peaks)
            for peak in peaks {
                let (time, quality) = (Double(peak.position) / recording.rate, detector.quality)
                analysis.add(at: time, shape: peak.shape, isUsable: quality.isCalm, isGood: quality.isQuiet)
            }
            peaks.removeAll(keepingCapacity: true)
            let known = analysis.beats.dropLast().filter { $0.time > seen }
            beats += known
            seen = known.last?.time ?? seen
            intervals += analysis.takeIntervals().intervals
        }
        // What goes on ends with the recording.
        analysis.gap()
        intervals += analysis.takeIntervals().intervals
    }
}
