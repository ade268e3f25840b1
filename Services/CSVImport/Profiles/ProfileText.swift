/// Writes a profile as a JSON5 file that `ProfileFile` reads, with the columns of one file.
struct ProfileText {
    private let profile: Profile
    private let rules: [ColumnRule]

    /// - Parameters:
    ///   - header: a file's header: only the rules that it needs are written, and a line for each column without a
    ///     rule.
    ///   - options: the user's options.
    init(_ profile: Profile, header: [String], options: ImportOptions = ImportOptions()) {
        var profile = profile
        profile.participant = Self.rule(profile.participant, header, options.participant)
        profile.source = Self.rule(profile.source, header, options.source)
        profile.session = Self.rule(profile.session, header, options.session)
        profile.time.zone = options.zone ?? profile.time.zone
        profile.requires = profile.requires.map { Self.own($0, header) ?? $0 }
        profile.time.columns = profile.time.columns.map { Self.own($0, header) ?? $0 }
        profile.time.ends = Self.own(profile.time.ends, header) ?? []
        profile.time.zoneColumn = Self.own(profile.time.zoneColumn, header) ?? []
        var planner = TablePlanner(profile, header: header, options: options)
        rules = profile.layout == .table ? planner.rules() : profile.layout == .long ? [] : profile.columns
        self.profile = profile
    }

    /// The spellings that occur in the header, as they stand there; nil if none does.
    private static func own(_ spellings: [String], _ header: [String]) -> [String]? {
        let texts = Dictionary(header.map { (HeaderName($0), $0) }) { first, _ in first }
        var seen: Set<HeaderName> = []
        let own = spellings.map(HeaderName.init).filter { seen.insert($0).inserted }.compactMap { texts[$0] }
        return own.isEmpty ? nil : own
    }

    /// The rule with the columns of the header only, and with the user's option if none of them gives the name.
    private static func rule(_ rule: NameRule, _ header: [String], _ name: String?) -> NameRule {
        let own = own(rule.column, header)
        if let name, own == nil { return NameRule(constant: name) }
        return NameRule(column: own ?? [], path: rule.path, constant: rule.constant)
    }

    var json5: String {
        var lines = ["{", "  name: \(quoted(profile.name)),", "  title: \(quoted(profile.title)),"]
        if profile.layout != .table { lines.append("  layout: \(quoted(profile.layout.rawValue)),") }
        if !profile.requires.isEmpty { lines.append("  requires: [\(profile.requires.map(list).joined(separator: ", "))],") }
        if profile.isExact { lines.append("  exact: true,") }
        lines.append("  time: {columns: [\(profile.time.columns.map(list).joined(separator: ", "))]\(formats)\(zone)\(ends)},")
        if let longLine { lines.append(longLine) }
        lines += [("participant", profile.participant), ("source", profile.source), ("session", profile.session)].compactMap(nameLine)
        if let rows = profile.rows { lines.append("  rows: {column: \(list(rows.column)), values: \(list(rows.values))},") }
        lines.append("  otherColumns: \(quoted(profile.otherColumns.rawValue)),")
        if profile.allowsShortRows { lines.append("  allowShortRows: true,") }
        if !profile.emptyMarks.isEmpty { lines.append("  empty: \(list(profile.emptyMarks)),") }
        lines.append("  columns: [")
        // A long table's rows name the columns: all that the profile knows.
        if profile.layout == .long, BuiltIn.library.profile(profile.name) != nil { lines.append("    \(quoted(profile.name)),") }
        lines += rules.map(column).map { "    \($0)," }
        return (lines + ["  ],", "}"]).joined(separator: "\n")
    }

    private var formats: String {
        profile.time.formats.isEmpty ? "" : ", formats: \(list(TimeFormat.names(of: profile.time.formats)))"
    }

    private var zone: String { profile.time.zone.map { ", zone: \(quoted($0))" } ?? "" }

    private var ends: String {
        (profile.time.ends.isEmpty ? "" : ", ends: \(list(profile.time.ends))")
            + (profile.time.zoneColumn.isEmpty ? "" : ", zoneColumn: \(list(profile.time.zoneColumn))")
            + (profile.time.isUTC ? ", utc: true" : "")
    }

    private var longLine: String? {
        guard profile.layout == .long else { return nil }
        let long = profile.long
        let parts = [
            ("metric", long.metric), ("code", long.code), ("value", long.value), ("unit", long.unit), ("text", long.text),
            ("samples", long.samples), ("period", long.period), ("sequence", long.sequence), ("zone", long.zone),
        ]
        return "  long: {\(parts.filter { !$0.1.isEmpty }.map { "\($0.0): \(list($0.1))" }.joined(separator: ", "))},"
    }

    private func nameLine(_ name: String, _ rule: NameRule) -> String? {
        var parts: [String] = []
        if !rule.column.isEmpty { parts.append("column: \(list(rule.column))") }
        if !rule.path.isEmpty { parts.append("path: \(list(rule.path))") }
        if let constant = rule.constant { parts.append("constant: \(quoted(constant))") }
        return parts.isEmpty ? nil : "  \(name): {\(parts.joined(separator: ", "))},"
    }

    private func column(_ rule: ColumnRule) -> String {
        var parts = ["header: \(rule.headers.count == 1 ? quoted(rule.headers[0]) : list(rule.headers))"]
        if let metric = rule.metric { parts.append("metric: \(quoted(metric))") }
        if let unit = rule.unit { parts.append("unit: \(quoted(unit))") }
        if let unit = rule.usually { parts.append("usually: \(quoted(unit))") }
        if !rule.alternatives.isEmpty { parts.append("alternatives: \(list(rule.alternatives))") }
        if rule.isOneValue { parts.append("oneValue: true") }
        if let exception = rule.exception {
            parts.append(
                "exception: {column: \(list(exception.column)), words: \(list(exception.words)), reason: \(quoted(exception.reason))}")
        }
        if !rule.unitColumn.isEmpty { parts.append("unitColumn: \(list(rule.unitColumn))") }
        if rule.interval != 0 { parts.append("interval: \(rule.interval)") }
        if rule.kind != .automatic { parts.append("kind: \(quoted(rule.kind.rawValue))") }
        if rule.scale != 1 { parts.append("scale: \(rule.scale)") }
        if rule.add != 0 { parts.append("add: \(rule.add.short)") }
        if !rule.sentinels.isEmpty { parts.append("sentinels: [\(rule.sentinels.map(\.short).joined(separator: ", "))]") }
        if !rule.startup.isEmpty { parts.append("startup: [\(rule.startup.map(\.short).joined(separator: ", "))]") }
        if !rule.limits.isEmpty { parts.append("limits: \(list(rule.limits))") }
        if rule.delay != 0 { parts.append("delay: \(rule.delay.short)") }
        return "{\(parts.joined(separator: ", "))}"
    }

    private func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ", "))]" }

    /// As in JSON, with marks and spaces that nobody sees as escapes.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar != " " && scalar.value <= 0xFFFF && ProfileText.isUnseen(scalar):
                result += "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
