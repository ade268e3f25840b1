import SignalSynthesis
import Testing

@testable import Signals

/// Beats whose waves begin and end at known times: P and T are raised cosines, QRS and ST straight lines.
@Suite("Intervals of the mean beat")
struct BeatIntervalsTests {
    /// The middle and the half width of P and T, against the R peak, in seconds; where the tangent of a raised cosine meets the line.
    private static let (p, pWidth, t, tWidth, tangent) = (-0.13, 0.05, 0.26, 0.08, 0.818)
    private static let complex: [(time: Double, value: Double)] = [(-0.045, 0), (-0.03, -0.1), (0, 1), (0.025, -0.25), (0.045, 0)]

    private func value(at time: Double, p: Double, st: Double) -> Double {
        var sum = 0.0
        for (middle, width, height) in [(Self.p, Self.pWidth, p), (Self.t, Self.tWidth, 0.3)] where abs(time - middle) < width {
            sum += height / 2 * (1 + sine(.pi / 2 + .pi * (time - middle) / width))
        }
        // ST goes back to the line below T.
        if time > 0.045, time < 0.3 { sum += st * min(1, (time - 0.045) / 0.02, (0.3 - time) / 0.1) }
        for (from, to) in zip(Self.complex, Self.complex.dropFirst()) where time >= from.time && time < to.time {
            sum += from.value + (to.value - from.value) * (time - from.time) / (to.time - from.time)
        }
        return sum
    }

    private func intervals(
        rate: Double = 250, interval: Double = 0.8, noise: Double = 0.02, p: Double = 0.12, st: Double = 0, seconds: Double = 61,
        strange: Int = 0
    ) -> BeatIntervals? {
        var random = SeededGenerator(seed: 8)
        let samples = (0..<Int(seconds * rate)).map { index -> Float in
            let time = Double(index) / rate, beat = ((time - 0.4) / interval).rounded(), away = time - 0.4 - beat * interval
            let isStrange = strange > 0 && Int(beat) % strange == strange - 1
            let shape = isStrange ? -1.4 * max(0, 1 - abs(away) / 0.07) : value(at: away, p: p, st: st)
            return Float(shape + noise * random.normal() + 0.05 * sine(2 * .pi * 0.2 * time))
        }
        var detector = RPeakDetector(rate: rate), peaks: [RPeak] = []
        detector.process(samples.span, into: &peaks)
        return detector.takeAverage().flatMap(BeatIntervals.init)
    }

    @Test("are as drawn at any rate, through noise", arguments: [128.0, 250, 360, 500], [0.0, 0.01, 0.03])
    func drawn(rate: Double, noise: Double) throws {
        let found = try #require(intervals(rate: rate, noise: noise))
        let pr = 1000 * (-0.045 - Self.p + Self.tangent * Self.pWidth), qt = 1000 * (0.045 + Self.t + Self.tangent * Self.tWidth)
        let tolerance = 12 + 1000 / rate
        #expect(abs((found.pr ?? 0) - pr) < tolerance && abs((found.qt ?? 0) - qt) < tolerance, "\(found)")
        #expect(abs(found.qrs - 90) < tolerance && abs(found.st) < 0.03, "\(found)")
        #expect(found.quality > 0.3)
    }

    @Test("QT is brought to 60 beats a minute by the cube root of the interval", arguments: [0.6, 0.8, 1.1])
    func fridericia(interval: Double) throws {
        let found = try #require(intervals(interval: interval)), qt = try #require(found.qt)
        #expect(abs((found.qtc ?? 0) * root(interval) - qt) < 1)
    }

    private func root(_ value: Double) -> Double {
        var root = 1.0
        for _ in 0..<40 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }

    @Test("the ST level is told", arguments: [-0.2, -0.1, 0.1, 0.2])
    func level(st: Double) throws {
        let found = try #require(intervals(st: st))
        #expect(abs(found.st - st) < 0.03, "\(found.st)")
    }

    @Test("strange beats are left out")
    func strange() throws {
        let (found, plain) = (try #require(intervals(strange: 5)), try #require(intervals()))
        #expect(abs((found.qt ?? 0) - (plain.qt ?? 0)) < 10 && abs(found.qrs - plain.qrs) < 10, "\(found)")
    }

    @Test("without P waves, as in fibrillation, there is no PR")
    func fibrillation() throws {
        #expect(try #require(intervals(p: 0)).pr == nil)
    }

    @Test("of few beats and of noise nothing is told")
    func unknown() {
        #expect(intervals(seconds: 9) == nil)
        #expect(intervals(noise: 0.4) == nil)
        #expect(intervals(rate: 80) == nil)
        #expect(BeatIntervals(BeatAverage.Mean(values: [], noise: 0, beats: 100, interval: 1)) == nil)
    }
}
