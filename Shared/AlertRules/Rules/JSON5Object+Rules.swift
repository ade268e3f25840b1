package import JSON5
import VigilSchema

extension JSON5Object {
    /// A duration text, in microseconds.
    package mutating func duration(_ name: String) -> Int64? {
        guard let value = value(name) else { return nil }
        if case .string(let text) = value.content, let microseconds = DurationText.microseconds(text) { return microseconds }
        problems.add("\"\(name)\" must be a duration", at: value.position, suggestion: "write it as \"30s\", \"5m\", \"1h30m\" or \"7d\"")
        return nil
    }

    /// A duration text longer than nothing, in microseconds: within no time at all nothing would ever be told.
    mutating func span(_ name: String) -> Int64? {
        let span = duration(name)
        if span == 0 { problems.add("\"\(name)\" must be longer than nothing", at: value(name)?.position ?? position) }
        return span
    }

    /// `ages: ["adult", "older"]`: the age groups that something is for; empty: all.
    mutating func ageGroups() -> Set<AgeGroup> {
        Set(
            (list("ages") ?? []).compactMap { value in
                if case .string(let name) = value.content, let group = AgeGroup(rawValue: name) { return group }
                let names = AgeGroup.allCases.map(\.rawValue)
                problems.add("an age group must be one of \(names.joined(separator: ", "))", at: value.position)
                return nil
            })
    }

    /// `profile: {saturationScale: 2, pregnant: false}`: the profiles that something is for.
    mutating func profileFilter() -> ProfileFilter {
        var filter = ProfileFilter()
        guard var profile = object("profile") else { return filter }
        filter.usesScale2 = profile.integer("saturationScale", in: 1...2).map { $0 == 2 }
        filter.isPregnant = profile.bool("pregnant")
        profile.refuseUnknown()
        return filter
    }

    /// A text, or an object of texts by language.
    package mutating func localized(_ name: String) -> Translations? {
        guard let value = value(name) else { return nil }
        if case .string(let text) = value.content { return Translations(["en": text]) }
        guard var object = JSON5Object(value, as: "\"\(name)\"", problems: problems) else { return nil }
        var texts: [String: String] = [:]
        for language in object.names {
            guard let text = object.string(language) else { continue }
            texts[language] = text
        }
        if texts["en"] == nil { problems.add("\"\(name)\" has no English text", at: value.position, suggestion: "add en: \"…\"") }
        return Translations(texts)
    }
}
