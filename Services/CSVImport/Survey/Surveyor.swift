import VigilSchema

/// Finds out what a file is: its encoding, its dialect, its header and the profile that fits.
package struct Surveyor: Sendable {
    /// So much of a file's start is looked at.
    package static let startLength = 64 << 10
    /// Exports may say this and that before their header.
    private static let longestPreamble = 20

    private let profiles: [Profile]
    private let chosen: Profile?
    let options: ImportOptions

    /// Makes a surveyor.
    /// - Parameters:
    ///   - profiles: tried in this order; the first that fits is taken.
    ///   - chosen: taken whatever fits.
    package init(profiles: [Profile] = BuiltIn.profiles, chosen: Profile? = nil, options: ImportOptions = ImportOptions()) {
        self.profiles = profiles
        self.chosen = chosen
        self.options = options
    }

    /// Looks at a file's start.
    /// - Parameters:
    ///   - start: its first `startLength` bytes.
    ///   - path: its path, which may name participant and session.
    ///   - drafts: makes a profile for a table that none fits, instead of throwing.
    package func survey(_ start: [UInt8], path: String, drafts: Bool = false) throws(ImportError) -> FileSurvey {
        guard !start.isEmpty else { return try OtherLayouts.empty(path) }
        if let words = ForeignFormat.refusal(start) { throw ImportError(.format, "\(path) \(words)") }
        let (detected, markLength, isGuess) = TextEncoding.detect(start)
        let encoding = options.encoding ?? detected
        let text = try Surveyor.text(Array(start.dropFirst(markLength)), encoding)
        let dialect = DialectSniffer.sniff(text, encoding: encoding, options: options)
        var records = DialectSniffer.records(text, dialect, limit: 400)
        if !options.columns.isEmpty { records.insert(options.columns, at: 0) }
        let draft = drafts ? ProfileDraft.profile(records).map { Match(profile: $0, record: 0, header: records.first ?? []) } : nil
        var found = match(records, text, path)
        if found == nil {
            do throws(ImportError) {
                found = try matchByCells(records)
            } catch {
                guard draft != nil else { throw error }
            }
        }
        let remark = isGuess && options.encoding == nil ? Surveyor.guessed(encoding) : nil
        guard let match = found ?? draft else {
            throw ImportError(.format, Surveyor.unknown(path, records) + (remark.map { "; \($0)" } ?? ""))
        }
        var survey = FileSurvey(
            dialect: dialect, markLength: markLength, profile: match.profile,
            headerRecord: match.record - (options.columns.isEmpty || match.record < 0 ? 0 : 1),
            header: match.profile.numbersRepeats ? Surveyor.numbered(match.header) : match.header.map(\.trimmed))
        survey.isDraft = found == nil
        if let remark { survey.warnings.append(remark) }
        if match.profile.layout == .rejects { survey.known = (chosen.map { [$0] } ?? []) + profiles }
        guard match.profile.layout == .table || match.profile.layout == .long, !survey.isDraft else {
            OtherLayouts.complete(&survey, records, path: path)
            return survey
        }
        var rows = Array(records.dropFirst(match.record + 1))
        if let units = rows.first.flatMap(HeaderUnit.row), rows.count > 1 {
            survey.units = units
            survey.headerRecord += 1
            rows.removeFirst()
        }
        survey.rows = rows
        OtherLayouts.startOfClock(&survey, Array(records.prefix(match.record)))
        do throws(ImportError) {
            try TimeSniffer.complete(&survey, rows: rows, options: options)
        } catch {
            guard drafts, let own = draft else { throw error }
            survey.profile = own.profile
            survey.isDraft = true
            return survey
        }
        RowChecks(survey: survey, rows: rows, options: options).warn(&survey)
        return survey
    }

    /// A profile that fits, and the header that it fits: the record's, or that of two which belong together.
    private struct Match {
        let profile: Profile
        let record: Int
        let header: [String]
    }

    /// The generic profile for a table whose headers no profile knows, where its cells tell which column is the time.
    private func matchByCells(_ records: [[String]]) throws(ImportError) -> Match? {
        guard chosen == nil, let found = try ProfileDraft.byCells(records, options) else { return nil }
        return Match(profile: found.profile, record: found.record, header: records[found.record])
    }

    private func match(_ records: [[String]], _ text: [UInt8], _ path: String) -> Match? {
        // Rejects name the profiles of their rows themselves.
        for profile in chosen.map({ [BuiltIn.rejects, $0] }) ?? profiles {
            switch profile.layout {
            case .table, .long:
                if let match = match(profile, records, path) { return match }
                if chosen != nil, let first = records.first { return Match(profile: profile, record: 0, header: first) }
            case .samples, .intervals, .marks, .appleHealth, .appleECG, .fhir, .hReader, .vigilJSON, .rejects:
                if OtherLayouts.fits(profile, records, text, path) { return Match(profile: profile, record: -1, header: []) }
            }
        }
        return nil
    }

    /// The header of a table: for a narrow profile the first record that fits, for the generic one that of which most columns are known,
    /// else two lines that make one together, as where merged cells stand above.
    private func match(_ profile: Profile, _ records: [[String]], _ path: String) -> Match? {
        let preamble = records.prefix(Surveyor.longestPreamble)
        let fitting = preamble.indices.filter {
            TablePlanner.fits(profile, header: preamble[$0], path: path) && Surveyor.isHeader(preamble[$0])
        }
        let known = Set(profile.columns.flatMap { $0.headers.map(HeaderName.init) })
        let best = fitting.max { left, right in
            guard profile.name == BuiltIn.generic.name else { return left > right }
            let counts = [left, right].map { index in preamble[index].count { known.contains(HeaderName($0)) } }
            return counts[0] == counts[1] ? left > right : counts[0] < counts[1]
        }
        if let best {
            let merged = best + 1 < preamble.count ? Surveyor.lowerHalf(preamble[best], preamble[best + 1]) : nil
            if let merged,
                merged.count(where: { known.contains(HeaderName($0)) }) > preamble[best].count(where: { known.contains(HeaderName($0)) })
            {
                return Match(profile: profile, record: best + 1, header: merged)
            }
            return Match(profile: profile, record: best, header: preamble[best])
        }
        for index in preamble.indices.dropLast() where preamble[index].count == preamble[index + 1].count {
            let header = Surveyor.merged(preamble[index], preamble[index + 1])
            guard Surveyor.isHeader(preamble[index]), Surveyor.isHeader(preamble[index + 1], least: 1) else { continue }
            if TablePlanner.fits(profile, header: header, path: path), HeaderUnit.row(preamble[index + 1]) == nil {
                return Match(profile: profile, record: index + 1, header: header)
            }
        }
        return nil
    }

    /// The header that two lines make, where the lower one can be a header's half: names, no units, no digits.
    private static func lowerHalf(_ upper: [String], _ lower: [String]) -> [String]? {
        guard upper.count == lower.count, isHeader(lower, least: 1), HeaderUnit.row(lower) == nil else { return nil }
        guard lower.contains(where: { !$0.trimmed.isEmpty }), !lower.contains(where: { $0.contains(where: \.isNumber) }) else { return nil }
        return merged(upper, lower)
    }

    /// Returns whether a record can be a header: names, and no numbers.
    static func isHeader(_ record: [String], least: Int = 2) -> Bool {
        let filled = record.map(\.trimmed).filter { !$0.isEmpty }
        return filled.count >= min(least, record.count) && filled.allSatisfy { Double(decimal: $0.replacing(",", with: ".")) == nil }
    }

    /// Two lines of headers as one: what stands above a group of columns is written before the names below it, unless these are plain enough.
    private static func merged(_ upper: [String], _ lower: [String]) -> [String] {
        var group = ""
        return zip(upper, lower).map { above, below in
            if !above.trimmed.isEmpty { group = above.trimmed }
            let below = below.trimmed
            return below.isEmpty
                ? above.trimmed : above.trimmed.isEmpty && group.isEmpty ? below : BuiltIn.knows(below) ? below : "\(group) \(below)"
        }
    }

    /// The header with a number behind each name that it has had before.
    private static func numbered(_ header: [String]) -> [String] {
        var counts: [String: Int] = [:]
        return header.map(\.trimmed).map { name in
            counts[name, default: 0] += 1
            return counts[name] == 1 ? name : "\(name) \(counts[name] ?? 0)"
        }
    }

    private static func guessed(_ encoding: TextEncoding) -> String {
        "it is not UTF-8, and was read as \(encoding.rawValue); where letters look wrong, --encoding names another"
    }

    private static func unknown(_ path: String, _ records: [[String]]) -> String {
        guard let first = records.first, !isHeader(first), first.count > 1 else {
            return "no profile fits \(path), whose first line has the columns \(columns(records)); `vigil-import sniff` drafts one"
        }
        return
            "\(path) has no header: its first line holds data. Name its columns, as in --columns timestamp,heart-rate,- (- leaves one out)"
    }

    private static func columns(_ records: [[String]]) -> String {
        guard let first = records.first else { return "(none)" }
        return first.prefix(12).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ") + (first.count > 12 ? ", …" : "")
    }

    private static func text(_ bytes: [UInt8], _ encoding: TextEncoding) throws(ImportError) -> [UInt8] {
        guard encoding != .utf8 else { return bytes }
        var source = TranscodingSource(MemorySource(bytes), from: encoding)
        return try source.readStart(bytes.count * 3)
    }
}

/// The layout that a file's first bytes reveal: all that is needed to read it.
package struct FileSurvey: Sendable {
    /// The way its fields are written.
    package var dialect: CSVDialect
    /// The length of its byte-order mark.
    package var markLength: Int
    /// The profile that it is read by.
    package var profile: Profile
    /// The number of the header record, from 0; −1 without one.
    package var headerRecord: Int
    /// The header.
    package var header: [String]
    /// The way a row's time is found.
    package var timing = RowTiming.columns
    /// Remarks for the user.
    package var warnings: [String] = []
    /// Units that stand in a row of their own below the header, by column.
    package var units: [String] = []
    /// The first rows behind the header, for looking at.
    var rows: [[String]] = []
    /// The time at which a clock that counts from a session's start began, as the file writes it.
    var clockStart: String?
    /// A Boolean value that indicates whether the first rows leave open if month or day comes first.
    var hasOpenDateOrder = false
    /// Profiles that rejects may name; empty for other files.
    package var known: [Profile] = []
    /// No profile fits: this one is a draft.
    package var isDraft = false
    /// The step, in microseconds, of times to which milliseconds seem to have been added.
    package var millisecondStep: Int64?

    /// A Boolean value that indicates whether it is a table whose profile knows no source, unless its rows name one.
    var hasUnnamedSource: Bool {
        (profile.layout == .table || profile.layout == .long) && profile.source.constant == TablePlanner.unnamedSource
            && profile.name != BuiltIn.vigilExport.name
    }
}
