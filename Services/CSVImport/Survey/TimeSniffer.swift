import VigilSchema

/// Finds out how a time column is written where the profile leaves it open.
enum TimeSniffer {
    /// Completes the profile's time formats from the file's first rows.
    static func complete(_ survey: inout FileSurvey, rows: [[String]], options: ImportOptions) throws(ImportError) {
        if let start = survey.clockStart { return try completeClock(&survey, start, options) }
        var planner = TablePlanner(survey.profile, header: survey.header, options: options, units: survey.units)
        var places = planner.timePlaces
        var all = Self.texts(rows, places)
        if places.count == 2, survey.profile.time.formats.isEmpty, options.dateFormats == nil, try formats(all) == nil,
            isWhole(Self.texts(rows, [places[0]]))
        {
            // A date and a clock's time stand beside the moment that has both.
            survey.profile.time.columns.removeLast()
            places.removeLast()
            all = Self.texts(rows, places)
        }
        // A title, a line of dashes or a `Total` is no time that somebody wrote in an odd way.
        let withDigits = all.filter { $0.contains(where: \.isNumber) }
        let texts = withDigits.isEmpty ? all : withDigits
        if survey.profile.time.formats.isEmpty { try completeFormats(&survey, texts, options) }
        survey.profile.time.isOfDays = planner.endPlace() == nil && !texts.isEmpty && texts.allSatisfy(isDay)
        try checkZones(&survey, texts, options, hasColumn: planner.hasZoneColumn)
    }

    /// Returns whether a time is a date alone: `2024-03-25`, `25.3.24`, `20240325`; no count of seconds.
    static func isDay(_ text: String) -> Bool {
        let parts = text.split { "-/.".contains($0) }
        guard text.allSatisfy({ $0.isNumber || "-/.".contains($0) }) else { return false }
        return parts.count == 3 || (text.count == 8 && parts.count == 1 && (text.hasPrefix("19") || text.hasPrefix("20")))
    }

    /// The times of the rows as they are written.
    private static func texts(_ rows: [[String]], _ places: [Int]) -> [String] {
        rows.compactMap { row in
            let parts = places.filter { $0 < row.count }.map { row[$0].trimmed }.filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// Returns whether all texts tell a time of day, not midnight throughout, or count since 1970.
    private static func isWhole(_ texts: [String]) -> Bool {
        guard texts.contains(where: { !$0.contains("00:00") && !$0.contains("12:00:00") }) else { return false }
        return texts.allSatisfy { $0.allSatisfy(\.isNumber) ? $0.count >= 10 && $0.count != 14 : $0.contains(":") }
    }

    private static func completeFormats(_ survey: inout FileSurvey, _ texts: [String], _ options: ImportOptions) throws(ImportError) {
        guard !texts.isEmpty else {
            survey.profile.time.formats = [.unix(unit: 1_000_000)] + TimeFormat.iso8601
            return
        }
        if let formats = options.dateFormats, try fits(formats, texts) {
            survey.profile.time.formats = formats
            return
        }
        guard let formats = try formats(texts) else {
            throw ImportError(
                .format,
                "the times are written in no way that is known, as in \"\(texts[0].prefix(40))\"; a profile can say how (`vigil-import sniff`)"
            )
        }
        survey.profile.time.formats = formats
        if formats == [.days] { survey.warnings.append("its times are a spreadsheet's numbers of days (45292 is 2024-01-01)") }
        if formats == TimeFormat.monthFirst { survey.hasOpenDateOrder = try fits(TimeFormat.dayFirst, texts) }
    }

    /// Says that times without a zone are taken as UTC, and asks where some have one and some have none.
    private static func checkZones(
        _ survey: inout FileSurvey, _ texts: [String], _ options: ImportOptions, hasColumn: Bool
    ) throws(ImportError) {
        if survey.profile.time.zone == nil, survey.header.contains(where: isInUTC) { survey.profile.time.zone = "UTC" }
        guard options.zone == nil, survey.profile.time.zone == nil, !hasColumn, survey.timing == .columns else { return }
        var with = 0, without = 0
        for text in texts.prefix(200) {
            var parser = try TimeParser(survey.profile.time.formats, zone: nil)
            guard parser.parse(text) != nil else { continue }
            if parser.hasZoneless { without += 1 } else { with += 1 }
        }
        guard without > 0 else { return }
        guard with == 0 || survey.profile.time.formats.contains(where: { !$0.isOfClock && $0 == .unix(unit: 1_000_000) }) else {
            throw ImportError(.ambiguous, "some of its times name a zone and some do not: say by --zone where the wearer's clock stood")
        }
        survey.warnings.append(
            "its times name no zone and are taken as UTC; --zone Europe/Berlin, say, tells where the wearer's clock stood")
    }

    /// Returns whether a header says that its times are UTC's.
    private static func isInUTC(_ header: String) -> Bool {
        let words = header.uppercased().split { !$0.isLetter }
        return words.contains("UTC") || words.contains("GMT")
    }

    private static func completeClock(_ survey: inout FileSurvey, _ start: String, _ options: ImportOptions) throws(ImportError) {
        var parser = try TimeParser(
            TimeFormat.dayFirst + TimeFormat.iso8601, zone: (options.zone ?? survey.profile.time.zone).flatMap(WearerZone.init))
        guard let time = parser.parse(start) else {
            throw ImportError(.format, "the lines above the header do not tell when the session started")
        }
        survey.timing = .elapsed(start: time.microseconds)
        if options.zone == nil, survey.profile.time.zone == nil {
            survey.warnings.append(
                "the session's start names no zone and is taken as UTC; --zone Europe/Berlin, say, tells where the wearer's clock stood")
        }
    }

    /// The formats in which nearly all texts can be read; nil where there are none.
    static func formats(_ texts: [String]) throws(ImportError) -> [TimeFormat]? {
        for formats in [unix(texts), TimeFormat.iso8601, TimeFormat.monthFirst, TimeFormat.dayFirst] {
            if let formats, try fits(formats, texts) { return formats }
        }
        // In diaries by hand a time now and then is odd. Only where the order of day and month is no question: their odd times tell which.
        return try fits(TimeFormat.iso8601, texts, share: 0.75) ? TimeFormat.iso8601 : nil
    }

    /// Seconds, milliseconds or microseconds by how many digits there are: good from 1973 on.
    private static func unix(_ texts: [String]) -> [TimeFormat]? {
        guard texts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) || $0 == "." || $0 == "," } }) else { return nil }
        let digits = texts.map { $0.prefix(while: \.isNumber).count }.max() ?? 0
        if digits >= 18 { return [.nanoseconds] }
        if digits == 14 || digits == 8, (try? fits(TimeFormat.iso8601, texts)) == true { return TimeFormat.iso8601 }
        // Days since 1899 of the years 1954 to 2119, which as seconds since 1970 would all lie in one day.
        let days = texts.compactMap { Double(decimal: $0.replacing(",", with: ".")) }
        if days.count == texts.count, days.allSatisfy({ (20_000...80_000).contains($0) }) { return [.days] }
        return [.unix(unit: digits >= 15 ? 1 : digits >= 12 ? 1000 : 1_000_000)]
    }

    /// Returns whether nearly all texts can be read so: a preamble's rest or a broken row is no objection.
    private static func fits(_ formats: [TimeFormat], _ texts: [String], share: Double = 0.9) throws(ImportError) -> Bool {
        var parser = try TimeParser(formats, zone: nil)
        var read = 0
        for text in texts {
            let bytes = Array(text.utf8)
            if parser.parse(bytes.span.bytes, 0, bytes.count) != nil { read += 1 }
        }
        return Double(read) >= share * Double(texts.count)
    }
}

/// Makes a profile for a table that no profile fits, for its user to correct.
enum ProfileDraft {
    /// The last hundred years or so, in seconds: smaller numbers are rather measurements than times.
    private static let leastDigits = 9

    /// The generic profile with the table's first column that holds times, and columns by what they are called.
    static func profile(_ records: [[String]]) throws(ImportError) -> Profile? {
        guard let header = records.first, header.count > 1, records.count > 1 else { return nil }
        var profile = BuiltIn.generic
        profile.name = "own"
        profile.title = "draft: say which column is the time, who was measured, and what the columns are"
        profile.requires = []
        profile.time = TimeRule(columns: [["?"]])
        for place in header.indices {
            let texts = records.dropFirst().compactMap { place < $0.count ? $0[place].trimmed : nil }.filter { !$0.isEmpty }
            guard !texts.isEmpty, let formats = try TimeSniffer.formats(texts), looksLikeTimes(formats, texts) else { continue }
            profile.time = TimeRule(columns: [[header[place].trimmed]], formats: formats)
            break
        }
        return profile
    }

    private static func looksLikeTimes(_ formats: [TimeFormat], _ texts: [String]) -> Bool {
        guard case .unix? = formats.first else { return formats.first != .days || texts.allSatisfy { $0.count >= 5 } }
        return texts.allSatisfy { $0.prefix(while: \.isNumber).count >= leastDigits }
    }
}
