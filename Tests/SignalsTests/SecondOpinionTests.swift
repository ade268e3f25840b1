import SignalSynthesis
import Testing

@testable import Signals

@Suite("The second opinion")
struct SecondOpinionTests {
    private struct Run {
        var opinion: SecondOpinion
        var found: [(centre: Int64, likeness: Likeness)] = []
    }

    private let clean = TestSignals.ecg(seconds: 90)

    /// The second opinion of a signal of 250 samples a second, taught the beats up to a time, with what it found after it.
    private func run(_ signal: [Float], beats: [Int64], taughtUntil end: Int) -> Run {
        var run = Run(opinion: SecondOpinion(rate: 250))
        run.opinion.restart(level: Double(signal[0]))
        var next = 0
        for (index, x) in signal.enumerated() {
            let filtered = run.opinion.filter(x)
            if index % run.opinion.stride == 0, let peak = run.opinion.step(filtered, signal: x, at: index / run.opinion.stride) {
                run.found.append(peak)
            }
            if next < beats.count, Int64(index) == beats[next] {
                // The middle of the band's wave lags the R peak by 4 samples.
                if index < end { run.opinion.willLearn(centre: beats[next] + 4, offset: -4) }
                next += 1
            }
        }
        return run
    }

    @Test(
        "takes about 120 values a second, whatever the rate",
        arguments: [(50.0, 1), (100, 1), (219, 1), (220, 2), (250, 2), (360, 3), (1000, 9), (2000, 18)])
    func stride(rate: Double, stride: Int) { #expect(SecondOpinion(rate: rate).stride == stride) }

    @Test("only learns while the signal is clean, and agrees with it more and more")
    func learning() {
        let beats = TestSignals.beats(clean, rate: 250).map(\.position)
        let run = run(clean, beats: beats, taughtUntil: clean.count)
        #expect(run.found.isEmpty && run.opinion.agreement > 0.95 && !run.opinion.hasNoBeats(at: 0) && !run.opinion.noise.isNoisy)
        #expect(self.run(clean, beats: [], taughtUntil: 0).opinion.agreement == 0)
    }

    @Test("forgets what it was about to learn, and the noise's last value, at a new start")
    func restart() {
        let beats = TestSignals.beats(clean, rate: 250).map(\.position)
        var run = run(
            Array(clean.prefix(beats.count > 20 ? Int(beats[20]) + 20 : 0)), beats: Array(beats.prefix(21)), taughtUntil: clean.count)
        let agreement = run.opinion.agreement
        run.opinion.restart(level: 0)
        for tick in 0..<300 { _ = run.opinion.step(run.opinion.filter(0), signal: 0, at: 5000 + tick) }
        #expect(run.opinion.agreement == agreement && agreement > 0.5)
        #expect(run.opinion.hasNoBeats(at: 0) && run.opinion.integrity.fault == .flat)
    }
}
