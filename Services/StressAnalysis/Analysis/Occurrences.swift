/// The times of what recurs in a signal with holes, the beats of a heart: how often it comes, and how long it has not come.
///
/// A value without I/O. Bounded: a minute and a half.
struct Occurrences: Sendable, Codable {
    private static let span = 90.0
    private static let capacity = 512
    /// As many must be known before their absence means something.
    private static let enough = 5

    private var times: [Double] = []
    /// Those behind which the signal has a hole.
    private var holes: [Double] = []
    /// The end of the last hole.
    private var resumed = -Double.infinity
    private var count = 0

    /// Adds one; they come in order.
    mutating func add(_ time: Double) {
        guard time > times.last ?? -.infinity else { return }
        times.append(time)
        count = min(count + 1, Self.enough)
        let old = times.prefix { $0 < time - Self.span }.count
        times.removeFirst(max(old, times.count - Self.capacity))
        holes.removeAll { $0 < time - Self.span }
    }

    /// Notes a hole, behind which the signal goes on at a time: how many there were in it is not known.
    mutating func breakOff(until time: Double) {
        resumed = max(resumed, time)
        if let last = times.last, holes.last != last { holes.append(last) }
    }

    /// The time since the last one, or since the last hole, at a moment up to which the signal is known; nil where too few ever came.
    func silence(at time: Double) -> Double? {
        guard count >= Self.enough, let last = times.last else { return nil }
        return max(0, time - max(last, resumed))
    }

    /// The longest time without one that ended in the seconds before a moment, or has not ended; nil where too few ever came.
    func longestPause(at time: Double, within seconds: Double) -> Double? {
        guard let silence = silence(at: time) else { return nil }
        return intervals(after: time - seconds, through: time).reduce(silence) { max($0, $1) }
    }

    /// How many come in a minute, over the span before a moment: those that came over the time that passed. While the next is overdue the rate is
    /// what it would be if it came now.
    func rate(over span: Double, at time: Double) -> Double? {
        let intervals = intervals(after: time - span, through: time)
        let (sum, number) = (intervals.reduce(0, +), Double(intervals.count))
        let isWatched = (times.last ?? -.infinity) <= time && holes.last != times.last
        let open = isWatched ? times.last.map { time - $0 } ?? 0 : 0
        guard intervals.count >= 3 || (!intervals.isEmpty && sum + open >= 10) else { return nil }
        return 60 * (open > 1.5 * sum / number ? (number + 1) / (sum + open) : number / sum)
    }

    private func intervals(after start: Double, through end: Double) -> [Double] {
        zip(times.dropFirst(), times).filter { $0 > start && $0 <= end && !holes.contains($1) }.map { $0 - $1 }
    }
}
