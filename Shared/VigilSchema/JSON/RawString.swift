/// A JSON string as it stands in the text, without its quotes.
package struct RawString {
    // Two whole words, because an odd size is copied in pieces that the processor has to wait for.
    private let start: Int
    private let countAndEscape: Int

    @inline(__always)
    package init(range: Range<Int>, isEscaped: Bool) {
        start = range.lowerBound
        countAndEscape = range.count << 1 | (isEscaped ? 1 : 0)
    }

    /// The range of its bytes.
    @inline(__always)
    package var range: Range<Int> { Range(uncheckedBounds: (start, start &+ countAndEscape >> 1)) }
    /// A Boolean value that indicates whether a backslash occurs, so that the bytes are not the string's own.
    @inline(__always)
    package var isEscaped: Bool { countAndEscape & 1 != 0 }

    /// Its first eight bytes as a little-endian number, for comparing short keys at once; 0 if longer, empty or escaped.
    @inline(__always)
    package func packed(_ bytes: Span<UInt8>) -> UInt64 {
        range.count <= 8 && !isEscaped ? leading(bytes) : 0
    }

    /// Its first eight bytes as a little-endian number, 0 standing behind the last of fewer.
    @inline(__always)
    package func leading(_ bytes: Span<UInt8>) -> UInt64 {
        if let word = JSONWord(bytes, at: range.lowerBound) { return range.count < 8 ? word.prefix(range.count) : word.bits }
        var leading: UInt64 = 0
        for place in 0..<min(range.count, 8) { leading |= UInt64(bytes[range.lowerBound + place]) << UInt64(8 * place) }
        return leading
    }

    /// The string. The bytes are known to be valid UTF-8, the payload as a whole having been checked.
    package func text(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        if isEscaped { return try JSONEscape.unescape(bytes, range) }
        return String(decoding: bytes, range)
    }

    /// The string, of a payload that `JSONText` has checked.
    package func checkedText(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        if isEscaped { return try JSONEscape.unescape(bytes, range) }
        return String(copying: UTF8Span(unchecked: bytes.extracting(range)))
    }

    /// Returns whether it is just this text.
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
        if let valid = try? UTF8Span(validating: bytes.extracting(range)) {
            self.init(copying: valid)
        } else {
            self.init(decoding: range.map { bytes[$0] }, as: UTF8.self)
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

/// Eight bytes of JSON text looked at at once, the first of them lowest ("SIMD within a register": Lamport, "Multiple byte processing
/// with full-word instructions", 1975; Mula, "SWAR: find any byte from set").
struct JSONWord {
    let bits: UInt64

    /// The eight bytes at an index; nil where fewer follow.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, at index: Int) {
        guard index &+ 8 <= bytes.count, index >= 0 else { return nil }
        // Any eight bytes are a number, and that they are there was checked.
        bits = UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// A Boolean value that indicates whether no byte is a quote, a backslash or a control character.
    @inline(__always)
    var isPlain: Bool { specials == 0 }

    /// The number of bytes that stand before the first that is a quote, a backslash or a control character; 8 where none is.
    @inline(__always)
    var plainPrefix: Int { specials.trailingZeroBitCount >> 3 }

    /// The high bit of each byte that is a quote, a backslash or a control character, and of some behind the first.
    @inline(__always)
    private var specials: UInt64 {
        let quote = bits ^ 0x2222_2222_2222_2222
        let backslash = bits ^ 0x5C5C_5C5C_5C5C_5C5C
        // A byte is found where the subtraction borrows; what it finds wrongly stands after a byte rightly found.
        return
            (((quote &- Self.ones) & ~quote) | ((backslash &- Self.ones) & ~backslash) | ((bits &- 0x2020_2020_2020_2020) & ~bits))
            & Self.highs
    }

    /// The bytes before the first `count` as a number, the others being 0.
    @inline(__always)
    func prefix(_ count: Int) -> UInt64 { bits & ((1 &<< UInt64(truncatingIfNeeded: 8 &* count)) &- 1) }

    /// The number that eight digits mean; nil where not all are digits (Lemire, "Quickly parsing eight digits", 2018).
    @inline(__always)
    var eightDigits: UInt64? {
        guard bits & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030,
            (bits &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
        else { return nil }
        let digits = bits & 0x0F0F_0F0F_0F0F_0F0F
        let pairs = (digits &* 10) &+ (digits &>> 8)
        let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return (low &+ high) &>> 32
    }
}
