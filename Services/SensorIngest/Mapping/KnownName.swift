import VigilSchema

/// A key that means a metric: by its name, an alias, or one of these with a unit behind it, as `weight_lb` and `heartRateBpm`.
struct KnownName: Sendable {
    let metric: String
    /// The unit that the key names; nil where it names none.
    let unit: String?
    /// What else the name may mean; nil where it can mean nothing else.
    let ambiguity: AmbiguousName?

    /// Nil where no metric of numbers is known by the key.
    init?(_ key: String) {
        guard key.utf8.count <= Name.maximumLength else { return nil }
        if let metric = Self.metric(for: key) {
            self.init(metric: metric.name, unit: nil, ambiguity: MetricCatalogue.ambiguity(of: key))
            return
        }
        let words = Self.words(of: key)
        for count in [1, 2, 3] where words.count > count {
            guard let unit = Self.units[words.suffix(count).joined().lowercased()] else { continue }
            var rest = words.dropLast(count)
            // `weightInGrams`
            if rest.count > 1, rest.last?.lowercased() == "in" { rest.removeLast() }
            let name = rest.joined(separator: "_"), ambiguity = MetricCatalogue.ambiguity(of: name)
            guard let metric = ambiguity?.meaning(in: unit) ?? Self.metric(for: name), UnitConversion.from(unit, to: metric) != nil else {
                continue
            }
            self.init(metric: metric.name, unit: unit, ambiguity: ambiguity)
            return
        }
        return nil
    }

    /// The unit that a longer name ends in, where the metric is measured in it: `bath_scale_weight_lbs`.
    static func unit(endingOf name: String, for metric: MetricDefinition) -> String? {
        guard name.utf8.count <= 256 else { return nil }
        let words = words(of: name)
        for count in [1, 2] where words.count > count {
            guard let unit = units[words.suffix(count).joined().lowercased()], UnitConversion.from(unit, to: metric) != nil else {
                continue
            }
            return unit
        }
        return nil
    }

    /// The metric of single numbers that goes by a name.
    private static func metric(for name: String) -> MetricDefinition? {
        let meant = MetricCatalogue.standard.definition(for: name)
        let metric = meant ?? MetricCatalogue.ambiguity(of: name).flatMap { MetricCatalogue.standard.definition(named: $0.meanings[0]) }
        return metric.flatMap { $0.kind == .text || $0.kind == .waveform ? nil : $0 }
    }

    private init(metric: String, unit: String?, ambiguity: AmbiguousName?) {
        (self.metric, self.unit, self.ambiguity) = (metric, unit, ambiguity)
    }

    /// The same name with the meaning that the values around it decide.
    func meaning(_ metric: String) -> KnownName { KnownName(metric: metric, unit: unit, ambiguity: nil) }

    /// The words of `heartRateBpm`, `heart_rate_bpm` and `Heart Rate (bpm)`.
    static func words(of key: String) -> [String] {
        var words: [String] = [""], previous: Character = " "
        for character in key {
            let isWord = character.isLetter || character.isNumber || character == "%" || character == "°"
            if !isWord || (character.isUppercase && previous.isLowercase) || character == "%" { words.append("") }
            if isWord { words[words.count - 1].append(character) }
            previous = character
        }
        return words.filter { !$0.isEmpty }
    }

    /// A key's letters and digits, small, so that `measured_at`, `measuredAt` and `Measured At` are one name.
    static func bare(_ key: String) -> String {
        String(
            decoding: key.utf8.lazy.compactMap { byte in
                switch byte {
                case 0x41...0x5A: byte | 0x20
                case 0x30...0x39, 0x61...0x7A, 0x80...: byte
                default: nil
                }
            }, as: UTF8.self)
    }

    /// The unit that a word in small letters means.
    static func unit(_ word: String) -> String? { units[word] }

    private static let units = [
        "bpm": "/min", "permin": "/min", "kg": "kg", "kgs": "kg", "lb": "[lb_av]", "lbs": "[lb_av]", "g": "g", "percent": "%",
        "percentage": "%",
        "pct": "%", "perc": "%", "%": "%", "c": "Cel", "°c": "Cel", "degc": "Cel", "celsius": "Cel", "f": "[degF]", "°f": "[degF]",
        "degf": "[degF]", "fahrenheit": "[degF]", "mmhg": "mm[Hg]", "kpa": "kPa", "mgdl": "mg/dL", "mmol": "mmol/L", "mmoll": "mmol/L",
        "ms": "ms", "s": "s", "sec": "s", "seconds": "s", "min": "min", "minutes": "min", "h": "h", "hours": "h", "m": "m", "metres": "m",
        "meters": "m",
        "km": "km", "cm": "cm", "kcal": "kcal", "kj": "kJ", "ohm": "Ohm", "ohms": "Ohm", "us": "uS", "iu": "[iU]", "units": "[iU]",
        "in": "[in_i]", "inch": "[in_i]", "inches": "[in_i]", "ft": "[ft_i]", "feet": "[ft_i]", "foot": "[ft_i]", "mi": "[mi_i]",
        "mile": "[mi_i]", "miles": "[mi_i]", "mm": "mm", "st": "[stone_av]", "stone": "[stone_av]", "pound": "[lb_av]", "pounds": "[lb_av]",
        "kilogram": "kg", "kilograms": "kg", "grams": "g", "hpa": "hPa", "beatsperminute": "/min", "breathsperminute": "/min",
        "beatsmin": "/min", "breathsmin": "/min",
    ]

    // MARK: - Objects

    /// The keys under which an object says what it measures.
    static let namingKeys: [MappingKey] = [
        "metric", "type", "name", "sensor", "measurement", "parameter", "kind", "vital", "sensorType", "sensor_type", "dataType",
        "data_type",
        "variable", "property", "code",
    ]
    static let lowest: [MappingKey] = ["min", "minimum", "Min", "low", "lowest"]
    static let highest: [MappingKey] = ["max", "maximum", "Max", "high", "highest"]
    private static let values: [MappingKey] = [
        "value", "val", "Value", "avg", "average", "mean", "Avg", "current", "latest", "qty", "reading", "state", "measurement", "result",
    ]

    /// The number itself, or the member of an object that holds it.
    static func present(_ value: MappingValue) -> MappingValue? {
        guard case .object = value else { return value }
        return values.lazy.compactMap { value[$0] }.first { $0.measure != nil || $0.text != nil }
    }

    /// Returns whether what stands below a key was wished for, computed or set rather than measured.
    static func isNoMeasurement(_ key: String) -> Bool {
        others.contains(String(decoding: key.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self))
    }

    /// The same of a member, whose key tells it in any of its words where it holds an object: `alarmLimits`, `previousReading`.
    static func isNoMeasurement(_ member: MappingValue.Member) -> Bool {
        if isNoMeasurement(member.key.text) { return true }
        guard !member.value.isScalar, KnownName(member.key.text) == nil else { return false }
        return saysNoMeasurement(member.key.text)
    }

    /// Returns whether a word of a name says that it is a goal, a limit, a former or a computed value.
    static func saysNoMeasurement(_ name: String) -> Bool {
        guard name.utf8.count <= 256 else { return false }
        return words(of: name).contains { otherWords.contains($0.lowercased()) }
    }

    /// Returns whether a word of a sensor's name says that its value is an alarm's, or of the value's quality.
    static func saysOfSensor(_ name: String) -> Bool {
        guard name.utf8.count <= 256 else { return false }
        return words(of: name).contains { sensorWords.contains($0.lowercased()) }
    }

    private static let sensorWords: Set = ["alarm", "alert", "confidence", "quality", "remaining", "offset", "uncertainty"]

    private static let otherWords: Set = [
        "target", "targets", "goal", "goals", "limit", "limits", "threshold", "thresholds", "ideal", "setting", "settings", "configuration",
        "prediction", "predictions", "predicted", "forecast", "baseline", "previous", "prev", "former", "desired", "wanted", "setpoint",
        "planned", "plan", "expected", "yesterday", "weekly", "monthly", "yearly", "lifetime", "best", "example", "examples", "defaults",
        "default", "template", "placeholder", "week", "month", "recommended", "reference",
    ]

    private static let others: Set<String> = [
        "target", "targets", "goal", "goals", "limit", "limits", "threshold", "thresholds", "delta", "deltas", "score", "scores", "ideal",
        "setting",
        "settings", "config", "configuration", "alarm", "alarms", "alert", "alerts", "reference", "normal", "range", "ranges", "prediction",
        "predictions", "predicted", "forecast", "baseline", "previous", "last", "profile", "calibration", "raw", "trend", "trends",
        "change", "changes",
        "desired", "requested", "request", "requests", "wanted", "wish", "wishes", "setpoint", "setpoints", "set_point", "set-point",
        "planned",
        "plan", "expected", "command", "commands", "max_allowed", "min_allowed", "metadata",
        "battery", "contributors", "macronut", "nutrition", "caloric",
    ]

    /// Returns whether an object's members hold a reading, themselves or in objects within.
    static func holdsReading(_ members: [MappingValue.Member], depth: Int = 0) -> Bool {
        members.contains { member in
            guard member.key != MappingValue.parentKey, !isNoMeasurement(member) else { return false }
            if KnownName(member.key.text) != nil || isPressure(member.key.text) { return !member.value.isBlank }
            guard depth < 3 else { return false }
            switch member.value {
            case .object(let inner): return holdsReading(inner, depth: depth + 1)
            case .array(let elements): return elements.prefix(4).contains { holdsReading($0.objectMembers, depth: depth + 1) }
            case .string(let text): return namingKeys.contains(member.key) && KnownName(text) != nil
            default: return false
            }
        }
    }

    /// Returns whether an object is a device shadow's `delta`: what stands in its `state` was wished for, and not yet reported.
    static func isWish(_ value: MappingValue) -> Bool {
        guard let state = value["state"], case .object = state, value["metadata"] != nil, value["version"] != nil else { return false }
        return state["reported"] == nil && state["desired"] == nil
    }

    // MARK: - What a key alone does not tell

    static func isPressure(_ key: String) -> Bool {
        key.utf8.count <= 14 && pressures.contains(bare(key))
    }

    /// Returns whether it means nothing but a person's blood pressure: `pressure` may be the air's.
    static func isBloodPressure(_ key: String) -> Bool { isPressure(key) && bare(key) != "pressure" }

    private static let pressures: Set = ["bp", "bloodpressure", "nibp", "pressure"]

    /// The reason why a key that looks like one is none; nil for any other.
    static func objection(to key: String, _ number: Double) -> String? {
        let words = words(of: key), isBare = words.count == 1 || units[words.dropFirst().joined().lowercased()] != nil
        switch isBare ? words.first?.lowercased() : nil {
        case "temperature", "tempc", "tempf":
            return "may be the person's temperature or the room's: name it body-temperature or ambient-temperature, or say so in a mapping"
        case "hrv", "heartratevariability":
            return "may be SDNN or RMSSD: name it heart-rate-variability-sdnn or -rmssd, or say so in a mapping"
        case "respiration", "breathing", "resp":
            return "may be a rate or a signal: name it respiration-rate, or say so in a mapping"
        default:
            let metric = NearNames.metric(of: key) ?? (isBare ? words.first.flatMap { NearNames.metric(of: $0) } : nil)
            guard let metric, NearNames.isPlausible(number, metric) else { return nil }
            return "is not known, and may be the \(metric): name it so, or say so in a mapping"
        }
    }
}
