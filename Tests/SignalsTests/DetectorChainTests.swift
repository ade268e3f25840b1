import SignalSynthesis
import Testing

@testable import Signals

/// Each detector is a filter that starts at the signal's level, and a search for turns or rises in what it lets through, sample by sample.
@Suite("Detectors of slow waves")
struct DetectorChainTests {
    /// A signal that begins in mid-air, with a drift and a little noise.
    private func signal(_ hertz: Double, rate: Double, seconds: Double, size: Double = 1) -> [Float] {
        var random = SeededGenerator(seed: 6)
        return (0..<Int(rate * seconds)).map { index in
            let time = Double(index) / rate, phase = 2 * Double.pi * hertz * time
            return Float(7 + size * (sine(phase + 1) + 0.3 * sine(phase / 7.3) + 0.05 * random.normal()))
        }
    }

    private func settled(_ filter: FilterCascade, at value: Float) -> FilterCascade {
        var filter = filter
        filter.settle(at: Double(value))
        return filter
    }

    @Test("breaths are the highest points of the band from 0.08 to 0.5 Hz", arguments: [2.0, 4, 25, 100])
    func breaths(rate: Double) {
        let signal = signal(0.3, rate: rate, seconds: 200)
        var filter = settled(Butterworth.bandPass(order: 1, low: 0.08, high: 0.5, rate: rate), at: signal[0])
        var zigzag = Zigzag(rate: rate, shortest: 1.5, memory: 60, share: 0.2)
        var expected: [Breath] = []
        for (index, x) in signal.enumerated() {
            if let top = zigzag.step(filter.step(Double(x)), at: Int64(index)) { expected.append(top) }
        }
        var detector = BreathDetector(rate: rate), found: [Breath] = []
        detector.process(signal.span, into: &found)
        #expect(found == expected && found.count > 50 && detector.fault == nil)
    }

    @Test(
        "beats of a pulse are the highest points of the band from 0.7 to 5 Hz, once the signal is known to carry something",
        arguments: [25.0, 64, 200])
    func pulses(rate: Double) {
        let signal = signal(1.3, rate: rate, seconds: 60)
        var filter = settled(Butterworth.bandPass(order: 2, low: 0.7, high: 5, rate: rate), at: signal[0])
        var zigzag = Zigzag(rate: rate, shortest: 0.33, memory: 10, share: 0.35)
        var integrity = SignalIntegrity(rate: rate, step: 0.05, window: 4, floor: 1e-6)
        var expected: [Int64] = []
        for (index, x) in signal.enumerated() {
            integrity.step(x)
            if let top = zigzag.step(filter.step(Double(x)), at: Int64(index)), integrity.isSound { expected.append(top.position) }
        }
        var detector = PulseDetector(rate: rate), found: [PulseBeat] = []
        detector.process(signal.span, into: &found)
        #expect(found.map(\.position) == expected && found.count > 70 && found.count < 80)
    }

    @Test("responses of the skin rise below 1 Hz, and the level is what is slower than 0.05 Hz", arguments: [2.0, 4, 32])
    func responses(rate: Double) {
        let signal = signal(0.06, rate: rate, seconds: 300, size: 0.4)
        var smooth = settled(Butterworth.lowPass(order: 2, corner: 1, rate: rate), at: signal[0])
        var slow = settled(Butterworth.lowPass(order: 2, corner: 0.05, rate: rate), at: signal[0])
        var rise = SkinRise(rate: rate), expected: [SkinEvent] = [], level = 0.0
        for (index, x) in signal.enumerated() {
            let smoothed = smooth.step(Double(x))
            level = slow.step(smoothed)
            if let event = rise.step(smoothed, at: Int64(index)) { expected.append(event) }
        }
        var detector = SkinConductanceDetector(rate: rate), found: [SkinEvent] = []
        #expect(detector.level == nil)
        detector.process(signal.span, into: &found)
        #expect(found == expected && found.count > 20 && detector.level == Float(level))
    }

    /// Picks every 12 samples, 31 of a window of 15 s; a third of it are ten, and every fifth is judged: the tenth stands at 9 · 12.
    @Test(
        "a breathing signal is called flat at its tenth pick, half a second each, where it moves by less than a millionth",
        arguments: [(9e-7, true), (2e-6, false)] as [(Float, Bool)])
    func flatBreath(size: Float, isFlat: Bool) {
        var detector = BreathDetector(rate: 25), breaths: [Breath] = [], first: Int?
        for index in 0..<400 {
            let sample = [index / 12 % 4 < 2 ? size * Float(index / 12 % 2) : 0]
            detector.process(sample.span, into: &breaths)
            if detector.fault == .flat, first == nil { first = index }
        }
        #expect(first == (isFlat ? 108 : nil))
    }

    /// Picks every second sample, a hundred in 4 s; a third are 33, and each sixteenth is judged: the forty-eighth stands at 47 · 2.
    @Test(
        "a pulse signal is called flat at its forty-eighth pick, a twentieth of a second each",
        arguments: [(9e-7, true), (2e-6, false)] as [(Float, Bool)])
    func flatPulse(size: Float, isFlat: Bool) {
        var detector = PulseDetector(rate: 50), beats: [PulseBeat] = [], first: Int?
        for index in 0..<300 {
            let sample = [size * Float(index / 2 % 3) / 2]
            detector.process(sample.span, into: &beats)
            if detector.fault == .flat, first == nil { first = index }
        }
        #expect(first == (isFlat ? 94 : nil))
    }
}
