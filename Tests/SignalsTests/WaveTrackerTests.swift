import SignalSynthesis
import Testing

@testable import Signals

/// At 100 samples a second; a second at least from one highest point to the next, and a fifth of the usual swing back.
@Suite("Waves and their turns")
struct WaveTrackerTests {
    private func zigzag(memory: Double = 1e9) -> Zigzag { Zigzag(rate: 100, shortest: 1, memory: memory, share: 0.2) }

    /// The highest points of a line through the given corners, which are `step` samples apart.
    private func tops(_ corners: [Double], step: Int = 100, from start: Int64 = 0, _ zigzag: inout Zigzag) -> [Breath] {
        var (found, position): ([Breath], Int64) = ([], start)
        for (from, to) in zip(corners, corners.dropFirst()) {
            for index in 0..<step {
                if let top = zigzag.step(from + (to - from) * Double(index) / Double(step), at: position) { found.append(top) }
                position += 1
            }
        }
        return found
    }

    private func tops(_ corners: [Double], step: Int = 100) -> [Breath] {
        var zigzag = zigzag()
        return tops(corners, step: step, &zigzag)
    }

    @Test("a highest point is told where it is, with the height from the lowest before it")
    func places() {
        let found = tops([0, 1, -2, 2, -1, 3, -3, 2, -1])
        #expect(found.map(\.position) == [300, 500, 700])
        #expect(zip(found, [4, 4, 5] as [Float]).allSatisfy { abs($0.depth - $1) < 1e-6 } && found.count == 3)
    }

    @Test("two highest points are more than a second apart", arguments: [(50, false), (51, true)])
    func shortest(step: Int, isFound: Bool) {
        #expect(tops([0, 2, 0, 2, 0, 2, 0], step: step).count == (isFound ? 2 : 1))
    }

    @Test("of those too close the first counts, and one that is far enough from it")
    func close() {
        #expect(tops([0, 2, 0, 2, 0, 2, 0, 2, 0], step: 40).map(\.position) == [120, 280])
    }

    /// Of a range of 4 a turn takes 0.15, which is 0.6, as long as a fifth of half the range is less.
    @Test("a turn goes back by 0.15 of the range at first", arguments: [(0.59, false), (0.61, true)])
    func first(dip: Double, isTurn: Bool) {
        #expect(tops([0, -2, 0, 2, 2 - dip, 2]).count == (isTurn ? 1 : 0))
    }

    /// Three swings of 6 up from the bottom: then a fifth of 6 is more than 0.15 of the range of 6.
    @Test(
        "from three swings on a turn goes back by a fifth of the usual one",
        arguments: [(2, 0.91, true), (2, 0.89, false), (3, 1.19, false), (3, 1.21, true)])
    func usual(swings: Int, dip: Double, isTurn: Bool) {
        let before: [Double] = (0..<swings).flatMap { _ -> [Double] in [0, 6] }
        let found = tops(before + [0, 5.9, 5.9 - dip, 5.9, 5.9])
        #expect(found.count == swings - 1 + (isTurn ? 1 : 0))
    }

    /// The upper of the two in the middle. A fifth of 6 is 1.2, of 4.6 it is 0.92, and 0.15 of the range 0.9.
    @Test(
        "usual is the median of the last eight swings",
        arguments: [
            ([6, 4.6, 4.6], 0.92), ([6, 6, 4.6], 1.2), ([6, 4.6, 4.6, 6], 1.2), ([6, 4.6, 6, 4.6, 4.6], 0.92),
            ([6, 6, 6, 6, 4.6, 4.6, 4.6, 4.6], 1.2), ([6, 6, 6, 6, 4.6, 4.6, 4.6, 4.6, 4.6], 0.92),
            ([6, 4.6, 4.6, 4.6, 4.6, 4.6, 6, 6, 6], 0.92), ([6, 4.6, 4.6, 4.6, 4.6, 6, 6, 6, 6], 1.2),
            ([6, 6, 6, 6, 6, 6, 4.6, 4.6, 4.6, 4.6, 4.6], 0.92),
        ] as [([Double], Double)])
    func median(swings: [Double], threshold: Double) {
        let before: [Double] = swings.flatMap { (swing: Double) -> [Double] in [0, swing] }
        for (dip, isTurn) in [(threshold - 0.01, false), (threshold + 0.01, true)] {
            #expect(tops(before + [0, 5.9, 5.9 - dip, 5.9, 5.9]).count == swings.count - 1 + (isTurn ? 1 : 0))
        }
    }

    /// Of a range of 4, of which 1 % a second is forgotten, 0.5 is left after 200 s: then a dip of 0.1 is a turn.
    @Test("the range is forgotten within the given time", arguments: [(100, false), (200, true)])
    func forgotten(seconds: Int, isTurn: Bool) {
        var zigzag = zigzag(memory: 100)
        _ = tops([0, -2, 2, 0], &zigzag)
        let flat = [Double](repeating: 0, count: seconds * 100)
        for value in flat { #expect(zigzag.step(value, at: 0) == nil) }
        var found = false
        for (value, position) in zip([0, 0.1, 0] as [Double], 1_000_000...) {
            found = zigzag.step(value, at: Int64(position)) != nil || found
        }
        #expect(found == isTurn)
    }

    @Test("what swings by less than a thousand-millionth is rounding", arguments: [(4e-10, false), (1e-8, true)])
    func rounding(size: Double, isFound: Bool) { #expect(tops([0, size, -size, size, -size]).isEmpty != isFound) }

    @Test("after a new start an unfinished swing is forgotten, but not the usual one")
    func restart() {
        var zigzag = zigzag()
        #expect(tops([0, 6, 0, 6, 0, 6, 0, 3], &zigzag).count == 2)
        zigzag.restart()
        // From 3 on: 1.21 back from the highest is a turn, 1.19 none.
        var copy = zigzag
        for (value, position) in zip([3, 5, 3.81, 5.1] as [Double], 1000...) { #expect(copy.step(value, at: Int64(position)) == nil) }
        var found: Breath?
        for (value, position) in zip([3, 5, 3.79] as [Double], 1000...) { found = zigzag.step(value, at: Int64(position)) ?? found }
        #expect(found?.position == 1001 && found?.depth == 2)
    }

    @Test("what begins by falling has no highest point there, nor is one told of whose rise was not seen", arguments: [0.0, 0.1, -0.1])
    func falling(level: Double) {
        #expect(tops([level, -2, 2, -2, 2, -2]).map(\.position) == [200, 400])
        #expect(tops([level, level + 0.1, -2, 2, -2]).map(\.position) == [300])
        #expect(tops([level, 2, -2, 2, -2]).map(\.position) == [300])
    }

    @Test("after a new start a rise that is no usual one is none", arguments: [(1.19, false), (1.21, true)])
    func small(rise: Double, isFound: Bool) {
        var zigzag = zigzag()
        _ = tops([0, 6, 0, 6, 0, 6, 0, 3], &zigzag)
        zigzag.restart()
        let found = tops([1, 1 + rise, 0, 5, 0], from: 1000, &zigzag)
        #expect(found.map { $0.depth > 4 } == (isFound ? [false, true] : [true]))
    }

    // MARK: Holes

    private func breaths(rate: Double = 25, _ feed: (inout BreathDetector, inout [Breath]) -> Void) -> [Int64] {
        var detector = BreathDetector(rate: rate), breaths: [Breath] = []
        feed(&detector, &breaths)
        return breaths.map(\.position)
    }

    private static func wave(_ samples: Range<Int>, hertz: Double = 0.25, rate: Double = 25) -> [Float] {
        samples.map { Float(sine(2 * .pi * hertz * Double($0) / rate)) }
    }

    @Test("a hole is the same whether its samples come as no numbers or are skipped", arguments: [1, 10, 25, 26, 100, 1000])
    func holes(length: Int) {
        for start in stride(from: 1500, to: 1600, by: 13) {
            let (before, after) = (Self.wave(0..<start), Self.wave(start + length..<start + length + 1500))
            let hole = [Float](repeating: .nan, count: length)
            let absent = breaths {
                $0.process(before.span, into: &$1)
                $0.process(hole.span, into: &$1)
                $0.process(after.span, into: &$1)
            }
            let skipped = breaths {
                $0.process(before.span, into: &$1)
                $0.skip(length)
                $0.process(after.span, into: &$1)
            }
            #expect(absent == skipped && absent.count > 25)
        }
    }

    @Test(
        "a hole of up to a second is bridged by the last value, a longer one starts anew",
        arguments: [(25, nil), (26, SignalFault.missing)])
    func bridged(length: Int, fault: SignalFault?) {
        let before = Self.wave(0..<1500)
        for isSkipped in [false, true] {
            var detector = BreathDetector(rate: 25), breaths: [Breath] = []
            detector.process(before.span, into: &breaths)
            #expect(detector.fault == nil)
            let hole = [Float](repeating: .nan, count: length)
            if isSkipped { detector.skip(length) } else { detector.process(hole.span, into: &breaths) }
            #expect(detector.fault == fault)
        }
        // Many holes one after the other are one.
        var detector = BreathDetector(rate: 25), breaths: [Breath] = []
        detector.process(before.span, into: &breaths)
        for _ in 0..<25 { detector.skip(1) }
        #expect(detector.fault == nil)
        detector.skip(1)
        #expect(detector.fault == .missing)
    }

    /// The steady wave's own highest points are 100 samples apart, the first at 25.
    @Test("breaths are where they are after a short hole too", arguments: [5, 12, 25])
    func afterHole(length: Int) {
        let hole = [Float](repeating: .nan, count: length)
        let (before, after) = (Self.wave(0..<1560), Self.wave(1560 + length..<6000))
        let found = breaths {
            $0.process(before.span, into: &$1)
            $0.process(hole.span, into: &$1)
            $0.process(after.span, into: &$1)
        }
        let late = found.filter { $0 > 2000 }
        let phases = Set(late.map { $0 % 100 })
        #expect(late.count == 40 && phases.count <= 3, "\(phases)")
    }

    @Test("a breath's place counts what is missing", arguments: [0, 1, 30, 1000])
    func shifted(gap: Int) {
        let signal = Self.wave(0..<3000), hole = [Float](repeating: .nan, count: gap)
        let plain = breaths { $0.process(signal.span, into: &$1) }
        #expect(plain.count > 25)
        let skipped = breaths {
            $0.skip(gap)
            $0.process(signal.span, into: &$1)
        }
        let absent = breaths {
            $0.process(hole.span, into: &$1)
            $0.process(signal.span, into: &$1)
        }
        #expect(skipped == plain.map { $0 + Int64(gap) } && absent == skipped)
    }

    @Test("values from a thousand million on are missing", arguments: [(1e9, true), (-1e9, true), (9.9e8, false)] as [(Float, Bool)])
    func huge(value: Float, isMissing: Bool) {
        var detector = BreathDetector(rate: 25), breaths: [Breath] = []
        let samples = [value]
        detector.process(samples.span, into: &breaths)
        #expect((detector.fault == .missing) == isMissing)
    }

    @Test("no breath is told where the signal begins with breathing out, nor after a hole", arguments: [0.3, 0.5, 0.7])
    func begins(phase: Double) {
        // The wave falls from a quarter of its turn to three quarters.
        let start = Int(phase * 100)
        let first = Self.wave(start..<start + 1500), second = Self.wave(start + 3000..<start + 4500)
        let found = breaths {
            $0.process(first.span, into: &$1)
            $0.skip(1500)
            $0.process(second.span, into: &$1)
        }
        for (breath, next) in zip(found, found.dropFirst()) where next < 1500 || breath >= 3000 { #expect(next - breath > 80) }
        // The next highest point is at 125.
        #expect(abs((found.first ?? 0) + Int64(start) - 125) < 20)
        #expect(abs((found.first { $0 >= 3000 } ?? 0) - 3000 + Int64(start) - 125) < 20)
    }

    /// The last highest point that was seen to the end is at 1425; at 1515 the next is ten samples away, and after the hole the wave falls.
    @Test("a breath that a hole cuts off is not told of", arguments: [1515, 1524])
    func cutOff(end: Int) {
        let first = Self.wave(0..<end), second = Self.wave(3050..<4500)
        let found = breaths {
            $0.process(first.span, into: &$1)
            $0.skip(3050 - end)
            $0.process(second.span, into: &$1)
        }
        #expect(found.contains { abs($0 - 1425) < 15 } && !found.contains { (1450..<3100).contains($0) })
        #expect(abs((found.first { $0 >= 3000 } ?? 0) - 3125) < 20)
    }

    // MARK: Detectors

    @Test(
        "a detector's rate is brought to what it can follow",
        arguments: [
            (0.1, 2.0, 20.0), (1.9, 2, 20), (2, 2, 20), (19, 19, 20), (20, 20, 20), (50, 50, 50), (2000, 2000, 2000), (2001, 2000, 2000),
        ])
    func rates(asked: Double, breath: Double, pulse: Double) {
        #expect(BreathDetector(rate: asked).rate == breath && PulseDetector(rate: asked).rate == pulse)
        #expect(SkinConductanceDetector(rate: asked).rate == breath)
    }

    /// 60 over the mean interval; the deviation from it over it.
    @Test(
        "the pattern is the rate of the mean interval and the intervals' deviation from it",
        arguments: [
            ([0, 4, 8], 15, 0), ([0, 2, 6], 20, 1 / 3.0), ([10, 11, 14, 16], 30, (2 / 3.0).squareRoot() / 2), ([0, 1, 3], 40, 1 / 3.0),
        ]
            as [([Double], Double, Double)])
    func pattern(times: [Double], rate: Double, irregularity: Double) throws {
        let pattern = try #require(BreathingPattern(times: times))
        #expect(abs(pattern.rate - rate) < 1e-9 && abs(pattern.irregularity - irregularity) < 1e-9)
    }

    @Test(
        "there is no pattern of fewer than three breaths, or of breaths at one moment",
        arguments: [[], [1], [1, 2], [3, 3, 3]] as [[Double]])
    func noPattern(times: [Double]) { #expect(BreathingPattern(times: times) == nil) }

    /// Of intervals 1 − x and 1 + x the irregularity is x.
    @Test("above 0.35 breathing is irregular", arguments: [(0.34, false), (0.36, true)])
    func irregular(x: Double, isIrregular: Bool) {
        #expect(BreathingPattern(times: [0, 1 - x, 2])?.isIrregular == isIrregular)
    }
}
