/// The breathing that the heart's beats carry: their size and their rate sway with it.
///
/// A value without I/O; one a signal that has beats. The rate is the period at which sizes and intervals of a minute repeat themselves best
/// (methods: P. H. Charlton et al., Physiol Meas 37 (2016) 610). Breaths that are faster than a
/// third of the heart rate may be told as half as many. Bounded: five beats a second for 75 s.
package struct BreathModulation: Sendable, Codable {
    /// An estimated rate.
    package struct Estimate: Hashable, Sendable {
        /// Breaths a minute.
        package var rate: Double
        /// The likeness of the minute to itself one breath later, 0 to 1.
        package var quality: Double
    }

    /// Below this quality a rate would often be wrong: it is withheld. Of minutes that are only noise one in ten may reach it.
    package static let leastQuality = 0.4

    private static let (span, kept, capacity) = (60.0, 75.0, 375)
    /// More time between two beats is a hole, in seconds.
    private static let longestInterval = 2.5
    /// Holes that are bridged, in seconds.
    private static let longestHole = 5.0

    private var times: [Double] = []
    private var sizes: [Float] = []
    private var intervals: [Float] = []

    /// Makes one that knows no beat.
    package init() {}

    /// Adds a beat; they come in order.
    /// - Parameter size: what sways with the breath, in any unit: the height of an R wave, the level of the pulse wave.
    package mutating func add(at time: Double, size: Float) {
        guard time > times.last ?? -.infinity, size.isFinite else { return }
        let distance = times.last.map { time - $0 } ?? .infinity
        intervals.append(distance < Self.longestInterval ? Float(distance) : intervals.last ?? 0.8)
        times.append(time)
        sizes.append(size)
        let old = max(times.prefix { $0 < time - Self.kept }.count, times.count - Self.capacity)
        guard old > 16 || times.count > Self.capacity else { return }
        times.removeFirst(old)
        sizes.removeFirst(old)
        intervals.removeFirst(old)
    }

    /// The breaths a minute over the minute up to a time, by one or more signals together; nil where too few beats are known, or nothing repeats.
    package static func estimate(_ signals: [BreathModulation], through end: Double) -> Estimate? {
        var likeness = [Float](repeating: 0, count: Repetition.lags + 1), weight: Float = 0, interval = Double.infinity
        for signal in signals {
            guard let range = signal.range(through: end) else { continue }
            interval = min(interval, (signal.times[range.upperBound - 1] - signal.times[range.lowerBound]) / Double(range.count - 1))
            // The size is the better witness; the rate of sick and old hearts hardly sways.
            for (values, share) in [(signal.sizes, 1), (signal.intervals, 0.5)] as [([Float], Float)] {
                Repetition.add(signal.grid(values, range, through: end), share: share, to: &likeness)
                weight += share
            }
        }
        guard weight > 0 else { return nil }
        for lag in likeness.indices { likeness[lag] /= weight }
        return Repetition.period(likeness, shortest: 2 * interval).map {
            Estimate(rate: 60 / $0.seconds, quality: Double(min(max($0.likeness, 0), 1)))
        }
    }

    /// The beats of the minute; nil where one is not covered.
    private func range(through end: Double) -> Range<Int>? {
        let first = times.firstIndex { $0 > end - Self.span } ?? times.endIndex
        let last = times.lastIndex { $0 <= end }.map { $0 + 1 } ?? 0
        guard last - first >= 20, times[first] < end - Self.span + Self.longestHole, times[last - 1] > end - Self.longestHole else {
            return nil
        }
        for index in first + 1..<last where times[index] - times[index - 1] > Self.longestHole { return nil }
        return first..<last
    }

    /// The values on an even grid, between the beats along straight lines; what lies far from the median, as an extrasystole, is cut.
    private func grid(_ values: [Float], _ range: Range<Int>, through end: Double) -> [Float] {
        let sorted = values[range].sorted(), middle = sorted[sorted.count / 2]
        let distances = sorted.map { abs($0 - middle) }.sorted()
        let most = 4.45 * distances[distances.count / 2]
        let value = { (index: Int) in min(max(values[index] - middle, -most), most) }
        var index = range.lowerBound
        return (0..<Repetition.count).map { tick in
            let time = end - Self.span + Double(tick) / Repetition.rate
            while index < range.upperBound - 1, times[index + 1] < time { index += 1 }
            guard time > times[index], index < range.upperBound - 1 else { return value(index) }
            let part = Float((time - times[index]) / (times[index + 1] - times[index]))
            return value(index) + part * (value(index + 1) - value(index))
        }
    }
}

/// The likeness of a minute to itself some time later: the normalised autocorrelation of a series of four values a second.
private enum Repetition {
    static let rate = 4.0
    static let count = 240
    /// Up to 12 s: five breaths a minute.
    static let lags = 48
    /// More than 46 a minute are none of a person at rest.
    private static let shortest = 1.3
    /// The mean of so many values is taken away, twice: waves of blood pressure and a wandering sensor are slower than breath.
    private static let drift = 17
    /// The disadvantage of a period of 12 s: twice a breath is as like as one.
    private static let preference: Float = 0.3

    /// Adds a share of the likeness at each lag.
    static func add(_ series: [Float], share: Float, to likeness: inout [Float]) {
        let values = withoutDrift(withoutDrift(series))
        var energy = [Float](repeating: 0, count: values.count + 1)
        for index in values.indices { energy[index + 1] = energy[index] + values[index] * values[index] }
        guard let whole = energy.last, whole > 0 else { return }
        for lag in likeness.indices {
            let length = values.count - lag
            let product = TickRing.product(values.span.extracting(0..<length), values.span.extracting(lag..<values.count))
            likeness[lag] += share * product / (energy[length] * (whole - energy[lag]) + 1e-20).squareRoot()
        }
    }

    private static func withoutDrift(_ values: [Float]) -> [Float] {
        var sums = [Float](repeating: 0, count: values.count + 1)
        for index in values.indices { sums[index + 1] = sums[index] + values[index] }
        return values.indices.map { index in
            let (first, last) = (max(0, index - drift / 2), min(values.count, index + drift / 2 + 1))
            return values[index] - (sums[last] - sums[first]) / Float(last - first)
        }
    }

    /// The lag of the best likeness behind the first that is unlike.
    /// - Parameter shortest: no shorter one can be told, in seconds.
    static func period(_ likeness: [Float], shortest: Double) -> (seconds: Double, likeness: Float)? {
        guard let unlike = likeness.firstIndex(where: { $0 < 0 }) else { return nil }
        let first = max(unlike, Int((rate * max(shortest, Self.shortest)).rounded(.up)))
        guard first < lags else { return nil }
        let score = { (lag: Int) in likeness[lag] - preference * Float(lag) / Float(lags) }
        let tops = (first..<lags).filter { likeness[$0] >= likeness[$0 - 1] && likeness[$0] >= likeness[$0 + 1] }
        guard let best = tops.max(by: { score($0) < score($1) }) else { return nil }
        let (left, top, right) = (likeness[best - 1], likeness[best], likeness[best + 1])
        let bend = left - 2 * top + right
        let shift = bend < 0 ? 0.5 * (left - right) / bend : 0
        return ((Double(best) + Double(shift)) / rate, top)
    }
}
