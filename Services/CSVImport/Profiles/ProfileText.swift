import Foundation

/// Writes a profile as a JSON5 file that `ProfileFile` reads back, with the columns that one file has.
struct ProfileText {
    private let profile: Profile
    private let rules: [ColumnRule]

    /// - Parameters:
    ///   - header: a file's: only the rules that it needs are written, and a line for each column that no rule names.
    ///   - options: what the user said over the profile.
    init(_ profile: Profile, header: [String], options: ImportOptions = ImportOptions()) {
        var profile = profile
        profile.participant = Self.rule(profile.participant, header, options.participant)
        profile.source = Self.rule(profile.source, header, options.source)
        profile.session = Self.rule(profile.session, header, options.session)
        profile.time.zone = options.zone ?? profile.time.zone
        var planner = TablePlanner(profile, header: header, options: options)
        rules = profile.layout == .table ? planner.rules() : profile.columns
        self.profile = profile
    }

    /// With what the user said, where no column of the header tells the name.
    private static func rule(_ rule: NameRule, _ header: [String], _ name: String?) -> NameRule {
        let names = Set(header.map(HeaderName.init))
        guard let name, !rule.column.contains(where: { names.contains(HeaderName($0)) }) else { return rule }
        return NameRule(constant: name)
    }

    var json5: String {
        var lines = ["{", "  name: \(quoted(profile.name)),", "  title: \(quoted(profile.title)),"]
        if profile.layout != .table { lines.append("  layout: \(quoted(profile.layout.rawValue)),") }
        if !profile.requires.isEmpty { lines.append("  requires: [\(profile.requires.map(list).joined(separator: ", "))],") }
        if profile.isExact { lines.append("  exact: true,") }
        lines.append("  time: {columns: [\(profile.time.columns.map(list).joined(separator: ", "))]\(formats)\(zone)},")
        lines += [("participant", profile.participant), ("source", profile.source), ("session", profile.session)].compactMap(nameLine)
        if let rows = profile.rows { lines.append("  rows: {column: \(list(rows.column)), values: \(list(rows.values))},") }
        lines.append("  otherColumns: \(quoted(profile.otherColumns.rawValue)),")
        if profile.allowsShortRows { lines.append("  allowShortRows: true,") }
        if !profile.emptyMarks.isEmpty { lines.append("  empty: \(list(profile.emptyMarks)),") }
        lines.append("  columns: [")
        lines += rules.map(column).map { "    \($0)," }
        return (lines + ["  ],", "}"]).joined(separator: "\n")
    }

    private var formats: String {
        profile.time.formats.isEmpty ? "" : ", formats: \(list(TimeFormat.names(of: profile.time.formats)))"
    }

    private var zone: String { profile.time.zone.map { ", zone: \(quoted($0))" } ?? "" }

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
        if rule.kind != .automatic { parts.append("kind: \(quoted(rule.kind.rawValue))") }
        if rule.scale != 1 { parts.append("scale: \(rule.scale)") }
        if rule.add != 0 { parts.append("add: \(rule.add.short)") }
        if !rule.sentinels.isEmpty { parts.append("sentinels: [\(rule.sentinels.map(\.short).joined(separator: ", "))]") }
        if !rule.startup.isEmpty { parts.append("startup: [\(rule.startup.map(\.short).joined(separator: ", "))]") }
        if rule.delay != 0 { parts.append("delay: \(rule.delay.short)") }
        return "{\(parts.joined(separator: ", "))}"
    }

    private func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ", "))]" }

    /// As JSON writes it.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                result += "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
