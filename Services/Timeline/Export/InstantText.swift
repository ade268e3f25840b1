import VigilSchema

/// Times as people and programs read them: ISO 8601 in UTC, or with the wearer's offset where that is known.
enum InstantText {
    /// For example `2017-01-19T15:36:22.41Z` or `2017-01-19T10:36:22.41-05:00`. Microseconds as far as they are needed.
    ///
    /// Days are counted after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.
    static func iso8601(_ time: Timestamp, zone: Int16? = nil) -> String {
        let local = time.microseconds + Int64(zone ?? 0) * 60_000_000
        let (day, inDay) = floorDivide(local, 86_400_000_000)
        let (year, month, dayOfMonth) = civil(day)
        let (seconds, micros) = inDay.quotientAndRemainder(dividingBy: 1_000_000)
        let date = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2)
        let clock = pad(seconds / 3600, 2) + ":" + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2)
        return date + "T" + clock + fraction(micros) + offset(zone)
    }

    private static func offset(_ zone: Int16?) -> String {
        guard let zone else { return "Z" }
        let minutes = Int64(zone.magnitude)
        return (zone < 0 ? "-" : "+") + pad(minutes / 60, 2) + ":" + pad(minutes % 60, 2)
    }

    private static func fraction(_ micros: Int64) -> String {
        guard micros > 0 else { return "" }
        var digits = pad(micros, 6)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "." + digits
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
