/// A date and a time of day as a calendar and a clock show them, in the proleptic Gregorian calendar.
struct CivilTime: Hashable, Sendable {
    var year = 1970
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    var microsecond = 0

    /// Whether there is such a day and such a time; a leap second counts as the next second.
    var isValid: Bool {
        (1...12).contains(month) && day >= 1 && day <= CivilTime.days(in: month, of: year) && (0...24).contains(hour)
            && (0...59).contains(minute) && (0...60).contains(second) && (hour < 24 || minute + second + microsecond == 0)
            && (1...9999).contains(year)
    }

    /// Microseconds from 1970-01-01T00:00:00 on the same clock.
    var microseconds: Int64 {
        let seconds = ((Int64(days) * 24 + Int64(hour)) * 60 + Int64(minute)) * 60 + Int64(second)
        return seconds * 1_000_000 + Int64(microsecond)
    }

    /// Days from 1970-01-01. Source: H. Hinnant, "chrono-compatible low-level date algorithms", 2013.
    private var days: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
