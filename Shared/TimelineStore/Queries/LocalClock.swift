import Foundation
import VigilSchema

/// Tells the local date and hour of moments in one time zone, daylight saving included.
struct LocalClock {
    private static let day: Int64 = 86_400_000_000
    private static let quarter: Int64 = 900_000_000

    private let zone: TimeZone
    // Offsets change at whole quarters of an hour at most: neighbouring moments share one.
    private var known: (quarter: Int64, offset: Int64)?

    /// - Parameter identifier: an IANA name such as `Europe/Berlin`.
    init(_ identifier: String) throws(StoreError) {
        guard let zone = TimeZone(identifier: identifier) else {
            throw StoreError(.badRequest, operation: "query", detail: "the time zone is unknown")
        }
        self.zone = zone
    }

    /// Microseconds from 1970-01-01 00:00 on the wearer's clock.
    mutating func local(_ time: Timestamp) -> Int64 {
        let quarter = Self.floor(time.microseconds, Self.quarter)
        if let known, known.quarter == quarter { return time.microseconds + known.offset }
        let offset = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(quarter) / 1_000_000))) * 1_000_000
        known = (quarter, offset)
        return time.microseconds + offset
    }

    /// 0 for Monday … 6 for Sunday.
    mutating func weekday(_ time: Timestamp) -> Int {
        // 1970-01-01 was a Thursday.
        let days = Self.floor(local(time), Self.day) / Self.day + 3
        return Int(((days % 7) + 7) % 7)
    }

    /// 0…23.
    mutating func hour(_ time: Timestamp) -> Int {
        let local = local(time)
        return Int((local - Self.floor(local, Self.day)) / 3_600_000_000)
    }

    /// `2017-01-19`.
    mutating func date(_ time: Timestamp) -> String { Self.date(local(time)) }

    /// The date of the Monday of its week.
    mutating func week(_ time: Timestamp) -> String { Self.date(local(time) - Int64(weekday(time)) * Self.day) }

    /// `2017-01`.
    mutating func month(_ time: Timestamp) -> String { String(date(time).dropLast(3)) }

    private static func date(_ local: Int64) -> String {
        let month = Month(local)
        let day = (floor(local, Self.day) - month.start) / Self.day + 1
        return month.suffix.replacing("_", with: "-") + (day < 10 ? "-0" : "-") + String(day)
    }

    private static func floor(_ value: Int64, _ unit: Int64) -> Int64 { value - ((value % unit) + unit) % unit }
}
