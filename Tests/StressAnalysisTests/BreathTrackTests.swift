import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// Breaths of four seconds, and what is told of them beside what follows by hand from the times at which the detector alone finds them.
@Suite("One person's breathing")
struct BreathTrackTests: BreathCurves {
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
        var feed = BreathFeed()
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

    /// Each hole hides its length and one breath more at most, as long as it is shorter than breaths are apart; no breath where it is shorter than
    /// seven tenths of that, and nothing moves on either side.
    @Test(
        "behind a short hole the pause goes on, but for what the hole may hide; behind a long one it begins anew",
        arguments: [
            ([(10, 2)], 1), ([(10, 2), (5, 3)], 2), ([(10, 3), (3, 2), (3, 2)], 1), ([(10, 5)], 0), ([(10, 9), (5, 2)], 0), ([(10, 1)], -1),
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

    @Test("of a signal that loses two seconds in every five, an apnoea is told, and none of who breathes", arguments: [true, false])
    func regularLoss(isApnoea: Bool) {
        var feed = breathing()
        for _ in 0..<9 {
            feed.add(3) { isApnoea ? heart($0) : breath($0) }
            feed.lose(2)
        }
        feed.add(3) { isApnoea ? heart($0) : breath($0) }
        let pause = feed.pause(at: feed.end) ?? 0
        #expect(isApnoea ? pause >= 20 && pause < feed.end - feed.last : pause < 10, "\(pause)")
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
        block.track.add(SampleBlock(start: BreathFeed.start + 50, period: 0.04, samples: samples))
        for second in 0..<10 {
            let time = 50 + seconds + second, more = (0..<25).map { Float(heart(Double(time) + Double($0) / 25)) }
            block.track.add(SampleBlock(start: BreathFeed.start + Double(time), period: 0.04, samples: more))
        }
        #expect(isNear(block.pause(at: 100), feed.pause(at: 100) ?? -1))
    }

    @Test("a pause counts for six seconds behind its end", arguments: [(5.9, true), (6.1, false)])
    func ended(seconds: Double, counts: Bool) throws {
        var feed = breathing()
        feed.add(9, heart)
        feed.add(30, breath)
        let (before, next) = try #require(zip(feed.breaths, feed.breaths.dropFirst()).first { $1 - $0 > 9 })
        let found = feed.pause(at: next + seconds) ?? -1
        #expect(counts ? isNear(found, next - before) : found < 5, "\(found)")
    }

    @Test("a signal that does not change is a hole where it is, also after a minute without a signal")
    func constantBehindHole() {
        var feed = BreathFeed()
        feed.add(70, breath)
        feed.lose(61)
        feed.add(40, breath)
        feed.add(10, heart)
        feed.add(5, constant)
        let until = feed.end
        feed.add(10, heart)
        #expect(isNear(feed.pause(at: feed.end), feed.end - until))
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

    @Test("another rate, or a minute without a signal, begins anew", arguments: [(25.0, 61.0), (10, 0)])
    func anew(rate: Double, hole: Double) {
        var feed = breathing()
        feed.add(30, constant)
        #expect(feed.flatness(at: feed.end) ?? 0 > 25)
        for second in 0..<6 {
            let time = feed.end + hole + Double(second)
            let samples = (0..<Int(rate)).map { Float(breath(time + Double($0) / rate)) }
            feed.track.add(SampleBlock(start: BreathFeed.start + time, period: 1 / rate, samples: samples))
        }
        let now = feed.end + hole + 6
        #expect(feed.pause(at: now) == nil && feed.track.pattern(through: BreathFeed.start + now) == nil)
        #expect(feed.flatness(at: now) == (hole > 0 ? nil : 0))
    }

    @Test("a signal that is too coarse is not looked into", arguments: [(1.9, false), (1.99, true), (2020, true), (2030, false)])
    func coarse(rate: Double, isKnown: Bool) {
        var track = BreathTrack()
        track.add(SampleBlock(start: 1000, period: 1 / rate, samples: [Float](repeating: 1, count: 40)))
        #expect(track.isRateKnown == isKnown && (track.fault == .missing) == !isKnown && track.end == 1000 + 40 / rate)
    }
}
