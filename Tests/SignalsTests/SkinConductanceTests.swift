import Foundation
import SignalSynthesis
import Signals
import Testing

@Suite("Skin conductance")
struct SkinConductanceTests {
    /// A response of 0.5 µS at 20 s and one of 0.02 µS, which is too small, at 60 s, on a level of 3 µS.
    private static func signal(rate: Double) -> [Float] {
        (0..<Int(120 * rate)).map { index in
            let time = Double(index) / rate
            let bump = { (start: Double, size: Double) in
                time < start ? 0 : size * 2 * (exp(-(time - start) / 4) - exp(-(time - start) / 0.8))
            }
            return Float(3 + bump(20, 0.5) + bump(60, 0.02))
        }
    }

    @Test("finds a response with onset, size and recovery, and passes over one that is too small", arguments: [4.0, 32, 100])
    func response(rate: Double) throws {
        var detector = SkinConductanceDetector(rate: rate)
        var events: [SkinEvent] = []
        let signal = Self.signal(rate: rate)
        detector.process(signal.span, into: &events)
        let responses = events.compactMap { event -> SkinResponse? in
            if case .response(let response) = event { response } else { nil }
        }
        try #require(responses.count == 1)
        #expect(abs(Double(responses[0].onset) / rate - 20) < 0.8)
        #expect(abs(Double(responses[0].peak) / rate - 21.6) < 0.8)
        #expect(abs(responses[0].amplitude - 0.53) < 0.08)
        #expect(events.count == 2)
        #expect(abs((detector.level ?? 0) - 3) < 0.05)
    }

    @Test("gives the same events however the samples are cut", arguments: [1, 5, 33])
    func chunks(size: Int) {
        let signal = TestSignals.wearer(seconds: 600, state: .stress).skinConductance
        var whole = SkinConductanceDetector(rate: 4)
        var cut = whole
        var first: [SkinEvent] = []
        var second: [SkinEvent] = []
        whole.process(signal.span, into: &first)
        for start in stride(from: 0, to: signal.count, by: size) {
            let part = signal[start..<min(start + size, signal.count)]
            cut.process(part.span, into: &second)
        }
        #expect(first == second)
        #expect(first.count > 20)
    }

    @Test("survives values that are no numbers", arguments: [Float.nan, .infinity, -.infinity])
    func holes(value: Float) {
        var signal = Self.signal(rate: 4)
        signal[40] = value
        var detector = SkinConductanceDetector(rate: 4)
        var events: [SkinEvent] = []
        detector.process(signal.span, into: &events)
        #expect(events.count == 2)
        #expect(detector.level?.isFinite == true)
    }
}
