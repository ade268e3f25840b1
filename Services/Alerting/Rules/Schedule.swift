package import Foundation

/// The hours in which a rule may raise, in a time zone.
package struct Schedule: Hashable, Sendable {
    package let zone: TimeZone
    /// 1 Monday … 7 Sunday.
    package let days: Set<Int>
    /// Minutes after midnight; from > to means over midnight, the day being that of the beginning.
    package let from: Int
    package let to: Int

    /// Whether a moment (microseconds since 1970) lies within.
    package func contains(_ time: Int64) -> Bool {
        let seconds = Int(Double(time) / 1e6)
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        let local = seconds + offset
        let day = Int((Double(local) / 86_400).rounded(.down))
        let minute = (local - day * 86_400) / 60
        if from <= to { return isOn(day) && (from..<to).contains(minute) }
        return (isOn(day) && minute >= from) || (isOn(day - 1) && minute < to)
    }

    /// 1970-01-01, day 0, was a Thursday.
    private func isOn(_ day: Int) -> Bool { days.contains((((day + 3) % 7) + 7) % 7 + 1) }
}
