import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// Breaths of four seconds: their rate, and the line behind them, beside what follows by hand from the times at which the detector alone finds them.
@Suite("Rate and flat lines of one person's breathing")
struct BreathPatternTests: BreathCurves {
    @Test("the rate is that of the breaths of a minute, without what lies across a hole", arguments: [2, 7])
    func pattern(length: Int) throws {
        var feed = BreathFeed()
        feed.add(70, breath)
        let hole = feed.end
        feed.lose(length)
        feed.add(50, breath)
        for time in [98.0, 104, 110, 118, 122] {
            let minute = feed.breaths.filter { $0 > time - 60 && $0 <= time }
            let stretches = [minute.filter { $0 < hole }, minute.filter { $0 >= hole }]
            let expected = try #require(
                BreathingPattern(stretches: stretches, open: stretches.last { !$0.isEmpty }?.last.map { time - $0 }))
            let found = try #require(feed.track.pattern(through: BreathFeed.start + time))
            #expect(isNear(found.rate, expected.rate) && isNear(found.irregularity, expected.irregularity))
        }
        #expect(feed.track.pattern(through: BreathFeed.start) == nil)
    }

    @Test("a breath that is overdue counts for the rate, from the last one on")
    func overdue() throws {
        var feed = breathing()
        feed.add(29, heart)
        for time in [42.0, 50, 60] {
            let minute = feed.breaths.filter { $0 > time - 60 }, sum = feed.last - (minute.first ?? 0), open = time - feed.last
            let number = Double(minute.count - 1)
            let rate = open > 1.5 * sum / number ? 60 * (number + 1) / (sum + open) : 60 * number / sum
            #expect(isNear(feed.track.pattern(through: BreathFeed.start + time)?.rate, rate))
        }
    }

    @Test("the rate is that of the last minute, and of no breath before it", arguments: [100.0, 108, 116])
    func minute(time: Double) throws {
        var feed = BreathFeed()
        feed.add(60, breath)
        feed.add(62) { sin(2 * .pi * $0 / 3) }
        let breaths = feed.breaths.filter { $0 > time - 60 && $0 <= time }
        let expected = try #require(BreathingPattern(stretches: [breaths], open: breaths.last.map { time - $0 }))
        #expect(isNear(feed.track.pattern(through: BreathFeed.start + time)?.rate, expected.rate) && (15.5..<20).contains(expected.rate))
    }

    @Test("the rate leaves out what lies across either of two holes")
    func twoHoles() throws {
        var feed = BreathFeed()
        for seconds in [44, 14, 24] {
            if feed.end > 0 { feed.lose(7) }
            feed.add(seconds, breath)
        }
        let minute = feed.breaths.filter { $0 > 95 - 60 && $0 <= 95 }
        let stretches = [minute.filter { $0 < 47 }, minute.filter { $0 > 47 && $0 < 68 }, minute.filter { $0 > 68 }]
        let expected = try #require(BreathingPattern(stretches: stretches, open: minute.last.map { 95 - $0 }))
        #expect(feed.end == 96 && stretches.allSatisfy { $0.count > 1 }, "\(stretches)")
        #expect(isNear(feed.track.pattern(through: BreathFeed.start + 95)?.rate, expected.rate))
    }

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
}
