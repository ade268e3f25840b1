package import Foundation
import ServiceKit
package import Settings
import StressAnalysis

/// Runs every evaluation that a folder has data for.
package struct Evaluation {
    /// Brings the electrocardiograms to that many samples a second first.
    package var rate: Double?
    /// Adds synthetic electrode noise at that many decibels to the electrocardiograms; only noisy spans count then.
    package var noise: Double?
    /// Evaluates the classes of beats and the rhythms too, which takes another pass over the electrocardiograms.
    package var judgesRhythm = true

    /// An evaluation of the recordings as they are.
    package init(rate: Double? = nil, noise: Double? = nil) { (self.rate, self.noise) = (rate, noise) }

    /// Evaluates the folder. Throws where a recording cannot be read, or where there is none.
    package func run(_ folder: URL) throws -> EvaluationReport {
        var report = EvaluationReport()
        var peaks = RPeakEvaluation(rate: rate, noise: noise)
        report.rpeaks = try peaks.run(recordings(in: folder, "mitdb"))
        if judgesRhythm, rate == nil, noise == nil {
            report.rhythm = try RhythmEvaluation.run(recordings(in: folder, "mitdb"))
            report.intervals = try IntervalEvaluation.run(recordings(in: folder, "mitdb"))
        }
        report.pulse = try PulseEvaluation.run(recordings(in: folder, "bidmc-pulse"))
        report.breathing = try BreathingEvaluation.run(recordings(in: folder, "bidmc"))
        report.breathing_estimate = try BreathingEstimateEvaluation.run(
            recordings(in: folder, "bidmc-pulse"), breaths: recordings(in: folder, "bidmc"))
        report.breathing_estimate_ecg = try BreathingEstimateEvaluation.electrocardiogram(folder.appending(path: "neurokit"))
        report.skin_conductance = try NeuroKitEvaluation.skin(folder.appending(path: "neurokit"))
        report.hrv = try NeuroKitEvaluation.variability(folder.appending(path: "neurokit"))
        report.stress = try StressEvaluation.run(folder.appending(path: "stress-predict"))
        if peaks.samples > 0 { report.speed = speed(peaks) }
        return report
    }

    private func speed(_ peaks: RPeakEvaluation) -> EvaluationReport.Speed {
        let chain = ChainSpeed()
        return .init(
            rpeaks_samples_per_s: Double(peaks.samples) / max(peaks.seconds, 1e-9), update_us: chain.updateMicroseconds,
            wearers_250hz_per_core: chain.wearersPerCore)
    }

    /// The recordings of a part; those of the folder itself where it is no collection but one set of recordings.
    private func recordings(in folder: URL, _ part: String) -> [URL] {
        let own = AnnotatedRecording.files(in: folder.appending(path: part))
        return own.isEmpty ? AnnotatedRecording.files(in: folder) : own
    }
}

/// `vigil-stress evaluate`: measures the detectors on annotated recordings.
package enum EvaluateCommand {
    static let json = Setting("json", .boolean, default: false, help: "Print one JSON object instead of tables.")
    static let rate = Setting.optional(
        "rate", .integer(in: 50...2000), help: "Resample the electrocardiograms to this many samples a second first.")
    static let noise = Setting.optional(
        "noise", .integer(in: -12...60),
        help: "Add synthetic electrode noise at this many decibels to the electrocardiograms, and count the noisy spans only.")

    /// `vigil-stress` as it is installed: the service, and `evaluate`.
    package static let stress = StressService.service.command(subcommands: [command])

    /// The command.
    package static let command = Command(
        name: "evaluate", summary: "measures the detectors on annotated recordings",
        details: """
            FOLDER contains any of mitdb/, bidmc/ (NAME.i16 with 16-bit samples and NAME.json with rate, scale \
            and annotations), neurokit/ and stress-predict/; missing ones are skipped.
            """,
        settings: [json, rate, noise], operands: Operands("FOLDER", help: "the folder with the recordings")
    ) { invocation in
        let folder = URL(filePath: invocation.operands[0])
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw CommandError(.noInput, "there is no folder \(folder.path)")
        }
        let evaluation = Evaluation(rate: try invocation[rate].map(Double.init), noise: try invocation[noise].map(Double.init))
        let report = try evaluation.run(folder)
        print(try invocation[json] ? report.json() : EvaluationTables.text(report))
    }
}

/// The findings of `vigil-stress evaluate`. The JSON form is stable; shares run from 0 to 1.
package struct EvaluationReport: Encodable, Sendable {
    package var rpeaks: RPeaks?
    package var rhythm: Rhythm?
    package var pulse: Pulse?
    package var breathing: Breathing?
    /// By the pulse wave, and by the electrocardiogram.
    package var breathing_estimate, breathing_estimate_ecg: BreathingEstimate?
    package var intervals: [Intervals]?
    package var skin_conductance: SkinConductance?
    package var hrv: HRV?
    package var stress: Stress?
    package var speed: Speed?

    /// As one JSON object.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Heart beats against annotations.
    package struct RPeaks: Encodable, Sendable {
        package var records: [Record]
        package var total: Score

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            package var beats: Int
            package var detected: Int
            package var se_150, ppv_150, f1_150, f1_75: Double
        }

        /// All records together.
        package struct Score: Encodable, Sendable {
            package var se_150, ppv_150, f1_150, f1_75: Double
        }
    }

    /// Pulse rate against a monitor's heart rate, beats a minute.
    package struct Pulse: Encodable, Sendable {
        package var records: [Record]
        package var mae: Double
        package var within_5: Double
        /// The share of the seconds in which no rate is told.
        package var withheld: Double

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            /// Nil where no rate is told at all.
            package var mae: Double?
            package var withheld: Double
        }
    }

    /// Breathing rate against annotations, 60 s windows, breaths a minute.
    package struct Breathing: Encodable, Sendable {
        package var records: [Record]
        package var mae_60s: Double
        package var within_2: Double
        package var windows: Int

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            package var mae_60s: Double
        }
    }

    /// Skin-conductance responses against NeuroKit's.
    package struct SkinConductance: Encodable, Sendable {
        package var recall: Double
        package var precision: Double
        package var reference: Int
        package var detected: Int
    }

    /// Heart-rate variability of a resting recording, from the beats as found and after correction.
    package struct HRV: Encodable, Sendable {
        package var heart_rate, sdnn, rmssd, pnn50: Double
        package var corrected_sdnn, corrected_rmssd, corrected_pnn50: Double
        package var beats: Int
    }

    /// Stress against labels: the area under the ROC curve.
    package struct Stress: Encodable, Sendable {
        package var auc_base, auc_enhanced, auc_within: Double
        package var auc_base_population: Double
        package var participants: Int
        package var windows: Int
    }

    /// Processor time of one core, not of the clock on the wall.
    package struct Speed: Encodable, Sendable {
        package var rpeaks_samples_per_s: Double
        package var update_us: Double?
        package var wearers_250hz_per_core: Double?
    }
}
