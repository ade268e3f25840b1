/// The wearer's last intervals: what to expect next, and how irregular the rhythm is.
struct RhythmHistory: Sendable, Codable {
    private var intervals: [Float] = []
    private var changes: [Float] = []
    private var sorted: [Float] = []
    private var last: Float?

    init() {
        intervals.reserveCapacity(10)
        changes.reserveCapacity(42)
        sorted.reserveCapacity(42)
    }

    /// Adds the interval between two beats, in seconds. A calm one also tells of the rhythm's irregularity.
    mutating func add(_ interval: Float, isCalm: Bool) {
        defer { last = interval }
        guard interval > 0.25, interval < 2 else { return }
        intervals.append(interval)
        if intervals.count > 9 { intervals.removeFirst() }
        guard isCalm, let last, last < 2.5 else { return }
        changes.append(abs(Float.log(interval / last)))
        if changes.count > 40 { changes.removeFirst() }
    }

    /// The median of the last nine intervals, in seconds.
    mutating func expected() -> Float { median(intervals) ?? 0.8 }

    /// The median change from one interval to the next, as a log ratio.
    mutating func irregularity() -> Float { changes.count > 5 ? median(changes) ?? 0.05 : 0.05 }

    private mutating func median(_ values: [Float]) -> Float? {
        guard !values.isEmpty else { return nil }
        sorted.removeAll(keepingCapacity: true)
        sorted.append(contentsOf: values)
        sorted.sort()
        return sorted[sorted.count / 2]
    }
}

/// Chooses, among candidates, the train of beats that is most plausible as a whole: shapes and rhythm together.
///
/// Dynamic programming (A. Viterbi, IEEE Trans. Inf. Theory 13(2): 260–269, 1967) over the pending candidates of a few
/// seconds: a beat earns its log odds and pays for an interval unlike the wearer's.
struct RhythmPath: Sendable, Codable {
    /// The interval that the rhythm leads to expect, in seconds.
    var expected: Float
    /// The scatter of the intervals around it, as a log ratio; large for an irregular rhythm.
    var spread: Float

    private static let weight: Float = 1.5
    private static let bias: Float = 2
    private static let refractory: Float = 0.25

    private var scores: [Float] = []
    private var origins: [Int] = []

    init(capacity: Int) {
        (expected, spread) = (0.8, 0.4)
        scores.reserveCapacity(capacity)
        origins.reserveCapacity(capacity)
    }

    /// Returns whether the first of the candidates, which must be in order of time, is a beat.
    ///
    /// `previous` is the time of the last beat that was decided, `now` how far the signal is known, both in seconds from
    /// the first candidate.
    mutating func firstIsBeat(_ candidates: [BeatCandidate], rate: Float, previous: Float?, now: Float) -> Bool {
        scores.removeAll(keepingCapacity: true)
        origins.removeAll(keepingCapacity: true)
        var (highest, end) = (previous.map { -closing(now - $0) } ?? 0, -1)
        for index in candidates.indices {
            let time = Float(candidates[index].centre - candidates[0].centre) / rate
            let own = candidates[index].logOdds + Self.bias
            var best = own + (previous.map { -cost(time - $0) } ?? -3)
            var origin = -1
            for earlier in 0..<index {
                let interval = Float(candidates[index].centre - candidates[earlier].centre) / rate
                let value = scores[earlier] + own - cost(interval)
                if value > best { (best, origin) = (value, earlier) }
            }
            scores.append(best)
            origins.append(origin)
            if best - closing(now - time) > highest { (highest, end) = (best - closing(now - time), index) }
        }
        while end > 0 { end = origins[end] }
        return end == 0
    }

    private func cost(_ interval: Float) -> Float {
        guard interval >= Self.refractory else { return .infinity }
        let ratio = Float.log(interval / expected) / spread
        return Self.weight * (ratio < 0 ? min(-ratio, 2) : min(ratio, 6))
    }

    /// The cost of the silence since the last beat of a path; none for a short one.
    private func closing(_ interval: Float) -> Float {
        Self.weight * max(0, min(Float.log(max(interval, 0.01) / expected) / spread, 6))
    }
}
