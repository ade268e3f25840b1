/// The shape of a beat: 64 values, 4 ms apart, from 100 ms before its R peak, smoothed over 20 ms, which also takes out the mains.
package struct BeatShape: Hashable, Sendable, Codable {
    static let count = 64
    static let step = 0.004
    static let before = 0.1
    static let smoothing = 0.02
    /// A coarser signal has no shape that could be told from another.
    static let lowestRate = 100.0
    /// The furthest that two shapes are shifted to lie on each other, in values: a broad beat's R peak is not where a narrow one's is.
    private static let slack = 8

    /// In the signal's unit.
    private(set) var values: [Float]
    /// The time over which the QRS complex is spread, in ms: the standard deviation of the squared slope's place, about a quarter of the complex's width.
    private(set) var breadth: Float

    init(_ values: [Float]) {
        self.values = values
        breadth = Self.breadth(values)
    }

    /// The slope over 16 ms, squared, says where the complex is: P and T waves are slow.
    private static func breadth(_ values: [Float]) -> Float {
        var (sum, first, second): (Float, Float, Float) = (1e-9, 0, 0)
        for index in 0..<max(values.count - 4, 0) {
            let slope = values[index + 4] - values[index]
            let (energy, place) = (slope * slope, Float(index))
            sum += energy
            first += energy * place
            second += energy * place * place
        }
        let mean = first / sum
        return max(second / sum - mean * mean, 0).squareRoot() * Float(1000 * step)
    }

    /// The likeness of two shapes: their correlation where they lie best on each other, −1 to 1.
    func likeness(to other: BeatShape) -> Float {
        guard values.count == Self.count, other.values.count == Self.count else { return 0 }
        var best: Float = -1
        for shift in stride(from: -Self.slack, through: Self.slack, by: 2) { best = max(best, correlation(other, shift)) }
        return best
    }

    private func correlation(_ other: BeatShape, _ shift: Int) -> Float {
        var (x, y, xx, yy, xy): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        for index in Self.slack..<Self.count - Self.slack {
            let (left, right) = (values[index], other.values[index + shift])
            x += left
            y += right
            xx += left * left
            yy += right * right
            xy += left * right
        }
        let count = Float(Self.count - 2 * Self.slack)
        let spread = max(xx - x * x / count, 0) * max(yy - y * y / count, 0)
        return (xy - x * y / count) / (spread.squareRoot() + 1e-9)
    }

    /// Moves towards another shape by a part of the difference.
    mutating func approach(_ other: BeatShape, by part: Float) {
        for index in values.indices where index < other.values.count { values[index] += part * (other.values[index] - values[index]) }
        breadth += part * (other.breadth - breadth)
    }
}

extension PeakFinder {
    /// The shape of the beat at a position, while the samples around it are kept; nil where they are not.
    /// - Parameter next: the position of the sample that comes next.
    func shape(at position: Int64, next: Int64, rate: Double) -> BeatShape? {
        let width = Int((BeatShape.smoothing * rate).rounded())
        let first = Double(position) - BeatShape.before * rate
        let last = first + Double(BeatShape.count) * BeatShape.step * rate + Double(width)
        guard rate >= BeatShape.lowestRate, last < Double(next), first - Double(width) > max(0, Double(next) - Double(capacity)) else {
            return nil
        }
        return BeatShape(
            (0..<BeatShape.count).map { index in
                let place = first + Double(index) * BeatShape.step * rate
                let low = Int(place)
                let part = Float(place - Double(low))
                let left = mean(around: low, width: width)
                return left + part * (mean(around: low + 1, width: width) - left)
            })
    }
}
