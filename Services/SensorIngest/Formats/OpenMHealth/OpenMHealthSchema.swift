/// A measure of the Open mHealth and IEEE 1752.1 schemas, by namespace and name (https://w3id.org/openmhealth/schemas).
struct OpenMHealthSchema {
    /// One measured value in a body.
    struct Measure {
        /// The body's key.
        let key: String
        /// The metric that it becomes.
        let metric: String
        /// A Boolean value that indicates whether a data point without it is refused.
        var isRequired = true
        /// The units that the schema names; empty where every unit that fits the metric does.
        var units: Set<String> = []
        /// The unit of a bare number, which early versions allow; nil where the value must bring its unit.
        var bareUnit: String?
    }

    let measures: [Measure]
    /// The major versions whose bodies look as described.
    let versions: ClosedRange<Int>
    /// The first major version in which `effective_time_frame` must be there.
    let framedSince: Int
    /// The first major version whose time frame must be an interval, because the measure counts; nil where a moment will do.
    let intervalSince: Int?

    /// By namespace and name.
    static func known(_ namespace: String, _ name: String) -> OpenMHealthSchema? {
        namespace == "omh" ? openMHealth[name] : namespace == "ieee" ? ieee[name] : nil
    }

    /// The names that are known, for messages.
    static let names = openMHealth.keys.sorted().map { "omh:\($0)" } + ieee.keys.sorted().map { "ieee:\($0)" }

    private static let openMHealth: [String: OpenMHealthSchema] = [
        "heart-rate": .init("heart_rate", "heart-rate", units: ["beats/min"], versions: 1...2, framedSince: 2),
        "blood-pressure": .init(
            measures: [
                Measure(key: "systolic_blood_pressure", metric: "systolic-pressure", units: ["mmHg"]),
                Measure(key: "diastolic_blood_pressure", metric: "diastolic-pressure", units: ["mmHg"]),
            ], versions: 1...4, framedSince: 3),
        "body-temperature": .init("body_temperature", "body-temperature", units: ["C", "F", "K"], versions: 1...4, framedSince: 3),
        "oxygen-saturation": .init(
            measures: [
                Measure(key: "oxygen_saturation", metric: "oxygen-saturation", units: ["%"]),
                Measure(key: "supplemental_oxygen_flow_rate", metric: "supplemental-oxygen", isRequired: false, units: ["L/min"]),
            ], versions: 1...2, framedSince: 2),
        "respiratory-rate": .init("respiratory_rate", "respiration-rate", units: ["breaths/min"], versions: 1...2, framedSince: 2),
        "blood-glucose": .init("blood_glucose", "blood-glucose", units: ["mg/dL", "mmol/L"], versions: 1...4, framedSince: 3),
        "body-weight": .init("body_weight", "body-weight", versions: 1...3, framedSince: 2),
        "step-count": .init(
            "step_count", "steps", units: ["steps"], bareUnit: "{steps}", versions: 1...3, framedSince: 2, intervalSince: 2),
        "body-fat-percentage": .init("body_fat_percentage", "body-fat", units: ["%"], versions: 1...2, framedSince: 2),
        "body-height": .init("body_height", "body-height", versions: 1...2, framedSince: 2),
        "body-mass-index": .init("body_mass_index", "body-mass-index", units: ["kg/m2", "kg/m^2"], versions: 1...3, framedSince: 2),
        "calories-burned": .init("kcal_burned", "energy", units: ["kcal"], versions: 1...2, framedSince: 2, intervalSince: 2),
        "rr-interval": .init("rr_interval", "rr-interval", units: ["ms"], versions: 1...1, framedSince: 2),
        "sleep-duration": .init("sleep_duration", "sleep-minutes", versions: 1...2, framedSince: 2, intervalSince: 2),
        "total-sleep-time": .init("total_sleep_time", "sleep-minutes", versions: 1...1, framedSince: 1, intervalSince: 1),
        "ambient-temperature": .init(
            "ambient_temperature", "ambient-temperature", units: ["C", "F", "K"], versions: 1...1, framedSince: 2),
    ]

    /// Those of IEEE 1752.1 whose bodies are numbers that the catalogue has.
    private static let ieee: [String: OpenMHealthSchema] = [
        "total-sleep-time": .init("total_sleep_time", "sleep-minutes", versions: 1...1, framedSince: 1, intervalSince: 1),
        "ambient-temperature": .init(
            "ambient_temperature", "ambient-temperature", units: ["C", "F", "K"], versions: 1...1, framedSince: 1),
    ]

    private init(measures: [Measure], versions: ClosedRange<Int>, framedSince: Int, intervalSince: Int? = nil) {
        (self.measures, self.versions, self.framedSince, self.intervalSince) = (measures, versions, framedSince, intervalSince)
    }

    private init(
        _ key: String, _ metric: String, units: Set<String> = [], bareUnit: String? = nil, versions: ClosedRange<Int>, framedSince: Int,
        intervalSince: Int? = nil
    ) {
        self.init(
            measures: [Measure(key: key, metric: metric, units: units, bareUnit: bareUnit)], versions: versions, framedSince: framedSince,
            intervalSince: intervalSince)
    }

    /// The words that some of a body's keys may hold, whatever the schema.
    static let vocabularies: [String: Set<String>] = [
        "temporal_relationship_to_physical_activity": ["at rest", "active", "before exercise", "after exercise", "during exercise"],
        "temporal_relationship_to_sleep": ["before sleeping", "during sleep", "on waking"],
        "temporal_relationship_to_meal": [
            "fasting", "not fasting", "before meal", "after meal", "before breakfast", "after breakfast", "before lunch", "after lunch",
            "before dinner", "after dinner", "2 hours postprandial", "not related to meals", "with meal", "with food",
        ],
        "blood_specimen_type": ["whole blood", "plasma", "serum"],
        "specimen_source": [
            "interstitial fluid", "capillary blood", "plasma", "serum", "tears", "whole blood", "breath", "lacrimal fluid", "saliva",
            "sweat", "urine",
        ],
    ]
}

/// The statistic with which a body sums up several measurements.
enum OpenMHealthStatistic {
    /// A mean or a median, which stands for the measure itself.
    case typical
    /// The lowest or the highest of an interval, which are metrics of their own.
    case minimum, maximum

    /// The metric of the statistic; nil where the catalogue has none.
    func metric(of name: String) -> String? {
        switch self {
        case .typical: name
        case .minimum: "\(name)-minimum"
        case .maximum: "\(name)-maximum"
        }
    }

    /// Of those that Open mHealth names; nil where it is one that says nothing of a single reading.
    init?(_ name: String) {
        switch name {
        case "average", "mean", "median": self = .typical
        case "minimum": self = .minimum
        case "maximum": self = .maximum
        default: return nil
        }
    }

    /// Those that are no readings.
    static let others: Set<String> = [
        "count", "standard deviation", "sum", "variance", "20th percentile", "80th percentile", "lower quartile", "upper quartile",
        "quartile deviation",
        "1st quintile", "2nd quintile", "3rd quintile", "4th quintile",
    ]
}

/// Open mHealth's units in UCUM.
enum OpenMHealthUnit {
    /// Units that `UnitConversion` knows under the same spelling go on as they are.
    static func ucum(_ unit: String) -> String { different[unit] ?? unit }

    private static let different: [String: String] = [
        "oz": "[oz_av]", "gr": "[gr]", "Ton": "[ston_av]", "Metric Ton": "t", "sec": "s", "kg/m^2": "kg/m2",
    ]
}
