import SignalSynthesis
import Signals
import Testing

@Suite("Synthetic wearer")
struct SyntheticWearerTests {
    @Test("gives the same samples for the same seed, however they are asked for")
    func deterministic() {
        var whole = SyntheticWearer(seed: 42)
        var parts = SyntheticWearer(seed: 42)
        var other = SyntheticWearer(seed: 43)
        let expected = whole.advance(seconds: 30)
        var ecg: [Float] = []
        var airflow: [Float] = []
        for _ in 0..<120 {
            let part = parts.advance(seconds: 0.25)
            #expect(part.start.ecg == ecg.count)
            ecg += part.ecg
            airflow += part.airflow
        }
        #expect(ecg == expected.ecg)
        #expect(airflow == expected.airflow)
        #expect(other.advance(seconds: 30).ecg != expected.ecg)
    }

    @Test("has the heart rate, breathing and sweat that the script says", arguments: [WearerState.rest, .stress, .recovery])
    func script(state: WearerState) throws {
        let signals = TestSignals.wearer(seconds: 300, seed: 8, state: state)
        let beats = TestSignals.beats(signals.ecg, rate: 250)
        let intervals = zip(beats.dropFirst(), beats).map { Double($0.position - $1.position) * 4 }
        let measures = try #require(HeartRateVariability(intervals))
        #expect(abs(measures.heartRate - state.heartRate) < 2)
        #expect(abs(measures.rmssd - state.variability) < 0.25 * state.variability)
        #expect(abs(Double(signals.skinConductance.last ?? 0) - state.skinConductance) < 2)
    }

    @Test("moves from phase to phase, and begins again at the end")
    func phases() {
        let script = WearerScript.restStressRecovery(rest: 100, stress: 50, recovery: 50)
        #expect(script.phase(at: 0).name == "rest")
        #expect(script.phase(at: 120).name == "stress")
        #expect(script.phase(at: 199).name == "recovery")
        #expect(script.phase(at: 201).name == "rest")
        #expect(script.state(at: 140) == .stress)
        #expect(script.state(at: 105).heartRate > WearerState.rest.heartRate)
        #expect(script.state(at: 105).heartRate < WearerState.stress.heartRate)
    }
}
