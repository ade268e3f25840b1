import VigilSchema

/// A place in CBOR bytes, moved forward by reading. It checks what it reads against RFC 8949, and trusts no length.
struct CBORCursor {
    /// The next byte.
    private(set) var offset = 0

    /// Deeper items are refused, so that no payload can exhaust the stack.
    static let maximumDepth = JSONCursor.maximumDepth

    /// Goes back to an item, to read it another way.
    mutating func rewind(to head: CBORHead) { offset = head.offset }

    /// The next item's first byte, or nil at the end.
    func peek(_ bytes: Span<UInt8>) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Takes a break, if it comes next.
    mutating func takeBreak(_ bytes: Span<UInt8>) -> Bool {
        guard peek(bytes) == 0xFF else { return false }
        offset += 1
        return true
    }

    /// Nothing may follow.
    func expectEnd(_ bytes: Span<UInt8>) throws(CBORError) {
        guard offset == bytes.count else { throw CBORError(.malformed, "something follows the document", at: offset) }
    }

    /// Reads an item's head.
    mutating func head(_ bytes: Span<UInt8>) throws(CBORError) -> CBORHead {
        let start = offset
        guard let first = peek(bytes), let major = CBORHead.Major(rawValue: first >> 5) else {
            throw CBORError(.malformed, "the bytes end where an item is expected", at: start)
        }
        let information = first & 0x1F
        offset += 1
        let argument: UInt64?
        switch information {
        case 0..<24: argument = UInt64(information)
        case 24...27: argument = try bigEndian(1 << Int(information - 24), bytes)
        case 31 where (2...5).contains(major.rawValue) || major == .simple: argument = nil
        default: throw CBORError(.malformed, "an item starts with a reserved value", at: start)
        }
        if major == .simple, information == 24, let argument, argument < 32 {
            throw CBORError(.malformed, "a simple value is not well formed", at: start)
        }
        return CBORHead(offset: start, major: major, argument: argument, information: information)
    }

    /// The bytes of a string of definite length, whose head was just read.
    mutating func content(of head: CBORHead, _ bytes: Span<UInt8>) throws(CBORError) -> Range<Int> {
        guard let argument = head.argument else {
            throw CBORError(.unsupported, "a string must have a definite length", at: head.offset)
        }
        guard argument <= UInt64(bytes.count - offset) else {
            throw CBORError(.malformed, "a string is longer than the bytes", at: head.offset)
        }
        let range = offset..<offset + Int(argument)
        offset = range.upperBound
        return range
    }

    private mutating func bigEndian(_ count: Int, _ bytes: Span<UInt8>) throws(CBORError) -> UInt64 {
        guard count <= bytes.count - offset else { throw CBORError(.malformed, "an item is cut short", at: offset - 1) }
        var value: UInt64 = 0
        for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
        offset += count
        return value
    }
}

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

extension CBORCursor {
    /// Reads past any item, checking that it is well formed.
    mutating func skip(_ bytes: Span<UInt8>, depth: Int = 0) throws(CBORError) {
        let head = try head(bytes)
        guard depth < CBORCursor.maximumDepth else { throw CBORError(.tooLarge, "nested deeper than 32 levels", at: head.offset) }
        switch head.major {
        case .unsigned, .negative: return
        case .bytes, .text: try skipString(head, bytes)
        case .array: try skipItems(head, perEntry: 1, bytes, depth: depth)
        case .map: try skipItems(head, perEntry: 2, bytes, depth: depth)
        case .tag: try skip(bytes, depth: depth + 1)
        case .simple:
            if head.isBreak { throw CBORError(.malformed, "a break stands where an item is expected", at: head.offset) }
        }
    }

    private mutating func skipString(_ head: CBORHead, _ bytes: Span<UInt8>) throws(CBORError) {
        guard head.argument == nil else {
            let range = try content(of: head, bytes)
            if head.major == .text { try checkText(range, bytes) }
            return
        }
        while !takeBreak(bytes) {
            let chunk = try self.head(bytes)
            guard chunk.major == head.major, chunk.argument != nil else {
                throw CBORError(.malformed, "a string's chunk is of another type", at: chunk.offset)
            }
            try skipString(chunk, bytes)
        }
    }

    private mutating func skipItems(
        _ head: CBORHead, perEntry: Int, _ bytes: Span<UInt8>, depth: Int
    ) throws(CBORError) {
        var left = head.argument
        while left != 0 {
            if left == nil, takeBreak(bytes) { return }
            for _ in 0..<perEntry { try skip(bytes, depth: depth + 1) }
            left = left.map { $0 - 1 }
        }
    }

    /// Text must be UTF-8.
    func checkText(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(CBORError) {
        do {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw CBORError(.malformed, "the bytes are not UTF-8", at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }
}

/// The first part of a CBOR data item: what it is, and its argument (RFC 8949, section 3).
struct CBORHead {
    /// The major types, by number.
    enum Major: UInt8 {
        case unsigned = 0
        case negative = 1
        case bytes = 2
        case text = 3
        case array = 4
        case map = 5
        case tag = 6
        case simple = 7
    }

    /// The offset of the item.
    let offset: Int
    let major: Major
    /// The value, the length, the tag or the bits of a float; nil for an indefinite length or a break.
    let argument: UInt64?
    /// The low five bits of the first byte: for simple values and floats they tell which.
    let information: UInt8

    var isBreak: Bool { major == .simple && information == 31 }
}

/// The place and the reason where bytes are not the CBOR that was expected.
struct CBORError: Error {
    let code: PayloadError.Code
    let reason: StaticReason
    let offset: Int

    init(_ code: PayloadError.Code, _ reason: StaticReason, at offset: Int) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }

    /// The same, at a path.
    func at(_ path: String) -> PayloadError { PayloadError(code, reason.text, offset: offset, path: path) }
}
