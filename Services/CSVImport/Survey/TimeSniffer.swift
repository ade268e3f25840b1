import ServiceKit
import VigilSchema

/// Finds out how a time column is written where the profile leaves it open.
enum TimeSniffer {
    /// Completes the profile's time formats from the file's first rows.
    static func complete(_ survey: inout FileSurvey, rows: [[String]], options: ImportOptions) throws(ImportError) {
        if let start = survey.clockStart { return try completeClock(&survey, start, options) }
        try TimeColumns(survey, rows: rows, options: options).settle(&survey)
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
        let headers = places.map { survey.header[$0] }
        try checkZones(&survey, texts, options, headers: headers, hasColumn: planner.hasZoneColumn)
    }

    /// Returns whether a time is a date alone: `2024-03-25`, `25.3.24`, `20240325`; no count of seconds.
    static func isDay(_ text: String) -> Bool {
        let parts = text.split { "-/. ".contains($0) }
        guard text.allSatisfy({ $0.isNumber || "-/. ".contains($0) }) else { return false }
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
        if let words = SmallNumbers.refusal(texts) { throw ImportError(.format, words) }
        guard let formats = try formats(texts) else {
            if try isMixed(texts) {
                throw ImportError(
                    .format,
                    "some of its dates can only be read with the day first, and some only with the month first: nobody can tell which is meant by "
                        + "the others; split it into a file of each, or write the dates as 2024-03-25")
            }
            throw ImportError(
                .format,
                "the times are written in no way that is known, as in \"\(texts[0].prefix(40))\"; a profile can say how (`vigil-import sniff`)"
            )
        }
        if formats == TimeFormat.monthFirst || formats == TimeFormat.dayFirst, mayHaveYearFirst(texts) {
            throw ImportError(
                .ambiguous,
                "the dates may have the year or the day first, as in \"\(texts[0].prefix(40))\": say --date-order dmy where it is the day, or write "
                    + "them with a year of four digits")
        }
        survey.profile.time.formats = formats
        if case .unix? = formats.first { survey.profile.time.isFoundCount = true }
        if formats == [.days] { survey.warnings.append("its times are a spreadsheet's numbers of days (45292 is 2024-01-01)") }
        if formats == TimeFormat.monthFirst { survey.hasOpenDateOrder = try fits(TimeFormat.dayFirst, texts) }
    }

    /// Returns whether two digits in front of each text may be the year: one of the last ten, that varies less than the last two do, or is later.
    private static func mayHaveYearFirst(_ texts: [String]) -> Bool {
        let dates = texts.map { $0.prefix { $0.isNumber || "-/.".contains($0) }.split { !$0.isNumber }.compactMap { Int($0) } }
        let year = CivilDate(daysSince1970: Int(Timestamp.now.seconds / 86_400)).year % 100
        guard
            dates.allSatisfy({ $0.count == 3 && (year - 10...year).contains($0[0]) && (1...12).contains($0[1]) && (1...31).contains($0[2]) }
            )
        else { return false }
        // With points the day is first by custom, unless the rows speak for the other.
        return !texts[0].contains(".") && dates.allSatisfy { $0[0] > $0[2] }
            || Set(dates.map { $0[0] }).count < Set(dates.map { $0[2] }).count
    }

    /// Returns whether each text is a date in one of the two orders, and some are in the one and some in the other only.
    private static func isMixed(_ texts: [String]) throws(ImportError) -> Bool {
        var parsers = (try TimeParser(TimeFormat.monthFirst, zone: nil), try TimeParser(TimeFormat.dayFirst, zone: nil))
        var own = (month: 0, day: 0)
        for text in texts {
            switch (parsers.0.parse(text) != nil, parsers.1.parse(text) != nil) {
            case (true, false): own.month += 1
            case (false, true): own.day += 1
            case (true, true): break
            case (false, false): return false
            }
        }
        return own.month > 0 && own.day > 0
    }

    /// Says that times without a zone are taken as UTC, and asks where some have one and some have none.
    /// - Parameter headers: those of the columns that make the time.
    private static func checkZones(
        _ survey: inout FileSurvey, _ texts: [String], _ options: ImportOptions, headers: [String], hasColumn: Bool
    ) throws(ImportError) {
        if survey.profile.time.zone == nil { survey.profile.time.zone = headers.lazy.compactMap(zone).first }
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

    /// The zone that a time's header names: UTC, or what it says behind that: `Time (UTC+1)`.
    private static func zone(_ header: String) -> String? {
        let header = header.uppercased()
        let words = header.split { !$0.isLetter }
        guard let word = words.first(where: { $0 == "UTC" || $0 == "GMT" }) else { return nil }
        let offset = String(header[word.endIndex...].prefix { $0.isNumber || "+-:".contains($0) })
        return WearerZone.minutes(offset) == nil ? "UTC" : offset
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
        if digits == 12, texts.allSatisfy({ $0.hasPrefix("19") || $0.hasPrefix("20") }), (try? fits(minutes, texts)) == true {
            return minutes
        }
        if digits < SmallNumbers.leastDigits { return nil }
        return [.unix(unit: digits >= 15 ? 1 : digits >= 12 ? 1000 : 1_000_000)]
    }

    /// A day and a time of day without anything between, which as milliseconds would lie in 1976.
    private static let minutes: [TimeFormat] = [.pattern("yyyyMMddHHmm")]

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

/// Numbers in a time's column that are too small to count from 1970 on: taken so, they would all lie in the seventies, without a word.
enum SmallNumbers {
    /// Seconds since 1970 have so many digits since September 2001.
    static let leastDigits = 10

    private static let next =
        "write each row's moment instead, or say in a profile how they count, as in time: {columns: [\"…\"], formats: [\"unix\"]} (`vigil-import sniff`)"

    /// What such times rather are, and what to do; nil where they may be times.
    static func refusal(_ texts: [String]) -> String? {
        let numbers = texts.filter { $0.allSatisfy { ("0"..."9").contains($0) || $0 == "." || $0 == "," } }
        guard !numbers.isEmpty, numbers.count * 10 >= texts.count * 9 else { return nil }
        let wholes = numbers.map { $0.prefix(while: \.isNumber) }
        guard let most = wholes.map(\.count).max(), most < leastDigits, (try? TimeSniffer.formats(texts)) == nil else { return nil }
        let example = "\"\(numbers[0].prefix(40))\""
        if most == leastDigits - 1 {
            return "times such as \(example) can be seconds since 1970 or since 2001, as Apple counts: \(next)"
        }
        if wholes.allSatisfy({ $0.count == 4 && ($0.hasPrefix("19") || $0.hasPrefix("20")) }) {
            return "times such as \(example) are years: they do not tell when something was measured; \(next)"
        }
        return "times such as \(example) count from a start that the file does not name, not from 1970 on: \(next)"
    }
}
