package import Foundation

/// Runs every evaluation that a folder has data for.
package struct Evaluation {
    /// Brings the electrocardiograms to that many samples a second first.
    package var rate: Double?
    /// Adds synthetic electrode noise at that many decibels to the electrocardiograms; only noisy spans count then.
    package var noise: Double?

    /// An evaluation of the recordings as they are.
    package init(rate: Double? = nil, noise: Double? = nil) { (self.rate, self.noise) = (rate, noise) }

    /// Evaluates the folder. Throws where a recording cannot be read, or where there is none.
    package func run(_ folder: URL) throws -> EvaluationReport {
        var report = EvaluationReport()
        var peaks = RPeakEvaluation(rate: rate, noise: noise)
        report.rpeaks = try peaks.run(recordings(in: folder, "mitdb"))
        report.breathing = try BreathingEvaluation.run(recordings(in: folder, "bidmc"))
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
        let own = RecordedSignal.files(in: folder.appending(path: part))
        return own.isEmpty ? RecordedSignal.files(in: folder) : own
    }
}
