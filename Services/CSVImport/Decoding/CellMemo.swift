/// Remembers the last few bytes seen in a column, so that a name that stays the same from row to row is compared, not read.
struct CellMemo {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var length = -1

    /// Whether the bytes are the ones seen before; if not, they are from now on. Bytes longer than 16 never are.
    ///
    /// The span must go on for eight bytes after `end`.
    @inline(__always)
    mutating func isSame(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Bool {
        let count = end - start
        guard count <= 16 else {
            length = -1
            return false
        }
        let newLow = count == 0 ? 0 : CellMemo.word(bytes, start, min(count, 8))
        let newHigh = count <= 8 ? 0 : CellMemo.word(bytes, start + 8, count - 8)
        if length == count, low == newLow, high == newHigh { return true }
        (low, high, length) = (newLow, newHigh, count)
        return false
    }

    @inline(__always)
    private static func word(_ bytes: RawSpan, _ start: Int, _ count: Int) -> UInt64 {
        bytes.word(start) & (UInt64.max >> UInt64(64 - count * 8))
    }
}
