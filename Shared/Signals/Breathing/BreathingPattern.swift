/// What a train of breaths amounts to over a window: the rate, and whether it is regular enough to mean something.
package struct BreathingPattern: Hashable, Sendable {
    /// Breaths a minute: 60 over the mean interval.
    package var rate: Double
    /// The coefficient of variation of the intervals: 0.1–0.25 at rest, more while speaking, sighing or moving.
    package var irregularity: Double

    /// Above this the breathing counts as irregular (speech): then its rate says nothing of arousal.
    package static let irregularLimit = 0.35

    /// Whether the breathing is too irregular to be scored.
    package var isIrregular: Bool { irregularity > Self.irregularLimit }

    /// The pattern of the breaths at `times` (seconds, ascending); nil for fewer than three.
    package init?(times: [Double]) {
        guard let first = times.first, let last = times.last, times.count > 2, last > first else { return nil }
        let count = Double(times.count - 1)
        let mean = (last - first) / count
        var squares = 0.0
        for index in 1..<times.count {
            let deviation = times[index] - times[index - 1] - mean
            squares += deviation * deviation
        }
        rate = 60 / mean
        irregularity = (squares / count).squareRoot() / mean
    }
}
