import Foundation
import Signals

@testable import StressAnalysis

/// A track that is fed second by second with breaths of four seconds; times count from its first sample.
struct BreathFeed {
    static let start = 1_700_000_000.0

    var track = BreathTrack()
    /// The times of the breaths, as the detector alone finds them.
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
            track.add(SampleBlock(start: Self.start + end, period: 0.04, samples: samples))
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

    func pause(at time: Double) -> Double? { track.pause(at: Self.start + time) }
    func flatness(at time: Double) -> Double? { track.flatness(at: Self.start + time) }
}

/// The curves that a track is fed.
protocol BreathCurves {}

extension BreathCurves {
    func breath(_ time: Double) -> Double { sin(2 * .pi * time / 4) }
    /// The heart's oscillation, which is no breath.
    func heart(_ time: Double) -> Double { 0.02 * sin(2 * .pi * 1.2 * time) }
    func constant(_ time: Double) -> Double { 0.3 }

    func isNear(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 1e-6 } ?? false }

    /// Forty seconds of breaths, of which the last is around 37 s.
    func breathing() -> BreathFeed {
        var feed = BreathFeed()
        feed.add(40, breath)
        feed.add(1, heart)
        return feed
    }
}
