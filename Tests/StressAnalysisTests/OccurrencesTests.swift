import Testing

@testable import StressAnalysis

/// Beats a second apart unless it is said otherwise.
@Suite("How often something comes, and how long it has not")
struct OccurrencesTests {
    private func beats(_ times: [Double]) -> Occurrences {
        var beats = Occurrences()
        for time in times { beats.add(time) }
        return beats
    }

    /// Beats at 1, 2 … up to a second.
    private func steady(_ count: Int) -> Occurrences { beats((1...count).map(Double.init)) }

    private func isNear(_ value: Double?, _ expected: Double?) -> Bool {
        guard let value, let expected else { return value == nil && expected == nil }
        return abs(value - expected) < 1e-9
    }

    // MARK: Silence

    @Test("that none comes means something from the fifth on", arguments: [(1, nil), (4, nil), (5, 4), (9, 4)] as [(Int, Double?)])
    func enough(count: Int, silence: Double?) {
        let beats = steady(count), now = Double(count) + 4
        #expect(beats.silence(at: now) == silence && beats.absence(at: now) == silence && beats.last == Double(count))
        #expect(beats.longestPause(at: now, within: 3, isDoubted: false) == silence)
        #expect(Occurrences().absence(at: 9) == nil && Occurrences().last == nil && Occurrences().rate(over: 15, at: 9) == nil)
    }

    @Test("one that does not come later than the last is none")
    func order() {
        var beats = steady(5)
        beats.add(5)
        beats.add(3)
        #expect(beats.last == 5 && beats.silence(at: 7) == 2 && beats.silence(at: 4) == 0)
    }

    /// Usually a second apart: a hole of 0.4 s hides 1.4 s at most, whatever it is that came in it.
    @Test(
        "behind holes so short that each hides one at most the silence goes on, but for as much as they hide",
        arguments: [
            ([], 10.0, 5), ([(6.8, 0.4)], 10, 3.6), ([(6.8, 0.4)], 6.9, 0.5), ([(6.8, 0.4), (8, 0.3)], 10, 2.3), ([(9.5, 0.4)], 10, 3.6),
            ([(6.8, 0.4), (9.9, 0.3), (9.95, 0.1)], 10, 1.2), ([(6.8, 0.999)], 10, 3.2), ([(6.8, 0.4)], 6.5, 0.1),
        ] as [([(Double, Double)], Double, Double)])
    func hidden(holes: [(end: Double, length: Double)], now: Double, silence: Double) {
        var beats = steady(5)
        for hole in holes { beats.breakOff(until: hole.end, length: hole.length) }
        #expect(isNear(beats.silence(at: now), silence) && isNear(beats.absence(at: now), silence))
    }

    @Test(
        "behind a hole as long as they are apart, or of no known length, the silence begins anew, whatever holes come then",
        arguments: [1.0, 1.5, nil] as [Double?])
    func long(length: Double?) {
        var beats = steady(5)
        beats.breakOff(until: 7, length: length)
        #expect(beats.silence(at: 10) == 3)
        beats.breakOff(until: 7.25, length: 0.1)
        #expect(beats.silence(at: 10) == 2.75)
        beats.breakOff(until: 6, length: 0.1)
        #expect(beats.silence(at: 10) == 2.75)
        // With the next one all that is forgotten.
        beats.add(10.5)
        #expect(beats.silence(at: 12) == 1.5)
        beats.breakOff(until: 12.25, length: 0.25)
        #expect(beats.silence(at: 14) == 2.25)
    }

    /// In the 15 s before the last four came a second apart and three two: ten seconds for seven. The four before them and the hole do not count.
    @Test("holes hide as much as lies between two of late", arguments: [(1.4, false), (1.43, true)])
    func usual(length: Double, isLong: Bool) {
        var beats = beats([1, 5, 9, 13])
        beats.breakOff(until: 14)
        for time in [20.0, 21, 22, 23, 24, 26, 28, 30] { beats.add(time) }
        beats.breakOff(until: 33, length: length)
        #expect(isNear(beats.silence(at: 40), isLong ? 7 : 40 - 30 - length - 10 / 7.0))
    }

    @Test("while others may have been missed the silence is no longer than since then, the absence is")
    func doubted() {
        var beats = steady(5)
        beats.doubt(until: 8)
        beats.doubt(until: 7)
        #expect(beats.silence(at: 10) == 2 && beats.absence(at: 10) == 5 && beats.silence(at: 7) == 0)
        beats.doubt(until: 5)
        beats.add(9.5)
        #expect(beats.silence(at: 10) == 0.5)
    }

    // MARK: Pauses

    @Test("the longest pause is one that ended in the span before, or has not ended", arguments: [(9.0, 6.0), (9.75, 6), (11, 1), (15, 4)])
    func pause(now: Double, longest: Double) {
        // Up to 2 each second, then six seconds none, and again each second.
        let beats = beats([-2, -1, 0, 1, 2, 8, 9, 10, 11])
        #expect(beats.longestPause(at: now, within: 3, isDoubted: false) == longest)
    }

    @Test(
        "a pause that ended at the end of the span counts, and not one that ended at its start",
        arguments: [(7.99, 1.0), (8, 6), (10.99, 6), (11, 1)])
    func span(now: Double, longest: Double) {
        let beats = beats([-2, -1, 0, 1, 2, 8, 9, 10, 11])
        let found = beats.longestPause(at: now, within: 3, isDoubted: false)
        #expect(now < 8 ? found == 0 : found == longest)
    }

    @Test("a pause with a hole in it counts behind the hole, from where the signal went on", arguments: [false, true])
    func broken(isDoubted: Bool) {
        var beats = steady(5)
        beats.breakOff(until: 7)
        beats.add(12)
        // Five seconds from 7 to 12; not the seven from 5 on.
        #expect(beats.longestPause(at: 12, within: 3, isDoubted: isDoubted) == 5)
        #expect(beats.longestPause(at: 14.5, within: 3, isDoubted: isDoubted) == 5)
        beats.add(13)
        #expect(beats.longestPause(at: 14.5, within: 3, isDoubted: isDoubted) == 5)
        #expect(beats.longestPause(at: 15, within: 3, isDoubted: isDoubted) == 2)
        #expect(beats.longestPause(at: 11.5, within: 3, isDoubted: isDoubted) == 0)
    }

    @Test("a pause in which others may have been missed counts only where that is asked for")
    func doubtedPause() {
        var beats = steady(5)
        beats.doubt(until: 7)
        beats.add(9)
        #expect(beats.longestPause(at: 9, within: 3, isDoubted: false) == 0 && beats.longestPause(at: 9, within: 3, isDoubted: true) == 4)
        #expect(beats.longestPause(at: 10.5, within: 3, isDoubted: false) == 1.5)
        // A hole in the same time: what followed it does not count either.
        var both = steady(5)
        both.breakOff(until: 6)
        both.doubt(until: 7)
        both.add(9)
        #expect(both.longestPause(at: 9, within: 3, isDoubted: false) == 0 && both.longestPause(at: 9, within: 3, isDoubted: true) == 0)
    }

    // MARK: The rate

    @Test(
        "the rate is that of the intervals that ended in the span, three at least, or one where ten seconds are known",
        arguments: [
            ([0, 1, 2], 2, nil), ([0, 1, 2, 3], 3, 60), ([0, 2, 3, 4], 4, 45), ([0, 10], 10, 6), ([0, 9], 9, nil), ([0, 5, 9.5], 9.5, nil),
            ([0, 5, 10], 10, 12), ([0, 0.5, 1, 1.5, 3.5, 5.5], 5.5, 60 * 5 / 5.5),
        ] as [([Double], Double, Double?)])
    func rate(times: [Double], now: Double, rate: Double?) { #expect(isNear(beats(times).rate(over: 15, at: now), rate)) }

    /// Three intervals of two seconds: the next is overdue behind three.
    @Test(
        "one that is overdue by half counts as if it came now",
        arguments: [
            (9, 30), (10, 30), (10.5, 60 * 4 / 9.5), (13, 20), (15, 60 * 4 / 14.0), (17.5, 60 * 4 / 16.5), (18, 12), (21.5, 60 * 2 / 16.5),
            (23, nil),
        ]
            as [(Double, Double?)])
    func overdue(now: Double, rate: Double?) {
        // At 18 those that ended behind 3 count, which are two, with eleven seconds of silence; at 21.5 the one that ended at 7; at 23 none is left.
        #expect(isNear(beats([1, 3, 5, 7]).rate(over: 15, at: now), rate))
    }

    @Test("intervals with a hole or a loss in them do not count for the rate, and silence counts from behind them")
    func holes() {
        for isLoss in [false, true] {
            var beats = steady(5)
            if isLoss { beats.lose(until: 7) } else { beats.breakOff(until: 7) }
            #expect(beats.rate(over: 15, at: 8) == 60 && isNear(beats.rate(over: 15, at: 9), 60 * 5 / 6.0))
            if isLoss { beats.lose(until: 6.5) }
            #expect(isNear(beats.rate(over: 15, at: 9), 60 * 5 / 6.0))
            for time in [9.0, 10, 11] { beats.add(time) }
            #expect(beats.rate(over: 15, at: 11) == 60)
        }
        // A doubt takes nothing from the rate.
        var doubted = steady(5)
        doubted.doubt(until: 7)
        doubted.add(9)
        #expect(doubted.rate(over: 15, at: 9) == 60 * 5 / 8.0)
    }

    // MARK: Bounds

    /// Eight seconds, then ten, then one each: what is 90 s old is kept, what is older is not.
    @Test("a minute and a half is kept", arguments: [(98.0, 54.0), (98.5, nil), (99, 60)])
    func minutes(end: Double, rate: Double?) {
        let times = [0, 8, 18] + (19...98).map(Double.init) + (end > 98 ? [end] : [])
        let found = beats(times).rate(over: 1000, at: end)
        #expect(rate.map { found == $0 } ?? (found.map { $0 > 59.5 } ?? false))
    }

    @Test("512 are kept at most", arguments: [(512, 60 * 511 / 73.75), (513, 480)])
    func count(number: Int, rate: Double) {
        let times = [0] + (0..<number - 1).map { 10 + Double($0) / 8 }
        #expect(isNear(beats(times).rate(over: 1000, at: times[number - 1]), rate))
    }

    /// The one behind which something was is 90 s old at 95.
    @Test("so long are holes, doubts and losses kept", arguments: ["hole", "doubt", "loss"])
    func keptHoles(kind: String) {
        var beats = steady(5)
        switch kind {
        case "hole": beats.breakOff(until: 6)
        case "doubt": beats.doubt(until: 6)
        default: beats.lose(until: 6)
        }
        for time in 25...95 { beats.add(Double(time)) }
        if kind == "doubt" {
            #expect(beats.longestPause(at: 95, within: 75, isDoubted: false) == 1)
        } else {
            #expect(beats.rate(over: 90, at: 95) == 60)
        }
    }
}

@Suite("A line without anything from a body")
struct FlatnessTests {
    @Test("lasts from the last that was known of the body, until something comes from it")
    func lasts() {
        var flat = Flatness()
        #expect(flat.seconds(at: 0) == nil)
        flat.note(at: 100, silence: 5)
        #expect(flat.seconds(at: 100) == 5 && flat.seconds(at: 110) == 15 && flat.seconds(at: 90) == 0)
        flat.note(at: 120, silence: 1)
        #expect(flat.seconds(at: 120) == 25 && flat.seconds(at: 1000) == 905)
    }

    @Test("is told as ended for a minute behind the last moment at which it was flat", arguments: [(120.0, 0.0), (179.9, 0), (180, nil)])
    func ended(at time: Double, seconds: Double?) {
        var flat = Flatness()
        flat.note(at: 120, silence: 5)
        flat.note(at: 110, silence: 5)
        flat.end()
        #expect(flat.seconds(at: time) == seconds)
        flat.note(at: 200, silence: 2)
        #expect(flat.seconds(at: 200) == 2)
    }
}
