import Foundation
import JSON5

/// Reads profiles from JSON5 files, telling every problem with its line and column at once.
package enum ProfileFile {
    /// The profile in a file.
    package static func read(path: String) throws(ImportError) -> Profile {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw ImportError(.usage, "cannot read the profile \(path)") }
        return try parse(Array(bytes), file: path)
    }

    /// The profile in a text.
    /// - Parameter file: for messages.
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
            object.choice("layout", of: ["table", "samples", "intervals", "marks", "apple-health"]).flatMap(Profile.Layout.init) ?? .table
        profile.requires = object.list("requires")?.compactMap { spellings($0, "an element of requires", object.problems) } ?? []
        profile.isExact = object.bool("exact") ?? false
        profile.session = rule("session", &object)
        profile.columns = object.list("columns")?.compactMap { column($0, object.problems) } ?? []
        profile.otherColumns = object.choice("otherColumns", of: ["keep", "ignore"]).flatMap(Profile.OtherColumns.init) ?? .keep
        profile.rows = rows(&object)
        profile.allowsShortRows = object.bool("allowShortRows") ?? false
        profile.emptyMarks = object.strings("empty") ?? []
        object.refuseUnknown()
        return profile
    }

    private static func time(_ object: inout JSON5Object) -> TimeRule {
        guard var time = object.object("time") else { return TimeRule(columns: []) }
        var rule = TimeRule(columns: time.list("columns")?.compactMap { spellings($0, "an element of columns", time.problems) } ?? [])
        time.require("columns")
        rule.formats = TimeFormat.all(named: time.strings("formats") ?? [])
        rule.zone = time.string("zone")
        time.refuseUnknown()
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
        rule.kind = column.choice("kind", of: CellKind.allCases.map(\.rawValue)).flatMap(CellKind.init) ?? .automatic
        rule.scale = column.number("scale") ?? 1
        rule.add = column.number("add") ?? 0
        rule.sentinels = numbers("sentinels", &column)
        rule.startup = numbers("startup", &column)
        rule.delay = column.number("delay") ?? 0
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
