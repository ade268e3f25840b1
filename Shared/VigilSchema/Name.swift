/// The rule for the names that stand as a level of a topic: 1–64 of `A-Za-z0-9_.-`.
public enum Name {
    /// The longest name, in bytes.
    public static let maximumLength = 64

    /// Returns whether the name may stand as one level of a topic.
    public static func isValid(_ name: some StringProtocol) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= maximumLength && bytes.allSatisfy(isAllowed)
    }

    /// The same, for what most names are.
    public static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8Span.span
        guard !bytes.isEmpty, bytes.count <= maximumLength else { return false }
        for place in bytes.indices where !isAllowed(bytes[place]) { return false }
        return true
    }

    /// Returns whether the byte may occur in a name.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A name by its length, its first eight bytes and its last eight, which tells most names apart without a look at each byte.
struct NameKey: Hashable {
    private let first: UInt64
    private let last: UInt64
    private let count: Int

    init(_ name: [UInt8]) { self.init(name.span, name.indices) }

    /// The key of the bytes in a range.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        count = range.count
        first = NameKey.word(bytes, range.lowerBound, min(8, count))
        last = count > 8 ? NameKey.word(bytes, range.upperBound &- 8, 8) : 0
    }

    /// A Boolean value that indicates whether it holds all of the name's bytes.
    var isWhole: Bool { count <= 16 }

    /// For a table whose size is a power of two.
    @inline(__always)
    var hash: Int {
        let mixed = (first ^ (last &* 0x9E37_79B9_7F4A_7C15)) &* 0xFF51_AFD7_ED55_8CCD
        return Int(truncatingIfNeeded: mixed &>> 40) ^ count
    }

    @inline(__always)
    private static func word(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        if let word = JSONWord(bytes, at: start) { return count == 8 ? word.bits : word.prefix(count) }
        var packed: UInt64 = 0
        for place in 0..<count { packed |= UInt64(bytes[start + place]) << UInt64(8 * place) }
        return packed
    }
}
