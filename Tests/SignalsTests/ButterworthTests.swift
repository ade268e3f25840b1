import Signals
import Testing

@Suite("Butterworth filters")
struct ButterworthTests {
    /// SciPy 1.17.1: `butter(2, [8, 30], "band", fs=360, output="sos")`, denominators and over-all gain.
    @Test("have the coefficients that SciPy publishes for the QRS band")
    func band() {
        let filter = Butterworth.bandPass(order: 2, low: 8, high: 30, rate: 360)
        let expected = [[-1.8454208166316857, 0.8688806994625595], [-1.4931174863580852, 0.6688709773444177]]
        #expect(filter.sections.count == 2)
        let found = filter.sections.map { [$0.a1, $0.a2] }.sorted { $0[0] < $1[0] }
        for (section, reference) in zip(found, expected) {
            #expect(abs(section[0] - reference[0]) < 1e-9)
            #expect(abs(section[1] - reference[1]) < 1e-9)
        }
        let gain = filter.sections.reduce(1) { $0 * $1.b0 }
        #expect(abs(gain - 0.028783659469098485) < 1e-9)
    }

    @Test("let the corner pass at half the power", arguments: [50.0, 128, 250, 360, 1000, 2000])
    func corner(rate: Double) {
        #expect(abs(gain(Butterworth.lowPass(order: 3, corner: 4, rate: rate), at: 4, rate: rate) - 0.7071) < 0.002)
        let band = Butterworth.bandPass(order: 1, low: 2, high: 8, rate: rate)
        #expect(abs(gain(band, at: 2, rate: rate) - 0.7071) < 0.002)
        #expect(abs(gain(band, at: 8, rate: rate) - 0.7071) < 0.002)
    }

    @Test("start without a transient when settled at the signal's level")
    func settled() {
        var filter = Butterworth.lowPass(order: 4, corner: 1, rate: 250)
        filter.settle(at: 5)
        #expect((0..<500).allSatisfy { _ in abs(filter.step(5) - 5) < 1e-9 })
    }

    @Test("move a corner beyond the rate's reach below it")
    func beyond() {
        var filter = Butterworth.bandPass(order: 2, low: 8, high: 30, rate: 50)
        let output = (0..<1000).map { filter.step($0 % 2 == 0 ? 1 : -1) }
        #expect(output.allSatisfy { $0.isFinite && abs($0) < 10 })
    }

    /// The amplitude of a sine after the filter has settled, by its mean square.
    private func gain(_ filter: FilterCascade, at frequency: Double, rate: Double) -> Double {
        var filter = filter
        let count = Int(rate * 20)
        let step = 2 * Double.pi * frequency / rate
        let output = (0..<count).map { filter.step(sine(Double($0) * step)) }
        let tail = output.suffix(Int(rate * 10))
        return (2 * tail.reduce(0) { $0 + $1 * $1 } / Double(tail.count)).squareRoot()
    }
}
