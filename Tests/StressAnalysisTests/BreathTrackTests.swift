import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// Breaths of four seconds, and what is told of them beside what follows by hand from the times at which the detector alone finds them.
@Suite("One person's breathing")
struct BreathTrackTests {
    private static let start = 1_700_000_000.0

    /// A track that is fed second by second; times count from its first sample.
    private struct Feed {
        var track = BreathTrack()
        /// The times of the breaths.
        private(set) var breaths: [Double] = []
        private(set) var end = 0.0
        /// The last time at which the signal was a flat line.
        private(set) var lastFlat = 0.0
        private var detector = BreathDetector(rate: 25)
        private var skipped = 0

        mutating func add(_ seconds: Int, _ value: (Double) -> Double) {
            for _ in 0..<seconds {
                let samples = (0..<25).map { Float(value(end + Double($0) / 25)) }
                if skipped > 0 { detector.skip(25 * skipped) }
                skipped = 0
                var found: [Breath] = []
                detector.process(samples.span, into: &found)
                breaths += found.map { Double($0.position) / 25 }
                track.add(SampleBlock(start: start + end, period: 0.04, samples: samples))
                end += 1
                if detector.fault == .flat { lastFlat = end }
            }
        }

        /// So many seconds do not come.
        mutating func lose(_ seconds: Int) {
            skipped += seconds
            end += Double(seconds)
        }

        var last: Double { breaths.last ?? .nan }
        /// The mean distance of the breaths of the minute up to the last.
        var usual: Double {
            let minute = breaths.filter { $0 > last - 60 }
            return (last - (minute.first ?? .nan)) / Double(minute.count - 1)
        }

        func pause(at time: Double) -> Double? { track.pause(at: start + time) }
        func flatness(at time: Double) -> Double? { track.flatness(at: start + time) }
    }

    private func breath(_ time: Double) -> Double { sin(2 * .pi * time / 4) }
    /// The heart's oscillation, which is no breath.
    private func heart(_ time: Double) -> Double { 0.02 * sin(2 * .pi * 1.2 * time) }
    private func constant(_ time: Double) -> Double { 0.3 }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 1e-6 } ?? false }

    /// Forty seconds of breaths, of which the last is around 37 s.
    private func breathing() -> Feed {
        var feed = Feed()
        feed.add(40, breath)
        feed.add(1, heart)
        return feed
    }

    // MARK: Pauses

    @Test("a pause lasts from the last breath to three seconds behind the report, as far as the signal is known")
    func pause() {
        var feed = breathing()
        feed.add(29, heart)
        #expect(feed.end == 70 && abs(feed.last - 37) < 1 && feed.breaths.count > 6)
        for (time, now) in [(50.0, 53.0), (67, 70), (68, 70), (100, 70)] { #expect(isNear(feed.pause(at: time), now - feed.last)) }
        // Before the last breath the longest of those that ended in the six seconds before counts.
        for time in [24.0, 28, 31] {
            let pairs = zip(feed.breaths.dropFirst(), feed.breaths).filter { $0.0 > time - 6 && $0.0 <= time }
            #expect(isNear(feed.pause(at: time), pairs.map { $0.0 - $0.1 }.max() ?? -1))
        }
    }

    @Test("there is no pause before the third breath, nor anything flat")
    func first() {
        var feed = Feed()
        #expect(feed.track.end == nil && feed.track.fault == nil && feed.track.isRateKnown && !feed.track.isTooFast)
        while feed.breaths.count < 2 { feed.add(1, breath) }
        #expect(feed.pause(at: feed.end) == nil)
        var flat = feed
        flat.add(40) { [end = feed.end] _ in breath(end) }
        #expect(
            flat.track.fault == .flat && flat.breaths.count == 2 && flat.flatness(at: flat.end) == nil && flat.pause(at: flat.end) == nil)
        while feed.breaths.count < 3 { feed.add(1, breath) }
        #expect(feed.pause(at: feed.end) != nil)
    }

    /// Each hole hides its length and one breath more at most, as long as it is shorter than breaths are apart.
    @Test(
        "behind a short hole the pause goes on, but for what the hole may hide; behind a long one it begins anew",
        arguments: [
            ([(10, 2)], 1), ([(10, 2), (5, 3)], 2), ([(10, 3), (3, 2), (3, 2)], 3), ([(10, 5)], 0), ([(10, 9), (5, 2)], 0), ([(10, 1)], -1),
        ]
            as [([(Int, Int)], Int)])
    func holes(holes: [(after: Int, length: Int)], short: Int) {
        var feed = breathing()
        for hole in holes {
            feed.add(hole.after, heart)
            feed.lose(hole.length)
        }
        let resumed = feed.end
        feed.add(12, heart)
        let lost = Double(holes.reduce(0) { $0 + $1.length })
        let expected =
            switch short {
            case -1: feed.end - feed.last
            case 0: 12.0
            default: max(feed.end - resumed, feed.end - feed.last - lost - Double(short) * feed.usual)
            }
        #expect(isNear(feed.pause(at: feed.end), expected), "\(expected)")
    }

    @Test("a breath behind a hole ends all that it hid")
    func behindHole() {
        var feed = breathing()
        feed.add(6, heart)
        feed.lose(2)
        feed.add(72, breath)
        feed.add(10, heart)
        feed.lose(2)
        feed.add(20, heart)
        #expect(feed.last > 100 && isNear(feed.pause(at: feed.end), feed.end - feed.last - 2 - feed.usual), "\(feed.last)")
    }

    @Test("a signal that has not changed at all for five seconds is a hole", arguments: [(4, false), (5, true), (9, true)])
    func constant(seconds: Int, isHole: Bool) {
        var feed = breathing()
        feed.add(9, heart)
        feed.add(seconds, constant)
        let until = feed.end
        feed.add(10, heart)
        #expect(isNear(feed.pause(at: feed.end), isHole ? feed.end - until : feed.end - feed.last))
        // So it is where it came in one block.
        var block = breathing()
        block.add(9, heart)
        let samples = [Float](repeating: 0.3, count: 25 * seconds)
        block.track.add(SampleBlock(start: Self.start + 50, period: 0.04, samples: samples))
        for second in 0..<10 {
            let time = 50 + seconds + second, more = (0..<25).map { Float(heart(Double(time) + Double($0) / 25)) }
            block.track.add(SampleBlock(start: Self.start + Double(time), period: 0.04, samples: more))
        }
        #expect(isNear(block.pause(at: 100), feed.pause(at: 100) ?? -1))
    }

    /// A breath at 37 s, and the next one so long behind it that those before are older than a minute and a half, or not.
    @Test("breaths are kept for a minute and a half", arguments: [(70, true), (95, false)])
    func kept(seconds: Int, isKnown: Bool) {
        var feed = breathing()
        feed.add(seconds, heart)
        let count = feed.breaths.count
        while feed.breaths.count == count { feed.add(1, breath) }
        #expect((feed.pause(at: feed.end) != nil) == isKnown)
    }

    // MARK: The pattern

    @Test("the rate is that of the breaths of a minute, without what lies across a hole", arguments: [2, 7])
    func pattern(length: Int) throws {
        var feed = Feed()
        feed.add(70, breath)
        let hole = feed.end
        feed.lose(length)
        feed.add(50, breath)
        for time in [98.0, 104, 110, 118, 122] {
            let minute = feed.breaths.filter { $0 > time - 60 && $0 <= time }
            let stretches = [minute.filter { $0 < hole }, minute.filter { $0 >= hole }]
            let expected = try #require(
                BreathingPattern(stretches: stretches, open: stretches.last { !$0.isEmpty }?.last.map { time - $0 }))
            let found = try #require(feed.track.pattern(through: Self.start + time))
            #expect(isNear(found.rate, expected.rate) && isNear(found.irregularity, expected.irregularity))
        }
        #expect(feed.track.pattern(through: Self.start) == nil)
    }

    @Test("a breath that is overdue counts for the rate, from the last one on")
    func overdue() throws {
        var feed = breathing()
        feed.add(29, heart)
        for time in [42.0, 50, 60] {
            let minute = feed.breaths.filter { $0 > time - 60 }, sum = feed.last - (minute.first ?? 0), open = time - feed.last
            let number = Double(minute.count - 1)
            let rate = open > 1.5 * sum / number ? 60 * (number + 1) / (sum + open) : 60 * number / sum
            #expect(isNear(feed.track.pattern(through: Self.start + time)?.rate, rate))
        }
    }

    // MARK: Flat lines

    @Test("a flat line is told of since the last breath, or since the last hole behind it", arguments: [0, 3])
    func flat(hole: Int) {
        var feed = breathing()
        feed.lose(hole)
        let resumed = feed.end
        feed.add(40, constant)
        let since = hole > 0 ? resumed : feed.last
        #expect(feed.track.fault == .flat && feed.lastFlat == feed.end)
        for back in [0.0, 5, 10] {
            let now = feed.end - back
            #expect(isNear(feed.flatness(at: now - 3), now - since))
        }
        #expect(isNear(feed.flatness(at: feed.end + 9), feed.end - since))
    }

    @Test("a flat line that breaths have ended is told of for a minute more")
    func ended() {
        var feed = breathing()
        feed.add(30, constant)
        let until = feed.end
        #expect(feed.flatness(at: until) ?? 0 > 25)
        feed.add(90, breath)
        let flat = feed.lastFlat
        #expect(flat >= until && flat < until + 10)
        #expect(feed.flatness(at: flat + 10) == 0 && feed.flatness(at: flat + 56) == 0 && feed.flatness(at: flat + 57) == nil)
    }

    @Test("another rate, or a minute without a signal, begins anew", arguments: [(25.0, 61.0), (10, 0)])
    func anew(rate: Double, hole: Double) {
        var feed = breathing()
        feed.add(30, constant)
        #expect(feed.flatness(at: feed.end) ?? 0 > 25)
        for second in 0..<6 {
            let time = feed.end + hole + Double(second)
            let samples = (0..<Int(rate)).map { Float(breath(time + Double($0) / rate)) }
            feed.track.add(SampleBlock(start: Self.start + time, period: 1 / rate, samples: samples))
        }
        let now = feed.end + hole + 6
        #expect(feed.pause(at: now) == nil && feed.track.pattern(through: Self.start + now) == nil)
        #expect(feed.flatness(at: now) == (hole > 0 ? nil : 0))
    }

    @Test("a signal that is too coarse is not looked into", arguments: [(1.9, false), (1.99, true), (2020, true), (2030, false)])
    func coarse(rate: Double, isKnown: Bool) {
        var track = BreathTrack()
        track.add(SampleBlock(start: 1000, period: 1 / rate, samples: [Float](repeating: 1, count: 40)))
        #expect(track.isRateKnown == isKnown && (track.fault == .missing) == !isKnown && track.end == 1000 + 40 / rate)
    }

    // MARK: Skin

    /// A block of a quarter of a second each: of 240 in the minute the last two hundred count, of which the level began to rise in the 81st.
    @Test("of the skin's levels two hundred are kept")
    func levels() {
        var track = SkinTrack()
        for block in 0..<240 {
            track.add(SampleBlock(start: 1000 + Double(block) / 4, period: 0.25, samples: [block < 120 ? 2 : 8]))
        }
        #expect(track.level(through: 1060) ?? 0 > 3)
        var few = SkinTrack()
        for block in 0..<200 { few.add(SampleBlock(start: 1000 + Double(block) / 4, period: 0.25, samples: [block < 120 ? 2 : 8])) }
        #expect(abs((few.level(through: 1050) ?? 0) - 2) < 0.01)
    }
}
