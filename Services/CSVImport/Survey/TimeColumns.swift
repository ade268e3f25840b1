import VigilSchema

/// Finds the time columns of a table by their cells, for headers in any language.
///
/// Applies to tables with the generic profile. Headers come first; cells decide if the headers are open or wrong.
struct TimeColumns {
    /// What the cells of a column contain, as far as time is concerned.
    enum Content {
        /// A date with a time of day, or a count from 1970.
        case moment
        /// A date.
        case day
        /// A time of day.
        case clock
        /// Anything else.
        case other
    }

    private let header: [String]
    private let profile: Profile
    private let options: ImportOptions
    private let rows: [[String]]
    /// The content, by column.
    private let contents: [Content]
    /// Whether all times of the column are midnight, by column.
    private let isMidnight: [Bool]

    init(_ survey: FileSurvey, rows: [[String]], options: ImportOptions) throws(ImportError) {
        try self.init(survey.profile, header: survey.header, rows: rows, options: options, skips: !TimeColumns.isOpen(survey.profile))
    }

    private init(_ profile: Profile, header: [String], rows: [[String]], options: ImportOptions, skips: Bool = false) throws(ImportError) {
        self.profile = profile
        self.header = header
        self.options = options
        self.rows = rows
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

    /// `7:45`, `07:45:12`, `7:45 PM`, within 24 hours.
    static func isClock(_ text: String) -> Bool {
        guard let minutes = TimeOfDay.minutes(text.uppercased().replacing(".", with: "").replacing("\u{202F}", with: " ")) else {
            return false
        }
        return minutes < 1440
    }

    private static func hasClock(_ text: String) -> Bool {
        text.contains(":") || text.contains("時") || text.contains("时") || (text.allSatisfy(\.isNumber) && text.count > 8)
    }

    /// Seconds of the years 2000 to 2100, or thousandths, millionths or billionths of them; dates and times without
    /// separators.
    private static func isCount(_ texts: [String]) -> Bool {
        texts.allSatisfy { text in
            let digits = text.prefix(while: \.isNumber)
            if text.count == digits.count, [8, 12, 14].contains(digits.count) {
                return digits.hasPrefix("19") || digits.hasPrefix("20")
            }
            guard let number = Double(digits), [10, 13, 16, 19].contains(digits.count) else { return false }
            var seconds = number
            for _ in 0..<(digits.count - 10) { seconds /= 10 }
            return (946_684_800...4_102_444_800).contains(seconds)
        }
    }

    // MARK: Columns

    /// Sets the time columns, and leaves out other columns of times.
    /// - Throws: `ImportError` with the code `ambiguous` if two columns can be the time of day.
    func settle(_ survey: inout FileSurvey) throws(ImportError) {
        guard TimeColumns.isOpen(survey.profile), !contents.isEmpty else { return }
        var planner = TablePlanner(survey.profile, header: header, options: options)
        let named = try measured(planner.timePlaces)
        var places = try places(named: named)
        try DayParts(header, rows).settle(&places, named: named, hasClock: places?.contains { contents[$0] != .day } ?? true)
        guard let places else { return }
        if let note = note(places) { survey.warnings.append(note) }
        survey.profile.time.columns = places.map { [header[$0]] }
        leaveOut(others(than: places), of: &survey)
    }

    /// The indices of the date and the time of day, or of the time.
    private func places(named: [Int]) throws(ImportError) -> [Int]? {
        guard let first = named.first else { return try found() }
        switch contents[first] {
        // If all times are midnight, it is a date, and the time of day is in another column.
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

    /// The indices if no header decides: the only time, or the only date.
    private func found() throws(ImportError) -> [Int]? {
        if let moment = try only(.moment) { return [moment] }
        guard let day = try only(.day) else { return nil }
        return try places(named: [day])
    }

    /// The time columns that headers name, or another that is not of a record's making where they only name when that was.
    private func measured(_ named: [Int]) throws(ImportError) -> [Int] {
        let named = named.filter { !RecordTime.isOther(header[$0]) }
        guard let first = named.first, RecordTime.isMaking(header[first]) else { return named }
        if let moment = try only(.moment), !RecordTime.isMaking(header[moment]) { return [moment] }
        if let day = try only(.day), !RecordTime.isMaking(header[day]) { return [day] }
        return named
    }

    /// The column of the time of measuring among those with that content: the one whose header says so, or the only one.
    /// - Throws: `ImportError` with the code `ambiguous` if there are several.
    fileprivate func only(_ content: Content) throws(ImportError) -> Int? {
        let known = knownHeaders
        let all = header.indices.filter {
            contents[$0] == content && !RecordTime.isOther(header[$0]) && !known.contains(HeaderName(header[$0]))
        }
        let measured = all.filter { !RecordTime.isMaking(header[$0]) }
        let found = measured.isEmpty ? all : measured
        let named = found.filter { TimeColumns.words.contains(HeaderName(header[$0])) }
        guard found.count > 1, named.isEmpty else { return named.first ?? found.first }
        if let start = start(content) { return start }
        let names = found.prefix(3).map { "\"\(header[$0])\"" }.joined(separator: " and ")
        throw ImportError(
            .ambiguous,
            "\(names) hold times, and none says that it is the time of measuring: say which it is in a profile, as in "
                + "time: {columns: [\"\(header[found[0]])\"]} (`vigil-import sniff` writes one)")
    }

    /// The column of the start of a row, with that content.
    private func start(_ content: Content) -> Int? {
        let words = Set((["start", "start time", "start date", "begin"] + Vocabulary.starts).map(HeaderName.init))
        return header.indices.first { contents[$0] == content && words.contains(HeaderName(header[$0])) }
    }

    /// The time of day for a date: the only such column whose header has no other meaning.
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

    /// The remark on columns that were chosen by their cells.
    private func note(_ places: [Int]) -> String? {
        let added = places.filter { !TimeColumns.words.contains(HeaderName(header[$0])) }
        guard !added.isEmpty else { return nil }
        let names = added.map { "\"\(header[$0])\"" }.joined(separator: " and ")
        return "the time is taken from \(names), by what stands there: no word that is known says so"
    }

    /// The words for a time, with and without the zone after them.
    private static let words = Set(
        BuiltIn.generic.time.columns.joined().flatMap { word in ["", " utc", " gmt", " local"].map { HeaderName(word + $0) } })

    /// Further columns of times and dates without a rule: when a row was created or sent is no measurement.
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
    /// The generic profile for a table whose time column is known by its cells, with the record of its header.
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
    /// The index of the time column of a table whose headers name none; nil: there is none.
    fileprivate static func place(_ header: [String], _ rows: [[String]], _ options: ImportOptions) throws(ImportError) -> Int? {
        let columns = try TimeColumns(BuiltIn.generic, header: header, rows: rows, options: options)
        if let moment = try columns.only(.moment) { return moment }
        return try columns.only(.day)
    }
}
