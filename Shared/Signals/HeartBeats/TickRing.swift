/// The last seconds of a slow series, by the number of its tick.
///
/// Every value is kept twice, one capacity apart, so that any stretch of it lies in one piece.
struct TickRing: Sendable, Codable {
    private let mask: Int
    private var values: [Float]

    init(capacity: Int) {
        let size = capacity.roundedUpToPowerOfTwo
        mask = size - 1
        values = Array(repeating: 0, count: 2 * size)
    }

    var capacity: Int { mask + 1 }

    subscript(tick: Int) -> Float {
        @inline(__always) get { values[tick & mask] }
        @inline(__always) set {
            values[tick & mask] = newValue
            values[(tick & mask) + mask + 1] = newValue
        }
    }

    /// The sum of squares of `count` values; never 0, so that it can divide.
    @inline(__always)
    func energy(from start: Int, count: Int) -> Float {
        let first = start & mask
        return 1e-12 + Self.product(values.span.extracting(first..<first + count), values.span.extracting(first..<first + count))
    }

    /// The sum of products of the values from `start` on with as many others.
    @inline(__always)
    func product(from start: Int, with others: Span<Float>) -> Float {
        let first = start & mask
        return Self.product(values.span.extracting(first..<first + others.count), others)
    }

    mutating func clear() {
        for index in values.indices { values[index] = 0 }
    }

    /// Four sums side by side: the processor need not wait for one addition before it starts the next.
    ///
    /// Both have the same count; the indices stay below it, so that they need no check of their own in this hottest loop.
    @inline(__always)
    static func product(_ left: Span<Float>, _ right: Span<Float>) -> Float {
        let count = min(left.count, right.count)
        var sums = SIMD4<Float>()
        var index = 0
        while index &+ 4 <= count {
            sums += unsafe four(left, index) * four(right, index)
            index &+= 4
        }
        var rest = sums.sum()
        while index < count {
            rest += unsafe left[unchecked: index] * right[unchecked: index]
            index &+= 1
        }
        return rest
    }

    @unsafe @inline(__always)
    private static func four(_ values: Span<Float>, _ index: Int) -> SIMD4<Float> {
        unsafe SIMD4(
            values[unchecked: index], values[unchecked: index &+ 1], values[unchecked: index &+ 2], values[unchecked: index &+ 3])
    }
}
