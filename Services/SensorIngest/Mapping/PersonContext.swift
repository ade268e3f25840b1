import VigilSchema

/// The evidence, in a record and its topic, that an ambiguous name means a person's measurement.
enum PersonContext {
    /// The members that are looked at, however many there are.
    private static let maximumMembers = 64

    /// Returns whether a record holds a vital sign under a name that can mean nothing else.
    static func holdsVitalSign(_ record: MappingValue) -> Bool {
        record.objectMembers.prefix(maximumMembers).contains { member in
            guard !member.value.isBlank else { return false }
            if KnownName.isBloodPressure(member.key.text) { return true }
            guard let name = KnownName(member.key.text), name.ambiguity == nil, vitalSigns.contains(name.metric) else { return false }
            return KnownName.present(member.value)?.measure != nil || !member.value.isScalar
        }
    }

    /// Returns whether a record holds a name that speaks of a room or a machine.
    static func holdsThing(_ record: MappingValue) -> Bool {
        record.objectMembers.prefix(maximumMembers).contains { things.contains($0.key.text) || spelledThings.contains($0.key.text) }
    }

    /// Returns whether a record holds a temperature of nobody knows what.
    static func holdsTemperature(_ record: MappingValue) -> Bool {
        record.objectMembers.prefix(maximumMembers).contains { temperatures.contains($0.key.text) }
    }

    private static let temperatures: Set = ["temp", "temperature", "Temp", "Temperature", "TEMP", "t", "tempC", "temp_c", "temperature_c"]

    /// Returns whether a topic names a person's sensor.
    static func isPersonal(_ topic: String) -> Bool { words(of: topic).contains { people.contains($0) } }

    /// Returns whether a topic names a thing.
    static func isOfThing(_ topic: String) -> Bool { words(of: topic).contains { thingTopics.contains($0) } }

    private static func words(of topic: String) -> [String] {
        topic.utf8.count > 1024 ? [] : KnownName.words(of: topic).map { $0.lowercased() }
    }

    // MARK: - Words

    private static let vitalSigns: Set = [
        "heart-rate", "resting-heart-rate", "pulse-rate", "oxygen-saturation", "respiration-rate", "systolic-pressure",
        "diastolic-pressure", "blood-glucose", "heart-rate-variability-sdnn", "heart-rate-variability-rmssd", "body-temperature",
        "skin-temperature", "skin-conductance", "body-fat", "body-mass-index", "muscle-mass", "visceral-fat", "mean-arterial-pressure",
        "perfusion-index", "vo2-max", "stress-level",
    ]

    private static let things: Set = [
        "humidity", "hum", "humi", "rh", "moisture", "co2", "eco2", "tvoc", "voc", "pm25", "pm2_5", "pm10", "iaq",
        "illuminance", "dew_point", "dewpoint", "cpu", "cpu_temp",
        "cpu_usage", "cpu_percent", "processor", "ram", "memory", "disk", "fan", "fan_speed", "load", "load_avg", "uptime", "power", "watt",
        "watts", "kwh", "rain", "wind", "wind_speed", "soil", "soil_moisture", "gas", "smoke", "water_level", "leak", "door", "window",
        "room", "target_temperature", "setpoint", "thermostat", "valve", "relay", "rpm",
    ]
    /// The same as they are also written.
    private static let spelledThings = Set(things.flatMap { [$0.uppercased(), $0.prefix(1).uppercased() + $0.dropFirst()] })

    private static let people: Set = [
        "health", "healthcare", "healthdata", "ehealth", "mhealth", "telehealth", "smarthealth", "vital", "vitals", "vitalsigns", "patient",
        "patients", "person", "people", "heart", "heartrate", "ecg", "ekg", "oximeter", "pulseox", "spo2", "bp", "blood", "bloodpressure",
        "scale", "scales", "miscale", "smartscale", "bodyscale", "watch", "smartwatch", "wearable", "wearables", "band", "miband",
        "fitness",
        "fitbit", "garmin", "withings", "polar", "whoop", "oura", "amazfit", "zepp", "omron", "beurer", "medisana", "soehnle", "renpho",
        "bs440", "viatom", "wellue", "body", "medical", "cuff", "glucose", "cgm", "diabetes", "ward", "icu", "hospital", "clinic",
        "elderly",
        "eldercare", "biometrics", "dexcom", "libre", "librelinkup", "xdrip", "ble2mqtt", "gadgetbridge", "healthkit", "wrist", "ring",
        "bracelet", "max30100", "max30102", "max30105", "openscale",
    ]

    private static let thingTopics: Set = [
        "kitchen", "server", "cpu", "host", "rack", "fridge", "freezer", "weather", "garage", "garden", "greenhouse", "meter", "plug",
        "socket", "boiler", "heating", "hvac", "thermostat", "tank", "pool", "aquarium", "printer", "parcel", "coffee", "beehive", "hive",
        "pet", "dog", "cat", "plant", "soil", "inverter", "solar",
    ]
}

extension MappingRun {
    /// A name that means a person's measurement for certain: by itself, by its unit, or by what stands beside it.
    /// - Throws: `PayloadError` where it may mean something else, with the next step.
    func certain(
        _ name: KnownName, _ key: String, _ measure: (number: Double, unit: String), _ unit: String?, in scope: MappingExpression.Scope
    ) throws(PayloadError) -> KnownName {
        guard let ambiguity = name.ambiguity else { return name }
        if let meant = ambiguity.meaning(in: unit ?? measure.unit) { return name.meaning(meant.name) }
        let isCertain =
            switch ambiguity.need {
            case .vitalSign: isBesideVitalSign(scope)
            case .person: isOfPerson(scope, needsEvidence: mapping.takesCertainNamesOnly)
            case .noThing: isOfPerson(scope, needsEvidence: false)
            }
        if isCertain, let meant = Self.meaning(of: ambiguity, measure.number) { return name.meaning(meant) }
        throw PayloadError(.unsupported, ambiguity.reason(key))
    }

    private func isBesideVitalSign(_ scope: MappingExpression.Scope) -> Bool {
        PersonContext.holdsVitalSign(scope.holder ?? scope.record) && !PersonContext.holdsThing(scope.holder ?? scope.record)
    }

    /// - Parameter needsEvidence: Whether nothing that speaks of a thing is not enough.
    private func isOfPerson(_ scope: MappingExpression.Scope, needsEvidence: Bool) -> Bool {
        let record = scope.holder ?? scope.record
        let isOfThing =
            PersonContext.holdsThing(record) || isOfThing(scope)
            || mapping.takesCertainNamesOnly && !isPersonal(scope) && PersonContext.holdsTemperature(record)
        if !isOfThing, !needsEvidence || isPersonal(scope) { return true }
        return PersonContext.holdsVitalSign(record)
    }

    private func isPersonal(_ scope: MappingExpression.Scope) -> Bool { scope.topic.map { PersonContext.isPersonal($0.topic) } ?? false }

    private func isOfThing(_ scope: MappingExpression.Scope) -> Bool { scope.topic.map { PersonContext.isOfThing($0.topic) } ?? false }

    /// The meaning whose numbers it can be, where they have none in common.
    private static func meaning(of ambiguity: AmbiguousName, _ number: Double) -> String? {
        switch ambiguity.meanings[0] {
        case "body-temperature": (30...45).contains(number) ? ambiguity.meanings[0] : nil
        case "rr-interval": (200...3000).contains(number) ? "rr-interval" : (3...80).contains(number) ? "respiration-rate" : nil
        default: ambiguity.meanings[0]
        }
    }
}
