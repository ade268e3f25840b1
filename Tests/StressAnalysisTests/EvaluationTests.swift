import Foundation
import Settings
import SignalSynthesis
import Signals
import StressAnalysis
import TestSupport
import Testing

@testable import DetectorEvaluation

@Suite("Evaluation")
struct EvaluationTests {
    @Test("pairs marks one to one, nearest first")
    func matching() {
        let matching = MarkMatching(reference: [100, 200, 300], detected: [98, 103, 205, 500], within: 10)
        #expect(matching.hits == 2)
        #expect(matching.missed == 1)
        #expect(matching.extra == 2)
        #expect(matching.f1 == 4.0 / 7)
        #expect(MarkMatching(reference: [], detected: [], within: 10).f1 == 0)
    }

    @Test("has an area of 1 for a perfect score, 0.5 for a constant one")
    func area() {
        #expect(AreaUnderCurve.of([(0.1, false), (0.2, false), (0.8, true)]) == 1)
        #expect(AreaUnderCurve.of([(0.8, false), (0.1, true)]) == 0)
        #expect(AreaUnderCurve.of([(1, false), (1, true), (1, false)]) == 0.5)
        #expect(AreaUnderCurve.of([(1, true)]) == nil)
    }

    @Test("refuses a folder that is not there")
    func missing() async {
        await #expect(throws: CommandError.self) {
            try await EvaluateCommand.command.run(arguments: ["/nowhere/at/all"], environment: [:])
        }
    }

    @Test("leaves out what the folder has no data for")
    func empty() throws {
        let report = try Evaluation().run(try TemporaryFolder("vigil-evaluate").url)
        #expect(report.rpeaks == nil)
        #expect(report.breathing == nil)
        #expect(report.stress == nil)
        #expect(EvaluationTables.text(report).isEmpty)
    }

    @Test(
        "meets the goals on the recorded data",
        .enabled(if: RecordedData.has("mitdb") && RecordedData.has("stress-predict"), "\(RecordedData.hint)"),
        .timeLimit(.minutes(5)))
    func goals() throws {
        var evaluation = Evaluation()
        evaluation.judgesRhythm = false
        let report = try evaluation.run(try #require(RecordedData.folder))
        let beats = try #require(report.rpeaks)
        #expect(beats.records.count == 24)
        #expect(beats.total.f1_150 >= 0.997)
        #expect(beats.total.f1_75 >= 0.995)
        let pulse = try #require(report.pulse)
        #expect(pulse.records.count == 27 && pulse.mae <= 1.4 && pulse.withheld <= 0.1, "\(pulse.mae), \(pulse.withheld)")
        let breathing = try #require(report.breathing)
        #expect(breathing.mae_60s <= 0.35)
        let skin = try #require(report.skin_conductance)
        #expect(skin.recall >= 8.0 / 9)
        let stress = try #require(report.stress)
        #expect(stress.auc_enhanced >= 0.66)
        #expect(stress.auc_enhanced >= stress.auc_base)
        let hrv = try #require(report.hrv)
        #expect(abs(hrv.heart_rate - 86.16) < 0.86)
    }

    /// Of the records on which no weight was found three with many ventricular beats and one without; and one with fibrillation.
    @Test(
        "tells strange beats and suspects fibrillation in recordings that it was not made on",
        .enabled(if: RecordedData.has("mitdb"), "\(RecordedData.hint)"), .timeLimit(.minutes(5)))
    func rhythm() throws {
        let (folder, data) = (try TemporaryFolder("vigil-rhythm"), try #require(RecordedData.folder).appending(path: "mitdb"))
        for record in ["100", "214", "228", "233", "201"] {
            for file in ["\(record).json", "\(record).i16"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.url.appending(path: file), withDestinationURL: data.appending(path: file))
            }
        }
        let rhythm = try #require(try RhythmEvaluation.run(AnnotatedRecording.files(in: folder.url)))
        #expect(rhythm.records.count == 5)
        let apart = rhythm.test
        #expect(apart.ventricular.sensitivity > 0.7 && apart.ventricular.precision > 0.9, "\(apart.ventricular)")
        let (beats, unknown) = (apart.matrix.dropLast().joined().reduce(0, +), apart.matrix.dropLast().map { $0[3] + $0[4] }.reduce(0, +))
        #expect(beats > 9000 && unknown < beats / 20, "\(apart.matrix)")
        let fibrillation = rhythm.training.fibrillation
        #expect(fibrillation.sensitivity > 0.85 && fibrillation.specificity > 0.85, "\(fibrillation)")
    }

    private typealias Score = EvaluationReport.Rhythm.Score

    @Test("beats of another class, and what is no beat, are false; fusion beats are neither, and for early beats they are (AAMI EC57)")
    func classes() {
        var score = Score()
        // Rows N, S, V, F, Q, none; columns N, S, V, unknown, missed.
        score.matrix = [[90, 3, 2, 1, 1], [4, 5, 1, 0, 0], [1, 2, 30, 3, 4], [0, 1, 7, 0, 0], [0, 9, 9, 0, 0], [0, 1, 1, 0, 0]]
        #expect(score.ventricular.hits == 30 && score.ventricular.missed == 10 && score.ventricular.false_alarms == 4)
        #expect(score.supraventricular.hits == 5 && score.supraventricular.missed == 5 && score.supraventricular.false_alarms == 7)
        #expect(score.ventricular.sensitivity == 0.75 && score.supraventricular.precision == 5.0 / 12)
    }

    @Test("the interval of a share by drawing records spans what they have, and is a point where all are alike")
    func intervals() {
        let scores = [0, 10, 20].map { missed in
            var score = Score()
            score.matrix[2] = [missed, 0, 20 - missed, 0, 0]
            return score
        }
        let apart = EvaluationReport.Rhythm.Intervals(scores)
        #expect(apart.ventricular_se == [0, 1] && apart.ventricular_ppv == [1, 1] && apart.supraventricular_se.isEmpty)
        let alike = EvaluationReport.Rhythm.Intervals([scores[1], scores[1], scores[1]])
        #expect(alike.ventricular_se == [0.5, 0.5])
        #expect(EvaluationReport.Rhythm.Intervals([]).fibrillation_sp.isEmpty)
    }

    /// Three beats a second that lie where nothing is: a beat of every class is missed, and what is found is none.
    @Test("prints the matrix of a recording of one's own, with its beats and those that are none")
    func ownRhythm() throws {
        let folder = try TemporaryFolder("vigil-rhythm")
        let signal = SyntheticWearer(seed: 5, script: WearerScript([])).first(seconds: 90)
        let bytes = signal.flatMap { value in
            let stored = UInt16(bitPattern: Int16(value * 1000))
            return [UInt8(stored & 0xFF), UInt8(stored >> 8)]
        }
        try Data(bytes).write(to: folder.url.appending(path: "own.i16"))
        try folder.write(
            #"{"rate_hz": 250, "scale": 0.001, "beats": [22000, 22100, 22200], "beat_types": "NVA", "rhythms": [[0, "AFIB"]]}"#,
            to: "own.json")
        let rhythm = try #require(try RhythmEvaluation.run(AnnotatedRecording.files(in: folder.url)))
        let matrix = rhythm.test.matrix
        #expect(matrix[0...4].joined().reduce(0, +) == 3 && matrix[5].reduce(0, +) > 60, "\(matrix)")
        #expect(rhythm.test.fibrillation.hits == 0 && rhythm.test.fibrillation.missed == 90 && rhythm.test.episodes == 1)
        let text = RhythmTables.text(rhythm)
        #expect(text.contains("AAMI EC57") && text.contains("own") && text.contains("0 of 1 episodes"))
    }

    @Test("prints, for recordings of one's own, the object that the contract names")
    func json() throws {
        let folder = try TemporaryFolder("vigil-evaluate")
        let signal = SyntheticWearer(seed: 5, script: WearerScript([])).first(seconds: 60)
        var bytes: [UInt8] = []
        for value in signal {
            let stored = UInt16(bitPattern: Int16(value * 1000))
            bytes += [UInt8(stored & 0xFF), UInt8(stored >> 8)]
        }
        try Data(bytes).write(to: folder.url.appending(path: "own.i16"))
        try folder.write(#"{"rate_hz": 250, "scale": 0.001, "beats": [100, 300]}"#, to: "own.json")
        let text = try Evaluation().run(folder.url).json()
        let report = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let beats = report?["rpeaks"] as? [String: Any]
        #expect((beats?["records"] as? [Any])?.count == 1)
        let total = beats?["total"] as? [String: Any]
        #expect(Set((total ?? [:]).keys) == ["se_150", "ppv_150", "f1_150", "f1_75"])
        #expect((report?["speed"] as? [String: Any])?["rpeaks_samples_per_s"] != nil)
        #expect(report?["breathing"] == nil)
    }
}

extension SyntheticWearer {
    /// The first seconds of the electrocardiogram.
    fileprivate func first(seconds: Double) -> [Float] {
        var wearer = self
        return wearer.advance(seconds: seconds).ecg
    }
}
