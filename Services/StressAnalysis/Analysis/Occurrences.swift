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
    /// The time that the holes since the last one may hide at most, were it as usual; nil where it is not known.
    private var hidden: Double?
    /// Those behind which others may have been missed, and the end of the last such time; nil for none.
    private var doubts: [Double]?
    private var cleared: Double?
    /// Those behind which they could not be found at all for a while, and its end; nil for none.
    private var losses: [Double]?
    private var lost: Double?
    /// The last time without one that ended behind a hole; nil for none.
    private var broken: Silence?

    private struct Silence: Sendable, Codable {
        var end: Double
        var length: Double
    }

    /// The time of the last one.
    var last: Double? { times.last }

    /// Adds one; they come in order.
    mutating func add(_ time: Double) {
        guard time > times.last ?? -.infinity else { return }
        if let last, holes.last == last, doubts?.last != last { broken = Silence(end: time, length: open(at: time)) }
        times.append(time)
        count = min(count + 1, Self.enough)
        let old = times.prefix { $0 < time - Self.span }.count
        times.removeFirst(max(old, times.count - Self.capacity))
        holes.removeAll { $0 < time - Self.span }
        doubts?.removeAll { $0 < time - Self.span }
        losses?.removeAll { $0 < time - Self.span }
    }

    /// Notes a hole, behind which the signal goes on at a time: how many there were in it is not known.
    /// - Parameter length: of the hole, in seconds; where it is shorter than they are apart, it hides one at most. Nil where it may hide any number.
    mutating func breakOff(until time: Double, length: Double? = nil) {
        resumed = max(resumed, time)
        guard let last else { return }
        let before = holes.last == last ? hidden : 0
        if holes.last != last { holes.append(last) }
        let usual = self.usual
        hidden = if let before, let length, let usual, length < usual { before + length + usual } else { nil }
    }

    /// Notes that up to a time some may have been missed: that none came then means nothing.
    mutating func doubt(until time: Double) {
        cleared = max(cleared ?? time, time)
        if let last, doubts?.last != last { doubts = (doubts ?? []) + [last] }
    }

    /// Notes that up to a time none could be found: it counts for no rate.
    mutating func lose(until time: Double) {
        lost = max(lost ?? time, time)
        if let last, losses?.last != last { losses = (losses ?? []) + [last] }
    }

    /// The time since the last one, since the last hole, or since some may have been missed, at a moment up to which the signal is known; nil where
    /// too few ever came.
    func silence(at time: Double) -> Double? { absence(at: time).map { max(0, min($0, time - (cleared ?? -.infinity))) } }

    /// The same, also where some may have been missed.
    func absence(at time: Double) -> Double? { count >= Self.enough && last != nil ? open(at: time) : nil }

    /// The longest time without one that ended in the seconds before a moment, or has not ended; nil where too few ever came.
    /// - Parameter isDoubted: the time in which some may have been missed counts too.
    func longestPause(at time: Double, within seconds: Double, isDoubted: Bool) -> Double? {
        guard let open = isDoubted ? absence(at: time) : silence(at: time) else { return nil }
        let start = time - seconds
        let behindHole = broken.map { $0.end > start && $0.end <= time ? $0.length : 0 } ?? 0
        let gaps = isDoubted ? holes : holes + (doubts ?? [])
        return intervals(after: start, through: time, without: gaps).reduce(max(open, behindHole)) { max($0, $1) }
    }

    /// How many come in a minute, over the span before a moment: those that came over the time that passed. While the next is overdue the rate is
    /// what it would be if it came now.
    func rate(over span: Double, at time: Double) -> Double? {
        let intervals = intervals(after: time - span, through: time, without: holes + (losses ?? []))
        let (sum, number) = (intervals.reduce(0, +), Double(intervals.count))
        let open = max(0, min(open(at: time), time - (lost ?? -.infinity)))
        guard intervals.count >= 3 || (!intervals.isEmpty && sum + open >= 10) else { return nil }
        return 60 * (open > 1.5 * sum / number ? (number + 1) / (sum + open) : number / sum)
    }

    /// The time for which none came, of which the holes hide as much as they can: all before the last of them ended, or one each.
    private func open(at time: Double) -> Double {
        guard let last else { return 0 }
        guard holes.last == last else { return max(0, time - last) }
        return max(0, time - max(last, resumed), hidden.map { time - last - $0 } ?? 0)
    }

    /// The time that lies between two of them of late; nil where it is not known.
    private var usual: Double? {
        guard let last else { return nil }
        let intervals = intervals(after: last - 15, through: last, without: holes)
        return intervals.isEmpty ? nil : intervals.reduce(0, +) / Double(intervals.count)
    }

    private func intervals(after start: Double, through end: Double, without gaps: [Double]) -> [Double] {
        zip(times.dropFirst(), times).filter { $0 > start && $0 <= end && !gaps.contains($1) }.map { $0 - $1 }
    }
}
