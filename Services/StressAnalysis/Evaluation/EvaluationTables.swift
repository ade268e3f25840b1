import Foundation

/// The evaluation as tables for people.
package enum EvaluationTables {
    /// The text that `vigil-stress evaluate` prints.
    package static func text(_ report: EvaluationReport) -> String {
        let parts = [
            report.rpeaks.map(beats), report.rhythm.map(RhythmTables.text), report.pulse.map(pulse), report.breathing.map(breathing),
            report.breathing_estimate.map { estimate($0, "the pulse wave") },
            report.breathing_estimate_ecg.map { estimate($0, "the electrocardiogram") }, report.intervals.map(intervals),
            report.skin_conductance.map(skin),
            report.hrv.map(variability),
            report.stress.map(stress), report.speed.map(speed),
        ]
        return parts.compactMap { $0 }.joined(separator: "\n\n")
    }

    private static func beats(_ beats: EvaluationReport.RPeaks) -> String {
        var lines = ["R peaks                beats  found   Se 150 ms  PPV 150 ms  F1 150 ms  F1 75 ms"]
        for record in beats.records {
            lines.append(
                "  \(pad(record.record, 18))\(right(record.beats, 8))\(right(record.detected, 7))\(percent(record.se_150, 12))"
                    + "\(percent(record.ppv_150, 12))\(percent(record.f1_150, 11))\(percent(record.f1_75, 10))")
        }
        let total = beats.total
        let (all, found) = beats.records.reduce((0, 0)) { ($0.0 + $1.beats, $0.1 + $1.detected) }
        lines.append(
            "  \(pad("total", 18))\(right(all, 8))\(right(found, 7))\(percent(total.se_150, 12))\(percent(total.ppv_150, 12))"
                + "\(percent(total.f1_150, 11))\(percent(total.f1_75, 10))")
        return lines.joined(separator: "\n")
    }

    private static func pulse(_ pulse: EvaluationReport.Pulse) -> String {
        let records = pulse.records.map { record in
            "  \(pad(record.record, 18))\(record.mae.map { number($0, 8, 3) } ?? right("–", 8))\(percent(record.withheld, 12))"
        }
        return """
            Pulse rate, last 15 s, against the monitor's heart rate    mean absolute error, /min   withheld
            \(records.joined(separator: "\n"))
              \(pad("total", 18))\(number(pulse.mae, 8, 3))\(percent(pulse.withheld, 12))   within 5/min: \(percent(pulse.within_5, 0))
            """
    }

    private static func breathing(_ breathing: EvaluationReport.Breathing) -> String {
        let records = breathing.records.map { "  \(pad($0.record, 18))\(number($0.mae_60s, 8, 3))" }.joined(separator: "\n")
        return """
            Breathing rate, windows of 60 s    mean absolute error, /min
            \(records)
              \(pad("total", 18))\(number(breathing.mae_60s, 8, 3))   within 2/min: \(percent(breathing.within_2, 0)) of \(breathing.windows)
            """
    }

    private static func estimate(_ breathing: EvaluationReport.BreathingEstimate, _ source: String) -> String {
        let line = { (name: String, score: EvaluationReport.BreathingEstimate.Score) in
            let (error, near) = (score.mae.map { number($0, 8, 3) } ?? right("–", 8), score.within_2.map { percent($0, 0) } ?? "–")
            return "  \(pad(name, 26))\(error)\(percent(score.withheld, 12))   within 2/min: \(near) of \(score.windows)"
        }
        let records = breathing.records.map { line($0.is_tuning ? "\($0.record) (tuning)" : $0.record, $0.score) }
        return """
            Breathing rate without a belt, by \(source), windows of 60 s    mean absolute error, /min   withheld
            \(records.joined(separator: "\n"))
            \(line("tuning", breathing.tuning))
            \(line("kept apart", breathing.apart))
            """
    }

    private static func intervals(_ records: [EvaluationReport.Intervals]) -> String {
        let cell = { (course: EvaluationReport.Intervals.Course) in
            let values = course.median.map { number($0, 7, 0) + " ±" + number(course.change ?? 0, 3, 0) } ?? right("–", 12)
            return values + percent(course.known, 10)
        }
        let lines = records.map { record in
            "  \(pad(record.record, 8))" + [record.pr, record.qrs, record.qt, record.qtc, record.st].map(cell).joined()
        }
        let heads = ["PR, ms", "QRS, ms", "QT, ms", "QTc, ms", "ST, uV"].map { right($0, 12) + right("told", 10) }.joined()
        return """
            Intervals of a minute's mean beat: median, change from minute to minute, share of the minutes in which it is told
              \(pad("", 8))\(heads)
            \(lines.joined(separator: "\n"))
            """
    }

    private static func skin(_ skin: EvaluationReport.SkinConductance) -> String {
        """
        Skin-conductance responses against NeuroKit's, within 1 s
          recall \(percent(skin.recall, 0)) of \(skin.reference), precision \(percent(skin.precision, 0)) of \(skin.detected)
        """
    }

    private static func variability(_ hrv: EvaluationReport.HRV) -> String {
        """
        Heart-rate variability at rest (\(hrv.beats) beats)      as found   corrected
          heart rate, /min                       \(number(hrv.heart_rate, 8, 2))
          SDNN, ms                               \(number(hrv.sdnn, 8, 2))\(number(hrv.corrected_sdnn, 12, 2))
          RMSSD, ms                              \(number(hrv.rmssd, 8, 2))\(number(hrv.corrected_rmssd, 12, 2))
          pNN50, %                               \(number(hrv.pnn50, 8, 2))\(number(hrv.corrected_pnn50, 12, 2))
        """
    }

    private static func stress(_ stress: EvaluationReport.Stress) -> String {
        """
        Stress, windows of 60 s every 5 s: \(stress.participants) people, \(stress.windows) windows    AUC
          base mode, an average adult's bounds   \(number(stress.auc_base_population, 8, 3))
          base mode, calibrated at first rest    \(number(stress.auc_base, 8, 3))
          enhanced mode, calibrated              \(number(stress.auc_enhanced, 8, 3))
          enhanced mode, within a person         \(number(stress.auc_within, 8, 3))
        """
    }

    private static func speed(_ speed: EvaluationReport.Speed) -> String {
        var lines = ["Speed of one core", "  R peaks  \(number(speed.rpeaks_samples_per_s / 1e6, 8, 1)) million samples/s"]
        if let update = speed.update_us { lines.append("  one person's update  \(number(update, 8, 1)) µs") }
        if let wearers = speed.wearers_250hz_per_core { lines.append("  wearers at 250 Hz  \(number(wearers, 8, 0))") }
        return lines.joined(separator: "\n")
    }

    private static func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }

    private static func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }

    private static func right(_ value: Int, _ width: Int) -> String { right(String(value), width) }

    private static func number(_ value: Double, _ width: Int, _ digits: Int) -> String {
        right(String(format: "%.\(digits)f", value), width)
    }

    private static func percent(_ share: Double, _ width: Int) -> String { right(String(format: "%.2f %%", 100 * share), width) }
}
