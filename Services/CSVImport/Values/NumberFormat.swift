import Foundation
import VigilSchema

/// The way a column's numbers are written.
struct NumberFormat: Hashable, Sendable {
    /// Between the whole part and the fraction.
    let decimal: UInt8
    /// Between groups of three digits: the other one of point and comma, a space or an apostrophe.
    let thousands: UInt8

    init(decimal: UInt8) {
        self.decimal = decimal
        thousands = decimal == UInt8(ascii: ",") ? UInt8(ascii: ".") : UInt8(ascii: ",")
    }

    /// The number that the bytes spell, or nil. Spaces around it are no matter.
    @inline(__always)
    func parse(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Double? {
        var position = start
        var negative = false
        if position < end, bytes.byte(position) == UInt8(ascii: "-") {
            negative = true
            position += 1
        }
        var mantissa: UInt64 = 0
        var fraction = -1
        let first = position
        while position < end {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            if digit < 10 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
            } else if bytes.byte(position) == decimal, fraction < 0 {
                fraction = position + 1
            } else {
                return parseSlowly(bytes, start, end)
            }
            position += 1
        }
        // Up to 15 digits the mantissa is exact, and so is the power of ten: one rounding, which is the right one.
        // Source: W. D. Clinger, "How to read floating point numbers accurately", 1990.
        let digits = position - first - (fraction < 0 ? 0 : 1)
        guard digits > 0, digits <= 15 else { return parseSlowly(bytes, start, end) }
        let value = fraction < 0 ? Double(mantissa) : Double(mantissa) / NumberFormat.powers[end - fraction]
        return negative ? -value : value
    }

    /// The number that a text spells, or nil.
    func parse(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        return parse(bytes.span.bytes, 0, bytes.count)
    }

    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]

    /// Exponents, many digits, signs, grouped digits, spaces around.
    @inline(never)
    private func parseSlowly(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Double? {
        var text: [UInt8] = []
        for index in start..<end { text.append(bytes.byte(index)) }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        text.removeFirst(text.prefix { $0 == 0x20 || $0 == 0x09 }.count)
        return withoutGrouping(text).flatMap { Double(decimal: String(decoding: $0, as: UTF8.self)) }
    }

    /// The digits without their separators and with a decimal point, or nil where the groups are not of three.
    private func withoutGrouping(_ text: [UInt8]) -> [UInt8]? {
        let whole = text.prefix { $0 != decimal && $0 | 0x20 != UInt8(ascii: "e") }
        var rest = Array(text.dropFirst(whole.count))
        if rest.first == decimal { rest[0] = UInt8(ascii: ".") }
        guard !rest.contains(thousands) || thousands == UInt8(ascii: ".") else { return nil }
        let isSeparator = { (byte: UInt8) in byte == thousands || byte == 0x20 || byte == UInt8(ascii: "'") }
        guard whole.contains(where: isSeparator) else { return Array(whole) + rest }
        let groups = whole.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
        let sign = groups[0].first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } ?? false
        let leading = groups[0].count - (sign ? 1 : 0)
        // Nobody groups the digits behind a 0: `0,600` is six tenths, written with the other sign.
        guard (1...3).contains(leading), groups[0].last != UInt8(ascii: "0") || leading > 1,
            groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return Array(groups.joined()) + rest
    }
}

extension Double {
    /// Without a needless `.0`.
    var short: String { self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : description }

    /// With six significant digits: what a conversion between units adds behind them is no measurement.
    var six: Double {
        guard self != 0, isFinite else { return self }
        let shift = 5 - Int(log10(magnitude).rounded(.down))
        let power = pow(10, Double(shift.magnitude))
        return shift >= 0 ? (self * power).rounded() / power : (self / power).rounded() * power
    }

    /// Rounded to a whole number, where that is within 100,000 years of 1970 in microseconds.
    var microseconds: Int64? { abs(self) < 3.2e18 ? Int64(rounded()) : nil }
}
