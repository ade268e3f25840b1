/// Times in a row that are not those of measuring: of the record, the file or the person.
enum RecordTime {
    /// Returns whether a header names a time of birth, export, transfer or change, at which nothing was measured.
    static func isOther(_ header: String) -> Bool {
        let folded = HeaderName.folded(header)
        return others.contains { folded.contains($0) } || ["dob", "born", "imported", "importedat", "importdate"].contains(folded)
    }

    /// Returns whether a header names when the record was made, which may be long after the measuring.
    static func isMaking(_ header: String) -> Bool {
        let folded = HeaderName.folded(header)
        return makings.contains { folded.contains($0) }
    }

    private static let others = [
        "birth", "geburt", "naissance", "nacimiento", "nascita", "nascimento", "geboorte", "export", "sync", "update", "modified",
        "modification",
        "received", "receipt", "receivetime", "empfang", "upload", "download", "aktualisiert", "geandert", "actualiza", "ingested",
        "servertime",
    ].map(HeaderName.folded)

    private static let makings = ["created", "creation", "erstellt", "angelegt", "inserted", "savedat", "loggedat"]
}

/// Parts of a time of day in a column of their own: AM and PM, hours, `morgens`.
struct DayParts {
    private let header: [String]
    private let rows: [[String]]

    init(_ header: [String], _ rows: [[String]]) {
        self.header = header
        self.rows = rows
    }

    /// Adds the column of AM and PM to those of the time, and asks about other parts that would be lost.
    /// - Parameter hasClock: whether the time has a time of day already.
    func settle(_ places: inout [Int]?, named: [Int], hasClock: Bool) throws(ImportError) {
        let time = places ?? named
        guard let last = time.last else { return }
        let others = header.indices.filter { !time.contains($0) }
        if let half = others.first(where: { consists(of: DayParts.halves, $0) }) {
            if hasClock, !cells(last).contains(where: { $0.contains("m") }) { places = time + [half] }
            return
        }
        guard
            let part = others.first(where: { place in
                consists(of: DayParts.words, place) ? !hasClock || contradicts(place, clock: last) : !hasClock && isCount(place)
            })
        else { return }
        throw ImportError(
            .ambiguous,
            "column \"\(header[part])\" tells when in the day a row was measured, in a way that is not known: "
                + "write times of day as 19:15, or 7:15 PM")
    }

    private func cells(_ place: Int) -> [String] {
        rows.prefix(200).compactMap { place < $0.count ? $0[place].trimmed.lowercased() : nil }.filter { !$0.isEmpty }
    }

    private func consists(of words: Set<String>, _ place: Int) -> Bool {
        let cells = cells(place)
        return !cells.isEmpty && cells.allSatisfy { words.contains($0.replacing(".", with: "")) }
    }

    /// Returns whether a row of the evening has an hour of the morning.
    private func contradicts(_ place: Int, clock: Int) -> Bool {
        rows.prefix(200).contains { row in
            guard max(place, clock) < row.count, DayParts.late.contains(row[place].trimmed.lowercased()) else { return false }
            let text = row[clock].split(separator: " ").last { $0.contains(":") } ?? ""
            return (1..<12).contains(Int(text.prefix { $0.isNumber }) ?? 0) && !row[clock].lowercased().contains("m")
        }
    }

    private func isCount(_ place: Int) -> Bool {
        DayParts.counts.contains(HeaderName(header[place])) && cells(place).contains { $0.contains(where: \.isNumber) }
    }

    private static let halves: Set<String> = ["am", "pm"]
    private static let late: Set<String> = [
        "afternoon", "evening", "nachmittags", "nachmittag", "abends", "abend", "soir", "tarde", "sera",
    ]
    private static let words: Set<String> = late.union([
        "morning", "noon", "midday", "night", "midnight", "morgens", "morgen", "früh", "vormittags", "vormittag", "mittags", "mittag",
        "nachts",
        "nacht", "matin", "midi", "après-midi", "nuit", "mañana", "noche", "mattina", "pomeriggio", "notte", "ochtend", "middag", "avond",
    ])
    private static let counts = Set(
        [
            "hour", "hours", "hour of day", "hh", "stunde", "heure", "hora", "ora", "uur", "minute", "minute of day", "minutes of day",
            "second of day",
        ]
        .map(HeaderName.init))
}
