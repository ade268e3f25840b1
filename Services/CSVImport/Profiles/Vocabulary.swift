import VigilSchema

/// The words by which tables call their columns, in the languages in which programs export: the data of `Vocabulary+Words`.
enum Vocabulary {
    /// The rules of columns by these words, for any table.
    static let columns: [ColumnRule] = metrics.map { metric, words in
        switch metric {
        case "body-weight": ColumnRule(words, metric: metric, usually: "kg", unlessBeside: BuiltIn.lifting)
        case "distance": ColumnRule(words, metric: metric, usually: "km")
        case "energy": ColumnRule(words, metric: metric, unit: "kcal", unlessBeside: BuiltIn.food)
        case "body-fat": ColumnRule(words, metric: metric, unlessBeside: BuiltIn.food)
        case "temperature": ColumnRule(words, metric: "body-temperature", alternatives: BuiltIn.otherTemperatures)
        case "note": ColumnRule(words, metric: metric, kind: .text)
        default: ColumnRule(words, metric: metric)
        }
    }

    /// The words for a moment or a day.
    static let moments = roles["moment"] ?? []
    /// The words for a time of day.
    static let clocks = roles["clock"] ?? []
    /// The words for the time at which a row begins.
    static let starts = roles["start"] ?? []
    /// The words for the time at which it ends.
    static let ends = roles["end"] ?? []
    /// The words for who was measured, and by what.
    static let participants = roles["participant"] ?? []
    static let sources = roles["source"] ?? []

    /// Words of which a header has one where its times of day are no time of the row.
    private static let durations = roles["duration"] ?? []

    /// Returns whether a header names how long something took, or when somebody slept.
    static func isDuration(_ header: String) -> Bool {
        let folded = HeaderName.folded(header)
        return durations.contains { folded.contains(HeaderName.folded($0)) }
    }

    /// The words that say no more than that something was measured: `Messwert Puls`, `glucose value`.
    static let fillers = Set((roles["filler"] ?? []).map(HeaderName.init))

    private static let roles: [String: [String]] = {
        var roles: [String: [String]] = [:]
        for (role, words) in sections where role.hasPrefix("@") { roles[String(role.dropFirst()), default: []] += words }
        return roles
    }()

    private static let metrics = sections.filter { !$0.0.hasPrefix("@") }

    /// The data's sections: a line with the name, then a line a language, `de Puls, Herzfrequenz`.
    private static let sections: [(String, [String])] = {
        var sections: [(String, [String])] = []
        for line in text.split(separator: "\n") {
            guard line.hasPrefix(" ") else {
                sections.append((String(line), []))
                continue
            }
            let words = line.drop { $0 == " " }.dropFirst(2).split(separator: ",").map { String($0).trimmed }
            if let last = sections.indices.last { sections[last].1 += words }
        }
        return sections
    }()
}
