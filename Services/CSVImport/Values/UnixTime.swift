/// Reads Unix times: digits with a fraction after a point or a comma, rounded to the nearest microsecond.
enum UnixTime {
    /// The moment that the bytes spell, in microseconds since 1970, or nil.
    /// - Parameter unit: microseconds in one of the number's units: 1,000,000 for seconds.
    @inline(__always)
    static func parse(_ bytes: RawSpan, _ start: Int, _ end: Int, unit: Int64) -> Int64? {
        var position = start
        let negative = position < end && bytes.byte(position) == UInt8(ascii: "-")
        if negative { position += 1 }
        let first = position
        var whole: Int64 = 0
        while position < end {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            whole = whole &* 10 &+ Int64(digit)
            position += 1
        }
        // 13 digits of seconds, 16 of milliseconds: past the year 9999, and no overflow above.
        guard position > first, position - first <= 16, whole <= 253_402_300_800_000_000 / unit else { return nil }
        var result = whole &* unit
        if position < end {
            guard let fraction = parseFraction(bytes, position, end, unit: unit) else { return nil }
            result += fraction
        }
        return negative ? -result : result
    }

    /// Microseconds since 1970 as seconds, every digit told.
    static func text(_ microseconds: Int64) -> String {
        let fraction = String(microseconds.magnitude % 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
        return "\(microseconds < 0 ? "-" : "")\(microseconds.magnitude / 1_000_000).\(zeros)\(fraction)"
    }

    /// The fraction from its point or comma on, in microseconds. The digits past a microsecond round it.
    @inline(__always)
    private static func parseFraction(_ bytes: RawSpan, _ start: Int, _ end: Int, unit: Int64) -> Int64? {
        guard bytes.byte(start) == UInt8(ascii: ".") || bytes.byte(start) == UInt8(ascii: ",") else { return nil }
        var result: Int64 = 0
        var scale = unit
        var position = start + 1
        var rounding: UInt8 = 0
        while position < end {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            if scale > 1 {
                scale /= 10
                result += Int64(digit) &* scale
            } else if scale == 1 {
                rounding = digit
                scale = 0
            }
            position += 1
        }
        return rounding >= 5 ? result + 1 : result
    }
}
