package import Foundation
import JSON5
import VigilSchema

/// The hours in which a rule may raise, in a time zone.
package struct Schedule: Hashable, Sendable {
    package let zone: TimeZone
    /// 1 Monday … 7 Sunday.
    package let days: Set<Int>
    /// Minutes after midnight; from > to means over midnight, the day being that of the beginning.
    package let from: Int
    package let to: Int

    /// Returns whether a moment (microseconds since 1970) lies within.
    package func contains(_ time: Int64) -> Bool {
        let seconds = Int(Double(time) / 1e6)
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        let local = seconds + offset
        let day = Int((Double(local) / 86_400).rounded(.down))
        let minute = (local - day * 86_400) / 60
        if from <= to { return isOn(day) && (from..<to).contains(minute) }
        return (isOn(day) && minute >= from) || (isOn(day - 1) && minute < to)
    }

    /// The next moment at which it opens, looked for over nine days; nil: none.
    package func nextOpening(after time: Int64) -> Int64? {
        let minute: Int64 = 60_000_000
        let first = Int(Double(time) / 1e6) + zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1e6))
        let today = Int((Double(first) / 86_400).rounded(.down))
        for day in today...(today + 9) where isOn(day) {
            let local = Double(day * 86_400 + from * 60)
            let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: local))
            var opening = Int64(local - Double(offset)) * 1_000_000 - 120 * minute
            // Where the clocks change that night, an hour earlier or later.
            for _ in 0..<300 {
                if opening > time, contains(opening) { return opening }
                opening += minute
            }
        }
        return nil
    }

    /// 1970-01-01, day 0, was a Thursday.
    private func isOn(_ day: Int) -> Bool { days.contains((((day + 3) % 7) + 7) % 7 + 1) }
}

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
        if from == to { object.problems.add("the schedule is empty: it ends where it begins", at: object.position) }
        if object.has("days"), days.isEmpty { object.problems.add("\"days\" names no day", at: object.position) }
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
        if case .string(let name) = value.content, let index = days.firstIndex(of: name.lowercased()) { return index + 1 }
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
