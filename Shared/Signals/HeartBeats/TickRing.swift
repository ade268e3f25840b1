/// The last seconds of a slow series, by the number of its tick.
struct TickRing: Sendable {
    private let mask: Int
    private var values: [Float]

    init(capacity: Int) {
        let size = capacity.roundedUpToPowerOfTwo
        mask = size - 1
        values = Array(repeating: 0, count: size)
    }

    var capacity: Int { mask + 1 }

    subscript(tick: Int) -> Float {
        @inline(__always) get { values[tick & mask] }
        @inline(__always) set { values[tick & mask] = newValue }
    }

    /// The sum of squares of `count` values; never 0, so that it can divide.
    func energy(from start: Int, count: Int) -> Float {
        var sum: Float = 1e-12
        for tick in start..<(start + count) { sum += self[tick] * self[tick] }
        return sum
    }

    mutating func clear() {
        for index in values.indices { values[index] = 0 }
    }
}
