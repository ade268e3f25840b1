import Testing

@testable import Signals

/// The most plausible train of beats among candidates that all look like beats.
@Suite("The path of the rhythm")
struct RhythmPathTests {
    private func candidate(at seconds: Double, residual: Float) -> BeatCandidate {
        let place = Int64(seconds * 1000)
        return BeatCandidate(
            position: place, deflection: 1, centre: place, likeness: Likeness(gain: 1, correlation: 1, residual: residual),
            origin: .threshold, noise: 0, isNoisy: true)
    }

    /// Returns whether the first of two candidates is a beat, of which the second looks a little more like one.
    private func isFirstBeat(before gap: Double) -> Bool {
        var path = RhythmPath(capacity: 8)
        return path.firstIsBeat(
            [candidate(at: 1, residual: 0.002), candidate(at: 1 + gap, residual: 0.001)], rate: 1000, previous: nil, now: 2)
    }

    @Test("has no two beats less than 250 ms apart: the likelier one stays", arguments: [0.06, 0.1, 0.16, 0.2, 0.249])
    func tooClose(gap: Double) {
        #expect(!isFirstBeat(before: gap))
    }

    @Test("has two beats where they are 250 ms apart or more", arguments: [0.25, 0.26, 0.4, 0.8])
    func apart(gap: Double) {
        #expect(isFirstBeat(before: gap))
    }
}
