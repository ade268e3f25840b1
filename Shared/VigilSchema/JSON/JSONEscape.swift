/// Backslash escapes in JSON strings (RFC 8259, section 7).
enum JSONEscape {
    /// Checks the escape at `index`, which holds a backslash, and returns the index after it.
    static func skip(_ bytes: Span<UInt8>, at index: Int) throws(JSONError) -> Int {
        guard index + 1 < bytes.count else { throw JSONError(.malformed, "a string does not end", at: index) }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"): return try scalar(bytes, at: index).end
        default: throw JSONError(.malformed, "an unknown escape stands in a string", at: index)
        }
    }

    /// The string that the raw bytes mean. They have been read by `JSONCursor.string`.
    static func unescape(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == 0x5C else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if bytes[index + 1] == UInt8(ascii: "u") {
                let (scalar, end) = try scalar(bytes, at: index)
                result.append(contentsOf: String(Character(scalar)).utf8)
                index = end
            } else {
                result.append(simple(bytes[index + 1]))
                index += 2
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func simple(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Reads `\uXXXX`, or two of them that make a surrogate pair.
    private static func scalar(_ bytes: Span<UInt8>, at index: Int) throws(JSONError) -> (scalar: Unicode.Scalar, end: Int) {
        let first = try unit(bytes, at: index)
        if let scalar = Unicode.Scalar(first) { return (scalar, index + 6) }
        guard first < 0xDC00, index + 7 < bytes.count, bytes[index + 6] == 0x5C, bytes[index + 7] == UInt8(ascii: "u") else {
            throw JSONError(.malformed, "half of a surrogate pair stands in a string", at: index)
        }
        let second = try unit(bytes, at: index + 6)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw JSONError(.malformed, "half of a surrogate pair stands in a string", at: index) }
        return (scalar, index + 12)
    }

    private static func unit(_ bytes: Span<UInt8>, at index: Int) throws(JSONError) -> UInt16 {
        guard index + 5 < bytes.count else {
            throw JSONError(.malformed, "an escape is cut short", at: index)
        }
        var unit: UInt16 = 0
        for place in index + 2...index + 5 {
            guard let digit = hexadecimal(bytes[place]) else {
                throw JSONError(.malformed, "an escape is not four hexadecimal digits", at: index)
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte - 0x30)
        case 0x41...0x46: UInt16(byte - 0x37)
        case 0x61...0x66: UInt16(byte - 0x57)
        default: nil
        }
    }
}
