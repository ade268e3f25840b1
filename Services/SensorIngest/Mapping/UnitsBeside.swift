import VigilSchema

/// The units that an object names beside its values: for one of them, as `weight_unit`, `weightUnit` or `units: {weight: …}`, or for all, as `unit`.
/// Gathered once, however many members it has.
struct UnitsBeside {
    /// A unit that stands beside several values.
    private enum Common {
        /// Whether it fits one of the metrics around it tells a unit from any other word.
        case unit(String, fitsSome: Bool)
        case imperial, metric
    }

    /// The unit of a value, or the reason why it is not known.
    enum Verdict {
        case unit(String)
        case refused(String)
    }

    /// By the bare names of the values' keys.
    private var units: [String: String] = [:]
    private var common: Common?
    /// The members of the objects around while none of them names a unit for all, from the outermost on.
    private var unnamed: [[MappingValue.Member]] = []

    /// - Parameter outer: Those of the object around, whose common unit counts where this one names none.
    init(_ members: [MappingValue.Member] = [], within outer: UnitsBeside? = nil) {
        common = outer?.common
        var own: String?
        for member in members where Self.mayNameUnit(member.key.text.utf8) { take(member, &own) }
        // Once, however many keys name one: it looks at all that is within.
        if let own {
            common = Self.common(own, members)
        } else if common == nil {
            unnamed = (outer?.unnamed ?? []) + [members]
        }
    }

    private mutating func take(_ member: MappingValue.Member, _ own: inout String?) {
        let name = KnownName.bare(member.key.text)
        if case .object(let each) = member.value, Self.isUnits(member) {
            for unit in each { units[KnownName.bare(unit.key.text)] = Self.text(unit.value) }
        }
        if let isMetric = Self.systems[name], member.value.isTrue || member.value.isFalse {
            own = own ?? (member.value.isTrue == isMetric ? "metric" : "imperial")
            return
        }
        guard let text = Self.text(member.value) else { return }
        if Self.commonNames.contains(name) {
            own = own ?? text
        } else if name.hasSuffix("unit") || name.hasSuffix("units") {
            units[String(name.dropLast(name.hasSuffix("s") ? 5 : 4))] = text
        }
    }

    /// The unit that is named for the value of a key alone.
    subscript(key: String) -> String? { units.isEmpty ? nil : units[KnownName.bare(key)] }

    /// The unit of a metric's value.
    /// - Parameter own: What the value or its key says, which counts first.
    func unit(of metric: String, own: String?) -> Verdict {
        guard let definition = MetricCatalogue.standard.definition(named: metric) else { return .unit(own ?? "") }
        if let own, !own.isEmpty { return .unit(Self.spelled(own, for: definition) ?? own) }
        switch common {
        case nil where Self.lengths.contains(definition.unit) && unnamed.contains(where: Self.isImperial):
            return .refused("the \(metric) names no unit, and another value is in pounds, inches or miles: name it")
        case nil, .metric?: return .unit("")
        case .imperial? where Self.differing.contains(definition.unit):
            return .refused("\"imperial\" does not tell the unit of the \(metric): name it, as lb, in or degF")
        case .imperial?: return .unit("")
        case .unit(let text, _)?
        where Self.lengths.contains(definition.unit) && Self.imperialUnits.contains(text.lowercased())
            && Self.spelled(text, for: definition) == nil:
            return .refused("the \(metric) stands beside a unit of another kind, \"\(text.cut(characters: 32))\": name its own")
        case .unit(let text, let fitsSome)?:
            if let unit = Self.spelled(text, for: definition) { return .unit(unit) }
            return fitsSome
                ? .unit("") : .refused("the unit \"\(text.cut(characters: 32))\" beside the \(metric) fits no metric of the record")
        }
    }

    /// Returns whether it holds the units of values by their keys, and no values.
    static func isUnits(_ member: MappingValue.Member) -> Bool {
        guard case .object = member.value, mayNameUnit(member.key.text.utf8) else { return false }
        return ["unit", "units"].contains(KnownName.bare(member.key.text))
    }

    /// The unit as it is known, where it fits the metric.
    static func spelled(_ text: String, for metric: MetricDefinition) -> String? {
        let small = text.lowercased()
        let bare = small.filter { $0.isLetter || $0 == "%" || $0 == "°" }
        return [text, small, KnownName.unit(bare)].lazy.compactMap(\.self).first { UnitConversion.from($0, to: metric) != nil }
    }

    // MARK: - What is a unit

    private static let commonNames: Set = ["unit", "units", "unitofmeasurement", "unitofmeasure", "uom", "measurementunit", "unitsystem"]
    /// Flags of a system of units, and whether it is the metric one.
    private static let systems = ["ismetric": true, "metricunits": true, "isimperial": false, "imperialunits": false]
    /// The units in which the imperial system has others.
    private static let differing: Set = ["kg", "cm", "m", "Cel", "km/h", "mL", "L", "m/s"]

    private static let imperialUnits: Set = [
        "lb", "lbs", "pound", "pounds", "in", "inch", "inches", "ft", "feet", "mi", "mile", "miles", "st",
    ]
    private static let lengths: Set = ["kg", "cm", "m", "km/h", "m/s"]
    private static let imperial: [StaticString] = ["_lb", "_lbs", "pounds", "_in", "inches", "_ft", "feet", "_mi", "miles"]
    private static let metric: [StaticString] = ["kg", "cm", "km", "meters", "metres"]

    /// Returns whether a number's key ends in an imperial unit and none in a metric one.
    private static func isImperial(_ members: [MappingValue.Member]) -> Bool {
        func ends(_ key: String, in words: [StaticString]) -> Bool {
            words.contains { word in
                let end = key.utf8.suffix(word.utf8CodeUnitCount)
                let small = end.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
                return small.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
            }
        }
        return members.contains { ends($0.key.text, in: imperial) && isMeasured($0) } && !members.contains { ends($0.key.text, in: metric) }
    }

    /// Returns whether a number is no state or time: `plugged_in` and `checked_in` end in no inches.
    private static func isMeasured(_ member: MappingValue.Member) -> Bool {
        guard let value = KnownName.present(member.value), let number = value.measure?.number else { return false }
        if case .boolean = value { return false }
        return number > 1 && !TimeShape.isTime(value) && !member.key.text.lowercased().hasSuffix("ed_in")
    }

    /// Most keys are none, and every one is asked.
    private static func mayNameUnit(_ key: String.UTF8View) -> Bool {
        func isSame(_ bytes: some Sequence<UInt8>, _ word: StaticString) -> Bool {
            bytes.lazy.map { $0 | 0x20 }.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        }
        return isSame(key.prefix(4), "unit") || isSame(key.suffix(4), "unit") || isSame(key.suffix(5), "units") || isSame(key, "uom")
            || isSame(key, "ismetric") || isSame(key, "isimperial")
    }

    private static func text(_ value: MappingValue) -> String? {
        guard case .string(let text) = value, !text.isEmpty, value.number == nil else { return nil }
        return text
    }

    private static func common(_ text: String, _ members: [MappingValue.Member]) -> Common {
        switch KnownName.bare(text) {
        case "imperial", "us", "uscustomary", "usunits", "english": .imperial
        case "metric", "si", "international": .metric
        default: .unit(text, fitsSome: fits(text, members, depth: 0))
        }
    }

    /// Returns whether one of the metrics within is measured in it.
    private static func fits(_ text: String, _ members: [MappingValue.Member], depth: Int) -> Bool {
        members.contains { member in
            guard depth < 4, member.key != MappingValue.parentKey else { return false }
            let name = KnownName.isPressure(member.key.text) ? "systolic-pressure" : KnownName(member.key.text)?.metric
            if let metric = name.flatMap(MetricCatalogue.standard.definition(named:)), spelled(text, for: metric) != nil { return true }
            switch member.value {
            case .object(let inner): return fits(text, inner, depth: depth + 1)
            // Records of one kind: the first tell what stands in them.
            case .array(let elements): return elements.prefix(16).contains { fits(text, $0.members, depth: depth + 1) }
            default: return false
            }
        }
    }
}

extension MappingValue {
    fileprivate var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The unit that an object names beside its value.
    var givenUnit: String? {
        ["unit", "units", "unit_of_measurement", "uom", "Unit", "Units"].lazy.compactMap { self[MappingKey($0)]?.text }.first
    }
}
