/// The wearer's last intervals: what to expect next, and how irregular the rhythm is.
struct RhythmHistory: Sendable {
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
        guard interval > 0.3, interval < 2 else { return }
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
