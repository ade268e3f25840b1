import Signals
import VigilSchema

/// Turns a report into observations, each with its name and unit in the metric catalogue.
enum ReportObservations {
    /// The observations of a report, in a fixed order; a value that is not known is left out, and so is one that cannot be, of which the status
    /// tells.
    static func of(_ report: WearerReport, score: StressScore, status: String) -> [Observation] {
        let time = Timestamp(seconds: report.time)
        var list: [Observation] = []
        var implausible: [String] = []
        for (metric, value, unit) in vitals(report) + stress(score) + quality(report) + longTerm(report.longTerm) {
            guard let value, value.isFinite else { continue }
            // Four digits after the point are finer than any of the sensors.
            let rounded = (value * 10_000).rounded() / 10_000
            guard isPlausible(rounded, metric) else {
                implausible.append(metric)
                continue
            }
            list.append(Observation(metric: metric, time: time, content: .value(rounded), unit: unit))
        }
        let remark = "left out as it cannot be: \(implausible.joined(separator: ", "))"
        let text = implausible.isEmpty ? status : status == "ok" ? remark : "\(status); \(remark)"
        list.append(Observation(metric: "stress-status", time: time, content: .text(text), unit: "1"))
        return list
    }

    private static func isPlausible(_ value: Double, _ metric: String) -> Bool {
        MetricCatalogue.standard.definition(named: metric)?.plausible?.contains(value) ?? true
    }

    private static func vitals(_ report: WearerReport) -> [(String, Double?, String)] {
        [
            ("heart-rate", report.heartRate, "/min"),
            ("heart-rate-variability-rmssd", report.variability?.rmssd, "ms"),
            ("respiration-rate", report.breathing?.rate, "/min"),
            ("skin-conductance-level", report.inputs.skinConductance, "uS"),
            ("scr-rate", report.responseRate, "/min"),
            ("scr-amplitude", report.responseAmplitude, "uS"),
        ]
    }

    private static func stress(_ score: StressScore) -> [(String, Double?, String)] {
        [
            ("stress-level", score.level, "1"),
            ("stress-heart-component", score.heart, "1"),
            ("stress-skin-component", score.skin, "1"),
            ("stress-breathing-component", score.breath, "1"),
            ("stress-calibrated", score.isCalibrated ? 1 : 0, "1"),
        ]
    }

    private static func quality(_ report: WearerReport) -> [(String, Double?, String)] {
        [
            ("ecg-quality", report.heartQuality, "1"),
            ("respiration-quality", report.breathingQuality, "1"),
            ("skin-conductance-quality", report.skinQuality, "1"),
        ]
    }

    private static func longTerm(_ measures: WearerReport.LongTerm?) -> [(String, Double?, String)] {
        guard let measures else { return [] }
        return [
            ("heart-rate-variability-sdnn", measures.variability.sdnn, "ms"),
            ("pnn50", measures.variability.pnn50, "%"),
            ("lf-power", measures.spectrum?.lowFrequency, "ms2"),
            ("hf-power", measures.spectrum?.highFrequency, "ms2"),
            ("lf-hf-ratio", measures.spectrum?.ratio, "1"),
            ("baevsky-index", measures.baevsky, "1/s2"),
            ("dfa-alpha1", measures.alpha1, "1"),
        ]
    }
}
