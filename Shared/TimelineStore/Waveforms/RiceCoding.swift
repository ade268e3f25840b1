/// Writes whole numbers that are mostly near 0 as bits: adaptive Golomb–Rice codes, as JPEG-LS and FLAC have them.
///
/// A stream of numbers begins on a byte with its parameter, or with `RiceCode.zeros` where every number is 0 and nothing
/// follows. Each number is zigzag-coded; its bits above the parameter are that many 0 bits and a 1, its lower bits follow as they are.
/// The parameter follows the mean of the numbers before. A stream ends with 0 bits up to the next byte.
struct RiceWriter {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingBits = 0

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Appends a little-endian base-128 number.
    mutating func append(number: UInt64) { Base128.append(number, to: &bytes) }

    /// Appends a stream.
    mutating func append(stream numbers: ArraySlice<Int64>) {
        let mean = RiceCode.mean(numbers)
        guard mean > 0 else { return append(byte: RiceCode.zeros) }
        var code = RiceCode(mean: mean)
        append(byte: UInt8(code.parameter))
        for number in numbers { append(number.zigzag, &code) }
        append(0, bits: (8 - pendingBits) % 8)
    }

    private mutating func append(_ number: UInt64, _ code: inout RiceCode) {
        let parameter = code.parameter
        let high = number >> UInt64(parameter)
        if high < RiceCode.escape, Int(high) + parameter < 56 {
            append(1 << UInt64(parameter) | number & (1 << UInt64(parameter) - 1), bits: Int(high) + 1 + parameter)
        } else {
            append(1, bits: Int(RiceCode.escape) + 1)
            append(number >> 32, bits: 32)
            append(number & 0xFFFF_FFFF, bits: 32)
        }
        code.count(number)
    }

    /// Appends the lowest bits, at most 56, of a number that has no others; the highest first.
    private mutating func append(_ number: UInt64, bits: Int) {
        pending = pending << UInt64(bits) | number
        pendingBits += bits
        while pendingBits >= 8 {
            pendingBits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingBits)))
        }
    }
}

/// Reads what a `RiceWriter` wrote.
struct RiceReader {
    private let bytes: [UInt8]
    private var position = 0
    private var pending: UInt64 = 0
    private var pendingBits = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count && pendingBits == 0 }

    /// The next byte; nil at the end.
    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        position += 1
        return bytes[position - 1]
    }

    /// The next little-endian base-128 number; nil where it is cut short or has more than ten bytes.
    mutating func number() -> UInt64? { Base128.read(bytes, at: &position) }

    /// The next stream of so many numbers; nil where there is none.
    mutating func stream(count: Int) -> [Int64]? {
        guard let parameter = byte() else { return nil }
        if parameter == RiceCode.zeros { return [Int64](repeating: 0, count: count) }
        // Each takes a bit at least: a damaged count asks for no memory.
        guard var code = RiceCode(parameter: parameter), count <= (bytes.count - position) * 8 else { return nil }
        var numbers: [Int64] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count {
            guard let number = number(&code) else { return nil }
            numbers.append(Int64(zigzag: number))
        }
        return endStream() ? numbers : nil
    }

    private mutating func number(_ code: inout RiceCode) -> UInt64? {
        let parameter = code.parameter
        guard let high = zeros() else { return nil }
        let number: UInt64
        if high < RiceCode.escape {
            guard let low = read(bits: parameter) else { return nil }
            number = UInt64(high) << UInt64(parameter) | low
        } else {
            guard let high = read(bits: 32), let low = read(bits: 32) else { return nil }
            number = high << 32 | low
        }
        code.count(number)
        return number
    }

    /// The number of 0 bits before the next 1, which is read too; nil where there are more than any code has.
    private mutating func zeros() -> Int? {
        fill()
        guard pending != 0 else { return nil }
        let zeros = pending.leadingZeroBitCount
        guard zeros < pendingBits, zeros <= RiceCode.escape else { return nil }
        skip(zeros + 1)
        return zeros
    }

    private mutating func read(bits: Int) -> UInt64? {
        guard bits > 0 else { return 0 }
        fill()
        guard bits <= pendingBits else { return nil }
        let number = pending >> UInt64(64 - bits)
        skip(bits)
        return number
    }

    private mutating func skip(_ bits: Int) {
        pending <<= UInt64(bits)
        pendingBits -= bits
    }

    /// Holds 57 bits or more, as long as there are that many: the next one is the highest.
    private mutating func fill() {
        while pendingBits <= 56, position < bytes.count {
            pending |= UInt64(bytes[position]) << UInt64(56 - pendingBits)
            position += 1
            pendingBits += 8
        }
    }

    /// Returns to the byte behind the stream; false where the bits up to it are not all 0.
    private mutating func endStream() -> Bool {
        let padding = pendingBits % 8
        guard padding == 0 || pending >> UInt64(64 - padding) == 0 else { return false }
        position -= pendingBits / 8
        (pending, pendingBits) = (0, 0)
        return true
    }
}

/// The parameter of the next Rice code, from the mean of the numbers before.
struct RiceCode {
    /// In the place of a parameter: a stream of zeros.
    static let zeros: UInt8 = 255
    /// So many 0 bits say that the number follows in 64 bits.
    static let escape = 24
    /// Larger numbers count as this one in the mean, which must not overflow.
    static let largestCounted: UInt64 = 1 << 40

    private(set) var parameter: Int
    /// Sixteen times the mean, of which each number moves a sixteenth.
    private var sum: UInt64

    /// The first code where the numbers have this mean, zigzag-coded.
    init(mean: Double) {
        parameter = Self.parameter(sum: UInt64(mean * 16))
        sum = 17 << UInt64(parameter)
    }

    /// The first code of a stream that names its parameter; nil where none has it.
    init?(parameter: UInt8) {
        guard parameter <= 40 else { return nil }
        self.parameter = Int(parameter)
        sum = 17 << UInt64(parameter)
    }

    mutating func count(_ number: UInt64) {
        sum = sum - sum / 16 + min(number, Self.largestCounted)
        parameter = Self.parameter(sum: sum)
    }

    /// The mean of the numbers, zigzag-coded; 0 where there are none.
    static func mean(_ numbers: ArraySlice<Int64>) -> Double {
        numbers.isEmpty ? 0 : Double(numbers.reduce(0) { $0 &+ min($1.zigzag, largestCounted) }) / Double(numbers.count)
    }

    /// The number of bits that the numbers take, about.
    static func bits(_ numbers: ArraySlice<Int64>) -> Double {
        let mean = mean(numbers)
        if mean == 0 { return 0 }
        // The logarithm of the mean to the base 2, by a line between the powers of two.
        return Double(numbers.count) * (mean < 1 ? 1 + mean : Double(mean.exponent) + mean.significand + 1)
    }

    /// The parameter is best near the logarithm of ln 2 times the mean.
    private static func parameter(sum: UInt64) -> Int { 64 - (sum * 11 / 256).leadingZeroBitCount }
}

extension Int64 {
    /// 0, −1, 1, −2 as 0, 1, 2, 3.
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    init(zigzag: UInt64) { self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1) }
}
