import Foundation
import JSON5
import VigilSchema

/// Reads profiles from JSON5 files, and reports all mistakes with line and column at once.
package enum ProfileFile {
    /// The profile in a file.
    package static func read(path: String) throws(ImportError) -> Profile {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw ImportError(.usage, "cannot read the profile \(path)") }
        return try parse(Array(bytes), file: path)
    }

    /// The profile in a text.
    /// - Parameter file: the name for messages.
    package static func parse(_ bytes: [UInt8], file: String) throws(ImportError) -> Profile {
        let problems = JSON5Problems()
        var profile: Profile?
        do throws(JSON5Problem) {
            let value = try JSON5Parser.parse(utf8: bytes)
            if var object = JSON5Object(value, as: "a profile", problems: problems) { profile = Self.profile(&object) }
        } catch {
            throw ImportError(.usage, error.description(file: file))
        }
        guard let profile, problems.isEmpty else {
            throw ImportError(.usage, problems.sorted.map { $0.description(file: file) }.joined(separator: "\n"))
        }
        return profile
    }

    private static func profile(_ object: inout JSON5Object) -> Profile {
        var profile = Profile(
            name: object.string("name") ?? "own", title: object.string("title") ?? "", time: time(&object),
            participant: rule("participant", &object), source: rule("source", &object))
        object.require("time")
        profile.layout =
            object.choice("layout", of: ["table", "long", "samples", "intervals", "marks", "apple-health"]).flatMap(Profile.Layout.init)
            ?? .table
        profile.requires = object.list("requires")?.compactMap { spellings($0, "an element of requires", object.problems) } ?? []
        profile.isExact = object.bool("exact") ?? false
        profile.session = rule("session", &object)
        profile.columns = object.list("columns")?.compactMap { column($0, object.problems) } ?? []
        profile.otherColumns = object.choice("otherColumns", of: ["keep", "ignore"]).flatMap(Profile.OtherColumns.init) ?? .keep
        profile.rows = rows(&object)
        profile.allowsShortRows = object.bool("allowShortRows") ?? false
        profile.emptyMarks = object.strings("empty") ?? []
        profile.long = long(&object)
        object.refuseUnknown()
        return profile
    }

    private static func time(_ object: inout JSON5Object) -> TimeRule {
        guard var time = object.object("time") else { return TimeRule(columns: []) }
        var rule = TimeRule(columns: time.list("columns")?.compactMap { spellings($0, "an element of columns", time.problems) } ?? [])
        time.require("columns")
        rule.formats = TimeFormat.all(named: time.strings("formats") ?? [])
        rule.zone = time.string("zone")
        rule.ends = time.value("ends").flatMap { spellings($0, "ends", time.problems) } ?? []
        rule.zoneColumn = time.value("zoneColumn").flatMap { spellings($0, "zoneColumn", time.problems) } ?? []
        rule.isUTC = time.bool("utc") ?? false
        time.refuseUnknown()
        return rule
    }

    private static func long(_ object: inout JSON5Object) -> Profile.LongRule {
        var rule = Profile.LongRule()
        guard var long = object.object("long") else { return rule }
        let column = { (name: String, long: inout JSON5Object) in
            long.value(name).flatMap { spellings($0, name, long.problems) } ?? []
        }
        long.require("value")
        rule.metric = column("metric", &long)
        rule.code = column("code", &long)
        rule.value = column("value", &long)
        rule.unit = column("unit", &long)
        rule.text = column("text", &long)
        rule.samples = column("samples", &long)
        rule.period = column("period", &long)
        rule.sequence = column("sequence", &long)
        rule.zone = column("zone", &long)
        long.refuseUnknown()
        return rule
    }

    private static func rule(_ name: String, _ object: inout JSON5Object) -> NameRule {
        guard var rule = object.object(name) else { return NameRule() }
        let column = rule.value("column").flatMap { spellings($0, "column", rule.problems) } ?? []
        let result = NameRule(column: column, path: rule.strings("path") ?? [], constant: rule.string("constant"))
        rule.refuseUnknown()
        return result
    }

    private static func rows(_ object: inout JSON5Object) -> Profile.RowFilter? {
        guard var rows = object.object("rows") else { return nil }
        rows.require("column")
        rows.require("values")
        let column = rows.value("column").flatMap { spellings($0, "column", rows.problems) } ?? []
        let filter = Profile.RowFilter(column: column, values: rows.strings("values") ?? [])
        rows.refuseUnknown()
        return filter
    }

    private static func column(_ value: JSON5Value, _ problems: JSON5Problems) -> ColumnRule? {
        guard var column = JSON5Object(value, as: "a column", problems: problems) else { return nil }
        column.require("header")
        var rule = ColumnRule(column.value("header").flatMap { spellings($0, "header", problems) } ?? [])
        rule.metric = column.string("metric")
        rule.unit = column.string("unit")
        rule.usually = column.string("usually")
        rule.unitColumn = column.value("unitColumn").flatMap { spellings($0, "unitColumn", problems) } ?? []
        rule.limits = column.strings("limits") ?? []
        rule.unlessBeside = column.strings("unlessBeside") ?? []
        rule.interval = Int32(min(max(column.number("interval") ?? 0, 0), Double(Observation.longestInterval)))
        rule.kind = column.choice("kind", of: CellKind.allCases.map(\.rawValue)).flatMap(CellKind.init) ?? .automatic
        rule.scale = column.number("scale") ?? 1
        rule.add = column.number("add") ?? 0
        rule.sentinels = numbers("sentinels", &column)
        rule.startup = numbers("startup", &column)
        rule.delay = min(max(column.number("delay") ?? 0, -1e9), 1e9)
        column.refuseUnknown()
        return rule
    }

    private static func numbers(_ name: String, _ object: inout JSON5Object) -> [Double] {
        let problems = object.problems
        return object.list(name)?.compactMap { element -> Double? in
            if case .number(let number) = element.content, number.isFinite { return number }
            problems.add("an element of \(name) must be a number, not \(element.kind)", at: element.position)
            return nil
        } ?? []
    }

    /// One spelling or a list of them.
    private static func spellings(_ value: JSON5Value, _ what: String, _ problems: JSON5Problems) -> [String]? {
        switch value.content {
        case .string(let text): return [text]
        case .array(let elements):
            return elements.compactMap { element in
                if case .string(let text) = element.content { return text }
                problems.add("\(what) must be a text or a list of texts", at: element.position)
                return nil
            }
        default:
            problems.add("\(what) must be a text or a list of texts, not \(value.kind)", at: value.position)
            return nil
        }
    }
}

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
        profile.requires = profile.requires.map { Self.own($0, header) }
        profile.time.columns = profile.time.columns.map { Self.own($0, header) }
        profile.time.ends = Self.own(profile.time.ends, header)
        var planner = TablePlanner(profile, header: header, options: options)
        rules = profile.layout == .table ? planner.rules() : Array(profile.columns.prefix(profile.layout == .long ? 0 : .max))
        self.profile = profile
    }

    /// The spellings that occur in the header; all of them if none does.
    private static func own(_ spellings: [String], _ header: [String]) -> [String] {
        let names = Set(header.map(HeaderName.init))
        let own = spellings.filter { names.contains(HeaderName($0)) }
        return own.isEmpty ? spellings : own
    }

    /// With the user's option, if no column of the header gives the name.
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
        lines.append("  time: {columns: [\(profile.time.columns.map(list).joined(separator: ", "))]\(formats)\(zone)\(ends)},")
        if let longLine { lines.append(longLine) }
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

    /// As in JSON.
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
