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
        #expect(clock.place(0.8, stamp: 100, sequence: 0)?.isAfterGap == true)
        #expect(clock.place(0.8, stamp: 100, sequence: 0) == nil && clock.place(0.8, stamp: 99, sequence: 5) == nil)
        #expect(clock.place(0.8, stamp: 100.8, sequence: 0) == .init(isAfterGap: false, earlier: 0))
        #expect(clock.place(0.8, stamp: 100.8, sequence: 1) == .init(isAfterGap: false, earlier: 1))
        #expect(clock.place(0.8, stamp: 100.8, sequence: 2) == .init(isAfterGap: false, earlier: 2))
        #expect(clock.place(0.8, stamp: 110, sequence: 0)?.isAfterGap == true)
    }
}
