import SignalSynthesis
import Signals
import Testing

@Suite("Breaths")
struct BreathDetectorTests {
    @Test("counts the breaths of a resting wearer at any rate", arguments: [4.0, 10, 25, 125, 250, 1000])
    func rates(rate: Double) {
        let signal = TestSignals.wearer(seconds: 300) { $0.airflow = rate }.airflow
        let breaths = Self.breaths(signal, rate: rate)
        let pattern = BreathingPattern(times: breaths.map { Double($0.position) / rate }.filter { $0 > 60 })
        #expect(abs((pattern?.rate ?? 0) - 14) < 1)
        #expect(pattern?.isIrregular == false)
    }

    @Test("gives the same breaths however the samples are cut", arguments: [1, 3, 50])
    func chunks(size: Int) {
        let signal = TestSignals.wearer(seconds: 200).airflow
        var detector = BreathDetector(rate: 25)
        var breaths: [Breath] = []
        for start in stride(from: 0, to: signal.count, by: size) {
            let part = signal[start..<min(start + size, signal.count)]
            detector.process(part.span, into: &breaths)
        }
        #expect(breaths == Self.breaths(signal, rate: 25))
        #expect(breaths.count > 40)
    }

    @Test("invents no breath, and says why", arguments: [Float(0), 1, .nan, .infinity])
    func nothing(value: Float) {
        var detector = BreathDetector(rate: 25)
        var breaths: [Breath] = []
        let signal = [Float](repeating: value, count: 3000)
        detector.process(signal.span, into: &breaths)
        #expect(breaths.isEmpty)
        #expect(detector.fault == (value.isFinite ? .flat : .missing))
    }

    @Test("calls the breathing of someone who speaks irregular")
    func irregular() {
        let steady = (0..<15).map { Double($0) * 4 }
        #expect(BreathingPattern(times: steady)?.rate == 15)
        #expect(BreathingPattern(times: steady)?.isIrregular == false)
        #expect(BreathingPattern(times: [0, 2, 9, 11, 12.5, 20, 22, 31])?.isIrregular == true)
        #expect(BreathingPattern(times: [0, 4]) == nil)
    }

    private static func breaths(_ signal: [Float], rate: Double) -> [Breath] {
        var detector = BreathDetector(rate: rate)
        var breaths: [Breath] = []
        detector.process(signal.span, into: &breaths)
        return breaths
    }
}
