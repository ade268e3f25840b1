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
        #expect(apart.not_judged < apart.beats / 20, "\(apart)")
        let fibrillation = rhythm.training.fibrillation
        #expect(fibrillation.sensitivity > 0.85 && fibrillation.specificity > 0.85, "\(fibrillation)")
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
