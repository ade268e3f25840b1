/// The National Early Warning Score 2 (Royal College of Physicians, 2017), 0–20.
///
/// Not for people under 16 and not in pregnancy: the caller must not ask then. Values are rounded to the table's precision first: whole
/// numbers, the temperature to a tenth.
package enum NEWS2 {
    /// A physiological parameter of the score, in the chart's order.
    package enum Parameter: Int, Sendable, CaseIterable {
        case respiration, saturation, oxygen, systolic, pulse, consciousness, temperature

        /// The metric that it is taken from.
        package var metric: String {
            switch self {
            case .respiration: "respiration-rate"
            case .saturation: "oxygen-saturation"
            case .oxygen: "supplemental-oxygen"
            case .systolic: "systolic-pressure"
            case .pulse: "heart-rate"
            case .consciousness: "consciousness"
            case .temperature: "body-temperature"
            }
        }

        /// The metric of its points, which rules read and nobody sends or publishes.
        package var pointsMetric: String { "news2-points-\(self)" }

        /// The metrics of the points that can be 3, with the vital signs that they are taken from.
        static let pointsMetrics = Dictionary(
            uniqueKeysWithValues: allCases.filter { $0 != .oxygen }.map { ($0.pointsMetric, $0.metric) })
    }

    /// The score is for nobody younger, in years, nor in pregnancy and the six weeks after birth (RCP 2017).
    static let leastAge = 16.0

    /// Whether the score is for a person; somebody of unknown age counts as adult.
    static func isFor(_ profile: PersonFacts, at time: Int64) -> Bool {
        !profile.isMaternal(at: time) && profile.age(at: time) ?? leastAge >= leastAge
    }

    /// The vital signs behind one of the score's own metrics: none where the metric is not the score's.
    ///
    /// Supplemental oxygen is a treatment, not a sign that somebody must watch.
    static func inputs(of metric: String) -> [String] {
        if let input = Parameter.pointsMetrics[metric] { return [input] }
        return metric.hasPrefix("news2-") ? Parameter.allCases.filter { $0 != .oxygen }.map(\.metric) : []
    }

    /// The values that a score is made of; nil: missing or too old.
    package struct Vitals: Hashable, Sendable {
        package var respiration: Double?
        package var saturation: Double?
        /// 0 air, 1 oxygen.
        package var oxygen: Double?
        package var systolic: Double?
        package var pulse: Double?
        /// `alert`, or anything else.
        package var isAlert: Bool?
        package var temperature: Double?
        package var usesScale2 = false

        package init() {}
    }

    /// The content of the table.
    package struct Result: Hashable, Sendable {
        /// The points of each parameter; those that are missing are not there.
        package let points: [Parameter: Int]

        /// The parameters that are missing, in the chart's order.
        package var missing: [Parameter] { Parameter.allCases.filter { points[$0] == nil } }
        /// Their metrics as `news2-missing` says them.
        var missingText: String { NEWS2.missingText(missing) }
        package var isComplete: Bool { points.count == Parameter.allCases.count }
        /// The sum of what is known; where something is missing, the least that the score can be.
        package var total: Int { points.values.reduce(0, +) }
        /// The highest points of any one parameter.
        package var highest: Int { points.values.max() ?? 0 }

        /// `low`, `low-medium` (a single 3), `medium`, `high`; or `incomplete`, as long as what is known says no more than low.
        package var risk: String {
            if total >= 7 { return "high" }
            if total >= 5 { return "medium" }
            if highest == 3 { return "low-medium" }
            return isComplete ? "low" : "incomplete"
        }
    }

    static func missingText(_ parameters: [Parameter]) -> String {
        parameters.isEmpty ? "none" : parameters.map(\.metric).joined(separator: ",")
    }

    /// The parameters of such a text as bits; nil where it is none.
    static func missingBits(_ text: String) -> Int? {
        let missing = Parameter.allCases.filter { parameter in text.split(separator: ",").contains { $0 == parameter.metric } }
        return missingText(missing) == text ? missing.reduce(0) { $0 | 1 << $1.rawValue } : nil
    }

    /// Scores what is known.
    package static func score(_ vitals: Vitals) -> Result {
        var points: [Parameter: Int] = [:]
        points[.respiration] = vitals.respiration.map(respiration)
        points[.oxygen] = vitals.oxygen.map { $0 >= 0.5 ? 2 : 0 }
        points[.systolic] = vitals.systolic.map(systolic)
        points[.pulse] = vitals.pulse.map(pulse)
        points[.consciousness] = vitals.isAlert.map { $0 ? 0 : 3 }
        points[.temperature] = vitals.temperature.map(temperature)
        if let saturation = vitals.saturation {
            points[.saturation] = vitals.usesScale2 ? scale2(saturation, isOnOxygen: vitals.oxygen.map { $0 >= 0.5 }) : scale1(saturation)
        }
        return Result(points: points)
    }

    /// Returns the points that a number gives by itself, on scale 1 of the saturation; nil where the parameter is no number on a scale.
    static func points(_ parameter: Parameter, _ value: Double) -> Int? {
        switch parameter {
        case .respiration: respiration(value)
        case .saturation: scale1(value)
        case .systolic: systolic(value)
        case .pulse: pulse(value)
        case .temperature: temperature(value)
        case .oxygen, .consciousness: nil
        }
    }

    private static func respiration(_ rate: Double) -> Int {
        switch rate.rounded() {
        case ...8: 3
        case ...11: 1
        case ...20: 0
        case ...24: 2
        default: 3
        }
    }

    private static func scale1(_ percent: Double) -> Int {
        switch percent.rounded() {
        case ...91: 3
        case ...93: 2
        case ...95: 1
        default: 0
        }
    }

    /// Above 92 % it depends on oxygen; where that is unknown there are no points to give.
    private static func scale2(_ percent: Double, isOnOxygen: Bool?) -> Int? {
        switch percent.rounded() {
        case ...83: return 3
        case ...85: return 2
        case ...87: return 1
        case ...92: return 0
        case ...94: return isOnOxygen.map { $0 ? 1 : 0 }
        case ...96: return isOnOxygen.map { $0 ? 2 : 0 }
        default: return isOnOxygen.map { $0 ? 3 : 0 }
        }
    }

    private static func systolic(_ pressure: Double) -> Int {
        switch pressure.rounded() {
        case ...90: 3
        case ...100: 2
        case ...110: 1
        case ...219: 0
        default: 3
        }
    }

    private static func pulse(_ rate: Double) -> Int {
        switch rate.rounded() {
        case ...40: 3
        case ...50: 1
        case ...90: 0
        case ...110: 1
        case ...130: 2
        default: 3
        }
    }

    private static func temperature(_ celsius: Double) -> Int {
        // Tenths as whole numbers: 35.05 must not become 35.0 or 35.1 by the way a binary fraction is written.
        switch (celsius * 10).rounded() {
        case ...350: 3
        case ...360: 1
        case ...380: 0
        case ...390: 1
        default: 2
        }
    }
}
