import Testing

@testable import Signals

/// At 1000 samples a second, so that a sample is a millisecond.
@Suite("The judgement of both opinions")
struct BeatJudgeTests {
    private func candidate(
        at centre: Int64, position: Int64? = nil, origin: RPeak.Origin? = .threshold, isNoisy: Bool = false, residual: Float = 0.001
    ) -> BeatCandidate {
        BeatCandidate(
            position: position ?? centre - 10, deflection: 0.5, centre: centre,
            likeness: Likeness(gain: 1, correlation: 1, residual: residual),
            origin: origin, noise: 0, isNoisy: isNoisy)
    }

    /// The beats that a judge accepts of what waits, at the end of the signal.
    private func beats(_ judge: inout BeatJudge, hasNoBeats: Bool = false) -> [Int64] {
        var found: [Int64] = []
        while true {
            switch judge.decide(now: 0, hasNoBeats: hasNoBeats, isEnd: true) {
            case .waiting: return found
            case .passed: continue
            case .beat(let peak): found.append(peak.position)
            }
        }
    }

    /// In Python: 1.865 g - 2.473 |g| - 0.638 c - 1.165 ln(r + 0.001) - 0.899 n + f (0.064 - 0.83 n) - 0.768 g n + 0.853 c n - 0.127, with g = ln(gain).
    @Test(
        "weighs shape, noise and the first opinion as the regression does",
        arguments: [
            (1, 1, 0.001, -2.5, true, 8.729018434661851), (1, 1, 0.001, -2.5, false, 6.590018434661853),
            (0.5, 0.8, 0.3, -1.5, true, -1.4101265796923506), (2, 0.9, 0.1, -1, false, 2.2119230467837134),
            (0.05, 0.3, 0.9, -2, true, -8.33043151631919), (0.15, 0.3, 0.9, -2, false, -10.054431516319191),
        ] as [(Float, Float, Float, Float, Bool, Float)])
    func odds(gain: Float, correlation: Float, residual: Float, noise: Float, isFound: Bool, expected: Float) {
        let candidate = BeatCandidate(
            position: 0, deflection: 1, centre: 0, likeness: Likeness(gain: gain, correlation: correlation, residual: residual),
            origin: isFound ? .searchBack : nil, noise: noise, isNoisy: true)
        #expect(abs(candidate.logOdds - expected) < 1e-4)
    }

    @Test("waits two seconds for a decision")
    func delay() {
        var judge = BeatJudge(rate: 1000)
        judge.insert(candidate(at: 100))
        guard case .waiting = judge.decide(now: 2099, hasNoBeats: false) else { Issue.record("too early"); return }
        guard case .beat(let peak) = judge.decide(now: 2100, hasNoBeats: false) else { Issue.record("too late"); return }
        #expect(peak.position == 90 && peak.amplitude == 0.5 && peak.origin == .threshold)
        guard case .waiting = judge.decide(now: 9999, hasNoBeats: false) else { Issue.record("nothing is left"); return }
    }

    @Test("takes in a clean signal what the first opinion found, and nothing where there are no beats")
    func clean() {
        var judge = BeatJudge(rate: 1000)
        judge.insert(candidate(at: 1000))
        judge.insert(candidate(at: 1500, origin: nil))
        judge.insert(candidate(at: 2000, origin: .searchBack))
        #expect(beats(&judge) == [990, 1990])
        judge.insert(candidate(at: 3000))
        #expect(beats(&judge, hasNoBeats: true) == [])
        judge.insert(candidate(at: 4000, origin: nil, isNoisy: true))
        #expect(beats(&judge) == [3990])
    }

    @Test("has no two beats within 200 ms, and none that is not behind the last")
    func apart() {
        var judge = BeatJudge(rate: 1000)
        for centre in [1000, 1200, 1201] as [Int64] { judge.insert(candidate(at: centre)) }
        #expect(beats(&judge) == [990, 1191])
        judge.insert(candidate(at: 1500, position: 1191))
        judge.insert(candidate(at: 1600, position: 1192))
        #expect(beats(&judge) == [1192])
        // What is not later than the last beat is not taken at all.
        judge.insert(candidate(at: 1600, position: 5000))
        judge.insert(candidate(at: 1900, position: 5001))
        #expect(beats(&judge) == [5001])
        judge.restart()
        judge.insert(candidate(at: 1000, position: 5002))
        #expect(beats(&judge) == [5002])
    }

    @Test(
        "joins what both opinions found within 100 ms: the nearest, by the first opinion's place",
        arguments: [(100, true), (-100, true), (101, false), (-101, false)] as [(Int64, Bool)])
    func joined(distance: Int64, isSame: Bool) {
        var judge = BeatJudge(rate: 1000)
        judge.insert(candidate(at: 1000, position: 995, origin: nil))
        judge.addBeat(candidate(at: 1000 + distance, position: 977, origin: .searchBack))
        var decisions: [String] = []
        while true {
            let decision = judge.decide(now: 0, hasNoBeats: false, isEnd: true)
            if case .waiting = decision { break }
            if case .beat(let peak) = decision { decisions.append("\(peak.position) \(peak.origin)") } else { decisions.append("passed") }
        }
        #expect(decisions == (isSame ? ["977 searchBack"] : distance > 0 ? ["passed", "977 searchBack"] : ["977 searchBack", "passed"]))
    }

    @Test("joins with the nearer of two, and not with what the first opinion has found already")
    func nearer() {
        var judge = BeatJudge(rate: 1000)
        judge.insert(candidate(at: 1000, origin: nil))
        judge.insert(candidate(at: 1090, origin: nil))
        judge.insert(candidate(at: 1060, position: 1058, origin: .threshold))
        judge.addBeat(candidate(at: 1050, position: 1333))
        // Joined with the one at 1090, which is 40 ms away; that at 1060 counts first.
        #expect(beats(&judge) == [1058])
        var other = BeatJudge(rate: 1000)
        other.insert(candidate(at: 1000, origin: nil))
        other.insert(candidate(at: 1090, origin: nil))
        other.addBeat(candidate(at: 1040, position: 1333))
        #expect(beats(&other) == [1333])
        guard case .waiting = other.decide(now: .max - 2000, hasNoBeats: false) else { Issue.record("something is left"); return }
    }

    @Test("decides in order of time, whatever the order in which candidates come, of the last sixty-four")
    func order() {
        var judge = BeatJudge(rate: 1000)
        for centre in [3000, 1000, 2000, 4000] as [Int64] { judge.insert(candidate(at: centre)) }
        #expect(beats(&judge) == [990, 1990, 2990, 3990])
        var full = BeatJudge(rate: 1000)
        for number in 1...66 as ClosedRange<Int64> { full.insert(candidate(at: number * 1000)) }
        #expect(beats(&full) == (3...66).map { $0 * 1000 - 10 })
    }

    /// Eight beats a second apart; then, in noise, one on time and one early that looks a little more like a beat.
    @Test("follows the rhythm in noise")
    func rhythm() {
        var judge = BeatJudge(rate: 1000)
        for number in 1...8 as ClosedRange<Int64> { judge.insert(candidate(at: number * 1000)) }
        _ = beats(&judge)
        judge.insert(candidate(at: 8500, isNoisy: true, residual: 0.5))
        judge.insert(candidate(at: 9000, isNoisy: true))
        judge.insert(candidate(at: 10000, isNoisy: true))
        #expect(judge.decided(at: 12_500) == [8990, 9990])
    }
}

extension BeatJudge {
    /// The positions of the beats that are due.
    fileprivate mutating func decided(at now: Int64) -> [Int64] {
        var found: [Int64] = []
        while true {
            switch decide(now: now, hasNoBeats: false) {
            case .waiting: return found
            case .passed: continue
            case .beat(let peak): found.append(peak.position)
            }
        }
    }
}
