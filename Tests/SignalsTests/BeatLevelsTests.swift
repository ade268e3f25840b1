import Testing

@testable import Signals

/// At 250 samples a second; the numbers are worked out by hand from the levels: the threshold lies 15 % of the way from noise to signal.
@Suite("Levels of beats and noise")
struct BeatLevelsTests {
    private func burst(_ peak: Int64, _ amplitude: Double, slope: Double = 1e6) -> QRSCandidate {
        QRSCandidate(peak: peak, amplitude: amplitude, slope: slope, length: 30)
    }

    /// Levels that start from bursts of these amplitudes in the first two seconds.
    private func learnt(_ amplitudes: [Double]) -> BeatLevels {
        var levels = BeatLevels(rate: 250)
        levels.restart(at: 0)
        for amplitude in amplitudes { _ = levels.keepsBack(burst(100, amplitude)) }
        _ = levels.endOfLearning(at: 500)
        return levels
    }

    /// The amplitude that a burst far behind all others must exceed, to a millionth.
    private func threshold(_ levels: BeatLevels) -> Double {
        var (low, high) = (0.0, 1e4)
        while high - low > 1e-7 {
            var copy = levels
            let middle = (low + high) / 2
            if copy.judge(burst(1_000_000, middle)) == .beat { high = middle } else { low = middle }
        }
        return high
    }

    /// The samples after the last beat from which a hole in the rhythm is filled, with a burst that waits for it.
    private func hole(_ levels: BeatLevels, last: Int64) -> Int64? {
        var copy = levels
        guard copy.judge(burst(last + 80, threshold(levels) * 0.9)) == .noise else { return nil }
        return (1...3000).first { copy.pass(last + $0) != nil }
    }

    @Test("keep bursts of the first two seconds back, sixteen at most")
    func learning() {
        var levels = BeatLevels(rate: 250)
        levels.restart(at: 1000)
        #expect(levels.keepsBack(burst(1000, 1)) && levels.keepsBack(burst(1499, 2)) && !levels.keepsBack(burst(1500, 3)))
        #expect(levels.endOfLearning(at: 1499).isEmpty)
        #expect(levels.endOfLearning(at: 1500).map(\.amplitude) == [1, 2] && levels.endOfLearning(at: 1501).isEmpty)
        let isKept = levels.keepsBack(burst(1100, 1))
        #expect(!isKept)
        var full = BeatLevels(rate: 250)
        full.restart(at: 0)
        for count in 1...17 { #expect(full.keepsBack(burst(10, 1)) == (count <= 16)) }
        var none = BeatLevels(rate: 250)
        none.restart(at: 0)
        #expect(none.endOfLearning(at: 600).isEmpty)
    }

    /// 0.1 of the level is noise: the threshold is 0.1 + 0.15 · 0.9 = 0.235 of it.
    @Test(
        "start from the largest of two bursts, of three or more from the second largest",
        arguments: [
            ([1000.0], 235.0), ([400, 1000], 235), ([400, 1000, 600], 141), ([9000, 500, 100, 1000], 235),
        ] as [([Double], Double)])
    func start(amplitudes: [Double], expected: Double) { #expect(abs(threshold(learnt(amplitudes)) - expected) < 1e-4) }

    @Test("start from the first burst that is judged, where none was kept back")
    func first() {
        var levels = BeatLevels(rate: 250)
        #expect(levels.judge(burst(5, 1000)) == .beat)
        #expect(abs(threshold(levels) - 235) < 1e-4)
    }

    /// A beat moves the signal's level by an eighth, from at most twice the level; noise moves the other by an eighth, from at most the signal's level.
    @Test(
        "follow beats and noise by an eighth",
        arguments: [
            (1800.0, 0.15 * 1100 + 0.85 * 100), (1000, 235), (5000, 0.15 * 1125 + 0.85 * 100), (236, 0.15 * 904.5 + 0.85 * 100),
            (234, 0.15 * 1000 + 0.85 * 116.75), (20, 0.15 * 1000 + 0.85 * 90),
        ] as [(Double, Double)])
    func follow(amplitude: Double, expected: Double) {
        var levels = learnt([1000])
        #expect(levels.judge(burst(1000, amplitude)) == (amplitude > 235 ? .beat : .noise))
        #expect(abs(threshold(levels) - expected) < 1e-4)
    }

    @Test("take what exceeds the threshold, not what is on it")
    func limit() {
        var levels = learnt([1000]), other = levels
        #expect(levels.judge(burst(1000, 0.1 * 1000 + 0.15 * (1000 - 0.1 * 1000))) == .noise && other.judge(burst(1000, 235.001)) == .beat)
    }

    @Test(
        "ignore what follows a beat within 280 ms, and take for a T wave what is flat up to 300 ms",
        arguments: [
            (69, 1000.0, BeatLevels.Decision.ignore), (70, 1000, .ignore), (71, 1000, .beat), (71, 299, .noise), (71, 300, .beat),
            (74, 299, .noise),
            (75, 299, .beat), (75, 0, .beat),
        ] as [(Int64, Double, BeatLevels.Decision)])
    func refractory(distance: Int64, slope: Double, decision: BeatLevels.Decision) {
        var levels = learnt([1000])
        #expect(levels.judge(burst(1000, 1000, slope: 1000)) == .beat)
        #expect(levels.judge(burst(1000 + distance, 900, slope: slope)) == decision)
    }

    @Test("expect a beat every 0.8 s, and after more than 1.6 times that look for one that was passed over")
    func lookBack() {
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1000))
        #expect(hole(levels, last: 1000) == 321)
        #expect(levels.pass(2000) == nil)
    }

    /// From 200 samples an eighth towards 240: 205, whose 1.6-fold is 328. Only intervals between 0.4 and 1.8 of the usual count.
    @Test(
        "follow the interval by an eighth",
        arguments: [
            (240, 329), (160, 313), (200, 321), (80, 321), (81, 297), (359, 352), (360, 321), (400, 321),
        ] as [(Int64, Int64)])
    func interval(distance: Int64, hole expected: Int64) {
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1000))
        #expect(levels.judge(burst(1000 + distance, 1000)) == .beat)
        #expect(hole(levels, last: 1000 + distance) == expected)
    }

    /// The second burst is noise, which moves the threshold itself: of 1000 and 100 + (amplitude - 100) / 8.
    @Test("take for a missed beat the largest burst since the last, above 0.4 of the threshold, and learn a quarter of it")
    func waiting() {
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1000))
        for (peak, amplitude) in [(1100, 150.0), (1180, 200), (1260, 180)] as [(Int64, Double)] {
            #expect(levels.judge(burst(peak, amplitude)) == .noise)
        }
        #expect(levels.pass(1320) == nil)
        let found = levels.pass(1321)
        #expect(found?.peak == 1180 && found?.amplitude == 200)
        // Noise: 100, 106.25, 117.96875, 125.72265625; signal: 1000 - 200 = 800.
        #expect(abs(threshold(levels) - (125.72265625 + 0.15 * (800 - 125.72265625))) < 1e-4)
        #expect(levels.pass(1322) == nil)
        // It counts as the last beat.
        #expect(levels.judge(burst(1250, 900)) == .ignore && levels.judge(burst(1251, 900)) == .beat)
    }

    @Test("leave alone what is not larger than 0.4 of the threshold", arguments: [(90.0, false), (96, true)] as [(Double, Bool)])
    func small(amplitude: Double, isFound: Bool) {
        // Noise falls to 100 + (amplitude - 100) / 8: with 90 the threshold is 233.9375 and 0.4 of it 93.6, with 96 it is 234.6 and 93.8.
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1000))
        _ = levels.judge(burst(1100, amplitude))
        #expect((levels.pass(1321) != nil) == isFound)
        #expect(levels.pass(1322) == nil)
    }

    @Test("do not look back before the first beat, or behind a T wave")
    func noLookBack() {
        var before = learnt([1000])
        #expect(before.judge(burst(200, 200)) == .noise && before.pass(400) == nil)
        var wave = learnt([1000])
        _ = wave.judge(burst(1000, 1000, slope: 1000))
        #expect(wave.judge(burst(1072, 200, slope: 1)) == .noise && (1001...1740).allSatisfy { wave.pass($0) == nil })
    }

    @Test("fall by 30 % a second after three seconds of silence")
    func decay() {
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1000))
        _ = levels.pass(1750)
        #expect(abs(threshold(levels) - 235) < 1e-4)
        _ = levels.pass(1751)
        #expect(abs(threshold(levels) - 235 * (1 - 0.3 / 250)) < 1e-4)
        for position in Int64(1752)...1850 { _ = levels.pass(position) }
        var share = 1.0
        for _ in 0..<100 { share *= 1 - 0.3 / 250 }
        #expect(abs(threshold(levels) - 235 * share) < 1e-4)
    }

    @Test(
        "fall no further than to a seventh while there is no gap, and call what is under a quarter of the beats before it faint")
    func silence() {
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1000))
        #expect(levels.isFaint(burst(1700, 249)) && !levels.isFaint(burst(1700, 251)))
        for position in Int64(1700)...15_000 { _ = levels.pass(position) }
        #expect(abs(threshold(levels) - 235 / 7) < 0.1)
        #expect(levels.isFaint(burst(15_000, 249)) && !levels.isFaint(burst(15_000, 251)))
        var behindGap = levels
        behindGap.restart(at: 15_001)
        for position in Int64(15_001)...25_000 { _ = behindGap.pass(position) }
        #expect(threshold(behindGap) < 5 && !behindGap.isFaint(burst(25_000, 10)))
        #expect(levels.judge(burst(15_100, 900)) == .beat && !levels.isFaint(burst(15_200, 100)))
    }

    /// At 250 samples a second 0.25 s are 62.5 and 0.28 s 70.
    @Test(
        "follow the fastest hearts from the fourth beat on that has another of full size close behind, and no artefact",
        arguments: [62, 63, 69, 70])
    func fastest(distance: Int64) {
        var levels = learnt([1000]), small = levels, decisions: [BeatLevels.Decision] = []
        for count in 0..<12 { decisions.append(levels.judge(burst(1000 + distance * Int64(count), 1000))) }
        let follows = decisions.suffix(4) == [.beat, .beat, .beat, .beat]
        #expect(follows == (distance > 62), "\(decisions)")
        #expect(decisions.prefix(6) == [.beat, .ignore, .beat, .ignore, .beat, .ignore])
        for count in 0..<12 {
            #expect(small.judge(burst(1000 + distance * Int64(count), count % 2 == 0 ? 1000 : 450)) == (count % 2 == 0 ? .beat : .ignore))
        }
    }

    @Test("keep their levels over a gap, but forget the rhythm's last beat")
    func restart() {
        var levels = learnt([1000])
        _ = levels.judge(burst(1000, 1800, slope: 1e6))
        _ = levels.judge(burst(1100, 100))
        levels.restart(at: 1010)
        #expect(levels.judge(burst(1011, 900)) == .beat && !levels.keepsBack(burst(1200, 1)))
        var silent = learnt([1000])
        _ = silent.judge(burst(1000, 1000))
        _ = silent.judge(burst(1100, 150))
        silent.restart(at: 5000)
        #expect(silent.pass(5400) == nil && silent.pass(5750) == nil && abs(threshold(silent) - (106.25 + 0.15 * 893.75)) < 1e-4)
    }
}
