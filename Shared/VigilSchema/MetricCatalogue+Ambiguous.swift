/// A name that devices use for a person's measurement and for something else as well.
public struct AmbiguousName: Sendable, Hashable {
    /// What must stand beside the name for it to be taken as the person's where no unit decides.
    public enum Need: Sendable, Hashable {
        /// A vital sign in the same record, and nothing of a room or a machine.
        case vitalSign
        /// Nothing that speaks of a room or a machine; from bridges that carry sensors of every kind, a vital sign or a topic that names a person's.
        case person
        /// Nothing that speaks of a room or a machine, from any bridge: the name seldom means anything else.
        case noThing
    }

    /// The metrics that it may mean; the first is what it usually means on a person's device.
    public let meanings: [String]
    /// What else it may mean, for the refusal.
    public let otherwise: String
    /// The need.
    public let need: Need

    /// The meaning that the unit decides; nil where it fits none of them or several.
    public func meaning(in unit: String, _ catalogue: MetricCatalogue = .standard) -> MetricDefinition? {
        guard !unit.isEmpty else { return nil }
        let fitting = meanings.compactMap { catalogue.definition(named: $0) }.filter { UnitConversion.from(unit, to: $0) != nil }
        return fitting.count == 1 && meanings.count > 1 ? fitting[0] : nil
    }

    /// The reason why it was not taken, with the next step.
    public func reason(_ name: String) -> String {
        let ways = meanings.joined(separator: " or ")
        return
            "\"\(name.prefix(Name.maximumLength))\" may be \(ways)\(otherwise.isEmpty ? "" : ", or \(otherwise)"): name it \(ways), or say so in a mapping"
    }
}

extension MetricCatalogue {
    /// The names that mean several things, without case and punctuation. Those with several meanings are no alias of any metric.
    static let ambiguousNames: [String: AmbiguousName] = {
        var names: [String: AmbiguousName] = [:]
        for (words, meanings, otherwise, need) in ambiguous {
            let name = AmbiguousName(meanings: meanings, otherwise: otherwise, need: need)
            for word in words.split(separator: " ") { names[String(word)] = name }
        }
        return names
    }()
    private static let longestAmbiguous = ambiguousNames.keys.map(\.utf8.count).max() ?? 0

    private static let ambiguous: [(String, [String], String, AmbiguousName.Need)] = [
        ("temp", ["body-temperature", "ambient-temperature"], "a machine's", .vitalSign),
        ("rr", ["rr-interval", "respiration-rate"], "", .vitalSign),
        ("pi", ["perfusion-index"], "a computer's or a ratio", .vitalSign),
        ("hr", ["heart-rate"], "hours or a room's humidity", .noThing),
        ("pulse", ["heart-rate"], "the count of a meter", .person),
        ("bpm", ["heart-rate"], "the beat of music", .noThing),
        ("pr", ["pulse-rate"], "a pressure", .person),
        ("bg", ["blood-glucose"], "a background", .person),
        ("sys", ["systolic-pressure"], "a system's", .person),
        ("dia", ["diastolic-pressure"], "a day or a diameter", .person),
        ("weight", ["body-weight"], "the weight of a thing", .noThing),
        ("height", ["body-height"], "the height of a thing", .person),
        ("distance totaldistance distancem", ["distance"], "the distance to a thing", .person),
        ("energy totalenergy", ["energy"], "the energy of a machine", .person),
        ("water", ["body-water"], "the flow or level of a meter", .person),
        ("fat", ["body-fat"], "the fat of food", .person),
        ("bone", ["bone-mass"], "", .person),
        ("oxygen oxygenlevel", ["oxygen-saturation"], "the oxygen of air or water", .person),
        ("step", ["steps"], "a step of a motor", .person),
        ("impedance resistanceohm", ["body-impedance"], "a circuit's", .person),
        ("activetime", ["active-minutes"], "a machine's", .person),
    ]

    /// The meanings of a name that has several; nil for any other.
    public static func ambiguity(of name: String) -> AmbiguousName? {
        // Twice the length, for the punctuation: most names are none, and every one is asked.
        guard name.utf8.count <= 2 * longestAmbiguous else { return nil }
        return ambiguousNames[bare(name)]
    }
}
