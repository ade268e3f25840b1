/// Notices when the heart's signal has become a wave without beats, as in ventricular flutter.
///
/// The mean slope over three seconds, relative to the largest: about 0.1 where beats stand apart, 0.2 at the most in the
/// MIT-BIH records and with electrode noise added to them, 0.64 for a sine wave.
struct FlutterWatch: Sendable {
    private static let blocks = 12

    private let blockLength: Int
    private let half: Int
    private var sum: Float = 0
    private var largest: Float = 0
    private var filled = 0
    private var sums = [Float](repeating: 0, count: blocks)
    private var maxima = [Float](repeating: 0, count: blocks)
    private var block = 0
    private var known = 0
    private(set) var isFlutter = false

    init(tickRate: Double) {
        blockLength = max(4, Int(0.25 * tickRate))
        half = max(1, Int((0.025 * tickRate).rounded()))
    }

    mutating func restart() {
        for index in sums.indices { (sums[index], maxima[index]) = (0, 0) }
        (sum, largest, filled, known, isFlutter) = (0, 0, 0, 0, false)
    }

    /// Takes the newest value of the signal itself.
    mutating func step(_ signal: borrowing TickRing, at tick: Int) {
        var rise: Float = 0
        for back in 0..<half { rise += signal[tick - back] - signal[tick - back - half] }
        sum += abs(rise)
        largest = max(largest, abs(rise))
        filled += 1
        if filled == blockLength { judge() }
    }

    private mutating func judge() {
        (sums[block], maxima[block]) = (sum, largest)
        (sum, largest, filled, block) = (0, 0, 0, (block + 1) % Self.blocks)
        known = min(known + 1, Self.blocks)
        let mean = sums.reduce(0, +) / Float(known * blockLength)
        isFlutter = known >= 6 && mean > 0.22 * (maxima.max() ?? 0)
    }
}
