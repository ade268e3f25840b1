/// How much a sensor moves, from the acceleration along its axes, which may arrive apart and at different rates.
package struct MotionMeter: Sendable {
    /// Above this many m/s² the wearer counts as moving: rest on a chair gives about 0.1, typing 0.4, walking 2 and more.
    package static let movingAbove = 0.8

    private var means = [Double?](repeating: nil, count: 3)
    private var squares = [Double](repeating: 0, count: 3)

    /// Makes a meter that has seen nothing.
    package init() {}

    /// Takes samples in m/s² of axis 0, 1 or 2, at `rate` a second. What is no number is passed over.
    package mutating func process(_ samples: Span<Float>, axis: Int, rate: Double) {
        guard means.indices.contains(axis), rate > 0 else { return }
        let share = min(1, 1 / (2 * rate))
        for index in samples.indices where abs(samples[index]) < 1e4 {
            let value = Double(samples[index])
            let mean = means[axis] ?? value
            means[axis] = mean + share * (value - mean)
            squares[axis] += share * ((value - mean) * (value - mean) - squares[axis])
        }
    }

    /// The standard deviation over about two seconds, all axes together, in m/s²; nil before the first sample.
    package var intensity: Double? {
        means.contains { $0 != nil } ? squares.reduce(0, +).squareRoot() : nil
    }

    /// Whether the wearer moves.
    package var isMoving: Bool { (intensity ?? 0) > Self.movingAbove }
}
