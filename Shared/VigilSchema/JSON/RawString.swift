/// A JSON string as it stands in the text, without its quotes.
package struct RawString {
    /// Where its bytes stand.
    package let range: Range<Int>
    /// Whether a backslash occurs, so that the bytes are not the string's own.
    package let isEscaped: Bool

    /// Its first eight bytes as a little-endian number, for comparing short keys at once; 0 if longer, empty or escaped.
    @inline(__always)
    package func packed(_ bytes: Span<UInt8>) -> UInt64 {
        guard range.count <= 8, !isEscaped else { return 0 }
        var packed: UInt64 = 0
        var shift: UInt64 = 0
        for index in range {
            packed |= UInt64(bytes[index]) << shift
            shift += 8
        }
        return packed
    }

    /// The string. The bytes are known to be valid UTF-8, the payload as a whole having been checked.
    package func text(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        if isEscaped { return try JSONEscape.unescape(bytes, range) }
        return String(decoding: bytes, range)
    }

    /// Whether it is just this text.
    @inline(__always)
    package func equals(_ text: String, _ bytes: Span<UInt8>) -> Bool {
        let utf8 = text.utf8
        guard !isEscaped, utf8.count == range.count else { return false }
        var index = range.lowerBound
        for byte in utf8 {
            if bytes[index] != byte { return false }
            index += 1
        }
        return true
    }
}

extension String {
    /// Makes a string of bytes that are valid UTF-8; others are replaced by U+FFFD.
    package init(decoding bytes: Span<UInt8>, _ range: Range<Int>) {
        self.init(unsafeUninitializedCapacity: range.count) { buffer in
            for (place, index) in range.enumerated() { buffer[place] = bytes[index] }
            return range.count
        }
    }
}

extension UInt64 {
    /// A key of at most eight ASCII characters, packed as `RawString.packed` does.
    init(key: StaticString) {
        self = 0
        for (index, byte) in key.description.utf8.prefix(8).enumerated() { self |= UInt64(byte) << UInt64(8 * index) }
    }
}
