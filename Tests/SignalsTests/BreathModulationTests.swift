import SignalSynthesis
import Testing

@testable import Signals

@Suite("The breathing in the beats")
struct BreathModulationTests {
    /// Two minutes of beats whose size, interval or both sway with the breath.
    private func beats(breaths: Double, size: Double = 0.1, interval: Double = 0.03, hole: ClosedRange<Double> = -1...(-1))
        -> BreathModulation
    {
        var (sway, random, time) = (BreathModulation(), SeededGenerator(seed: 4), 0.0)
        while time < 120 {
            let phase = 2 * .pi * breaths / 60 * time
            time += 0.8 + interval * sine(phase) + 0.005 * random.normal()
            // Blood pressure's own wave, six a minute, is as large.
            let height = 1 + size * sine(phase) + 0.1 * sine(2 * .pi * 0.08 * time) + 0.02 * random.normal()
            if !hole.contains(time) { sway.add(at: time, size: Float(height)) }
        }
        return sway
    }

    @Test(
        "its rate is found from their size, their interval or both", arguments: [10.0, 15, 20, 25], [(0.1, 0.03), (0.15, 0), (0.05, 0.05)])
    func rate(breaths: Double, sway: (size: Double, interval: Double)) throws {
        let beats = beats(breaths: breaths, size: sway.size, interval: sway.interval)
        let found = try #require(BreathModulation.estimate([beats], through: 118))
        #expect(abs(found.rate - breaths) < 1 && found.quality > BreathModulation.leastQuality, "\(found)")
    }

    @Test("of what does not sway, one minute in ten at most tells a rate to be trusted")
    func still() {
        let trusted = (1...40 as ClosedRange<UInt64>).count { seed in
            var (sway, random, time) = (BreathModulation(), SeededGenerator(seed: seed), 0.0)
            while time < 70 {
                time += 0.8 + 0.02 * random.normal()
                sway.add(at: time, size: Float(1 + 0.1 * random.normal()))
            }
            return (BreathModulation.estimate([sway], through: 69)?.quality ?? 0) >= BreathModulation.leastQuality
        }
        #expect(trusted <= 4, "\(trusted)")
    }

    @Test(
        "a minute with a hole, too few beats, or none tells nothing",
        arguments: [(-1.0...(-1), 30.0), (80...90, 118), (100...130, 118), (40...70, 118)])
    func unknown(hole: ClosedRange<Double>, end: Double) {
        #expect(BreathModulation.estimate([beats(breaths: 15, hole: hole)], through: end) == nil)
        #expect(BreathModulation.estimate([], through: end) == nil)
    }

    @Test("signals together, and beats that come twice or out of order")
    func together() throws {
        var beats = beats(breaths: 16)
        let before = try #require(BreathModulation.estimate([beats, beats], through: 118))
        beats.add(at: 50, size: 100)
        beats.add(at: 200, size: .nan)
        #expect(BreathModulation.estimate([beats], through: 118) == BreathModulation.estimate([beats, BreathModulation()], through: 118))
        #expect(abs(before.rate - 16) < 1)
    }
}
