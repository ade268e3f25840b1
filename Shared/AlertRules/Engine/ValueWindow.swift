/// The readings of a window of time, thinned into at most 24 buckets: constant memory for any rate.
struct ValueWindow: Hashable, Sendable {
    static let capacity: Int64 = 24

    struct Bucket: Hashable, Sendable {
        var number: Int64
        var firstTime: Int64
        var first: Double
        var lastTime: Int64
        var last: Double
        var least: Double
        var most: Double
        var sum: Double
        var count: Double
    }

    private(set) var buckets: [Bucket] = []

    /// Takes a reading and forgets what lies before the window; late readings go into their bucket.
    /// - Returns: whether a bucket began.
    @discardableResult
    mutating func add(_ value: Double, at time: Int64, over: Int64) -> Bool {
        let width = max(1, over / Self.capacity)
        let number = Int64((Double(time) / Double(width)).rounded(.down))
        let index = buckets.firstIndex { $0.number >= number } ?? buckets.count
        let isNew = index == buckets.count || buckets[index].number != number
        if !isNew {
            buckets[index].add(value, at: time)
        } else {
            buckets.insert(Bucket(value, at: time, number: number), at: index)
        }
        let newest = buckets[buckets.count - 1].lastTime
        buckets.removeAll { $0.lastTime < newest - over }
        return isNew
    }

    mutating func reset() { buckets.removeAll() }

    mutating func restore(_ buckets: [Bucket]) { self.buckets = buckets }

    /// The measure over what is held; nil when nothing is.
    func measure(_ measure: WindowMeasure) -> Double? {
        guard let oldest = buckets.first, let newest = buckets.last else { return nil }
        switch measure {
        case .change: return newest.last - oldest.first
        case .rise: return newest.last - buckets.reduce(.infinity) { min($0, $1.least) }
        case .fall: return buckets.reduce(-.infinity) { max($0, $1.most) } - newest.last
        case .minimum: return buckets.reduce(.infinity) { min($0, $1.least) }
        case .maximum: return buckets.reduce(-.infinity) { max($0, $1.most) }
        case .mean: return buckets.reduce(0) { $0 + $1.sum } / buckets.reduce(0) { $0 + $1.count }
        case .slope: return line?.slope
        case .trend: return line.map { $0.isSignificant ? $0.slope : 0 }
        case .deviation: return nil
        }
    }

    /// Returns the value of the line through the window, `ahead` microseconds after its newest reading.
    func predicted(ahead: Int64) -> Double? { line.map { $0.present + $0.slope * Double(ahead) / 60e6 } }

    /// The straight line through the buckets' means; it does not follow single jumps.
    private var line: FittedLine? {
        guard let newest = buckets.last else { return nil }
        return FittedLine(
            buckets.map { bucket in
                let (first, last) = (Double(bucket.firstTime - newest.lastTime), Double(bucket.lastTime - newest.lastTime))
                return (x: (first + last) / 2 / 60e6, y: bucket.sum / bucket.count)
            })
    }
}

extension ValueWindow.Bucket {
    /// A bucket with one reading.
    init(_ value: Double, at time: Int64, number: Int64) {
        self.init(
            number: number, firstTime: time, first: value, lastTime: time, last: value, least: value, most: value, sum: value, count: 1)
    }

    fileprivate mutating func add(_ value: Double, at time: Int64) {
        if time >= lastTime { (lastTime, last) = (time, value) }
        if time < firstTime { (firstTime, first) = (time, value) }
        least = min(least, value)
        most = max(most, value)
        sum += value
        count += 1
    }
}

/// The way a person's values of a metric are spread: 64 bins whose counts halve with age. 2 % of the range is its resolution.
struct ValueHistory: Hashable, Sendable {
    static let binCount = 64
    var bins: [Float] = []
    /// Readings that count, faded ones by what is left of them.
    var total: Float = 0
    /// Event time of the last fading.
    var faded: Int64 = 0

    /// Takes a reading.
    mutating func add(_ value: Double, at time: Int64, plan: HistoryPlan) {
        if bins.isEmpty {
            bins = Array(repeating: 0, count: Self.binCount)
            faded = time
        }
        fade(to: time, plan)
        let share = (value - plan.range.lowerBound) / (plan.range.upperBound - plan.range.lowerBound)
        guard share.isFinite else { return }
        // Cut before it becomes a whole number: a value may lie further out than an Int reaches.
        bins[min(Self.binCount - 1, Int(min(max(share, 0), 1) * Double(Self.binCount)))] += 1
        total += 1
    }

    /// The value below which `rank` percent lie, between the bins' edges by interpolation.
    func percentile(_ rank: Double, plan: HistoryPlan) -> Double? {
        guard total > 0 else { return nil }
        let wanted = Float(rank / 100) * total
        let width = (plan.range.upperBound - plan.range.lowerBound) / Double(Self.binCount)
        var below: Float = 0
        for (index, count) in bins.enumerated() where count > 0 {
            if below + count >= wanted {
                return plan.range.lowerBound + width * (Double(index) + Double((wanted - below) / count))
            }
            below += count
        }
        return plan.range.upperBound
    }

    /// Tells whether its counts fade before a reading of a time is taken.
    func isFading(at time: Int64, _ plan: HistoryPlan) -> Bool { !bins.isEmpty && time - faded >= Self.step(plan) }

    private static func step(_ plan: HistoryPlan) -> Int64 { max(1, plan.halfLife / 8) }

    /// Every eighth of a half-life all counts fade together.
    private mutating func fade(to time: Int64, _ plan: HistoryPlan) {
        guard isFading(at: time, plan) else { return }
        let steps = min(400, (time - faded) / Self.step(plan))
        var factor: Float = 1
        for _ in 0..<steps { factor *= 0.917_004_04 }
        for index in bins.indices { bins[index] *= factor }
        total *= factor
        faded = time
    }
}
