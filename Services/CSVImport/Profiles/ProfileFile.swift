import Foundation
import JSON5
import VigilSchema

/// A user's profile in a JSON5 file, which may refer to those that come with the importer.
package enum ProfileFile {
    /// The profile in a file.
    package static func read(path: String) throws(ImportError) -> Profile {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw ImportError(.usage, "cannot read the profile \(path)") }
        return try parse(Array(bytes), file: path)
    }

    /// The profile in a text.
    /// - Parameter file: the name for messages.
    /// - Throws: `ImportError` with all mistakes, each with its line and column.
    package static func parse(_ bytes: [UInt8], file: String) throws(ImportError) -> Profile {
        let problems = JSON5Problems()
        var reader = ProfileReader(library: BuiltIn.library)
        var profile: Profile?
        do throws(JSON5Problem) {
            let value = try JSON5Parser.parse(utf8: bytes)
            if var object = JSON5Object(value, as: "a profile", problems: problems) { profile = reader.profile(&object) }
        } catch {
            throw ImportError(.usage, error.description(file: file))
        }
        guard let profile, problems.isEmpty else {
            throw ImportError(.usage, problems.sorted.map { $0.description(file: file) }.joined(separator: "\n"))
        }
        return profile
    }
}

/// Reads profiles, lists of words and sets of columns from JSON5 objects that refer to each other by name.
struct ProfileReader {
    /// What was read so far.
    private(set) var library: ProfileLibrary
    /// What was found, and is read when something refers to it.
    private var unread = Unread()

    init(library: ProfileLibrary = ProfileLibrary()) { self.library = library }

    private struct Unread {
        var words: [String: Entry] = [:]
        var columns: [String: Entry] = [:]
        var profiles: [String: Entry] = [:]
    }

    /// A value, and the mistakes of its file.
    private struct Entry {
        let value: JSON5Value
        let problems: JSON5Problems
    }

    // MARK: Libraries

    /// Notes the content of a library's file: `words`, `columns` and `profiles`.
    mutating func add(_ value: JSON5Value, _ problems: JSON5Problems) {
        guard var file = JSON5Object(value, as: "a file of profiles", problems: problems) else { return }
        add(&file, "words", to: \.words)
        add(&file, "columns", to: \.columns)
        for value in file.list("profiles") ?? [] {
            guard var profile = JSON5Object(value, as: "a profile", problems: problems) else { continue }
            profile.require("name")
            profile.require("order")
            if let name = profile.string("name") { add(name, Entry(value: value, problems: problems), to: \.profiles) }
        }
        file.refuseUnknown()
    }

    private mutating func add(_ file: inout JSON5Object, _ member: String, to path: WritableKeyPath<Unread, [String: Entry]>) {
        guard var entries = file.object(member) else { return }
        for entry in entries.all() { add(entry.name, Entry(value: entry.value, problems: file.problems), to: path) }
    }

    private mutating func add(_ name: String, _ entry: Entry, to path: WritableKeyPath<Unread, [String: Entry]>) {
        guard unread[keyPath: path].updateValue(entry, forKey: name) != nil else { return }
        entry.problems.add("\"\(name)\" is there twice", at: entry.value.position)
    }

    /// Reads all that was noted.
    mutating func finish() {
        for name in unread.words.keys { _ = words(named: name) }
        for name in unread.columns.keys { _ = columns(named: name) }
        for name in unread.profiles.keys { _ = profile(named: name) }
    }

    // An entry that is being read is no longer unread: a reference to itself is an unknown name.

    private mutating func words(named name: String) -> [String]? {
        guard let entry = unread.words.removeValue(forKey: name) else { return library.words[name] }
        library.words[name] = texts(entry.value, name, entry.problems)
        return library.words[name]
    }

    private mutating func columns(named name: String) -> [ColumnRule]? {
        guard let entry = unread.columns.removeValue(forKey: name) else { return library.columns[name] ?? profile(named: name)?.columns }
        guard case .array(let elements) = entry.value.content else {
            entry.problems.add("\"\(name)\" must be a list of columns, not \(entry.value.kind)", at: entry.value.position)
            return nil
        }
        library.columns[name] = columns(elements, entry.problems)
        return library.columns[name]
    }

    private mutating func profile(named name: String) -> Profile? {
        guard let entry = unread.profiles.removeValue(forKey: name) else { return library.profile(name) }
        guard var object = JSON5Object(entry.value, as: "a profile", problems: entry.problems) else { return nil }
        let profile = profile(&object)
        if let other = library.add(profile) {
            entry.problems.add("\"order\" \(profile.order) is that of \"\(other)\", too", at: entry.value.position)
        }
        return profile
    }

    // MARK: Profiles

    /// Reads a profile. What it does not name is that of the profile which it extends.
    mutating func profile(_ object: inout JSON5Object) -> Profile {
        var profile = base(&object)
        profile.name = object.string("name") ?? "own"
        profile.title = object.string("title") ?? ""
        profile.order = object.integer("order", in: 0...1_000_000) ?? 0
        if let layout = object.choice("layout", of: Profile.Layout.allCases.map(\.rawValue)).flatMap(Profile.Layout.init) {
            profile.layout = layout
        }
        if object.has("time") { profile.time = time(&object, of: profile.layout) }
        if profile.layout.hasColumns, profile.time.columns.isEmpty, profile.time.formats.isEmpty { object.require("time") }
        names(&object, &profile)
        if let requires = object.list("requires") {
            profile.requires = requires.compactMap { texts($0, "an element of requires", object.problems) }
        }
        if let isExact = object.bool("exact") { profile.isExact = isExact }
        if let other = object.choice("otherColumns", of: ["keep", "ignore"]).flatMap(Profile.OtherColumns.init) {
            profile.otherColumns = other
        }
        if let rows = rows(&object) { profile.rows = rows }
        if let bins = texts("bins", &object) { profile.bins = bins }
        if let allows = object.bool("allowShortRows") { profile.allowsShortRows = allows }
        if let numbers = object.bool("numberRepeats") { profile.numbersRepeats = numbers }
        if let empty = texts("empty", &object) { profile.emptyMarks = empty }
        if let long = long(&object) { profile.long = long }
        values(&object, &profile)
        object.refuseUnknown()
        return profile
    }

    private mutating func base(_ object: inout JSON5Object) -> Profile {
        let plain = Profile(name: "", title: "", time: TimeRule(columns: []), participant: .usual, source: NameRule())
        guard let name = object.string("extends") else { return plain }
        if let base = profile(named: name) { return base }
        object.problems.add("there is no profile \"\(name)\"", at: object.position)
        return plain
    }

    private mutating func names(_ object: inout JSON5Object, _ profile: inout Profile) {
        if let rule = rule("participant", &object) { profile.participant = rule }
        if let rule = rule("source", &object) { profile.source = rule }
        if let rule = rule("session", &object) { profile.session = rule }
        if let files = texts("files", &object) { profile.fileNames = files }
    }

    /// Reads the columns, and the interval that all of them have but those that say another.
    private mutating func values(_ object: inout JSON5Object, _ profile: inout Profile) {
        if let elements = object.list("columns") { profile.columns = columns(elements, object.problems) }
        if var byFile = object.object("valueByFile") {
            for file in byFile.all() { profile.valueByFile[file.name] = column(file.value, object.problems, needsHeader: false)?.first }
        }
        guard let interval = object.number("interval").map(ProfileReader.interval) else { return }
        for index in profile.columns.indices where profile.columns[index].kind != .ignore && profile.columns[index].interval == 0 {
            profile.columns[index].interval = interval
        }
    }

    private mutating func time(_ object: inout JSON5Object, of layout: Profile.Layout) -> TimeRule {
        guard var time = object.object("time") else { return TimeRule(columns: []) }
        var rule = TimeRule(columns: time.list("columns")?.compactMap { texts($0, "an element of columns", time.problems) } ?? [])
        if layout == .table || layout == .long { time.require("columns") }
        rule.formats = TimeFormat.all(named: texts("formats", &time) ?? [])
        rule.zone = time.string("zone")
        rule.ends = texts("ends", &time) ?? []
        rule.zoneColumn = texts("zoneColumn", &time) ?? []
        rule.isUTC = time.bool("utc") ?? false
        time.refuseUnknown()
        return rule
    }

    private mutating func long(_ object: inout JSON5Object) -> Profile.LongRule? {
        guard var long = object.object("long") else { return nil }
        var rule = Profile.LongRule()
        long.require("value")
        let members: [(String, WritableKeyPath<Profile.LongRule, [String]>)] = [
            ("metric", \.metric), ("code", \.code), ("value", \.value), ("unit", \.unit), ("text", \.text), ("samples", \.samples),
            ("period", \.period), ("sequence", \.sequence), ("zone", \.zone), ("received", \.received), ("record", \.record),
            ("detail", \.detail),
        ]
        for (name, path) in members { rule[keyPath: path] = texts(name, &long) ?? [] }
        rule.reportsMissing = long.bool("reportMissing") ?? false
        long.refuseUnknown()
        return rule
    }

    /// Reads a rule of names; a text is a constant name.
    private mutating func rule(_ name: String, _ object: inout JSON5Object) -> NameRule? {
        guard let value = object.value(name) else { return nil }
        if case .string(let constant) = value.content { return NameRule(constant: constant) }
        guard var rule = JSON5Object(value, as: "\"\(name)\"", problems: object.problems) else { return nil }
        let result = NameRule(column: texts("column", &rule) ?? [], path: texts("path", &rule) ?? [], constant: rule.string("constant"))
        rule.refuseUnknown()
        return result
    }

    private mutating func rows(_ object: inout JSON5Object) -> Profile.RowFilter? {
        guard var rows = object.object("rows") else { return nil }
        rows.require("column")
        rows.require("values")
        let filter = Profile.RowFilter(column: texts("column", &rows) ?? [], values: texts("values", &rows) ?? [])
        rows.refuseUnknown()
        return filter
    }

    // MARK: Columns

    /// Reads a list of columns, in which a text stands for the columns of a set or of a profile.
    private mutating func columns(_ elements: [JSON5Value], _ problems: JSON5Problems) -> [ColumnRule] {
        elements.flatMap { element -> [ColumnRule] in
            guard case .string(let name) = element.content else { return column(element, problems) ?? [] }
            if let columns = columns(named: name) { return columns }
            problems.add("there are no columns \"\(name)\"", at: element.position)
            return []
        }
    }

    private mutating func column(_ value: JSON5Value, _ problems: JSON5Problems, needsHeader: Bool = true) -> [ColumnRule]? {
        guard var column = JSON5Object(value, as: "a column", problems: problems) else { return nil }
        if needsHeader { column.require("header") }
        var rule = ColumnRule(texts("header", &column) ?? [])
        rule.metric = column.string("metric")
        rule.unit = column.string("unit")
        rule.usually = column.string("usually")
        rule.alternatives = texts("alternatives", &column) ?? []
        rule.unitColumn = texts("unitColumn", &column) ?? []
        rule.limits = texts("limits", &column) ?? []
        rule.unlessBeside = texts("unlessBeside", &column) ?? []
        rule.onlyBeside = texts("onlyBeside", &column) ?? []
        rule.isOneValue = column.bool("oneValue") ?? false
        rule.exception = exception(&column)
        rule.interval = ProfileReader.interval(column.number("interval") ?? 0)
        rule.kind = column.choice("kind", of: CellKind.allCases.map(\.rawValue)).flatMap(CellKind.init) ?? .automatic
        rule.scale = column.number("scale") ?? 1
        rule.add = column.number("add") ?? 0
        rule.sentinels = numbers("sentinels", &column)
        rule.startup = numbers("startup", &column)
        rule.delay = min(max(column.number("delay") ?? 0, -1e9), 1e9)
        let repeats = column.integer("repeat", in: 1...100)
        column.refuseUnknown()
        return repeats.map { (0..<$0).map { ProfileReader.repeated(rule, $0) } } ?? [rule]
    }

    /// The rule for one of several columns with numbers: `steps07` of `steps#`, after seven times the delay.
    private static func repeated(_ rule: ColumnRule, _ number: Int) -> ColumnRule {
        var rule = rule
        rule.headers = rule.headers.map { $0.replacing("#", with: number < 10 ? "0\(number)" : "\(number)") }
        rule.delay *= Double(number)
        return rule
    }

    private mutating func exception(_ column: inout JSON5Object) -> RowException? {
        guard var exception = column.object("exception") else { return nil }
        let result = RowException(
            column: texts("column", &exception) ?? [], words: texts("words", &exception) ?? [], reason: exception.string("reason") ?? "")
        exception.refuseUnknown()
        return result
    }

    private static func interval(_ seconds: Double) -> Int32 { Int32(min(max(seconds, 0), Double(Observation.longestInterval))) }

    private func numbers(_ name: String, _ object: inout JSON5Object) -> [Double] {
        let problems = object.problems
        return object.list(name)?.compactMap { element -> Double? in
            if case .number(let number) = element.content, number.isFinite { return number }
            problems.add("an element of \(name) must be a number, not \(element.kind)", at: element.position)
            return nil
        } ?? []
    }

    // MARK: Texts

    private mutating func texts(_ name: String, _ object: inout JSON5Object) -> [String]? {
        object.value(name).flatMap { texts($0, name, object.problems) }
    }

    /// Reads a text, a list of texts, or an object with a member a language whose texts are separated by commas.
    private mutating func texts(_ value: JSON5Value, _ what: String, _ problems: JSON5Problems) -> [String]? {
        switch value.content {
        case .string(let text): return expanded(text)
        case .array(let elements):
            return elements.flatMap { element -> [String] in
                if case .string(let text) = element.content { return expanded(text) }
                problems.add("\(what) must be a text or a list of texts", at: element.position)
                return []
            }
        case .object(let languages):
            return languages.flatMap { language -> [String] in
                if case .string(let text) = language.value.content { return text.split(separator: ",").map { String($0).trimmed } }
                problems.add("\(what) must be a text in each language", at: language.position)
                return []
            }
        default:
            problems.add("\(what) must be a text or a list of texts, not \(value.kind)", at: value.position)
            return nil
        }
    }

    /// The words of `@glucose`, or each with what follows: `@glucose mg/dL`. A text that names no words is itself.
    private mutating func expanded(_ text: String) -> [String] {
        guard text.hasPrefix("@") else { return [text] }
        let name = text.dropFirst().prefix { $0 != " " }
        guard let words = words(named: String(name)) else { return [text] }
        let suffix = text.dropFirst(name.count + 1)
        return suffix.isEmpty ? words : words.map { $0 + suffix }
    }
}
