/// The hours of a person's day in which no reminder is sent, such as `22:00-07:00`.
package struct QuietHours: Sendable, Hashable {
    /// Seconds since midnight.
    package let from: Int
    package let until: Int

    /// Parses `HH:MM-HH:MM`; nil for anything else, and for equal start and end.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { ClockTime.seconds(String($0)) }
        guard parts.count == 2, let from = parts[0], let until = parts[1], from != until else { return nil }
        self.from = from
        self.until = until
    }

    /// The end of the quiet hours around a time; nil: it is not within them.
    package func end(at time: Double, in calendar: PersonCalendar) -> Double? {
        let (day, second) = calendar.place(of: time)
        let isQuiet = from < until ? (from..<until).contains(second) : second >= from || second < until
        guard isQuiet else { return nil }
        return calendar.time(day: second < until ? day : day + 1, second: until)
    }
}

/// A time of day as `HH:MM`.
package enum ClockTime {
    /// Seconds since midnight; nil: no time of day.
    package static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        return hours * 3600 + minutes * 60
    }

    /// A time of day as `HH:MM`.
    package static func text(_ seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return "\(hours < 10 ? "0" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
    }
}
