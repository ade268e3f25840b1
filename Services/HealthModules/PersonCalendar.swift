package import Foundation
import VigilSchema

/// Days and times of day where a person lives, as whole days since 1970, with leap days and changes of the clock.
package struct PersonCalendar: Sendable {
    package let zone: TimeZone

    package init(zone: TimeZone) { self.zone = zone }

    /// The day of a time.
    package func day(of time: Double) -> Int { place(of: time).day }

    /// The day of a time, and the seconds since its local midnight.
    package func place(of time: Double) -> (day: Int, second: Int) {
        Self.place(of: time, offset: zone.secondsFromGMT(for: Date(timeIntervalSince1970: time)))
    }

    /// The same with a known offset from UTC in seconds.
    package static func place(of time: Double, offset: Int) -> (day: Int, second: Int) {
        let local = (min(max(time, -1e12), 1e12) + Double(offset)).rounded(.down)
        let day = (local / 86_400).rounded(.down)
        return (Int(day), Int(local - day * 86_400))
    }

    /// The time at which the local clock shows a time of day; if it never does, the time after the gap.
    package func time(day: Int, second: Int = 0) -> Double {
        let local = Double(day) * 86_400 + Double(second)
        var time = local - Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: local)))
        time = local - Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: time)))
        return time
    }

    /// 0 for Monday to 6 for Sunday.
    package static func weekday(of day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

    /// The day of a text `YYYY-MM-DD`.
    package static func day(written text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard text.utf8.count == 10, text.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }), parts.count == 3, let year = parts[0],
            let month = parts[1], let day = parts[2], (1...9999).contains(year)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.isValid ? date.daysSince1970 : nil
    }

    /// A day as text.
    package static func written(_ day: Int) -> LocalizedText {
        let date = CivilDate(daysSince1970: day)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let numbers = String(format: "%02d.%02d.%04d", date.day, date.month, date.year)
        return LocalizedText("\(date.day) \(months[date.month - 1]) \(date.year)", de: numbers, ru: numbers)
    }
}
