/// Finds out what a file is: its encoding, its dialect, its header and the profile that fits.
package struct Surveyor: Sendable {
    /// So much of a file's start is looked at.
    package static let startLength = 64 << 10
    /// Exports may say this and that before their header.
    private static let longestPreamble = 20

    private let profiles: [Profile]
    private let chosen: Profile?
    private let options: ImportOptions

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
        let (detected, markLength) = TextEncoding.detect(start)
        let encoding = options.encoding ?? detected
        let text = try Surveyor.text(Array(start.dropFirst(markLength)), encoding)
        let dialect = DialectSniffer.sniff(text, encoding: encoding, options: options)
        let records = DialectSniffer.records(text, dialect, limit: 400)
        let draft = drafts ? try ProfileDraft.profile(records).map { ($0, 0) } : nil
        let match = match(records, text, path)
        guard let (profile, headerRecord) = match ?? draft else {
            throw ImportError(
                .format,
                "no profile fits \(path), whose first line has the columns \(Surveyor.columns(records)); `vigil-import sniff` drafts one")
        }
        var survey = FileSurvey(
            dialect: dialect, markLength: markLength, profile: profile, headerRecord: headerRecord,
            header: headerRecord < 0 ? [] : records[headerRecord].map(\.trimmed))
        survey.isDraft = match == nil
        if profile.layout == .rejects { survey.known = (chosen.map { [$0] } ?? []) + profiles }
        guard profile.layout == .table, !survey.isDraft else {
            OtherLayouts.complete(&survey, records, path: path)
            return survey
        }
        let rows = Array(records.dropFirst(headerRecord + 1))
        try TimeSniffer.complete(&survey, rows: rows, options: options)
        RowChecks(survey: survey, rows: rows, options: options).warn(&survey)
        return survey
    }

    private func match(_ records: [[String]], _ text: [UInt8], _ path: String) -> (Profile, Int)? {
        // Rejects name the profiles of their rows themselves.
        for profile in chosen.map({ [BuiltIn.rejects, $0] }) ?? profiles {
            switch profile.layout {
            case .table:
                let preamble = records.prefix(Surveyor.longestPreamble)
                if let place = preamble.firstIndex(where: { TablePlanner.fits(profile, header: $0) }) { return (profile, place) }
                if chosen != nil, !records.isEmpty { return (profile, 0) }
            case .samples, .intervals, .marks, .appleHealth, .rejects:
                if OtherLayouts.fits(profile, records, text, path) { return (profile, -1) }
            }
        }
        return nil
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

/// What a file's start tells of it: all that is needed to read it.
package struct FileSurvey: Sendable {
    /// How its fields are written.
    package var dialect: CSVDialect
    /// The length of its byte-order mark.
    package var markLength: Int
    /// The profile that it is read by.
    package var profile: Profile
    /// Which record is its header, from 0; without one, −1.
    package var headerRecord: Int
    /// The header.
    package var header: [String]
    /// How a row's time is found.
    package var timing = RowTiming.columns
    /// What the user should know.
    package var warnings: [String] = []
    /// Profiles that rejects may name; empty for other files.
    package var known: [Profile] = []
    /// No profile fits: this one is a draft.
    package var isDraft = false
    /// The step, in microseconds, of times to which milliseconds seem to have been added.
    package var millisecondStep: Int64?
}
