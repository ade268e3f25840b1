/// Unsigned numbers of any size in as few bytes as they need: little-endian base 128 (LEB128).
enum Base128 {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The number at a position, which moves behind it; nil if it is cut short or has more than ten bytes.
    static func read(_ bytes: [UInt8], at position: inout Int) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return number }
        }
        return nil
    }
}
