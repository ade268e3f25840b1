import Foundation
import JSON5
import VigilSchema

/// Reads one file's tables and mappings, and notes what is wrong.
struct MappingReader {
    let file: String
    let problems: JSON5Problems
    /// By name, of all files.
    var tables: [String: [(String, String)]]

    private static let origins = "\"from\", \"is\" or \"choose\""

    mutating func readTables(_ value: JSON5Value) {
        guard var file = JSON5Object(value, as: "a mapping file", problems: problems), let value = file.value("tables"),
            var members = JSON5Object(value, as: "tables", problems: problems)
        else { return }
        for member in members.all() {
            guard let table = table(member.value) else { continue }
            tables[member.name] = (tables[member.name] ?? []) + table
        }
    }

    mutating func readMappings(_ value: JSON5Value) -> [Mapping] {
        guard var file = JSON5Object(value, as: "a mapping file", problems: problems) else { return [] }
        _ = file.value("tables")
        if let value = file.value("tables"), var members = JSON5Object(value, as: "tables", problems: problems) {
            for member in members.all() { _ = table(member.value) }
        }
        _ = file.string("description")
        let mappings = file.list("mappings") ?? []
        file.refuseUnknown()
        return mappings.compactMap { mapping($0) }
    }

    private func mapping(_ value: JSON5Value) -> Mapping? {
        guard var object = JSON5Object(value, as: "a mapping", problems: problems) else { return nil }
        object.require("topics")
        if object.has("refuse") {
            for name in ["readings", "knownNames", "participant", "device"] where object.has(name) {
                problems.add("a mapping that refuses has no \"\(name)\"", at: object.position)
            }
        } else {
            for name in ["participant", "device"] { object.require(name) }
            if !object.has("readings"), !object.has("knownNames") {
                problems.add("a mapping needs \"readings\", \"knownNames\": true, or \"refuse\": why", at: object.position)
            }
        }
        let name = object.string("name") ?? "of \(URL(filePath: file).lastPathComponent):\(object.position.line)"
        _ = object.string("description")
        let topics = (object.strings("topics") ?? []).map { text in
            let topic = MappingTopic(text)
            if topic.names.contains(MappingRecord.keyName) {
                problems.add("@\(MappingRecord.keyName) is the name of a member; give the level another name", at: value.position)
            }
            if let objection = topic.objection { problems.add("\"\(text)\": \(objection)", at: value.position) }
            return topic
        }
        let format = object.choice("format", of: MappingFormat.allCases.map(\.rawValue)).flatMap(MappingFormat.init) ?? .json
        let columns = object.strings("columns") ?? []
        let separator = object.string("separator")
        if let separator, separator.count != 1 { problems.add("\"separator\" is one character", at: value.position) }
        let each = object.value("each").map { steps($0) } ?? (format == .csv || format == .influx ? [[.path(.record, [])]] : [])
        let unknown = Mapping.Source(origin: .constant("unknown"))
        let ignored = object.strings("ignore") ?? []
        let takesCertain = takesCertainNames(&object)
        var mapping = Mapping(
            file: file, name: name, topics: topics, format: format, columns: columns, separator: separator?.first ?? ",",
            when: object.value("when").map { condition($0) } ?? .init(), each: each,
            participant: object.value("participant").flatMap { source($0, isPath: false) } ?? unknown,
            device: object.value("device").flatMap { source($0, isPath: false) } ?? unknown,
            part: object.value("part").flatMap { source($0, isPath: false) }, time: object.value("time").flatMap { time($0) },
            period: object.value("period").flatMap { expression($0) },
            until: object.value("until").flatMap { time($0) },
            readings: (object.list("readings") ?? []).compactMap { reading($0) }, refusal: object.string("refuse"),
            takesKnownNames: takesCertain ?? object.bool("knownNames") ?? false, takesCertainNamesOnly: takesCertain ?? false,
            ignored: ignored.map(Glob.init), ignoresAll: ignored.first == "*")
        object.refuseUnknown()
        mapping.findKeys()
        return mapping
    }

    /// True for `knownNames: "certain"`; nil for anything else.
    private func takesCertainNames(_ object: inout JSON5Object) -> Bool? {
        guard case .string("certain")? = object.value("knownNames")?.content else { return nil }
        return true
    }

    private func reading(_ value: JSON5Value) -> Mapping.Reading? {
        guard var object = JSON5Object(value, as: "a reading", problems: problems) else { return nil }
        object.require("metric")
        if object.has("value") == object.has("text") {
            problems.add("a reading has either \"value\" or \"text\"", at: object.position)
        }
        let metric = object.value("metric").flatMap { source($0, isPath: false) }
        if let metric { check(metric, at: object.position) }
        guard let metric else { return nil }
        var reading = Mapping.Reading(metric: metric)
        reading.value = object.value("value").flatMap { source($0, isPath: true) }
        reading.text = object.value("text").flatMap { source($0, isPath: true) }
        reading.unit = object.value("unit").flatMap { source($0, isPath: false) }
        reading.when = object.value("when").map { condition($0) } ?? .init()
        reading.time = object.value("time").flatMap { time($0) }
        reading.period = object.value("period").flatMap { expression($0) }
        reading.isRequired = object.bool("required") ?? false
        reading.refusal = object.string("refuse")
        if case .constant(let unit)? = reading.unit?.origin, reading.unit?.table == nil,
            case .constant(let name) = metric.origin, metric.table == nil,
            let definition = MetricCatalogue.standard.definition(for: name), definition.kind != .text,
            UnitConversion.from(unit, to: definition) == nil
        {
            problems.add("the unit \"\(unit)\" does not fit \(definition.name), which is kept in \(definition.unit)", at: object.position)
        }
        object.refuseUnknown()
        return reading
    }

    /// Every metric that is named must be in the catalogue; an empty one stands for none.
    private func check(_ source: Mapping.Source, at position: SourcePosition) {
        var names = source.table?.rows.map(\.value) ?? []
        if case .constant(let name)? = source.fallback { names.append(name) }
        if case .constant(let name) = source.origin, source.table == nil { names.append(name) }
        for name in names where !name.isEmpty && MetricCatalogue.standard.definition(for: name) == nil {
            let known = MetricCatalogue.standard.definitions.map(\.name)
            problems.add(
                "the metric \"\(name)\" is not in the catalogue", at: position, suggestion: Spelling.suggestion(for: name, among: known))
        }
    }

    /// A text stands for itself, or for a place where it begins with @, $, = or a dot, or where places are meant.
    private func source(_ value: JSON5Value, isPath: Bool) -> Mapping.Source? {
        switch value.content {
        case .string(let text):
            guard isPath || Self.isPlace(text) else {
                return Mapping.Source(origin: .constant(text))
            }
            return expression(value).map { Mapping.Source(origin: .expression($0)) }
        case .number(let number):
            return Mapping.Source(origin: isPath ? .expression(.number(number)) : .constant(MappingValue.number(number).text ?? ""))
        case .object: return composed(value)
        default:
            problems.add("a text or an object with \(Self.origins) is expected, not \(value.kind)", at: value.position)
            return nil
        }
    }

    private func composed(_ value: JSON5Value) -> Mapping.Source? {
        guard var object = JSON5Object(value, as: "a source", problems: problems) else { return nil }
        guard ["from", "is", "choose"].count(where: { object.has($0) }) == 1 else {
            problems.add("exactly one of \(Self.origins) is needed", at: object.position)
            return nil
        }
        var origin = object.value("from").flatMap { expression($0) }.map { Mapping.Source.Origin.expression($0) }
        if let constant = object.string("is") { origin = .constant(constant) }
        if let cases = object.list("choose") { origin = .choice(cases.compactMap { choice($0) }) }
        var found = Mapping.Source(origin: origin ?? .constant(""))
        if let value = object.value("table") { found.table = GlobTable(table(value) ?? []) }
        found.fallback = object.value("else").flatMap { fallback($0) }
        object.refuseUnknown()
        return origin == nil ? nil : found
    }

    private func fallback(_ value: JSON5Value) -> Mapping.Source.Fallback? {
        if case .string(let text) = value.content, Self.isPlace(text) { return expression(value).map { .expression($0) } }
        if case .object = value.content {
            guard var object = JSON5Object(value, as: "a place", problems: problems) else { return nil }
            object.require("from")
            defer { object.refuseUnknown() }
            return object.value("from").flatMap { expression($0) }.map { .expression($0) }
        }
        return text(value).map { .constant($0) }
    }

    private static func isPlace(_ text: String) -> Bool { ["@", "$", "=", "."].contains { text.hasPrefix($0) } }

    private func choice(_ value: JSON5Value) -> (condition: Mapping.Condition, source: Mapping.Source)? {
        guard var object = JSON5Object(value, as: "a choice", problems: problems) else { return nil }
        object.require("when")
        let test = object.value("when").map { condition($0) } ?? Mapping.Condition()
        guard let source = composed(without: "when", value) else { return nil }
        return (test, source)
    }

    private func composed(without name: String, _ value: JSON5Value) -> Mapping.Source? {
        guard case .object(let members) = value.content else { return nil }
        let rest = members.filter { $0.name != name }
        return composed(JSON5Value(position: value.position, content: JSON5Value.Content.object(rest)))
    }

    /// A table itself, or the name of one.
    private func table(_ value: JSON5Value) -> [(String, String)]? {
        if case .string(let name) = value.content {
            if tables[name] == nil {
                problems.add(
                    "there is no table \"\(name)\"", at: value.position, suggestion: Spelling.suggestion(for: name, among: tables.keys))
            }
            return tables[name]
        }
        guard var object = JSON5Object(value, as: "a table", problems: problems) else { return nil }
        return object.all().compactMap { member in text(member.value).map { (member.name, $0) } }
    }

    private func text(_ value: JSON5Value) -> String? {
        switch value.content {
        case .string(let text): return text
        case .number(let number): return MappingValue.number(number).text
        case .bool(let isTrue): return isTrue ? "true" : "false"
        default:
            problems.add("a text or a number is expected, not \(value.kind)", at: value.position)
            return nil
        }
    }

    private func expression(_ value: JSON5Value) -> MappingExpression? {
        if case .number(let number) = value.content { return .number(number) }
        guard case .string(let text) = value.content else {
            problems.add("a place in the message is a text, not \(value.kind)", at: value.position)
            return nil
        }
        do {
            return try MappingExpression(text)
        } catch {
            problems.add("\"\(text)\" is no place in the message: \(error.reason)", at: value.position)
            return nil
        }
    }

    private func paths(_ value: JSON5Value) -> [MappingExpression] {
        if case .array(let elements) = value.content { return elements.compactMap { expression($0) } }
        return [expression(value)].compactMap(\.self)
    }

    /// The steps of `each`: places, or several at once as `{any: […]}`.
    private func steps(_ value: JSON5Value) -> [[MappingExpression]] {
        switch value.content {
        case .array(let elements): return elements.flatMap { steps($0) }
        case .object:
            guard var object = JSON5Object(value, as: "a step", problems: problems) else { return [] }
            object.require("any")
            defer { object.refuseUnknown() }
            return object.value("any").map { [paths($0)] } ?? []
        default: return [paths(value)].filter { !$0.isEmpty }
        }
    }

    private func condition(_ value: JSON5Value) -> Mapping.Condition {
        var condition = Mapping.Condition()
        guard var object = JSON5Object(value, as: "a condition", problems: problems) else { return condition }
        for member in object.all() {
            let name = JSON5Value(position: member.position, content: .string(member.name))
            guard let place = expression(name), let test = test(member.value) else { continue }
            condition.tests.append((place, test))
        }
        return condition
    }

    private func test(_ value: JSON5Value) -> Mapping.Condition.Test? {
        switch value.content {
        case .array(let elements): return .oneOf(elements.compactMap { text($0).map(Glob.init) })
        case .object:
            guard var object = JSON5Object(value, as: "a test", problems: problems) else { return nil }
            let low = object.number("min"), high = object.number("max")
            let exists = object.bool("exists")
            if case .object? = object.value("not")?.content, let not = object.value("not") {
                object.refuseUnknown()
                guard case .range(let low, let high)? = test(not) else { return nil }
                return .outside(min: low, max: high)
            }
            let not = object.value("not").map { value -> [Glob] in
                if case .array(let elements) = value.content { return elements.compactMap { text($0).map(Glob.init) } }
                return [text(value)].compactMap { $0.map(Glob.init) }
            }
            object.refuseUnknown()
            if let exists { return .exists(exists) }
            if let not { return .not(not) }
            guard low != nil || high != nil else {
                problems.add("a test has \"min\", \"max\", \"exists\" or \"not\"", at: value.position)
                return nil
            }
            return .range(min: low ?? -.infinity, max: high ?? .infinity)
        default: return text(value).map { .oneOf([Glob($0)]) }
        }
    }

    private func time(_ value: JSON5Value) -> Mapping.Time? {
        guard case .object = value.content else { return Mapping.Time(places: paths(value), clock: nil, format: MappingTime()) }
        guard var object = JSON5Object(value, as: "a time", problems: problems) else { return nil }
        object.require("from")
        var format = MappingTime()
        if let name = object.string("format") {
            format.pattern = MappingTimePattern(name)
            if let kind = MappingTime.Kind(rawValue: name) {
                format.kind = kind
            } else if format.pattern == nil {
                let known = MappingTime.Kind.allCases.map(\.rawValue)
                problems.add(
                    "\"\(name)\" is none of \(known.joined(separator: ", ")), and no pattern such as \"M/d/yyyy h:mm:ss a\"",
                    at: value.position,
                    suggestion: Spelling.suggestion(for: name, among: known))
            }
        }
        if let name = object.string("zone") {
            format.zone = name == "local" ? .current : TimeZone(identifier: name)
            if format.zone == nil { problems.add("\"\(name)\" is no time zone", at: value.position) }
        }
        let places = object.value("from").map { paths($0) } ?? []
        let clock = object.value("clock").flatMap { expression($0) }
        object.refuseUnknown()
        return Mapping.Time(places: places, clock: clock, format: format)
    }
}
