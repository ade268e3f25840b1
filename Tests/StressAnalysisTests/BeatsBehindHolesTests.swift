import Signals
import Testing

@testable import StressAnalysis

/// A drawn heart of 75 beats a minute, of which some seconds do not come.
@Suite("Beats behind holes")
struct BeatsBehindHolesTests {
    private static let start = 1_700_000_000.0

    private func drawn(_ seconds: Double, until end: Double) -> DrawnHeart {
        var heart = DrawnHeart(seconds: seconds)
        heart.beat(from: 0.5, to: end, every: 0.8)
        return heart
    }

    /// A track that was given an electrocardiogram second by second.
    private func track(_ heart: DrawnHeart, _ seconds: some Sequence<Int>) -> HeartTrack {
        var track = HeartTrack()
        for second in seconds {
            let samples = heart.samples(from: Double(second), to: Double(second + 1))
            track.addECG(SampleBlock(start: Self.start + Double(second), period: 0.004, samples: samples))
        }
        return track
    }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 0.15 } ?? false }

    /// The last beat is at 179.7 s; what is certain ends at 192.5 s.
    @Test("after a minute without a signal silence lasts from the last beat, as ever")
    func anew() {
        let track = track(drawn(200, until: 180), Array(0..<80) + Array(150..<200))
        #expect(isNear(track.silence(at: Self.start + 190), 192.5 - 179.7), "\(track.silence(at: Self.start + 190) ?? -1)")
    }

    /// The last beat is at 29.3 s.
    @Test("a flat line is told of since the last beat, also where a second of it is missing")
    func flat() {
        var heart = drawn(60, until: 30)
        heart.flatten(from: 30, to: 60)
        let track = track(heart, (0..<60).filter { $0 != 45 })
        #expect(isNear(track.flatness(at: Self.start + 50), 52.5 - 29.3), "\(track.flatness(at: Self.start + 50) ?? -1)")
    }

    @Test("of the beats on both sides of a hole no interval is made")
    func across() throws {
        let heart = drawn(80, until: 80)
        var track = HeartTrack()
        for second in 0..<78 {
            let shift = second < 40 ? 0 : 0.4
            let samples = heart.samples(from: Double(second) + shift, to: Double(second + 1) + shift)
            track.addECG(SampleBlock(start: Self.start + Double(second) + shift, period: 0.004, samples: samples))
        }
        let first = try #require(track.intervals.first { $0.time > Self.start + 40 && $0.isAfterGap == true })
        #expect(first.time - first.milliseconds / 1000 >= Self.start + 40.4)
        #expect(!track.intervals.contains { $0.time > Self.start + 40.4 && $0.time - $0.milliseconds / 1000 < Self.start + 40 })
    }

    @Test("a pause counts for six seconds behind its end", arguments: [(3.4, true), (3.6, false)])
    func pause(seconds: Double, counts: Bool) throws {
        var heart = drawn(70, until: 30)
        heart.beat(from: 36.5, to: 70, every: 0.8)
        var detector = RPeakDetector(rate: 250), peaks: [RPeak] = []
        detector.process(heart.samples(from: 0, to: 70).span, into: &peaks)
        let beats = peaks.map { Double($0.position) / 250 }
        let next = try #require(beats.first { $0 > 30 }), last = try #require(beats.last { $0 < 30 })
        // What is certain ends two and a half seconds behind the report.
        let found = track(heart, 0..<70).pause(at: Self.start + next + seconds, isWave: false) ?? -1
        #expect(counts ? isNear(found, next - last) : (0.5..<2).contains(found), "\(found)")
    }
}
