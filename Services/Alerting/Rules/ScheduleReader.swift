import Foundation
import JSON5

/// Reads a rule's `schedule`.
enum ScheduleReader {
    private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    static func read(_ object: JSON5Object) -> Schedule? {
        var object = object
        object.require("zone")
        let zone = zone(&object)
        let days = Set((object.list("days") ?? []).compactMap { day($0, object.problems) })
        let from = minute("from", &object) ?? 0
        let to = minute("to", &object) ?? 1440
        object.refuseUnknown()
        guard let zone else { return nil }
        return Schedule(zone: zone, days: days.isEmpty ? Set(1...7) : days, from: from, to: to)
    }

    private static func zone(_ object: inout JSON5Object) -> TimeZone? {
        guard let value = object.value("zone") else { return nil }
        let known = TimeZone.knownTimeZoneIdentifiers
        if case .string(let name) = value.content {
            if let zone = TimeZone(identifier: name) { return zone }
            object.problems.add(
                "\"\(name)\" is no time zone", at: value.position, suggestion: Spelling.suggestion(for: name, among: known))
        } else {
            object.problems.add("\"zone\" must be a text such as \"Europe/Berlin\"", at: value.position)
        }
        return nil
    }

    private static func day(_ value: JSON5Value, _ problems: JSON5Problems) -> Int? {
        if case .string(let name) = value.content, let place = days.firstIndex(of: name.lowercased()) { return place + 1 }
        problems.add("a day must be one of \(days.joined(separator: ", "))", at: value.position)
        return nil
    }

    private static func minute(_ name: String, _ object: inout JSON5Object) -> Int? {
        guard let value = object.value(name) else { return nil }
        if case .string(let text) = value.content {
            let parts = text.split(separator: ":").compactMap { Int($0) }
            if parts.count == 2, (0...24).contains(parts[0]), (0...59).contains(parts[1]), parts[0] * 60 + parts[1] <= 1440 {
                return parts[0] * 60 + parts[1]
            }
        }
        object.problems.add("\"\(name)\" must be a time of day", at: value.position, suggestion: "write it as \"08:00\"")
        return nil
    }
}
