import VigilSchema

extension CBORCursor {
    /// Reads a text of definite length.
    mutating func text(_ bytes: Span<UInt8>) throws(CBORError) -> String {
        let head = try head(bytes)
        guard head.major == .text else { throw CBORError(.wrongType, "a text is expected", at: head.offset) }
        let range = try content(of: head, bytes)
        try checkText(range, bytes)
        return String(decoding: bytes, range)
    }

    /// Reads a number: an integer, a float of any width, or a decimal fraction (tag 4). May be infinite, or no number at all.
    mutating func number(_ bytes: Span<UInt8>) throws(CBORError) -> Double {
        let head = try head(bytes)
        switch (head.major, head.argument) {
        case (.unsigned, let value?): return Double(value)
        case (.negative, let value?): return -1 - Double(value)
        case (.tag, 4?): return try decimalFraction(bytes)
        case (.simple, let bits?) where head.information == 25: return Double(Float16(bitPattern: UInt16(bits)))
        case (.simple, let bits?) where head.information == 26: return Double(Float(bitPattern: UInt32(bits)))
        case (.simple, let bits?) where head.information == 27: return Double(bitPattern: bits)
        default: throw CBORError(.wrongType, "a number is expected", at: head.offset)
        }
    }

    /// Reads true or false.
    mutating func boolean(_ bytes: Span<UInt8>) throws(CBORError) -> Bool {
        let head = try head(bytes)
        guard head.major == .simple, head.information == 20 || head.information == 21 else {
            throw CBORError(.wrongType, "true or false is expected", at: head.offset)
        }
        return head.information == 21
    }

    /// Reads an integer that fits; nil where it does not.
    mutating func integer(_ bytes: Span<UInt8>) throws(CBORError) -> Int64? {
        let head = try head(bytes)
        switch (head.major, head.argument) {
        case (.unsigned, let value?): return Int64(exactly: value)
        case (.negative, let value?): return Int64(exactly: value).map { -1 - $0 }
        default: throw CBORError(.wrongType, "a whole number is expected", at: head.offset)
        }
    }

    /// The array [exponent, mantissa] of a decimal fraction, `mantissa × 10^exponent` (RFC 8949, section 3.4.4).
    private mutating func decimalFraction(_ bytes: Span<UInt8>) throws(CBORError) -> Double {
        let head = try head(bytes)
        guard head.major == .array, head.argument == 2 else {
            throw CBORError(.wrongType, "a decimal fraction is an array of two whole numbers", at: head.offset)
        }
        guard let exponent = try integer(bytes), let mantissa = try integer(bytes), exponent.magnitude <= 400 else {
            throw CBORError(.notFinite, "a decimal fraction is too large", at: head.offset)
        }
        // The text's conversion rounds once, where a multiplication of doubles would round twice.
        return Double("\(mantissa)e\(exponent)") ?? .nan
    }
}
