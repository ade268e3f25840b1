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

    /// How many bytes stand before the first that is a quote, a backslash or a control character; 8 where none is.
    @inline(__always)
    var plainPrefix: Int {
        let quote = bits ^ 0x2222_2222_2222_2222
        let backslash = bits ^ 0x5C5C_5C5C_5C5C_5C5C
        // A byte is found where the subtraction borrows; what it finds wrongly stands after a byte rightly found.
        let found =
            ((quote &- Self.ones) & ~quote) | ((backslash &- Self.ones) & ~backslash) | ((bits &- 0x2020_2020_2020_2020) & ~bits)
        return (found & Self.highs).trailingZeroBitCount >> 3
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
