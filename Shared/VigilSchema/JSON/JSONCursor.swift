/// A place in JSON text, moved forward by reading. It checks what it reads against RFC 8259, and allocates nothing.
///
/// The bytes are passed to each call rather than held: a `Span` cannot be stored without a lifetime.
package struct JSONCursor {
    /// The next byte.
    package var offset: Int

    package init(offset: Int) { self.offset = offset }

    /// A cursor that many bytes further on.
    @inline(__always)
    func advanced(by count: Int) -> JSONCursor { JSONCursor(offset: offset &+ count) }

    /// The byte at the cursor after white space, or 0 at the end.
    @inline(__always)
    package mutating func peek(_ bytes: Span<UInt8>) -> UInt8 {
        while offset < bytes.count {
            let byte = bytes[offset]
            // Nearly always at once: what is no white space lies above it.
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            offset &+= 1
        }
        return 0
    }

    /// Takes the character if it comes next.
    @inline(__always)
    package mutating func take(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
        guard peek(bytes) == UInt8(ascii: character), offset < bytes.count else { return false }
        offset += 1
        return true
    }

    /// Takes the character, which must come next.
    @inline(__always)
    package mutating func expect(_ character: Unicode.Scalar, _ reason: StaticReason, _ bytes: Span<UInt8>) throws(JSONError) {
        guard take(character, bytes) else { throw JSONError(.malformed, reason, at: offset) }
    }

    /// Nothing but white space may follow.
    package mutating func expectEnd(_ bytes: Span<UInt8>) throws(JSONError) {
        _ = peek(bytes)
        guard offset == bytes.count else { throw JSONError(.malformed, "something follows the document", at: offset) }
    }

    /// Reads a string's raw bytes, without its quotes.
    @inline(__always)
    package mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> RawString {
        guard peek(bytes) == 0x22 else { throw JSONError(.wrongType, "a string is expected", at: offset) }
        let start = offset + 1
        var index = start
        var isEscaped = false
        while index < bytes.count {
            if let word = JSONWord(bytes, at: index) {
                // A branch, which is foreseen, in place of a sum that the next load would have to wait for.
                guard !word.isPlain else {
                    index &+= 8
                    continue
                }
                index &+= word.plainPrefix
            }
            let byte = bytes[index]
            if byte == 0x22 {
                offset = index + 1
                return RawString(range: start..<index, isEscaped: isEscaped)
            }
            if byte < 0x20 { throw JSONError(.malformed, "a control character stands in a string", at: index) }
            if byte == 0x5C {
                isEscaped = true
                index = try JSONEscape.skip(bytes, at: index)
            } else {
                index += 1
            }
        }
        throw JSONError(.malformed, "a string does not end", at: offset)
    }

    /// Reads a key and its colon.
    @inline(__always)
    package mutating func key(_ bytes: Span<UInt8>) throws(JSONError) -> RawString {
        guard peek(bytes) == 0x22 else { throw JSONError(.malformed, "a key in quotes is expected", at: offset) }
        let key = try string(bytes)
        try expect(":", "a colon is expected", bytes)
        return key
    }

    /// Reads a key and its colon, as `RawString.packed` has it: in one pass, which is the usual way through a document.
    @inline(__always)
    mutating func packedKey(_ bytes: Span<UInt8>) throws(JSONError) -> UInt64 {
        guard peek(bytes) == 0x22 else { throw JSONError(.malformed, "a key in quotes is expected", at: offset) }
        if let word = JSONWord(bytes, at: offset &+ 1) {
            let length = word.plainPrefix
            if length < 8, bytes[offset &+ 1 &+ length] == 0x22 {
                offset = offset &+ length &+ 2
                try expect(":", "a colon is expected", bytes)
                return word.prefix(length)
            }
        }
        return try key(bytes).packed(bytes)
    }

    /// After a member or an element: true where another follows, false where the container ends (and is left behind).
    @inline(__always)
    package mutating func another(closing: Unicode.Scalar, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        if take(",", bytes) { return true }
        if take(closing, bytes) { return false }
        throw JSONError(.malformed, "a comma or the end of the object or array is expected", at: offset)
    }

    /// Reads past any value, checking it.
    package mutating func skipValue(_ bytes: Span<UInt8>, depth: Int = 0) throws(JSONError) {
        guard depth < JSONCursor.maximumDepth else { throw JSONError(.tooLarge, "nested deeper than 32 levels", at: offset) }
        switch peek(bytes) {
        case 0x22: _ = try string(bytes)
        case UInt8(ascii: "{"): try skipObject(bytes, depth: depth)
        case UInt8(ascii: "["): try skipArray(bytes, depth: depth)
        case UInt8(ascii: "-"), 0x30...0x39: _ = try JSONNumber.scan(bytes, &offset)
        case UInt8(ascii: "t"): try literal([0x74, 0x72, 0x75, 0x65], bytes)
        case UInt8(ascii: "f"): try literal([0x66, 0x61, 0x6C, 0x73, 0x65], bytes)
        case UInt8(ascii: "n"): try literal([0x6E, 0x75, 0x6C, 0x6C], bytes)
        default: throw JSONError(.malformed, "a JSON value is expected", at: offset)
        }
    }

    /// Deeper documents are refused, so that no payload can exhaust the stack.
    package static let maximumDepth = 32

    private mutating func skipObject(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        offset += 1
        if take("}", bytes) { return }
        repeat {
            _ = try key(bytes)
            try skipValue(bytes, depth: depth + 1)
        } while try another(closing: "}", bytes)
    }

    private mutating func skipArray(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        offset += 1
        if take("]", bytes) { return }
        repeat {
            try skipValue(bytes, depth: depth + 1)
        } while try another(closing: "]", bytes)
    }

    private mutating func literal(_ expected: [UInt8], _ bytes: Span<UInt8>) throws(JSONError) {
        for (index, byte) in expected.enumerated() where offset + index >= bytes.count || bytes[offset + index] != byte {
            throw JSONError(.malformed, "a JSON value is expected", at: offset)
        }
        offset += expected.count
    }
}
