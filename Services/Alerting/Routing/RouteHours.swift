package import Calendars
package import Foundation

/// Hours of the week in a time zone, holidays told apart.
package struct RouteHours: Hashable, Sendable {
    /// The day's number of a holiday, in place of the weekday's.
    package static let holiday = 8
    package let zone: TimeZone
    /// 1 Monday … 7 Sunday, 8 a holiday.
    package let days: Set<Int>
    /// Minutes after midnight; from ≥ to means over midnight, the day being that of the beginning.
    package let from: Int
    package let to: Int
    /// Days after 1970-01-01 that count as holidays.
    package let holidays: Set<Int>
    /// The times of a calendar's events in microseconds since 1970, in order and apart; nil: by days and times of day.
    package var spans: [Range<Int64>]?

    package init(zone: TimeZone, days: Set<Int> = Set(1...8), from: Int = 0, to: Int = 1440, holidays: Set<Int> = []) {
        self.zone = zone
        self.days = days
        self.from = from
        self.to = to
        self.holidays = holidays
    }

    /// Returns whether a moment lies within.
    /// - Parameter time: microseconds since 1970.
    package func contains(_ time: Int64) -> Bool {
        if let spans {
            let next = spans.partitioningIndex { $0.lowerBound > time }
            return next > 0 && time < spans[next - 1].upperBound
        }
        let local = LocalTime(time, zone)
        if from < to { return isOn(local.day) && (from..<to).contains(local.minute) }
        return isOn(local.day) && local.minute >= from || isOn(local.day - 1) && local.minute < to
    }

    /// 1970-01-01, day 0, was a Thursday.
    private func isOn(_ day: Int) -> Bool {
        days.contains(holidays.contains(day) ? Self.holiday : (((day + 3) % 7) + 7) % 7 + 1)
    }
}

extension RouteHours {
    /// The time of a calendar's events, those without a zone in this one.
    package init(zone: TimeZone, occurrences: [CalendarFile.Occurrence]) {
        self.init(zone: zone)
        let spans = occurrences.map { $0.span(in: zone) }.sorted { $0.lowerBound < $1.lowerBound }
        self.spans = spans.reduce(into: []) { merged, span in
            guard let last = merged.last, span.lowerBound <= last.upperBound else { return merged.append(span) }
            merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
        }
    }
}

extension CalendarFile.Occurrence {
    /// Its time in microseconds since 1970.
    func span(in zone: TimeZone) -> Range<Int64> {
        guard isFloating else { return start * 1_000_000..<end * 1_000_000 }
        return Self.moment(start, zone)..<max(Self.moment(start, zone) + 1, Self.moment(end, zone))
    }

    /// The days after 1970-01-01 that it touches.
    func days(in zone: TimeZone) -> ClosedRange<Int> {
        let span = span(in: zone)
        return LocalTime(span.lowerBound, zone).day...LocalTime(span.upperBound - 1, zone).day
    }

    private static func moment(_ wall: Int64, _ zone: TimeZone) -> Int64 {
        let day = Int((Double(wall) / 86_400).rounded(.down))
        return LocalTime.first(day: day, minute: (Int(wall) - day * 86_400) / 60, zone)
    }
}

extension [Range<Int64>] {
    /// The first index of which a condition holds that holds of all after it.
    fileprivate func partitioningIndex(_ isLater: (Range<Int64>) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isLater(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A moment as the clock on a wall shows it.
struct LocalTime: Hashable, Sendable {
    /// Days after 1970-01-01.
    let day: Int
    let minute: Int

    init(_ time: Int64, _ zone: TimeZone) {
        let seconds = Int((Double(time) / 1e6).rounded(.down))
        let local = seconds + Self.offset(seconds, zone)
        day = Int((Double(local) / 86_400).rounded(.down))
        minute = (local - day * 86_400) / 60
    }

    static func offset(_ seconds: Int, _ zone: TimeZone) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// The first moment at which the clock shows a time or, where it leaps over that, a later one; in microseconds since 1970.
    ///
    /// The time that the clock shows twice in autumn is the first of the two: what changes then changes once.
    static func first(day: Int, minute: Int, _ zone: TimeZone) -> Int64 {
        let wanted = day * 86_400 + minute * 60
        var seconds = wanted - max(offset(wanted - 86_400, zone), offset(wanted + 86_400, zone))
        // A clock leaps by three hours at most.
        for _ in 0..<180 where seconds + offset(seconds, zone) < wanted { seconds += 60 }
        return Int64(seconds) * 1_000_000
    }
}

/// The people who take turns at being on call.
package struct Rotation: Hashable, Sendable {
    /// A time at which somebody stands in.
    package struct Override: Hashable, Sendable {
        /// Microseconds since 1970; the end is no longer part of it.
        package let from: Int64
        package let to: Int64
        package let person: String

        package init(from: Int64, to: Int64, person: String) {
            self.from = from
            self.to = to
            self.person = person
        }
    }

    package let zone: TimeZone
    /// The notifiers, in order.
    package let people: [String]
    /// The day of the first one's first turn, in days after 1970-01-01.
    package let start: Int
    /// The time of the hand-over, in minutes after midnight.
    package let handOver: Int
    /// The length of a turn in days.
    package let every: Int
    /// A later one goes before an earlier one.
    package let overrides: [Override]

    package init(zone: TimeZone, people: [String], start: Int, handOver: Int = 0, every: Int = 1, overrides: [Override] = []) {
        self.zone = zone
        self.people = people
        self.start = start
        self.handOver = handOver
        self.every = every
        self.overrides = overrides
    }

    /// The notifier that is on call at a moment, in microseconds since 1970.
    package func person(at time: Int64) -> String? {
        if let stand = overrides.last(where: { $0.from <= time && time < $0.to }) { return stand.person }
        guard !people.isEmpty else { return nil }
        let turn = Int((Double(day(at: time) - start) / Double(every)).rounded(.down))
        return people[(turn % people.count + people.count) % people.count]
    }

    /// The day whose hand-over was the last.
    private func day(at time: Int64) -> Int {
        let day = LocalTime(time - Int64(handOver) * 60_000_000, zone).day
        if LocalTime.first(day: day + 1, minute: handOver, zone) <= time { return day + 1 }
        return LocalTime.first(day: day, minute: handOver, zone) > time ? day - 1 : day
    }
}
