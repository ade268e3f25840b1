import SignalSynthesis
import Testing

@testable import Signals

@Suite("The rhythm and its path")
struct RhythmHistoryTests {
    private func history(_ intervals: [Float], isCalm: Bool = true) -> RhythmHistory {
        var history = RhythmHistory()
        for interval in intervals { history.add(interval, isCalm: isCalm) }
        return history
    }

    @Test(
        "expects 0.8 s at first, then the median of the last nine intervals",
        arguments: [
            ([], 0.8), ([1], 1), ([1, 0.5], 1), ([0.5, 1, 0.7], 0.7), ([0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1], 0.5),
            ([0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1, 1], 1), ([0.25, 2, 0.2, 3], 0.8), ([0.31, 0.31, 1.99, 1.99, 1.99], 1.99),
        ] as [([Float], Float)])
    func expected(intervals: [Float], expected: Float) {
        var history = history(intervals)
        #expect(history.expected() == expected)
        var noisy = self.history(intervals, isCalm: false)
        #expect(noisy.expected() == expected && noisy.irregularity() == 0.05)
    }

    /// Of intervals that double and halve in turn each change is ln 2.
    @Test("takes for irregularity the median change of calm intervals, from the sixth on")
    func irregularity() {
        let turns: [Float] = [0.5, 1, 0.5, 1, 0.5, 1, 0.5]
        var five = history(Array(turns.prefix(6))), six = history(turns)
        #expect(five.irregularity() == 0.05 && abs(six.irregularity() - 0.693147) < 1e-5)
        // Intervals beyond the bounds are no changes, nor is what follows a gap of 2.5 s; one of 2.4 s is compared with.
        var gaps = RhythmHistory()
        for _ in 0..<6 {
            gaps.add(2.5, isCalm: true)
            gaps.add(1, isCalm: true)
        }
        #expect(gaps.irregularity() == 0.05)
        var long = RhythmHistory()
        for _ in 0..<6 {
            long.add(2.4, isCalm: true)
            long.add(1.2, isCalm: true)
        }
        #expect(abs(long.irregularity() - 0.693147) < 1e-5)
    }

    @Test("remembers the last forty changes")
    func memory() {
        var history = history([0.5] + (0..<20).map { $0 % 2 == 0 ? 1 : 0.5 })
        for _ in 0..<19 { history.add(0.5, isCalm: true) }
        // Twenty of ln 2 and nineteen or twenty of nought: the upper of the two in the middle.
        #expect(abs(history.irregularity() - 0.693147) < 1e-5)
        history.add(0.5, isCalm: true)
        #expect(abs(history.irregularity() - 0.693147) < 1e-5)
        history.add(0.5, isCalm: true)
        #expect(history.irregularity() == 0)
    }

    // MARK: The path

    private func log(_ value: Float) -> Float { Float.log(value) }

    /// The value of the best train of beats among all that there are, with the first candidate and without it.
    private func best(
        _ candidates: [BeatCandidate], expected: Float, spread: Float, previous: Float?, now: Float
    ) -> (with: Float, without: Float) {
        func cost(_ interval: Float) -> Float {
            if interval < 0.25 { return .infinity }
            let ratio = log(interval / expected) / spread
            return 1.5 * (ratio < 0 ? min(-ratio, 2) : min(ratio, 6))
        }
        func closing(_ interval: Float) -> Float { 1.5 * max(0, min(log(max(interval, 0.01) / expected) / spread, 6)) }
        let times = candidates.map { Float($0.centre - candidates[0].centre) / 1000 }
        var best: (with: Float, without: Float) = (-.infinity, -.infinity)
        for set in 0..<(1 << candidates.count) {
            let beats = candidates.indices.filter { set & (1 << $0) != 0 }
            var value: Float = 0
            for (place, beat) in beats.enumerated() {
                value += candidates[beat].logOdds + 2
                if place > 0 {
                    value -= cost(times[beat] - times[beats[place - 1]])
                } else {
                    value -= previous.map { cost(times[beat] - $0) } ?? 3
                }
            }
            value -= beats.last.map { closing(now - times[$0]) } ?? previous.map { closing(now - $0) } ?? 0
            if set & 1 == 1 { best.with = max(best.with, value) } else { best.without = max(best.without, value) }
        }
        return best
    }

    @Test("is the best of all trains of beats that candidates can make", arguments: 1...6)
    func exhaustive(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var path = RhythmPath(capacity: 16)
        var counts = [0, 0]
        for _ in 0..<60 {
            var time: Int64 = 5000
            let candidates = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                time += Int64.random(in: 40...700, using: &random)
                let likeness = Likeness(
                    gain: Float.random(in: 0.1...1.5, using: &random), correlation: Float.random(in: 0.3...1, using: &random),
                    residual: Float.random(in: 0.05...1.5, using: &random))
                return BeatCandidate(
                    position: time, deflection: 1, centre: time, likeness: likeness, origin: Bool.random(using: &random) ? .threshold : nil,
                    noise: Float.random(in: -2...0, using: &random), isNoisy: true)
            }
            let previous = Bool.random(using: &random) ? Float.random(in: -2 ... -0.1, using: &random) : nil
            let now = Float(time - candidates[0].centre) / 1000 + Float.random(in: 0...2.5, using: &random)
            path.expected = Float.random(in: 0.4...1.2, using: &random)
            path.spread = Float.random(in: 0.4...2, using: &random)
            let (with, without) = best(candidates, expected: path.expected, spread: path.spread, previous: previous, now: now)
            guard abs(with - without) > 1e-3 else { continue }
            let isBeat = path.firstIsBeat(candidates, rate: 1000, previous: previous, now: now)
            counts[isBeat ? 1 : 0] += 1
            #expect(isBeat == (with > without), "\(with) with it, \(without) without")
        }
        #expect(counts[0] > 3 && counts[1] > 3)
    }

    @Test("has no beat among candidates that are like none")
    func none() {
        var path = RhythmPath(capacity: 4)
        let weak = BeatCandidate(
            position: 0, deflection: 0, centre: 0, likeness: Likeness(gain: 0.1, correlation: 0.1, residual: 2), origin: nil, noise: 0,
            isNoisy: true)
        let isBeat = path.firstIsBeat([weak], rate: 1000, previous: nil, now: 1)
        #expect(!isBeat)
    }
}
