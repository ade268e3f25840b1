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
