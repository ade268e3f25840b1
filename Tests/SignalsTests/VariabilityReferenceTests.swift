import Foundation
import Signals
import Testing

/// Against NumPy 2 and SciPy 1 (`numpy.std(ddof=1)`, `numpy.polyfit`, `scipy.signal.detrend`, `numpy.fft.rfft`), which were given the same formulas.
@Suite("Variability by NumPy")
struct VariabilityReferenceTests {
    /// 200 intervals of 800 ms and a little.
    private static let intervals = (0..<200).map { index in
        let k = Double(index)
        return 800 + 40 * sin(0.7 * k) + 25 * cos(2.1 * k + 1) + 15 * sin(0.05 * k * k)
    }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 / expected - 1) < 1e-9 } ?? false }

    @Test("has NumPy's mean, deviations and share of large changes")
    func timeDomain() throws {
        let long = try #require(HeartRateVariability(Self.intervals))
        #expect(isNear(long.heartRate, 74.96862628196106) && isNear(long.sdnn, 35.15191412814836))
        #expect(isNear(long.rmssd, 39.95626239869372) && isNear(long.pnn50, 26.5))
        // Of these five changes the first and the third are not more than 50 ms.
        let short = try #require(HeartRateVariability([800, 850, 799, 849, 900.5, 700]))
        #expect(isNear(short.pnn50, 50))
        #expect(HeartRateVariability([800, 810]) == nil && HeartRateVariability([800, 810, 820]) != nil)
    }

    @Test(
        "has the slope of the fluctuation that `polyfit` gives",
        arguments: [(200, 0.7887555130284103), (64, 0.7860203823503007), (101, 0.7968075957274414)] as [(Int, Double)])
    func fluctuation(count: Int, alpha: Double) {
        #expect(isNear(DetrendedFluctuation.alpha1(Array(Self.intervals.prefix(count))), alpha))
        #expect(DetrendedFluctuation.alpha1(Array(Self.intervals.prefix(63))) == nil)
        #expect(DetrendedFluctuation.alpha1(Array(repeating: 800, count: 100)) == nil)
    }

    @Test("has Baevsky's index by its formula, of equally full bins the lower one")
    func baevsky() {
        #expect(isNear(BaevskyIndex.of(Self.intervals), 165.16418956160163))
        #expect(isNear(BaevskyIndex.of(Array(Self.intervals.prefix(30))), 196.58981863596247))
        #expect(BaevskyIndex.of(Array(Self.intervals.prefix(29))) == nil)
        // 15 of 40 in 800–850 as well as in 850–900: 37.5 % / (2 · 0.825 s · 0.1 s).
        let even = [Double](repeating: 760, count: 10) + .init(repeating: 810, count: 15) + .init(repeating: 860, count: 15)
        #expect(isNear(BaevskyIndex.of(even), 227.27272727272725) && isNear(BaevskyIndex.of(even.reversed()), 227.27272727272725))
        #expect(BaevskyIndex.of([Double](repeating: 800, count: 30)) == nil)
    }

    /// Intervals at each half second of 200 s, with rhythms of so many cycles over them and a trend.
    private func rhythms(_ parts: [(cycles: Double, amplitude: Double)]) -> [RRInterval] {
        (0...400).map { tick in
            let time = Double(tick) / 2
            let sum = parts.reduce(0) { $0 + $1.amplitude * sin(2 * .pi * $1.cycles * time / 200 + 0.3 * $1.cycles) }
            return RRInterval(time: time, milliseconds: 800 + sum + 0.2 * time, kind: .normal)
        }
    }

    @Test("puts 0.15 Hz into the upper band, and leaves out what is below 0.04 or from 0.4 Hz on")
    func bands() throws {
        // 8 cycles are 0.04 Hz, 30 are 0.15 Hz, 80 are 0.4 Hz.
        let ends = try #require(SpectralVariability(rhythms([(8, 30), (30, 20), (12, 10), (80, 50), (79, 5), (7, 60)])))
        #expect(isNear(ends.lowFrequency, 185.12464928406226) && isNear(ends.highFrequency, 305.8065552977655))
        let inner = try #require(SpectralVariability(rhythms([(29, 20), (31, 7)])))
        #expect(isNear(inner.lowFrequency, 166.66673524510136) && isNear(inner.highFrequency, 77.09109469943559))
        #expect(isNear(inner.ratio, 166.66673524510136 / 77.09109469943559))
    }

    /// Beats one after the other, as a heart has them.
    private func beats(_ count: Int) -> [RRInterval] {
        var intervals = [RRInterval(time: 5, milliseconds: 800, kind: .normal)]
        for index in 1..<count {
            let milliseconds = 800 + 50 * sin(0.5 * Double(index)) + 30 * cos(1.9 * Double(index))
            intervals.append(RRInterval(time: intervals[index - 1].time + milliseconds / 1000, milliseconds: milliseconds, kind: .normal))
        }
        return intervals
    }

    @Test(
        "puts unevenly spaced beats on a grid as `interp` does",
        arguments: [
            (260, 1195.6788034000533, 231.00610331521716), (153, 1195.332286241093, 244.62498492088596),
        ] as [(Int, Double, Double)])
    func uneven(count: Int, low: Double, high: Double) throws {
        let spectrum = try #require(SpectralVariability(beats(count)))
        #expect(abs(spectrum.lowFrequency / low - 1) < 1e-6 && abs(spectrum.highFrequency / high - 1) < 1e-6)
    }

    @Test("says nothing of less than two minutes")
    func short() {
        #expect(SpectralVariability(beats(151)) == nil && SpectralVariability([]) == nil)
        func constant(_ seconds: Int) -> SpectralVariability? {
            SpectralVariability((0...seconds).map { RRInterval(time: Double($0), milliseconds: 1000, kind: .normal) })
        }
        #expect(constant(119) == nil && constant(120) != nil && constant(120)?.highFrequency == 0 && constant(120)?.ratio == nil)
    }

    @Test("takes two beats of one time, at the start and in the middle")
    func sameTime() throws {
        var intervals = beats(260)
        intervals.insert(intervals[100], at: 100)
        intervals.insert(intervals[0], at: 0)
        let spectrum = try #require(SpectralVariability(intervals))
        #expect(abs(spectrum.lowFrequency / 1195.6788034000533 - 1) < 1e-6)
    }
}
