/// Date-times as RFC 3339 writes them: `2013-02-05T07:25:00.5+01:00`.
package struct DateTimeText: Sendable {
    package let time: Timestamp
    /// Minutes from UTC, from -1080 to 1080 as in every observation; nil for `Z` and `-00:00`, which tell no zone.
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
            let day = number(&rest, digits: 2)
        else { return nil }
        let date = CivilDate(year: Int(year), month: Int(month), day: Int(day))
        return date.isValid ? Int64(date.daysSince1970) : nil
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
        let isSplit = take(":", &rest)
        let minutes = rest.isEmpty && !isSplit ? 0 : number(&rest, digits: 2)
        guard let minutes, minutes < 60 else { return nil }
        let value = hours * 60 + minutes
        guard value <= 1080 else { return nil }
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
}
