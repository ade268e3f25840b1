import Signals
import Testing

@testable import StressAnalysis

@Suite("One person's heart")
struct HeartTrackTests {
    /// Thirty intervals that a device measured, from second 101 on.
    private func track() -> HeartTrack {
        var track = HeartTrack()
        for beat in 1...30 { track.addInterval(milliseconds: 1000 + Double(beat % 3), at: 100 + Double(beat)) }
        return track
    }

    @Test("an interval belongs to the span in whose last moment it ends, not to the one that begins there")
    func spans() throws {
        let track = track()
        let times = track.intervals.map(\.time)
        try #require(times.count > 20)
        #expect(track.intervals(after: times[4], through: times[9]).map(\.time) == Array(times[5...9]))
        #expect(track.intervals(after: times[4] - 0.5, through: times[9] - 0.5).map(\.time) == Array(times[4...8]))
        #expect(track.intervals(after: 0, through: 1000).map(\.time) == times)
    }

    @Test("a span in which nothing ends is empty, before, behind and between")
    func empty() {
        let track = track()
        for (start, end) in [(0.0, 50.0), (1000, 2000), (110.2, 110.8), (120, 110)] {
            #expect(track.intervals(after: start, through: end).isEmpty)
        }
        #expect(HeartTrack().intervals(after: 0, through: 1000).isEmpty)
    }
}
