import JSON5

/// The scores that are computed, and how.
package struct ScoreSettings: Hashable, Sendable {
    /// The guideline whose limits name a blood pressure.
    package enum PressureGuideline: String, Sendable, CaseIterable {
        /// ACC/AHA 2017.
        case acc2017 = "acc-aha-2017"
        /// ESC 2024.
        case esc2024 = "esc-2024"
    }

    package var isNEWS2On = false
    /// A vital sign older than this makes NEWS2 incomplete, in microseconds.
    package var staleAfter: Int64 = 12 * 3600 * 1_000_000
    /// The values that make one score lie at most so far apart, in microseconds: what was measured longer before the newest does not count.
    package var spread: Int64 = 12 * 3600 * 1_000_000
    package var isBloodPressureOn = false
    package var pressureGuideline = PressureGuideline.acc2017
    package var isGlucoseOn = false
    package var isBodyMassIndexOn = false
    package var isTemperatureOn = false
    /// The scores that rule files define themselves.
    package var additive: [AdditiveScore] = []

    package init() {}

    package var isAnyOn: Bool {
        isNEWS2On || isBloodPressureOn || isGlucoseOn || isBodyMassIndexOn || isTemperatureOn || !additive.isEmpty
    }

    /// The score that a metric is of, by its place; nil: it is none's.
    func additive(reads metric: String) -> Int? { additive.firstIndex { $0.metric == metric || $0.highestMetric == metric } }
}

/// Reads a rule file's `scores`.
enum ScoreSettingsReader {
    static func read(_ object: JSON5Object, into set: inout RuleSet) {
        var object = object
        if var news2 = object.object("news2") {
            set.scores.isNEWS2On = true
            if let age = news2.duration("staleAfter") { set.scores.staleAfter = age }
            if let spread = news2.duration("spread") { set.scores.spread = spread }
            news2.refuseUnknown()
        }
        if var pressure = object.object("bloodPressure") {
            set.scores.isBloodPressureOn = true
            let names = ScoreSettings.PressureGuideline.allCases.map(\.rawValue)
            let name = pressure.choice("guideline", of: names)
            if let guideline = name.flatMap(ScoreSettings.PressureGuideline.init(rawValue:)) { set.scores.pressureGuideline = guideline }
            pressure.refuseUnknown()
        }
        for score in object.list("additive") ?? [] {
            var reader = AdditiveScoreReader(set)
            reader.read(score, object.problems)
            set = reader.set
        }
        if object.bool("glucose") == true { set.scores.isGlucoseOn = true }
        if object.bool("bodyMassIndex") == true { set.scores.isBodyMassIndexOn = true }
        if object.bool("temperature") == true { set.scores.isTemperatureOn = true }
        object.refuseUnknown()
    }
}
