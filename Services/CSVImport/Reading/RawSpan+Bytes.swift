/// Reading plain bytes and words, which every bit pattern is valid for; both trap outside the span.
extension RawSpan {
    /// The byte at an offset.
    @inline(__always) func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// The eight bytes from an offset, the first in the lowest byte.
    @inline(__always) func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

/// Eight bytes in one word: the high bit of each byte that equals the pattern's is set.
///
/// Only the lowest set bit is exact (a borrow may set one above a match), which is all that a search needs.
/// Source: "Hacker's Delight", 2nd edition, section 6-1.
@inline(__always) func matches(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
    let difference = word ^ pattern
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
}
