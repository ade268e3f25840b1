/// Follows a slow wave, of breath or of blood, through a filter and past its holes, sample by sample.
///
/// A value without I/O; depends on the samples alone; allocates nothing a sample. A short hole is bridged by the last value; after a longer one the
/// filter starts anew.
struct WaveTracker: Sendable, Codable {
    /// Samples a second.
    let rate: Double
    /// The faults of the unfiltered signal.
    private(set) var integrity: SignalIntegrity
    /// The most samples in a hole that is bridged.
    private let bridge: Double
    private var filter: FilterCascade
    private var zigzag: Zigzag
    private var next: Int64 = 0
    private var begun = false
    private var held: Float = 0
    private var missing = 0

    /// - Parameters:
    ///   - rate: samples a second.
    ///   - bridge: the length of a hole that is bridged, in seconds.
    init(rate: Double, bridge: Double, filter: FilterCascade, zigzag: Zigzag, integrity: SignalIntegrity) {
        self.rate = rate
        self.bridge = bridge * rate
        self.filter = filter
        self.zigzag = zigzag
        self.integrity = integrity
    }

    /// The problem with the signal itself; nil where nothing is.
    var fault: SignalFault? { begun ? integrity.fault : .missing }

    /// A Boolean value that indicates whether highest points come too fast to be told apart.
    var isTooFast: Bool { zigzag.isTooFast }

    /// The sample of the last wave since the last one that counted which did not count only for the width of the range; nil for none.
    var passedOver: Int64? { zigzag.passedOver }

    /// Takes a sample; returns a highest point where it made one certain. What is no number counts as missing.
    @inline(__always)
    mutating func take(_ x: Float) -> Breath? {
        defer { next += 1 }
        guard abs(x) < 1e9 else {
            miss()
            return nil
        }
        if !begun { begin(at: x) }
        (held, missing) = (x, 0)
        integrity.step(x)
        return zigzag.step(filter.step(Double(x)), at: next)
    }

    /// Says that `count` samples are missing: the same as if as many came that are no numbers.
    mutating func skip(_ count: Int) {
        next += Int64(count)
        guard begun, count > 0 else { return }
        if Double(missing) + Double(count) > bridge { begun = false } else { for _ in 0..<count { miss() } }
    }

    private mutating func miss() {
        missing += 1
        if begun && Double(missing) <= bridge { _ = filter.step(Double(held)) } else { begun = false }
    }

    private mutating func begin(at x: Float) {
        filter.settle(at: Double(x))
        zigzag.restart()
        integrity.restart()
        begun = true
    }
}

/// Turns a wave into its alternating extremes; the highest points are the breaths, or the pulse's beats.
struct Zigzag: Sendable, Codable {
    private static let remembered = 8

    private let shortest: Int64
    /// The same where the wave is of full size; nil as of a former version, which did not know it.
    private let least: Int64?
    private let decay: Double
    private let share: Double
    private var started = false
    private var rising = true
    private var extreme = 0.0
    private var extremePosition: Int64 = 0
    private var opposite = 0.0
    private var lastBreath = Int64.min / 2
    private var high = 0.0
    private var low = 0.0
    private var swings = [Double](repeating: 0, count: remembered)
    private var sorted = [Double](repeating: 0, count: remembered)
    private var swingCount = 0
    /// The waves of full size close behind another, and those too close to count at all; nil of a former version.
    private var close: Row?
    private var lost: Row?
    /// Highest points of waves that are large enough for the usual ones, but not for the range, as after a jolt; nil of a former version.
    private var small: SmallWaves?

    /// Waves in a row of which each had something behind it.
    private struct Row: Sendable, Codable {
        private(set) var count = 0
        private var isSince = false

        mutating func note() { (count, isSince) = (isSince ? count : count + 1, true) }
        /// A wave counts: without one behind the former the row is over.
        mutating func pass() { (count, isSince) = (isSince ? count : 0, false) }
    }

    /// - Parameters:
    ///   - shortest: the least time between two highest points, in seconds.
    ///   - least: the same where the wave is as large as usual.
    ///   - memory: how long the range is remembered, in seconds.
    ///   - share: of the usual swing, how far the signal must go back for a turn to count.
    init(rate: Double, shortest: Double, least: Double? = nil, memory: Double, share: Double) {
        self.share = share
        self.shortest = Int64(shortest * rate)
        self.least = least.map { Int64($0 * rate) }
        decay = 1 - 1 / (memory * rate)
    }

    /// A Boolean value that indicates whether every other wave of full size comes too close behind another to count: to leave it out would halve the rate.
    var isTooFast: Bool { lost?.count ?? 0 >= 4 }

    /// The last wave since the last that counted which did not count only for the width of the range.
    var passedOver: Int64? { small?.last }

    /// Forgets the unfinished swing, not the usual size of one.
    mutating func restart() { (started, close, lost, small) = (false, nil, nil, nil) }

    /// Takes a filtered sample; returns a breath where the signal has just turned down from one.
    mutating func step(_ value: Double, at position: Int64) -> Breath? {
        if !started { begin(value, position) }
        high = value > high ? value : high * decay
        low = value < low ? value : low * decay
        if swingCount >= 3 { followSmall(value, position) }
        let isBeyond = rising ? value > extreme : value < extreme
        if isBeyond { (extreme, extremePosition) = (value, position) }
        guard !isBeyond, abs(extreme - value) > threshold else { return nil }
        return turn(value, position)
    }

    private mutating func begin(_ value: Double, _ position: Int64) {
        (started, rising, extreme, extremePosition, opposite) = (true, true, value, position, value)
    }

    private var threshold: Double {
        let range = high - low
        let usual = swingCount >= 3 ? sorted[min(swingCount, Self.remembered) / 2] : 0.5 * range
        // A millionth of the range is rounding, not breath.
        return max(share * usual, 0.15 * range, 1e-9)
    }

    /// The rise to the first highest point after a start began before it, maybe long before, or there was none: it tells of a breath only where
    /// it is seen to be as large as one, and so never before another swing is known.
    private mutating func turn(_ value: Double, _ position: Int64) -> Breath? {
        defer { (opposite, extreme, extremePosition, rising) = (extreme, value, position, !rising) }
        guard rising else { return nil }
        let depth = extreme - opposite
        guard swingCount == 0 || depth > threshold else { return nil }
        defer { remember(depth) }
        guard swingCount > 0, isApart(depth) else { return nil }
        defer {
            lastBreath = extremePosition
            small?.begin(after: extremePosition + shortest)
        }
        let left = small?.count(before: extremePosition - shortest) ?? 0
        return Breath(position: extremePosition, depth: Float(depth), isNext: left == 0)
    }

    private mutating func followSmall(_ value: Double, _ position: Int64) {
        if small == nil { small = SmallWaves(value, position) }
        small?.step(value, at: position, threshold: share * sorted[min(swingCount, Self.remembered) / 2], after: lastBreath + shortest)
    }

    /// Returns whether a highest point is far enough behind the last: a small one may be the heart in a breath, or a beat's second wave.
    private mutating func isApart(_ depth: Double) -> Bool {
        let distance = extremePosition - lastBreath
        let isFull = swingCount >= 3 && depth > 0.7 * sorted[min(swingCount, Self.remembered) / 2]
        var (close, lost) = (close ?? Row(), lost ?? Row())
        defer { (self.close, self.lost) = (close, lost) }
        if distance > shortest {
            close.pass()
            lost.pass()
            return true
        }
        guard isFull else { return false }
        close.note()
        guard distance > least ?? shortest else {
            lost.note()
            return false
        }
        // One may be chance; where every one has another behind it both count.
        guard close.count >= 4 else { return false }
        lost.pass()
        return true
    }

    private mutating func remember(_ swing: Double) {
        swings[swingCount % Self.remembered] = swing
        swingCount += 1
        let count = min(swingCount, Self.remembered)
        for index in 0..<count { sorted[index] = swings[index] }
        sorted[0..<count].sort()
    }
}

/// The highest points of waves that go back by the usual share of a usual one, whatever the range.
private struct SmallWaves: Sendable, Codable {
    /// Those that came since the last wave that counted, and the newest of them.
    private var count = 0
    private var newest: Int64 = 0
    private var rising = true
    private var extreme: Double
    private var position: Int64

    init(_ value: Double, _ position: Int64) { (extreme, self.position) = (value, position) }

    /// Takes a value; a highest point before `first` belongs to the wave that counted.
    @inline(__always)
    mutating func step(_ value: Double, at now: Int64, threshold: Double, after first: Int64) {
        if rising ? value > extreme : value < extreme { return (extreme, position) = (value, now) }
        guard abs(extreme - value) > threshold else { return }
        if rising, position > first { (count, newest) = (count + 1, position) }
        (extreme, position, rising) = (value, now, !rising)
    }

    var last: Int64? { count > 0 ? newest : nil }

    /// The number of those before a moment: the last one may be the wave that counts now.
    func count(before moment: Int64) -> Int { newest > moment ? max(count - 1, 0) : count }

    /// A wave counts, maybe one of long ago: those behind it remain.
    mutating func begin(after moment: Int64) { count = newest > moment ? 1 : 0 }
}
