import SignalSynthesis
import Testing

@testable import Signals

@Suite("Bursts in the QRS band")
struct QRSEnergyTests {
    private typealias Sample = QRSEnergy.Sample

    /// Samples of a burst from one position on, and the one after it, which is none.
    private func candidate(rate: Double, from start: Int64, _ bands: [Float], steps: [Float] = [], energies: [Double] = []) -> QRSCandidate?
    {
        var burst = QRSBurst(rate: rate)
        for (index, band) in bands.enumerated() {
            let step = steps.isEmpty ? 0 : steps[index], short = energies.isEmpty ? 1 : energies[index]
            let ended = burst.step(Sample(position: start + Int64(index), band: band, step: step, short: short, isBurst: true))
            if ended != nil { return ended }
        }
        return burst.step(Sample(position: start + Int64(bands.count), band: 0, step: 0, short: 0, isBurst: false))
    }

    /// 0.084 s are 21 samples at 250 Hz and 30 at 360 Hz.
    @Test(
        "make a candidate from 84 ms on",
        arguments: [(250.0, 20, false), (250, 21, true), (360, 29, false), (360, 30, true), (1000, 83, false), (1000, 84, true)]
            as [(Double, Int, Bool)])
    func shortest(rate: Double, count: Int, isCandidate: Bool) {
        let found = candidate(rate: rate, from: 100, [Float](repeating: 1, count: count))
        #expect((found != nil) == isCandidate)
        if isCandidate { #expect(found?.length == count) }
    }

    @Test("tell their largest deflection, slope and energy, of whichever sign, the first of equals")
    func largest() throws {
        var bands = [Float](repeating: 0.5, count: 30), steps = [Float](repeating: 0.01, count: 30),
            energies = [Double](repeating: 4, count: 30)
        (bands[7], bands[20], bands[25]) = (-3, 2, 3)
        (steps[4], steps[9]) = (-0.25, 0.125)
        energies[12] = 9
        let found = try #require(candidate(rate: 250, from: 1000, bands, steps: steps, energies: energies))
        #expect(found.peak == 1007 && found.slope == 62.5 && found.amplitude == 3 && found.length == 30)
        let next = try #require(candidate(rate: 250, from: -5, [Float](repeating: 0, count: 30)))
        #expect(next.peak == -5 && next.slope == 0 && next.amplitude == 1)
    }

    @Test("end after a second at the latest, and start anew then")
    func longest() {
        var burst = QRSBurst(rate: 250)
        var ends: [Int64] = [], lengths: [Int] = [], amplitudes: [Double] = []
        for position in Int64(0)..<600 {
            let sample = Sample(position: position, band: 1, step: 0, short: position < 100 ? 9 : 1, isBurst: true)
            guard let found = burst.step(sample) else { continue }
            ends.append(position)
            lengths.append(found.length)
            amplitudes.append(found.amplitude)
        }
        #expect(ends == [250, 501] && lengths == [250, 250] && amplitudes == [3, 1])
        burst.restart()
        #expect(burst.step(Sample(position: 600, band: 0, step: 0, short: 0, isBurst: false)) == nil)
    }

    /// The band and its two centred means, from all samples at once.
    private func plain(_ signal: [Float], rate: Double, from start: Int64) -> [(sample: Sample, long: Double)] {
        var filter = Butterworth.bandPass(order: 2, low: 8, high: 30, rate: rate)
        filter.settle(at: Double(signal[0]))
        let band = signal.map { Float(filter.step(Double($0))) }
        let short = Int(0.14 * rate) / 2, long = Int(0.611 * rate) / 2
        func at(_ index: Int) -> Double { band.indices.contains(index) ? Double(band[index]) : 0 }
        func mean(_ centre: Int, _ half: Int) -> Double {
            (centre - half...centre + half).reduce(0) { $0 + at($1) * at($1) } / Double(2 * half + 1)
        }
        return signal.indices.map { index in
            let centre = index - long
            let sample = Sample(
                position: start + Int64(centre), band: Float(at(centre)), step: Float(at(centre) - at(centre - 1)),
                short: mean(centre, short),
                isBurst: false)
            return (sample, mean(centre, long))
        }
    }

    /// How many samples differ from the plain ones, of signals of which each begins anew, and how many of them are in a burst.
    private func compare(_ signals: [[Float]], rate: Double) -> (differences: Int, bursts: Int) {
        var energy = QRSEnergy(rate: rate), usual: Double?, found = (differences: 0, bursts: 0)
        #expect(energy.lookAhead == Int(0.611 * rate) / 2 && energy.shortWindow == Int(0.14 * rate))
        for (number, signal) in signals.enumerated() {
            let start = 50 + 1_000_000 * Int64(number)
            energy.restart(at: start, level: Double(signal[0]))
            for (x, expected) in zip(signal, plain(signal, rate: rate, from: start)) {
                let sample = energy.step(x), wanted = expected.sample
                let before = usual ?? expected.long
                let updated = before + (Double(wanted.band) * Double(wanted.band) - before) / (100 * rate)
                usual = updated
                let excess = wanted.short - expected.long - 0.25 * updated
                if excess > 0 { found.bursts += 1 }
                // Where both sides are equal but for the rounding, it may be a burst or none.
                if sample.position != wanted.position || abs(sample.band - wanted.band) > 1e-6 || abs(sample.step - wanted.step) > 1e-6
                    || abs(sample.short - wanted.short) > 1e-9 || (sample.isBurst != (excess > 0) && abs(excess) > 1e-9)
                {
                    found.differences += 1
                }
            }
        }
        return found
    }

    @Test("are where the centred mean over 140 ms is above that over 611 ms and a quarter of the usual", arguments: [100.0, 250])
    func means(rate: Double) {
        let found = compare([TestSignals.ecg(seconds: 20, rate: rate)], rate: rate)
        #expect(found.differences == 0 && found.bursts > Int(rate))
    }

    /// A loud wave, and bells behind it that grow from one to the next: the first of them are too small beside what is usual.
    @Test("are measured with what was usual in the last minutes, also behind a new start", arguments: [100.0, 250])
    func usual(rate: Double) {
        let loud = (0..<Int(20 * rate)).map { Float(sine(2 * .pi * 15 * Double($0) / rate)) }
        let bells = (0..<Int(30 * rate)).map { (index: Int) -> Float in
            let time = Double(index) / rate, number = (time / 1.5).rounded(.down), away = time - 1.5 * number - 0.75
            return Float(0.05 * (number + 1) * gauss(away / 0.012))
        }
        for signals in [[loud + bells], [loud, bells]] {
            let found = compare(signals, rate: rate)
            #expect(found.differences == 0 && found.bursts > Int(rate))
        }
    }
}
