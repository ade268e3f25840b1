/// Date-times as RFC 3339 writes them: `2013-02-05T07:25:00.5+01:00`.
package struct DateTimeText: Sendable {
    package let time: Timestamp
    /// Minutes from UTC; nil for `Z` and `-00:00`, which tell no zone.
    package let zone: Int16?

    private init(time: Timestamp, zone: Int16?) {
        self.time = time
        self.zone = zone
    }

    /// The moment that many seconds before.
    package func earlier(by seconds: Double) -> DateTimeText { DateTimeText(time: time.advanced(bySeconds: -seconds), zone: zone) }

    /// Nil for anything else, days that do not exist included. Digits beyond the microsecond are left away.
    package init?(_ text: String) {
        var rest = Substring(text).utf8
        guard let date = DateTimeText.date(&rest), let first = rest.popFirst(), first | 0x20 == UInt8(ascii: "t"),
            let timeOfDay = DateTimeText.timeOfDay(&rest), let minutes = DateTimeText.offset(&rest), rest.isEmpty
        else { return nil }
        let seconds = date * 86400 + timeOfDay.seconds - Int64(minutes.value) * 60
        time = Timestamp(microseconds: seconds * 1_000_000 + timeOfDay.microseconds)
        zone = minutes.isKnown ? Int16(minutes.value) : nil
    }

    /// Days since 1970.
    private static func date(_ rest: inout Substring.UTF8View) -> Int64? {
        guard let year = number(&rest, digits: 4), take("-", &rest), let month = number(&rest, digits: 2), take("-", &rest),
            let day = number(&rest, digits: 2), (1...12).contains(month), day >= 1, day <= length(of: month, year)
        else { return nil }
        return days(year, month, day)
    }

    private static func timeOfDay(_ rest: inout Substring.UTF8View) -> (seconds: Int64, microseconds: Int64)? {
        guard let hour = number(&rest, digits: 2), take(":", &rest), let minute = number(&rest, digits: 2), hour < 24, minute < 60
        else { return nil }
        var second: Int64 = 0
        if take(":", &rest) {
            // 60 is a leap second, which Unix time lacks: it counts as the next minute's first.
            guard let given = number(&rest, digits: 2), given <= 60 else { return nil }
            second = given
        }
        var fraction: Int64 = 0
        if take(".", &rest) {
            guard let given = microseconds(&rest) else { return nil }
            fraction = given
        }
        return (hour * 3600 + minute * 60 + second, fraction)
    }

    private static func microseconds(_ rest: inout Substring.UTF8View) -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while let byte = rest.first, (0x30...0x39).contains(byte) {
            if digits < 6 { value = value * 10 + Int64(byte - 0x30) }
            digits += 1
            rest.removeFirst()
        }
        guard digits > 0 else { return nil }
        for _ in 0..<max(0, 6 - digits) { value *= 10 }
        return value
    }

    private static func offset(_ rest: inout Substring.UTF8View) -> (value: Int64, isKnown: Bool)? {
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return (0, false) }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = number(&rest, digits: 2) else { return nil }
        _ = take(":", &rest)
        let minutes = rest.isEmpty ? 0 : number(&rest, digits: 2)
        guard let minutes, hours < 19, minutes < 60 else { return nil }
        let value = hours * 60 + minutes
        return sign == UInt8(ascii: "-") ? (-value, value != 0) : (value, true)
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let byte = rest.popFirst(), (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// H. Hinnant's civil-to-days algorithm (http://howardhinnant.github.io/date_algorithms.html), for years from 0.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // A year from March to February puts the leap day last; 400 such years have 146,097 days.
        let shifted = year - (month <= 2 ? 1 : 0) + 400
        let era = shifted / 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let yearOfEra = shifted - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468 - 146_097
    }
}
