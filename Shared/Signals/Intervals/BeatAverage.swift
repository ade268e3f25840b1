/// The usual beat of the last minute, the mean of every other one that is alike: noise that does not keep the heart's time cancels.
///
/// A value without I/O. 250 values, 4 ms apart, from 400 ms before the R peak; a beat unlike the mean is left out. Allocates nothing a beat.
package struct BeatAverage: Sendable, Codable {
    static let step = 0.004
    static let before = 100
    static let count = 250
    /// A coarser signal does not tell where a wave begins.
    static let lowestRate = 100.0
    /// The values around the R peak, from 60 ms before to 100 ms after, by which beats are compared.
    private static let complex = before - 15..<before + 25
    /// The correlation below which a beat is another.
    private static let alike: Float = 0.9

    /// The sums of every other beat: half their difference is the noise that is left.
    private var even = [Float](repeating: 0, count: count)
    private var odd = [Float](repeating: 0, count: count)
    private var window = [Float](repeating: 0, count: count)
    /// The complex of the minute before, or of this minute's first beat; nil before it.
    private var usual: [Float]?
    private var beats = 0
    private var strange = 0
    private var intervals = 0.0
    private var intervalCount = 0.0
    private var last: Int64?
    private var isSkipped = true

    /// The mean beat.
    package struct Mean: Sendable {
        /// In the signal's unit.
        let values: [Float]
        /// The standard deviation of the noise in them, in the same unit.
        let noise: Float
        /// The number of beats.
        package let beats: Int
        /// The mean interval between beats, in seconds.
        package let interval: Double
    }

    init() {}

    /// Adds a beat whose surroundings the finder has kept.
    mutating func add(at position: Int64, rate: Double, from finder: borrowing PeakFinder) {
        if let last, case let interval = Double(position - last) / rate, (0.25...2).contains(interval) {
            (intervals, intervalCount) = (intervals + interval, intervalCount + 1)
        }
        last = position
        // Every other beat is enough for a mean, and half the work.
        isSkipped.toggle()
        guard !isSkipped else { return }
        let stride = Self.step * rate
        var place = Double(position) - Double(Self.before) * stride
        for index in 0..<Self.count {
            let low = Int(place), left = finder[Int64(low)]
            window[index] = left + Float(place - Double(low)) * (finder[Int64(low) + 1] - left)
            place += stride
        }
        guard isAlike() else { return strange += 1 }
        let level = window[Self.before - 25..<Self.before - 15].reduce(0, +) / 10
        for index in 0..<Self.count {
            if beats % 2 == 0 { even[index] += window[index] - level } else { odd[index] += window[index] - level }
        }
        beats += 1
    }

    private mutating func isAlike() -> Bool {
        guard let usual else {
            usual = Array(window[Self.complex])
            return true
        }
        var (x, y, xx, yy, xy): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        for (left, right) in zip(usual, window[Self.complex]) {
            x += left
            y += right
            xx += left * left
            yy += right * right
            xy += left * right
        }
        let count = Float(usual.count)
        let spread = max(xx - x * x / count, 0) * max(yy - y * y / count, 0)
        return (xy - x * y / count) / (spread.squareRoot() + 1e-12) > Self.alike
    }

    /// Takes the mean of the beats since it was last taken; nil for fewer than two. Where most were strange, the next one is the usual.
    package mutating func take() -> Mean? {
        defer {
            if strange > beats { usual = nil }
            (beats, strange, intervals, intervalCount) = (0, 0, 0, 0)
            for index in 0..<Self.count { (even[index], odd[index]) = (0, 0) }
        }
        guard beats > 1, intervalCount > 0, strange <= beats else { return nil }
        let (evens, odds) = (Float((beats + 1) / 2), Float(beats / 2))
        var squares: Float = 0
        for index in 0..<Self.count {
            let half = (even[index] / evens - odd[index] / odds) / 2
            squares += half * half
        }
        let values = (0..<Self.count).map { (even[$0] + odd[$0]) / Float(beats) }
        usual = Array(values[Self.complex])
        return Mean(values: values, noise: (squares / Float(Self.count)).squareRoot(), beats: beats, interval: intervals / intervalCount)
    }
}

extension PeakFinder {
    /// Adds the beat at a position to an average, while the samples around it are kept.
    /// - Parameter next: the position of the sample that comes next.
    func add(_ position: Int64, to average: inout BeatAverage?, next: Int64, rate: Double) {
        let reach = Double(max(BeatAverage.before, BeatAverage.count - BeatAverage.before)) * BeatAverage.step * rate + 2
        guard rate >= BeatAverage.lowestRate, Double(position) + reach < Double(next),
            Double(position) - reach > max(0, Double(next) - Double(capacity))
        else { return }
        average?.add(at: position, rate: rate, from: self)
    }
}
