import AlertRules
import Calendars
import Foundation
import JSON5
import ServiceKit
import VigilSchema

/// Reads the members `zone`, `people`, `holidays`, `hours`, `rotations` and `routes` of the notifiers' file.
struct RoutingReader {
    /// A tree deeper than this is a mistake.
    private static let deepest = 16
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "holiday"]
    private let problems: JSON5Problems
    private let rules: RuleSet
    private let notifiers: Set<String>
    private let zone: TimeZone
    /// The folder of the notifiers' file, which calendars are looked for beside.
    private let folder: String
    private var holidays: Set<Int> = []
    private var hours: [String: RouteHours] = [:]
    private var rotations: [String: Rotation] = [:]
    private(set) var people: [String: NotifierSettings.Person] = [:]

    /// - Parameter notifiers: the ids that routes may lead to.
    init(_ object: inout JSON5Object, rules: RuleSet, notifiers: Set<String>, folder: String) {
        (problems, self.rules, self.notifiers, self.folder) = (object.problems, rules, notifiers, folder)
        zone = Self.zone(&object) ?? TimeZone(secondsFromGMT: 0) ?? .current
    }

    /// Reads everything.
    /// - Returns: nil where the file has no routes.
    mutating func read(_ object: inout JSON5Object) -> RoutingTree? {
        readPeople(&object)
        for value in object.list("holidays") ?? [] { holidays.formUnion(days(value)) }
        for (name, value) in members("hours", &object) { hours[name] = hours(value) }
        for (name, value) in members("rotations", &object) { rotations[name] = rotation(value) }
        guard let position = object.value("routes")?.position, let list = object.list("routes") else { return nil }
        let branches = branches(list, above: "", depth: 0)
        if branches.last.map({ !$0.match.isEmpty || !$0.active.isEmpty || !$0.escalation.isEmpty }) ?? true {
            problems.add(
                "\"routes\" lets an alert through to nobody", at: position,
                suggestion: "end it with a route for all the rest, such as {to: [\"…\"]}")
        }
        return RoutingTree(branches: branches, rotations: rotations)
    }

    private mutating func readPeople(_ object: inout JSON5Object) {
        for (id, value) in members("people", &object) {
            guard var person = JSON5Object(value, as: "a person", problems: problems) else { continue }
            if !Name.isValid(id) { problems.add("\"\(id)\" is no participant", at: value.position) }
            people[id] = NotifierSettings.Person(name: person.string("name"), family: person.string("family"))
            person.refuseUnknown()
        }
    }

    private func members(_ name: String, _ object: inout JSON5Object) -> [(String, JSON5Value)] {
        guard var inner = object.object(name) else { return [] }
        return inner.all().map { ($0.name, $0.value) }
    }

    // MARK: Hours

    private func hours(_ value: JSON5Value) -> RouteHours? {
        guard var object = JSON5Object(value, as: "hours", problems: problems) else { return nil }
        let zone = Self.zone(&object) ?? zone
        if let value = object.value("calendar") {
            let occurrences = calendar(value)
            object.refuseUnknown()
            return occurrences.map { RouteHours(zone: zone, occurrences: $0) }
        }
        let days = Set((object.list("days") ?? []).compactMap(weekday))
        let (from, to) = (minute("from", &object) ?? 0, minute("to", &object) ?? 1440)
        if from == to { problems.add("the hours end where they begin", at: value.position) }
        object.refuseUnknown()
        // Without days every day counts, holidays too.
        return RouteHours(zone: zone, days: days.isEmpty ? Set(1...8) : days, from: from, to: to, holidays: holidays)
    }

    private func weekday(_ value: JSON5Value) -> Int? {
        if case .string(let name) = value.content, let index = Self.weekdays.firstIndex(of: name) { return index + 1 }
        problems.add("a day must be one of \(Self.weekdays.joined(separator: ", "))", at: value.position)
        return nil
    }

    /// Names of `hours`, or hours written on the spot.
    private func hours(_ member: String, _ object: inout JSON5Object) -> [RouteHours] {
        (object.list(member) ?? []).compactMap { value in
            guard case .string(let name) = value.content else { return hours(value) }
            if let known = hours[name] { return known }
            problems.add(
                "\"\(member)\": there are no hours \"\(name)\"", at: value.position,
                suggestion: Spelling.suggestion(for: name, among: hours.keys.sorted()))
            return nil
        }
    }

    private func minute(_ name: String, _ object: inout JSON5Object) -> Int? {
        guard let position = object.value(name)?.position, let text = object.string(name) else { return nil }
        if let minute = Self.minute(text) { return minute }
        problems.add("\"\(name)\" must be a time of day", at: position, suggestion: "write it as \"08:00\"")
        return nil
    }

    static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0...24).contains(hour), (0...59).contains(minute) else {
            return nil
        }
        return hour * 60 + minute <= 1440 ? hour * 60 + minute : nil
    }

    /// A day, or the days of a calendar's events.
    private func days(_ value: JSON5Value) -> Set<Int> {
        guard case .object = value.content, var object = JSON5Object(value, as: "a holiday", problems: problems) else {
            return Set([day(value)].compactMap(\.self))
        }
        object.require("calendar")
        let occurrences = object.value("calendar").flatMap(calendar) ?? []
        object.refuseUnknown()
        return Set(occurrences.flatMap { $0.days(in: zone) })
    }

    /// The events of an iCalendar file, from a year ago to three years ahead.
    private func calendar(_ value: JSON5Value) -> [CalendarFile.Occurrence]? {
        guard case .string(let name) = value.content else {
            problems.add("\"calendar\" must be a text, not \(value.kind)", at: value.position)
            return nil
        }
        let (now, year) = (Timestamp.now.microseconds / 1_000_000, Int64(366 * 86_400))
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        do {
            guard let text = String(data: try RegularFile.read(path, limit: CalendarFile.mostBytes), encoding: .utf8) else {
                throw RegularFile.Failure.unreadable
            }
            return try CalendarFile.read(text, in: now - year..<now + 3 * year)
        } catch {
            let reason =
                switch (error as? CalendarFile.Failure, error as? RegularFile.Failure) {
                case (.noCalendar, _): "is no iCalendar file"
                case (.tooLarge, _), (_, .tooLarge): "is larger than 4 MB"
                case (.tooMany, _): "has more than 20,000 events, or repeats too often"
                default: "is missing or cannot be read as UTF-8 text"
                }
            problems.add("\"calendar\": \(path) \(reason)", at: value.position)
        }
        return nil
    }

    private func day(_ value: JSON5Value) -> Int? {
        if case .string(let text) = value.content, let day = Self.day(text) { return day }
        problems.add("a holiday must be a day", at: value.position, suggestion: "write it as \"2026-12-25\"")
        return nil
    }

    static func day(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: "-").map { Int($0) }
        guard text.utf8.count == 10, parts.count == 3, !parts.contains(nil) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let wanted = DateComponents(year: parts[0], month: parts[1], day: parts[2])
        // The thirty-first of February is no day.
        guard let date = calendar.date(from: wanted), calendar.dateComponents([.year, .month, .day], from: date) == wanted else {
            return nil
        }
        return Int(date.timeIntervalSince1970 / 86_400)
    }

    // MARK: Rotations

    private func rotation(_ value: JSON5Value) -> Rotation? {
        guard var object = JSON5Object(value, as: "a rotation", problems: problems) else { return nil }
        for name in ["people", "start"] { object.require(name) }
        let zone = Self.zone(&object) ?? zone
        let people = receivers("people", &object, includesRotations: false)
        let start = local("start", &object)
        let every = object.integer("days", in: 1...366) ?? 1
        let overrides = (object.list("overrides") ?? []).compactMap { override($0, zone) }
        object.refuseUnknown()
        guard let start, !people.isEmpty else { return nil }
        return Rotation(zone: zone, people: people, start: start.day, handOver: start.minute, every: every, overrides: overrides)
    }

    private func override(_ value: JSON5Value, _ zone: TimeZone) -> Rotation.Override? {
        guard var object = JSON5Object(value, as: "an override", problems: problems) else { return nil }
        for name in ["person", "from", "to"] { object.require(name) }
        let (person, from, to) = (object.string("person"), local("from", &object), local("to", &object))
        object.refuseUnknown()
        guard let person, let from, let to else { return nil }
        refuseUnknown(person, at: value.position, "person", includesRotations: false)
        let times = [from, to].map { LocalTime.first(day: $0.day, minute: $0.minute, zone) }
        if times[0] >= times[1] { problems.add("the override ends before it begins", at: value.position) }
        return Rotation.Override(from: times[0], to: times[1], person: person)
    }

    /// A day and a time of day, as a wall clock shows them: `2026-01-05T08:00`.
    private func local(_ name: String, _ object: inout JSON5Object) -> (day: Int, minute: Int)? {
        guard let position = object.value(name)?.position, let text = object.string(name) else { return nil }
        if let time = Self.local(text) { return time }
        problems.add("\"\(name)\" must be a day and a time of day", at: position, suggestion: "write it as \"2026-01-05T08:00\"")
        return nil
    }

    static func local(_ text: String) -> (day: Int, minute: Int)? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let day = day(parts[0]), let minute = minute(String(parts[1])), minute < 1440 else { return nil }
        return (day, minute)
    }

    // MARK: Branches

    private func branches(_ list: [JSON5Value], above: String, depth: Int) -> [RoutingTree.Branch] {
        list.enumerated().compactMap { index, value in branch(value, path: above + "\(index + 1)", depth: depth) }
    }

    private func branch(_ value: JSON5Value, path: String, depth: Int) -> RoutingTree.Branch? {
        guard var object = JSON5Object(value, as: "a route", problems: problems) else { return nil }
        guard depth < Self.deepest else {
            problems.add("routes are nested more than \(Self.deepest) deep", at: value.position)
            return nil
        }
        var branch = RoutingTree.Branch(path: path)
        if let match = object.object("match") { (branch.match, branch.escalation) = read(match: match) }
        (branch.active, branch.muted) = (hours("active", &object), hours("muted", &object))
        branch.continues = object.bool("continue") ?? false
        branch.to = receivers("to", &object, includesRotations: true)
        branch.timing = timing(&object)
        branch.children = branches(object.list("routes") ?? [], above: path + ".", depth: depth + 1)
        object.refuseUnknown()
        if branch.to.isEmpty, depth == 0, branch.children.isEmpty {
            problems.add("the route leads to nobody", at: value.position, suggestion: "say who is told: to: [\"…\"]")
        }
        return branch
    }

    private func read(match: JSON5Object) -> ([String: Set<String>], Set<String>) {
        var (match, values, escalation) = (match, [String: Set<String>](), Set<String>())
        for member in RouteSubject.members {
            let given = oneOrMore(member, &match)
            guard match.has(member) else { continue }
            values[member] = member == "source" ? Set(given.map { String(Reading.source(named: $0)) }) : given
            refuseUnknown(values[member] ?? [], of: member, at: match.position)
        }
        escalation = oneOrMore("escalation", &match)
        match.refuseUnknown()
        return (values, escalation)
    }

    private func oneOrMore(_ member: String, _ object: inout JSON5Object) -> Set<String> {
        if case .string(let text)? = object.value(member)?.content { return [text] }
        return Set(object.strings(member) ?? [])
    }

    private func refuseUnknown(_ values: Set<String>, of member: String, at position: SourcePosition) {
        let known: Set<String>? =
            switch member {
            case "severity": Set(Severity.writable)
            case "kind": Set(Rule.Kind.allCases.map(\.rawValue))
            case "group": Set(rules.rules.map(\.group))
            case "rule": Set(rules.rules.map(\.id))
            case "metric": Set(rules.metrics)
            case "profile": RouteProfile.words
            case "family": Set(people.values.compactMap(\.family))
            default: nil
            }
        guard let known else { return }
        for value in values.subtracting(known).sorted() {
            problems.add(
                "\"\(member)\": there is no \(member) \"\(value)\"", at: position,
                suggestion: Spelling.suggestion(for: value, among: known.sorted()))
        }
    }

    private func receivers(_ member: String, _ object: inout JSON5Object, includesRotations: Bool) -> [String] {
        guard let value = object.value(member) else { return [] }
        let names: [String] = if case .string(let name) = value.content { [name] } else { object.strings(member) ?? [] }
        for name in names { refuseUnknown(name, at: value.position, member, includesRotations: includesRotations) }
        return names
    }

    private func refuseUnknown(_ name: String, at position: SourcePosition, _ member: String, includesRotations: Bool) {
        let known = notifiers.union(includesRotations ? Set(rotations.keys) : [])
        guard !known.contains(name) else { return }
        problems.add(
            "\"\(member)\": there is no notifier \"\(name)\"", at: position,
            suggestion: Spelling.suggestion(for: name, among: known.sorted()) ?? "known: \(known.sorted().joined(separator: ", "))")
    }

    private func timing(_ object: inout JSON5Object) -> RoutingTree.Timing {
        var timing = RoutingTree.Timing()
        timing.groupBy = object.strings("groupBy")
        timing.groupWait = object.duration("groupWait")
        timing.groupInterval = object.duration("groupInterval")
        timing.repeatInterval = object.duration("repeatInterval")
        if timing.groupBy?.allSatisfy(NotifierRoute.groupings.contains) == false {
            problems.add("\"groupBy\" can hold participant, group and rule", at: object.position)
        }
        if let interval = timing.repeatInterval, interval < 60_000_000 {
            problems.add("\"repeatInterval\" must be a minute or more", at: object.position)
        }
        return timing
    }

    private static func zone(_ object: inout JSON5Object) -> TimeZone? {
        guard let position = object.value("zone")?.position, let name = object.string("zone") else { return nil }
        if let zone = TimeZone(identifier: name) { return zone }
        object.problems.add("there is no time zone \"\(name)\"", at: position, suggestion: "such as Europe/Berlin")
        return nil
    }
}

/// The words of a profile that routes can match.
enum RouteProfile {
    static let words = Set(AgeGroup.allCases.map(\.rawValue) + ["pregnant", "scale-2"])
}
