import SignalSynthesis
import Testing

@testable import Signals

@Suite("The shape of a beat")
struct BeatShapeTests {
    private func random(_ seed: UInt64) -> BeatShape {
        var random = SeededGenerator(seed: seed)
        return BeatShape((0..<64).map { _ in Float(4 * random.uniform() - 1) })
    }

    /// Pearson's correlation of 48 values from the ninth on with those of another shape, shifted.
    private func correlation(_ left: [Float], _ right: [Float], _ shift: Int) -> Double {
        let x = (8..<56).map { Double(left[$0]) }, y = (8..<56).map { Double(right[$0 + shift]) }
        let meanX = x.reduce(0, +) / 48, meanY = y.reduce(0, +) / 48
        let products = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        let (xx, yy) = (x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }, y.reduce(0) { $0 + ($1 - meanY) * ($1 - meanY) })
        return products / (xx * yy).squareRoot()
    }

    @Test("is as like another as their best correlation within 32 ms, at every second value", arguments: 1...20)
    func likeness(seed: UInt64) {
        let (one, other) = (random(seed), random(seed + 100))
        let best = [-8, -6, -4, -2, 0, 2, 4, 6, 8].map { correlation(one.values, other.values, $0) }.max() ?? 0
        #expect(abs(Double(one.likeness(to: other)) - best) < 1e-4)
    }

    @Test(
        "is like itself wherever it lies within 32 ms, and not further on", arguments: [(-10, false), (-8, true), (8, true), (10, false)])
    func shifted(values: Int, isAlike: Bool) {
        let wave = { (centre: Double) in BeatShape((0..<64).map { Float(gauss((Double($0) - centre) / 2)) }) }
        #expect((wave(30).likeness(to: wave(30 + Double(values))) > 0.9999) == isAlike)
    }

    @Test("is like nothing where one is flat or incomplete, and unlike its own opposite")
    func none() {
        let shape = random(1), flat = BeatShape([Float](repeating: 2, count: 64))
        #expect(shape.likeness(to: flat) == 0 && flat.likeness(to: flat) == 0)
        for count in [0, 63, 65] {
            let other = BeatShape([Float](repeating: 1, count: count))
            #expect(shape.likeness(to: other) == 0 && other.likeness(to: shape) == 0)
        }
        // A line that falls is the opposite of one that rises, however it is shifted.
        let rising = BeatShape((0..<64).map { Float($0) }), falling = BeatShape((0..<64).map { -Float($0) })
        #expect(abs(rising.likeness(to: falling) + 1) < 1e-4)
    }

    /// The spread of the place, weighed with the squared slope over four values.
    @Test("is as broad as its squared slopes are spread, in ms", arguments: 1...10)
    func breadth(seed: UInt64) {
        let shape = random(seed)
        let weights = (0..<60).map { (index: Int) -> Double in
            let slope = Double(shape.values[index + 4] - shape.values[index])
            return slope * slope
        }
        let total = weights.reduce(0, +), mean = weights.indices.reduce(0) { $0 + weights[$1] * Double($1) } / total
        let spread = weights.indices.reduce(0) { $0 + weights[$1] * (Double($1) - mean) * (Double($1) - mean) } / total
        #expect(abs(Double(shape.breadth) - 4 * spread.squareRoot()) < 0.01)
    }

    /// Steps of a staircase: a slope of 1 over four values, from each step's place less three to it.
    @Test("of one and of two steps is broad by hand")
    func steps() {
        let step = BeatShape((0..<64).map { $0 < 24 ? 0 : 1 })
        // Four places side by side: a variance of (16 - 1) / 12.
        #expect(abs(Double(step.breadth) - 4 * 1.25.squareRoot()) < 0.01)
        let two = BeatShape((0..<64).map { $0 < 14 ? 0 : $0 < 34 ? 1 : 2 })
        // Two such groups twenty apart: ten squared more.
        #expect(abs(Double(two.breadth) - 4 * 101.25.squareRoot()) < 0.02)
        #expect(BeatShape([]).breadth == 0 && BeatShape([1, 2, 3, 4]).breadth == 0 && BeatShape([0, 0, 0, 0, 1]).breadth == 0)
    }

    @Test("moves towards another by a part of the difference, in its values and its breadth")
    func approach() {
        var shape = random(1)
        let (before, other) = (shape, random(2))
        shape.approach(other, by: 0.25)
        for index in 0..<64 { #expect(abs(shape.values[index] - (0.75 * before.values[index] + 0.25 * other.values[index])) < 1e-6) }
        #expect(abs(shape.breadth - (0.75 * before.breadth + 0.25 * other.breadth)) < 1e-4)
        var short = BeatShape([1, 1])
        short.approach(other, by: 1)
        #expect(short.values.count == 2 && short.values[1] == other.values[1])
        var long = BeatShape([Float](repeating: 1, count: 65))
        long.approach(other, by: 1)
        #expect(long.values[64] == 1 && long.values[63] == other.values[63])
    }

    private func finder(_ rate: Double, to end: Int64, _ value: (Int64) -> Float) -> PeakFinder {
        var finder = PeakFinder(rate: rate)
        for position in 0..<end { finder.push(value(position), at: position) }
        return finder
    }

    /// On a ramp the mean of an odd number around a sample is that sample, of an even number half a sample earlier.
    @Test(
        "is taken from 100 ms before the R peak on, every 4 ms, between samples too",
        arguments: [(100.0, 0.5), (250, 0), (360, 0), (500, 0.5), (1000, 0.5), (2000, 0.5)] as [(Double, Double)])
    func places(rate: Double, lag: Double) throws {
        let end = Int64(3 * rate), peak = Int64(2 * rate)
        let shape = try #require(finder(rate, to: end) { Float($0) }.shape(at: peak, next: end, rate: rate))
        #expect(shape.values.count == 64)
        for index in 0..<64 {
            #expect(abs(Double(shape.values[index]) - (Double(peak) + (Double(index) * 0.004 - 0.1) * rate - lag)) < 0.01)
        }
    }

    @Test("is smoothed over 20 ms", arguments: [(250.0, 5), (300, 6), (400, 8)])
    func smoothing(rate: Double, width: Int) throws {
        let peak = Int64(2 * rate)
        let shape = try #require(finder(rate, to: 2 * peak) { $0 == peak ? 1 : 0 }.shape(at: peak, next: 2 * peak, rate: rate))
        #expect(abs((shape.values.max() ?? 0) - 1 / Float(width)) < 1e-6)
        #expect(shape.values[0] == 0 && shape.values[63] == 0)
    }

    @Test("is not known below 100 samples a second", arguments: [(99.5, false), (100, true)] as [(Double, Bool)])
    func coarse(rate: Double, isKnown: Bool) {
        #expect((finder(rate, to: 400) { Float($0) }.shape(at: 200, next: 400, rate: rate) != nil) == isKnown)
    }

    /// At 250 Hz 25 samples before the peak and 5 for the smoothing are kept, of the last 1024; 39 and 5 behind it are there.
    @Test(
        "is known while all its samples are kept",
        arguments: [(30, 300, false), (31, 300, true), (31, 75, false), (31, 76, true), (1006, 2000, false), (1007, 2000, true)]
            as [(Int64, Int64, Bool)])
    func kept(peak: Int64, next: Int64, isKnown: Bool) {
        #expect((finder(250, to: next) { Float($0) }.shape(at: peak, next: next, rate: 250) != nil) == isKnown)
    }
}
