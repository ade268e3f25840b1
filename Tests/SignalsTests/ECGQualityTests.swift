import Testing

@testable import Signals

@Suite("Quality of an electrocardiogram")
struct ECGQualityTests {
    private func index(noise: Float, agreement: Float = 1, fault: SignalFault? = nil, isFlutter: Bool = false) -> Float {
        ECGQuality(fault: fault, isFlutter: isFlutter, noise: noise, agreement: agreement).index
    }

    @Test("falls from 1 to 0 between quiet and as loud as half a beat", arguments: [(-3, 1), (-2.1, 1), (-1.35, 0.5), (-0.6, 0), (0, 0)])
    func noise(noise: Float, expected: Float) { #expect(abs(index(noise: noise) - expected) < 1e-5) }

    @Test("falls with beats that are not the wearer's", arguments: [(1, 1), (0.9, 1), (0.7, 0.5), (0.5, 0), (-1, 0)])
    func agreement(agreement: Float, expected: Float) { #expect(abs(index(noise: -3, agreement: agreement) - expected) < 1e-5) }

    @Test("is half where the signal is cut off, and nothing where there is none or it is a wave without beats")
    func faults() {
        #expect(index(noise: -3, fault: .clipped) == 0.5)
        for fault in [.missing, .flat, .stepwise] as [SignalFault] { #expect(index(noise: -3, fault: fault) == 0) }
        #expect(index(noise: -3, isFlutter: true) == 0)
    }
}
