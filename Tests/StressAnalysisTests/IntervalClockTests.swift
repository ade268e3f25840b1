import Foundation
import Signals
import Testing

@testable import StressAnalysis

@Suite("Intervals that a device measured")
struct IntervalClockTests {
    /// Intervals around 0.6 s that swing with the breath, with the time at which each ends.
    private let beats: [(end: Double, milliseconds: Double)] = {
        var (time, beats) = (1_700_000_000.0, [(end: Double, milliseconds: Double)]())
        for _ in 0..<400 {
            let milliseconds = 600 + 40 * sin(2 * .pi * 0.25 * (time - 1_700_000_000))
            time += milliseconds / 1000
            beats.append((time, milliseconds))
        }
        return beats
    }()

    private func rmssd(_ add: (inout WearerAnalysis) -> Void) -> [Double] {
        var analysis = WearerAnalysis(), found: [Double] = []
        add(&analysis)
        while let report = analysis.nextReport() { if let value = report.variability?.rmssd { found.append(value) } }
        return found
    }

    @Test("those that came at one time count one after the other, as if each had come by itself")
    func together() throws {
        let apart = rmssd { analysis in for beat in beats { analysis.add(.interval, beat.milliseconds, at: beat.end) } }
        let together = rmssd { analysis in
            // Once a second a strap sends what ended since.
            var stamp = 0.0, number: Int32 = 0
            for beat in beats {
                number = beat.end.rounded(.up) == stamp ? number + 1 : 0
                stamp = beat.end.rounded(.up)
                analysis.add(.interval, beat.milliseconds, at: stamp, sequence: number)
            }
        }
        let (truth, found) = (try #require(apart.last), try #require(together.last))
        #expect(abs(found - truth) < 1.5, "\(found) in place of \(truth)")
    }

    @Test("where one is missing the two beside it do not follow each other")
    func missing() {
        let found = rmssd { analysis in
            for (index, beat) in beats.enumerated() where index % 2 == 0 { analysis.add(.interval, beat.milliseconds, at: beat.end) }
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test("what comes twice counts once, and a gap ends the count")
    func order() {
        var clock = IntervalClock()
        #expect(clock.locate(0.8, stamp: 100, sequence: 0)?.isAfterGap == true)
        #expect(clock.locate(0.8, stamp: 100, sequence: 0) == nil && clock.locate(0.8, stamp: 99, sequence: 5) == nil)
        #expect(clock.locate(0.8, stamp: 100.8, sequence: 0) == .init(isAfterGap: false, earlier: 0))
        #expect(clock.locate(0.8, stamp: 100.8, sequence: 1) == .init(isAfterGap: false, earlier: 1))
        #expect(clock.locate(0.8, stamp: 100.8, sequence: 2) == .init(isAfterGap: false, earlier: 2))
        #expect(clock.locate(0.8, stamp: 110, sequence: 0)?.isAfterGap == true)
    }

    // MARK: Bounds

    /// A clock after a start at 100 s and so many intervals of half a second that each came when it ended.
    private func clock(after count: Int) -> (clock: IntervalClock, time: Double) {
        var clock = IntervalClock()
        for beat in 0...count { _ = clock.locate(0.5, stamp: 100 + Double(beat) / 2, sequence: 0) }
        return (clock, 100 + Double(count) / 2)
    }

    /// Four times the usual excess, a quarter of a second at first, of which each that has none takes a sixteenth; 0.3 s at least. After eight it is
    /// 4 · 0.25 · (15/16)⁸ = 0.597 s.
    @Test(
        "an interval that ends later or earlier than it says stands behind a gap, by four times what is usual",
        arguments: [
            (0, 0.99, false), (0, 1, true), (8, 0.59, false), (8, 0.61, true), (40, 0.29, false), (40, 0.31, true), (8, -0.45, false),
            (40, -0.31, true),
            (40, -0.29, false),
        ] as [(Int, Double, Bool)])
    func excess(count: Int, excess: Double, isAfterGap: Bool) {
        var (clock, time) = clock(after: count)
        #expect(clock.locate(0.5, stamp: time + 0.5 + excess, sequence: 0) == .init(isAfterGap: isAfterGap, earlier: 0))
        // Behind a gap the count begins anew: an interval that comes when it ends is none.
        time += 0.5 + excess
        if isAfterGap { #expect(clock.locate(0.5, stamp: time + 0.5, sequence: 0)?.isAfterGap == false) }
    }

    /// 0.25 s late, of which 0.2 s are left, and then so much more.
    @Test(
        "what is late adds up, what is past counting less by a fifth",
        arguments: [(0.09, false), (0.11, true), (-0.49, false), (-0.51, true)])
    func sum(more: Double, isAfterGap: Bool) {
        var (clock, time) = clock(after: 40)
        #expect(clock.locate(0.5, stamp: time + 0.75, sequence: 0)?.isAfterGap == false)
        time += 0.75
        #expect(clock.locate(1, stamp: time + 1 + more, sequence: 0)?.isAfterGap == isAfterGap)
    }

    /// Each second two of half a second.
    @Test(
        "where several came together three seconds may pass that none of them fills", arguments: [(3.0, false), (3.01, true), (3.9, true)])
    func batches(pause: Double, isAfterGap: Bool) {
        var clock = IntervalClock()
        for second in 0..<60 {
            let stamp = 100 + Double(second)
            #expect(clock.locate(0.5, stamp: stamp, sequence: 0) == .init(isAfterGap: second == 0, earlier: 0))
            #expect(clock.locate(0.5, stamp: stamp, sequence: 1) == .init(isAfterGap: false, earlier: 1))
        }
        #expect(clock.locate(0.5, stamp: 159.5 + pause, sequence: 0)?.isAfterGap == isAfterGap)
    }

    /// Of the two of a second one is missing, half a second: what is left of that is told with the next time.
    @Test("one that is missing among several is noticed with those that come next")
    func missingInBatch() {
        var clock = IntervalClock()
        for second in 0..<60 { for number in 0..<2 { _ = clock.locate(0.5, stamp: 100 + Double(second), sequence: Int32(number)) } }
        #expect(clock.locate(0.5, stamp: 160, sequence: 0)?.isAfterGap == false)
        #expect(clock.locate(0.5, stamp: 161, sequence: 0)?.isAfterGap == true)
        #expect(clock.locate(0.5, stamp: 161, sequence: 1)?.earlier == 1)
    }
}
