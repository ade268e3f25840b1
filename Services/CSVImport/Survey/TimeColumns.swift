import VigilSchema

/// Finds the columns of a table that make its rows' times, by what stands in them: words of any language may be above.
///
/// Of any table whose profile is the generic one. The words come first; the cells decide where these leave something open or are wrong.
struct TimeColumns {
    /// The content of a column, as far as it tells time.
    enum Content {
        /// A day with a time of day, or a count from 1970 on.
        case moment
        /// A day.
        case day
        /// A time of day.
        case clock
        /// Anything else.
        case other
    }

    private let header: [String]
    private let profile: Profile
    private let options: ImportOptions
    /// By column.
    private let contents: [Content]
    /// By column: whether its moments are all midnight.
    private let isMidnight: [Bool]

    init(_ survey: FileSurvey, rows: [[String]], options: ImportOptions) throws(ImportError) {
        try self.init(survey.profile, header: survey.header, rows: rows, options: options, skips: !TimeColumns.isOpen(survey.profile))
    }

    private init(_ profile: Profile, header: [String], rows: [[String]], options: ImportOptions, skips: Bool = false) throws(ImportError) {
        self.profile = profile
        self.header = header
        self.options = options
        var contents: [Content] = []
        for place in skips ? 0..<0 : header.indices { contents.append(try TimeColumns.content(place, rows)) }
        self.contents = contents
        isMidnight = contents.indices.map { place in
            rows.prefix(TimeColumns.mostRows).allSatisfy {
                place >= $0.count || $0[place].contains("00:00") || $0[place].contains("12:00:00 AM")
            }
        }
    }

    private static func isOpen(_ profile: Profile) -> Bool {
        [BuiltIn.generic.name, BuiltIn.genericLong.name].contains(profile.name) && profile.time.formats.isEmpty
    }

    // MARK: Cells

    private static let mostRows = 200

    private static func content(_ place: Int, _ rows: [[String]]) throws(ImportError) -> Content {
        let cells = rows.prefix(mostRows).compactMap { place < $0.count ? $0[place].trimmed : nil }
        let texts = cells.filter { $0.contains(where: \.isNumber) }
        guard !texts.isEmpty, texts.count * 10 >= cells.count(where: { !$0.isEmpty }) * 9 else { return .other }
        if most(texts, isClock) { return .clock }
        guard !texts.allSatisfy({ Double(decimal: $0.replacing(",", with: ".")) != nil }) || isCount(texts),
            let formats = try TimeSniffer.formats(texts), formats != [.days]
        else { return .other }
        if case .unix? = formats.first { return isCount(texts) ? .moment : .other }
        if formats == [.nanoseconds] { return .moment }
        return most(texts, hasClock) ? .moment : .day
    }

    private static func most(_ texts: [String], _ condition: (String) -> Bool) -> Bool {
        texts.count(where: condition) * 10 >= texts.count * 9
    }

    /// `7:45`, `07:45:12`, `7:45 PM`; a day has 24 hours.
    static func isClock(_ text: String) -> Bool {
        guard let minutes = TimeOfDay.minutes(text.uppercased().replacing(".", with: "").replacing("\u{202F}", with: " ")) else {
            return false
        }
        return minutes < 1440
    }

    private static func hasClock(_ text: String) -> Bool {
        text.contains(":") || text.contains("時") || text.contains("时") || (text.allSatisfy(\.isNumber) && text.count > 8)
    }

    /// Seconds of the years 2000 to 2100, or thousandths, millionths or milliardths of them; days and moments without anything between.
    private static func isCount(_ texts: [String]) -> Bool {
        texts.allSatisfy { text in
            let digits = text.prefix(while: \.isNumber)
            if text.count == digits.count, digits.count == 8 || digits.count == 14 {
                return digits.hasPrefix("19") || digits.hasPrefix("20")
            }
            guard let number = Double(digits), [10, 13, 16, 19].contains(digits.count) else { return false }
            var seconds = number
            for _ in 0..<(digits.count - 10) { seconds /= 10 }
            return (946_684_800...4_102_444_800).contains(seconds)
        }
    }

    // MARK: Columns

    /// Sets the columns of the time, and leaves out other columns of moments.
    /// - Throws: `ImportError` of the code `ambiguous` where two columns can be the time of day.
    func settle(_ survey: inout FileSurvey) throws(ImportError) {
        guard TimeColumns.isOpen(survey.profile), !contents.isEmpty else { return }
        var planner = TablePlanner(survey.profile, header: header, options: options)
        let named = planner.timePlaces
        guard let places = try places(named: named) else { return }
        if let note = note(places) { survey.warnings.append(note) }
        survey.profile.time.columns = places.map { [header[$0]] }
        leaveOut(others(than: places), of: &survey)
    }

    /// The places of the day and the time of day, or of the moment.
    private func places(named: [Int]) throws(ImportError) -> [Int]? {
        guard let first = named.first else { return try found() }
        switch contents[first] {
        // Midnight throughout is a day, whose time of day stands beside it.
        case .moment: return named.count == 2 && contents[named[1]] == .clock && isMidnight[first] ? nil : [first]
        case .clock:
            let days = header.indices.filter { contents[$0] == .day }
            return days.count == 1 ? [days[0], first] : nil
        case .other: return try found() ?? named
        case .day:
            if let start = start(.moment) { return [start] }
            if named.count == 2, contents[named[1]] != .day { return contents[named[1]] == .moment ? [named[1]] : named }
            if let start = start(.clock) { return [first, start] }
            let clock = try clock(for: first)
            return clock.map { [first, $0] } ?? [first]
        }
    }

    /// The places where no header tells them: the only moment, or the only day.
    private func found() throws(ImportError) -> [Int]? {
        if let moment = header.indices.first(where: { contents[$0] == .moment }) { return [moment] }
        guard let day = header.indices.first(where: { contents[$0] == .day }) else { return nil }
        return try places(named: [day])
    }

    /// The column in which a row begins, of that content.
    private func start(_ content: Content) -> Int? {
        let words = Set((["start", "start time", "start date", "begin"] + Vocabulary.starts).map(HeaderName.init))
        return header.indices.first { contents[$0] == content && words.contains(HeaderName(header[$0])) }
    }

    /// The time of day that belongs to a day: the only column of such whose header says nothing else.
    private func clock(for day: Int) throws(ImportError) -> Int? {
        let known = knownHeaders
        let candidates = header.indices.filter {
            contents[$0] == .clock && !known.contains(HeaderName(header[$0])) && !Vocabulary.isDuration(header[$0])
        }
        guard candidates.count > 1 else { return candidates.first }
        let names = candidates.prefix(3).map { "\"\(header[$0])\"" }.joined(separator: " and ")
        throw ImportError(
            .ambiguous,
            "beside its day \"\(header[day])\" \(names) hold times of day: say which belongs to it in a profile, as in "
                + "time: {columns: [\"\(header[day])\", \"\(header[candidates[0]])\"]} (`vigil-import sniff` writes one)")
    }

    private var knownHeaders: Set<HeaderName> {
        Set((profile.columns.flatMap(\.headers) + profile.time.ends).map(HeaderName.init))
    }

    /// The remark for columns that were taken for their cells.
    private func note(_ places: [Int]) -> String? {
        let added = places.filter { !TimeColumns.words.contains(HeaderName(header[$0])) }
        guard !added.isEmpty else { return nil }
        let names = added.map { "\"\(header[$0])\"" }.joined(separator: " and ")
        return "the time is taken from \(names), by what stands there: no word that is known says so"
    }

    /// The words for a time, with and without the zone behind them.
    private static let words = Set(
        BuiltIn.generic.time.columns.joined().flatMap { word in ["", " utc", " gmt", " local"].map { HeaderName(word + $0) } })

    /// Further columns of moments and days under headers that no rule knows: when a row was made or sent is no measurement.
    private func others(than places: [Int]) -> [Int] {
        let known = knownHeaders
        return header.indices.filter {
            (contents[$0] == .moment || contents[$0] == .day) && !places.contains($0) && !known.contains(HeaderName(header[$0]))
        }
    }

    private func leaveOut(_ others: [Int], of survey: inout FileSurvey) {
        guard !others.isEmpty, profile.layout == .table else { return }
        survey.profile.columns.append(ColumnRule(others.map { header[$0] }, kind: .ignore))
        let names = others.map { "\"\(header[$0])\"" }.joined(separator: ", ")
        survey.warnings.append("further times of the rows are left out: \(names)")
    }
}

/// Makes a profile for a table that no profile fits.
enum ProfileDraft {
    /// The generic profile, for a table in which a column of times is known by its cells, with the record of its header.
    static func byCells(_ records: [[String]], _ options: ImportOptions) throws(ImportError) -> (profile: Profile, record: Int)? {
        for record in records.indices.prefix(20) where Surveyor.isHeader(records[record]) && records[record].count > 1 {
            let rows = records.dropFirst(record + 1).filter { $0.count >= records[record].count - 1 }
            guard rows.count * 2 >= records.count - record - 1, !rows.isEmpty else { continue }
            let header = records[record].map(\.trimmed)
            guard Set(header).count == header.count, let place = try TimeColumns.place(header, Array(rows), options) else { continue }
            var profile = BuiltIn.generic
            profile.time.columns = [[header[place]]]
            profile.requires = [[header[place]]]
            return (profile, record)
        }
        return nil
    }

    /// The generic profile with its time open, for the user to correct.
    static func profile(_ records: [[String]]) -> Profile? {
        guard let header = records.first, header.count > 1, records.count > 1 else { return nil }
        var profile = BuiltIn.generic
        profile.name = "own"
        profile.title = "draft: say which column is the time, who was measured, and what the columns are"
        profile.requires = []
        profile.time = TimeRule(columns: [["?"]])
        return profile
    }
}

extension TimeColumns {
    /// The place of the column that tells the time of a table whose headers tell none; nil where none does.
    fileprivate static func place(_ header: [String], _ rows: [[String]], _ options: ImportOptions) throws(ImportError) -> Int? {
        let columns = try TimeColumns(BuiltIn.generic, header: header, rows: rows, options: options)
        return header.indices.first { columns.contents[$0] == .moment } ?? header.indices.first { columns.contents[$0] == .day }
    }
}
