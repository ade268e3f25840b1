import Foundation
import Signals
import Testing

@testable import StressAnalysis

@Suite("What of a wearer's signals counts")
struct WearerWindowTests {
    private static let start = 1_000_020.0

    /// Gravity alone, on three axes as a sensor may lie.
    @Test("a sensor that lies still is no movement, however it lies; each of its axes counts by itself")
    func axes() {
        var analysis = WearerAnalysis(), moving = 0, reports = 0
        for second in 0..<60 {
            for (metric, value) in [(WearerAnalysis.Metric.accelerationX, Float(0)), (.accelerationY, 8), (.accelerationZ, -5.6)] {
                let samples = [Float](repeating: value, count: 8)
                analysis.add(metric, SampleBlock(start: Self.start + Double(second), period: 0.125, samples: samples))
                while let report = analysis.nextReport() {
                    reports += 1
                    if report.isMoving { moving += 1 }
                }
            }
        }
        #expect(reports > 8 && moving == 0)
    }

    /// Blocks of a second, of which each gives a level.
    @Test("the skin's level is the median of a minute", arguments: [130.0, 145, 160])
    func skinLevel(time: Double) throws {
        var track = SkinTrack(), detector = SkinConductanceDetector(rate: 4), events: [SkinEvent] = []
        var levels: [(time: Double, level: Double)] = []
        for second in 0..<Int(time) {
            let samples = [Float](repeating: second < 100 ? 2 : 8, count: 4)
            track.add(SampleBlock(start: Self.start + Double(second), period: 0.25, samples: samples))
            detector.process(samples.span, into: &events)
            levels.append((Double(second + 1), Double(try #require(detector.level))))
        }
        let expected = try #require(Median.of(levels.filter { $0.time > time - 60 && $0.time <= time }.map(\.level)))
        let found = track.level(through: Self.start + time) ?? 0
        #expect(abs(found - expected) < 1e-9 && (2...8.5).contains(expected), "\(found), not \(expected)")
    }

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

    /// The ticks between the readings, four a second, in the parts in which they become known.
    @Test("single readings of the skin are what a block of the line between them is")
    func line() {
        var single = SkinTrack(), block = SkinTrack()
        let line = { (time: Double) in 2 + 0.5 * time }
        for time in [0.1, 1.05, 1.0, 3.5, 5.9, 6.25] { single.add(reading: line(time), at: Self.start + time) }
        for ticks in [1...4, 5...14, 15...23, 24...25] {
            let samples = ticks.map { Float(line(Double($0) / 4)) }
            block.add(SampleBlock(start: Self.start + Double(ticks.lowerBound) / 4, period: 0.25, samples: samples))
        }
        for time in [1.25, 3.75, 6, 6.5] {
            let (found, expected) = (single.level(through: Self.start + time) ?? -1, block.level(through: Self.start + time) ?? -2)
            #expect(abs(found - expected) < 1e-4, "\(time): \(found), \(expected)")
        }
    }

    /// The first interval is not certain, as it has no neighbour before it: 240 s are left of 0…240.
    @Test("the measures of five minutes need four minutes of beats", arguments: [(0, true), (1, false)])
    func fourMinutes(first: Int, isTold: Bool) {
        var analysis = WearerAnalysis(), told: [Double] = []
        for second in first...310 {
            analysis.add(.interval, 1000, at: Self.start + Double(second))
            while let report = analysis.nextReport() { if report.longTerm != nil { told.append(report.time - Self.start) } }
        }
        #expect(told == (isTold ? [240, 300] : [300]))
    }
}
