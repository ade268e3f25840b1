import Testing

@testable import Signals

@Suite("The usual interval between beats")
struct UsualIntervalTests {
    private func usual(_ intervals: [Double]) -> UsualInterval {
        var usual = UsualInterval()
        for interval in intervals { usual.add(interval) }
        return usual
    }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 1e-9 } ?? false }

    @Test("is known from five intervals on, and then follows by an eighth")
    func learning() {
        #expect(usual([0.8, 0.8, 0.8, 0.8]).seconds == nil)
        #expect(isNear(usual([0.7, 0.8, 0.9, 0.8, 0.8]).seconds, 0.8))
        #expect(isNear(usual(Array(repeating: 0.8, count: 20) + [0.88]).seconds, 0.81))
    }

    @Test("is not moved by what lies a fifth below or a quarter above it, until thirty in a row do", arguments: [0.63, 1.01, 0.3])
    func others(interval: Double) {
        let known = Array(repeating: 0.8, count: 20)
        #expect(isNear(usual(known + Array(repeating: interval, count: 29)).seconds, 0.8))
        #expect(isNear(usual(known + Array(repeating: interval, count: 30)).seconds, interval))
        let interrupted = known + Array(repeating: interval, count: 29) + [0.8] + Array(repeating: interval, count: 29)
        #expect(isNear(usual(interrupted).seconds, 0.8))
    }
}
