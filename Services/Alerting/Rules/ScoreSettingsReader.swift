import JSON5

/// Reads a rule file's `scores`.
enum ScoreSettingsReader {
    static func read(_ object: JSON5Object, into set: inout RuleSet) {
        var object = object
        if var news2 = object.object("news2") {
            set.scores.isNEWS2On = true
            if let age = news2.duration("staleAfter") { set.scores.staleAfter = age }
            news2.refuseUnknown()
        }
        if var pressure = object.object("bloodPressure") {
            set.scores.isBloodPressureOn = true
            let names = ScoreSettings.PressureGuideline.allCases.map(\.rawValue)
            let name = pressure.choice("guideline", of: names)
            if let guideline = name.flatMap(ScoreSettings.PressureGuideline.init(rawValue:)) { set.scores.pressureGuideline = guideline }
            pressure.refuseUnknown()
        }
        if object.bool("glucose") == true { set.scores.isGlucoseOn = true }
        if object.bool("bodyMassIndex") == true { set.scores.isBodyMassIndexOn = true }
        if object.bool("temperature") == true { set.scores.isTemperatureOn = true }
        object.refuseUnknown()
    }
}

extension JSON5Object {
    /// A duration text, in microseconds.
    mutating func duration(_ name: String) -> Int64? {
        guard let value = value(name) else { return nil }
        if case .string(let text) = value.content, let microseconds = DurationText.microseconds(text) { return microseconds }
        problems.add("\"\(name)\" must be a duration", at: value.position, suggestion: "write it as \"30s\", \"5m\", \"1h30m\" or \"7d\"")
        return nil
    }

    /// A text, or an object of texts by language.
    mutating func localized(_ name: String) -> LocalizedText? {
        guard let value = value(name) else { return nil }
        if case .string(let text) = value.content { return LocalizedText(["en": text]) }
        guard var object = JSON5Object(value, as: "\"\(name)\"", problems: problems) else { return nil }
        var texts: [String: String] = [:]
        for language in object.names {
            guard let text = object.string(language) else { continue }
            texts[language] = text
        }
        if texts["en"] == nil { problems.add("\"\(name)\" has no English text", at: value.position, suggestion: "add en: \"…\"") }
        return LocalizedText(texts)
    }
}
