/// A JSON number as decimal digits: `±mantissa × 10^exponent`.
///
/// The conversion to `Double` is exact (rounded correctly): within 2^53 and 10^±22 by one operation on exact operands
/// (Clinger, "How to read floating point numbers accurately", 1990), else by the standard library.
package struct JSONNumber {
    /// The range of its bytes.
    package let range: Range<Int>
    let isNegative: Bool
    /// The first 19 significant digits; those behind them are left out.
    let mantissa: UInt64
    /// Of ten, for `mantissa`.
    let exponent: Int

    /// Reads the number at the cursor.
    /// - Parameter isLong: whether eight digits and more are usual, as in a time.
    @inline(__always)
    package static func scan(_ bytes: Span<UInt8>, _ offset: inout Int, isLong: Bool = false) throws(JSONError) -> JSONNumber {
        let start = offset
        var index = start
        let isNegative = index < bytes.count && bytes[index] == 0x2D
        if isNegative { index += 1 }
        var mantissa: UInt64 = 0
        let integerStart = index
        if isLong, let digits = JSONWord(bytes, at: index)?.eightDigits {
            mantissa = digits
            index &+= 8
        }
        take(bytes, &index, &mantissa)
        let integerDigits = index - integerStart
        guard integerDigits > 0 else { throw JSONError(.wrongType, "a number is expected", at: start) }
        if bytes[integerStart] == 0x30, integerDigits > 1 {
            throw JSONError(.malformed, "a number starts with 0", at: integerStart)
        }
        var fractionDigits = 0
        if index < bytes.count, bytes[index] == 0x2E {
            index += 1
            let fractionStart = index
            take(bytes, &index, &mantissa)
            fractionDigits = index - fractionStart
            guard fractionDigits > 0 else { throw JSONError(.malformed, "no digit follows the decimal point", at: index) }
        }
        let digitsEnd = index
        var exponent = 0
        if index < bytes.count, bytes[index] | 0x20 == 0x65 { exponent = try readExponent(bytes, &index) }
        offset = index
        guard integerDigits + fractionDigits <= 18 else {
            return long(bytes, integerStart..<digitsEnd, start..<index, isNegative: isNegative, exponent: exponent)
        }
        return JSONNumber(
            range: start..<index, isNegative: isNegative, mantissa: mantissa, exponent: exponent - fractionDigits)
    }

    /// Reads digits; more than eighteen overflow, and are read again by `long`.
    @inline(__always)
    private static func take(_ bytes: Span<UInt8>, _ index: inout Int, _ mantissa: inout UInt64) {
        while index < bytes.count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            index &+= 1
        }
    }

    /// A number of very many digits, whose place and form are known already.
    @inline(never)
    private static func long(
        _ bytes: Span<UInt8>, _ digitRange: Range<Int>, _ range: Range<Int>, isNegative: Bool, exponent: Int
    ) -> JSONNumber {
        var digits = Digits()
        for index in digitRange { digits.take(bytes[index]) }
        return JSONNumber(
            range: range, isNegative: isNegative, mantissa: digits.mantissa, exponent: exponent + digits.exponent)
    }

    /// The nearest `Double`. Where digits were left out, the mantissa is far above 2^53.
    @inline(__always)
    package func double(_ bytes: Span<UInt8>) throws(JSONError) -> Double {
        if mantissa <= 1 << 53, abs(exponent) <= 22 {
            let magnitude = exponent < 0 ? Double(mantissa) / powersOfTen[-exponent] : Double(mantissa) * powersOfTen[exponent]
            return isNegative ? -magnitude : magnitude
        }
        return try slowDouble(bytes)
    }

    /// The number where it is a whole one within ±2^53, also written as `3.0` or `3e2`; else nil.
    @inline(__always)
    func integer(_ bytes: Span<UInt8>) throws(JSONError) -> Int? {
        if exponent == 0, mantissa <= 1 << 53 { return isNegative ? -Int(mantissa) : Int(mantissa) }
        return Int(exactly: try double(bytes)).flatMap { abs($0) <= 1 << 53 ? $0 : nil }
    }

    private func slowDouble(_ bytes: Span<UInt8>) throws(JSONError) -> Double {
        guard let value = Double(String(decoding: bytes, range)), value.isFinite else {
            throw JSONError(.notFinite, "the number is too large", at: range.lowerBound)
        }
        return value
    }

    /// The number of seconds as whole microseconds, rounded to the nearest. Digits that were left out do not reach the half that rounds up.
    package func microseconds() throws(JSONError) -> Int64 {
        let magnitude = scaled(by: exponent + 6)
        guard magnitude > JSONNumber.largestTime else { return isNegative ? -Int64(magnitude) : Int64(magnitude) }
        throw JSONError(.implausibleTime, "the time lies outside the years 1 to 9999; it is in seconds since 1970", at: range.lowerBound)
    }

    /// The mantissa times a power of ten, rounded to the nearest; `UInt64.max` where that is too small for it.
    private func scaled(by power: Int) -> UInt64 {
        guard mantissa > 0, power >= -19 else { return 0 }
        guard power < 0 else {
            let (product, overflow) = power > 19 ? (0, true) : mantissa.multipliedReportingOverflow(by: integerPowersOfTen[power])
            return overflow ? .max : product
        }
        let divisor = integerPowersOfTen[-power]
        return mantissa / divisor + (mantissa % divisor >= divisor / 2 ? 1 : 0)
    }

    /// The end of the year 9999, in microseconds.
    private static let largestTime: UInt64 = 253_402_300_800_000_000

    private static func readExponent(_ bytes: Span<UInt8>, _ index: inout Int) throws(JSONError) -> Int {
        index += 1
        var isNegative = false
        if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D {
            isNegative = bytes[index] == 0x2D
            index += 1
        }
        let start = index
        var exponent = 0
        while index < bytes.count, bytes[index] &- 0x30 < 10 {
            exponent = min(exponent * 10 + Int(bytes[index] - 0x30), 100_000)
            index += 1
        }
        guard index > start else { throw JSONError(.malformed, "no digit follows the exponent", at: index) }
        return isNegative ? -exponent : exponent
    }

    /// Significant digits as they come in, the first nineteen of them.
    private struct Digits {
        var mantissa: UInt64 = 0
        var exponent = 0
        private var count = 0
        private var isFraction = false

        mutating func take(_ byte: UInt8) {
            guard byte != 0x2E else {
                isFraction = true
                return
            }
            let digit = byte &- 0x30
            let isKept = count < 19
            if isKept {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if mantissa != 0 { count += 1 }
            }
            // A digit that is kept behind the point makes the number smaller, one that is left out before it greater.
            if isKept == isFraction { exponent += isFraction ? -1 : 1 }
        }
    }
}

private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

private let integerPowersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
    1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]
