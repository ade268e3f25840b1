import VigilSchema

/// Keys that look like a vital sign, for what a mapping leaves out: they are named to the sender rather than passed over.
enum NearNames {
    /// Returns the metric that a key looks like; nil for most keys.
    static func metric(of key: String) -> String? { metrics[key] }

    /// The vital signs' names and aliases as makers spell them, so that a key is looked up without a copy of it.
    private static let metrics: [String: String] = {
        var metrics: [String: String] = [:]
        let catalogue = MetricCatalogue.standard
        for name in vitalSigns {
            guard let metric = catalogue.definition(named: name) else { continue }
            for word in [metric.name] + catalogue.aliases(of: metric) + (others[name] ?? []) {
                for spelling in spellings(of: word) { metrics[spelling] = name }
            }
        }
        return metrics
    }()

    private static func spellings(of word: String) -> [String] {
        let words = word.split(separator: "-").map(String.init), joined = words.joined()
        let camel = words.enumerated().map { $0 == 0 ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
        return [
            word, joined, joined.uppercased(), joined.prefix(1).uppercased() + joined.dropFirst(), camel,
            camel.prefix(1).uppercased() + camel.dropFirst(), words.joined(separator: "_"), words.joined(separator: " "),
            words.joined(separator: "_").uppercased(),
        ]
    }

    private static let vitalSigns = [
        "heart-rate", "resting-heart-rate", "pulse-rate", "oxygen-saturation", "respiration-rate", "systolic-pressure",
        "diastolic-pressure", "blood-glucose", "body-temperature", "perfusion-index", "body-weight", "steps",
    ]
    private static let others = [
        "heart-rate": ["heart-beat", "heart-rate-bpm"], "oxygen-saturation": ["spo", "spo2", "SpO2", "sp02", "SPO", "oxygen-saturation"],
        "blood-glucose": ["blood-sugar"], "body-temperature": ["body-temp"], "respiration-rate": ["respiratory-rate", "breathing-rate"],
        "resting-heart-rate": ["restingHeartRateInBeatsPerMinute"],
    ]
}

extension MappingRun {
    /// Names the vital signs of a record that the mapping leaves out, once a message.
    mutating func noteLeftOut(in scope: MappingExpression.Scope, at place: Int) {
        guard mapping.ignoresAll, !mapping.takesKnownNames, leftOut.count < 5, case .object(let members) = scope.record else { return }
        for member in members where !mapping.recordKeys.contains(member.key.text) {
            guard let metric = NearNames.metric(of: member.key.text), member.value.measure != nil, !holds(metric, at: place),
                !leftOut.contains(where: { $0 == member.key.text })
            else { continue }
            leftOut.append(member.key.text)
            if leftOut.count == 5 { return }
        }
    }
}
