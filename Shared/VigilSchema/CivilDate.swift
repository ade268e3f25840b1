/// A day of the proleptic Gregorian calendar.
///
/// Source: H. Hinnant, "chrono-compatible low-level date algorithms", 2013.
package struct CivilDate: Hashable, Sendable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// From 1.
    package var day: Int

    /// Makes a day, which may be none that there is.
    @inlinable
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that lies so many days after 1970-01-01.
    @inlinable
    package init(daysSince1970 days: Int) {
        // A year from March to February puts the leap day last; 400 such years have 146,097 days.
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        month = part < 10 ? part + 3 : part - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * part + 2) / 5 + 1
    }

    /// The days since 1970-01-01, negative before.
    @inlinable package var daysSince1970: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// A Boolean value that indicates whether there is such a day.
    @inlinable package var isValid: Bool {
        (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year)
    }

    /// The number of days of a month.
    @inlinable
    package static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// `2017-01-19`.
    package var text: String { Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) }

    /// A number with zeros before it.
    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension BinaryInteger {
    /// The greatest whole number that, times the positive divisor, is at most this one: -1 for -1 by 400.
    @inlinable
    package func flooredQuotient(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Timestamp {
    /// The moment as RFC 3339 writes it, without zeros at the end of its fraction: `2017-01-19T15:36:22.5Z`.
    /// - Parameter zone: The wearer's minutes from UTC; nil for `Z`.
    package func iso8601(zone: Int16? = nil) -> String {
        let local = microseconds + Int64(zone ?? 0) * 60_000_000
        let day = local.flooredQuotient(by: 86_400_000_000)
        let (seconds, fraction) = (local - day * 86_400_000_000).quotientAndRemainder(dividingBy: 1_000_000)
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { CivilDate.padded(Int($0), 2) }.joined(separator: ":")
        return CivilDate(daysSince1970: Int(day)).text + "T" + clock + Self.fraction(Int(fraction)) + Self.offset(zone)
    }

    private static func fraction(_ microseconds: Int) -> String {
        guard microseconds > 0 else { return "" }
        var digits = CivilDate.padded(microseconds, 6)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "." + digits
    }

    private static func offset(_ zone: Int16?) -> String {
        guard let zone else { return "Z" }
        let minutes = Int(zone.magnitude)
        return (zone < 0 ? "-" : "+") + CivilDate.padded(minutes / 60, 2) + ":" + CivilDate.padded(minutes % 60, 2)
    }
}
