/// Finds out how a time column is written where the profile leaves it open.
enum TimeSniffer {
    /// Completes the profile's time formats from the file's first rows.
    static func complete(_ survey: inout FileSurvey, rows: [[String]], options: ImportOptions) throws(ImportError) {
        guard survey.profile.time.formats.isEmpty else { return }
        if let formats = options.dateFormats {
            survey.profile.time.formats = formats
            return
        }
        let header = survey.header.map(HeaderName.init)
        var places: [Int] = []
        for spellings in survey.profile.time.columns {
            let found = spellings.lazy.compactMap { header.firstIndex(of: HeaderName($0)) }.first { !places.contains($0) }
            if let found { places.append(found) }
        }
        let texts = rows.compactMap { row -> String? in
            let parts = places.filter { $0 < row.count }.map { row[$0].trimmed }.filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
        guard !texts.isEmpty else {
            survey.profile.time.formats = [.unix(unit: 1_000_000)] + TimeFormat.iso8601
            return
        }
        guard let formats = try formats(texts) else {
            throw ImportError(.format, "the times are written in no way that is known; a profile can say how")
        }
        survey.profile.time.formats = formats
        if formats == TimeFormat.monthFirst, try fits(TimeFormat.dayFirst, texts) {
            survey.warnings.append("the dates may be month first or day first; taken as month first (--date-order dmy says otherwise)")
        }
    }

    /// The formats in which nearly all texts can be read; nil where there are none.
    static func formats(_ texts: [String]) throws(ImportError) -> [TimeFormat]? {
        for formats in [unix(texts), TimeFormat.iso8601, TimeFormat.monthFirst, TimeFormat.dayFirst] {
            if let formats, try fits(formats, texts) { return formats }
        }
        return nil
    }

    /// Seconds, milliseconds or microseconds by how many digits there are: good from 1973 on.
    private static func unix(_ texts: [String]) -> [TimeFormat]? {
        guard texts.allSatisfy({ $0.allSatisfy { $0.isNumber || $0 == "." || $0 == "," } }) else { return nil }
        let digits = texts.map { $0.prefix(while: \.isNumber).count }.max() ?? 0
        return [.unix(unit: digits >= 15 ? 1 : digits >= 12 ? 1000 : 1_000_000)]
    }

    /// Whether nearly all texts can be read so: a preamble's rest or a broken row is no objection.
    private static func fits(_ formats: [TimeFormat], _ texts: [String]) throws(ImportError) -> Bool {
        var parser = try TimeParser(formats, zone: nil)
        var read = 0
        for text in texts {
            let bytes = Array(text.utf8)
            if parser.parse(bytes.span.bytes, 0, bytes.count) != nil { read += 1 }
        }
        return read * 10 >= texts.count * 9
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
        guard case .unix? = formats.first else { return true }
        return texts.allSatisfy { $0.prefix(while: \.isNumber).count >= leastDigits }
    }
}
