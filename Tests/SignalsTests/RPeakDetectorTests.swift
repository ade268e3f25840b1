import SignalSynthesis
import Signals
import Testing

@Suite("R peaks")
struct RPeakDetectorTests {
    @Test("finds every beat of a clean electrocardiogram at any rate", arguments: [50.0, 100, 128, 250, 360, 500, 1000, 2000])
    func rates(rate: Double) {
        let reference = TestSignals.beats(TestSignals.ecg(seconds: 120, rate: 250), rate: 250).map { Double($0.position) / 250 }
        let found = TestSignals.beats(
            Resampler.resample(TestSignals.ecg(seconds: 120, rate: 250), from: 250, to: rate), rate: rate
        ).map { Double($0.position) / rate }
        #expect(reference.count > 120)
        #expect(found.count == reference.count)
        for (one, other) in zip(reference, found) { #expect(abs(one - other) < 0.025) }
    }

    @Test("places the peak on the R wave")
    func place() {
        let signal = TestSignals.ecg(seconds: 60)
        for peak in TestSignals.beats(signal, rate: 250) {
            let around = max(0, Int(peak.position) - 10)...min(signal.count - 1, Int(peak.position) + 10)
            #expect((signal[around].max() ?? 0) - signal[Int(peak.position)] < 0.01)
            #expect(peak.amplitude > 0.8)
        }
    }

    @Test("takes no two beats less than a quarter of a second apart, however alike they look", arguments: [0.12, 0.16, 0.2, 0.24])
    func doubled(gap: Double) {
        let signal = TestSignals.ecg(seconds: 120), shift = Int(gap * 250)
        let doubled = signal.indices.map { signal[$0] + ($0 < shift ? 0 : signal[$0 - shift]) }
        let beats = TestSignals.beats(doubled, rate: 250).map(\.position)
        #expect(beats.count > 100)
        for (one, next) in zip(beats, beats.dropFirst()) { #expect(next - one >= 62, "\(gap) s: \(one) and \(next)") }
    }

    @Test("gives the same events however the samples are cut", arguments: [1, 2, 7, 64, 1000])
    func chunks(size: Int) {
        let clean = TestSignals.ecg(seconds: 90)
        let beats = TestSignals.beats(clean, rate: 250).map(\.position)
        // Noise from the sixth minute on is the mixer's habit; here it is shifted onto all of the signal.
        let noisy = zip(clean, Self.noise(clean.count)).map { $0 + $1 }
        #expect(beats.count > 80)
        for signal in [clean, noisy] {
            #expect(Self.cut(signal) { _ in size } == TestSignals.beats(signal, rate: 250))
        }
    }

    @Test("gives the same events for random cuts", arguments: 1...5)
    func randomChunks(seed: UInt64) {
        let signal = zip(TestSignals.ecg(seconds: 60, seed: seed), Self.noise(15_000)).map { $0 + $1 }
        var random = SeededGenerator(seed: seed)
        #expect(Self.cut(signal) { _ in Int.random(in: 1...500, using: &random) } == TestSignals.beats(signal, rate: 250))
    }

    @Test("invents no beat where there is none", arguments: [50.0, 250, 360, 2000])
    func nothing(rate: Double) {
        for hertz in [0.5, 1, 1.5, 2, 3, 5, 10] {
            let square = TestSignals.wave({ $0 < 0.5 ? 1 : -1 }, hertz: hertz, rate: rate, seconds: 60)
            #expect(TestSignals.beats(square, rate: rate).isEmpty, "square wave of \(hertz) Hz")
            let wave = TestSignals.wave({ sine(2 * .pi * $0) }, hertz: hertz, rate: rate, seconds: 60)
            #expect(TestSignals.beats(wave, rate: rate).isEmpty, "sine of \(hertz) Hz")
        }
        let count = Int(60 * rate)
        for value in [Float(0), 1, .nan, .infinity, -.infinity, 1e30] {
            #expect(TestSignals.beats(Array(repeating: value, count: count), rate: rate).isEmpty, "constant \(value)")
        }
        let step = (0..<count).map { $0 < count / 2 ? Float(0) : 3 }
        #expect(TestSignals.beats(step, rate: rate).isEmpty, "one step")
    }

    @Test("says why there is no beat")
    func reasons() {
        #expect(Self.quality(Array(repeating: 0, count: 2500)).fault == .flat)
        #expect(Self.quality(TestSignals.wave({ $0 < 0.5 ? 1 : -1 }, hertz: 1, rate: 250, seconds: 20)).fault == .stepwise)
        #expect(Self.quality(Array(repeating: .nan, count: 2500)).fault == .missing)
        #expect(Self.quality(TestSignals.wave({ sine(2 * .pi * $0) }, hertz: 3, rate: 250, seconds: 20)).isFlutter)
        let clean = Self.quality(TestSignals.ecg(seconds: 30))
        #expect(clean.fault == nil)
        #expect(clean.isUsable)
        #expect(clean.index > 0.7)
    }

    @Test("goes on after a gap, with positions that count what is missing")
    func gap() {
        let signal = TestSignals.ecg(seconds: 60)
        let whole = TestSignals.beats(signal, rate: 250).map(\.position)
        var detector = RPeakDetector(rate: 250)
        var peaks: [RPeak] = []
        let (before, after) = (signal[..<5000], signal[7500...])
        detector.process(before.span, into: &peaks)
        detector.skip(2500, into: &peaks)
        detector.process(after.span, into: &peaks)
        detector.finish(into: &peaks)
        let found = peaks.map(\.position)
        #expect(found.filter { (5000..<7500).contains($0) }.isEmpty)
        let expected = whole.filter { $0 < 4950 || $0 > 7600 }
        #expect(expected.allSatisfy { beat in found.contains { abs($0 - beat) <= 2 } })
        #expect(found.count <= whole.count)
    }

    @Test("bridges single values that are no numbers")
    func holes() {
        var signal = TestSignals.ecg(seconds: 60)
        let whole = TestSignals.beats(signal, rate: 250).map(\.position)
        for index in stride(from: 60, to: signal.count, by: 97) { signal[index] = index % 2 == 0 ? .nan : .infinity }
        let found = TestSignals.beats(signal, rate: 250).map(\.position)
        #expect(found.count == whole.count)
    }

    @Test("is more exact in electrode noise than the first opinion alone was: 12 dB")
    func noise() {
        let clean = TestSignals.ecg(seconds: 900, seed: 3)
        let reference = TestSignals.beats(clean, rate: 250).map(\.position)
        let noisy = NoiseMixer.mix(clean, beats: reference, rate: 250, decibels: 12, seed: 5)
        let isCounted = { (position: Int64) in NoiseMixer.isNoisy(Int(position), rate: 250) }
        let found = TestSignals.beats(noisy, rate: 250).map(\.position).filter(isCounted)
        let beats = reference.filter(isCounted)
        let hits = beats.count { beat in found.contains { abs($0 - beat) <= 37 } }
        #expect(Double(hits) / Double(beats.count) > 0.97)
        #expect(Double(hits) / Double(found.count) > 0.95)
    }

    private static func noise(_ count: Int) -> [Float] {
        var generator = ElectrodeNoise(rate: 250, seed: 11)
        return (0..<count).map { _ in Float(0.15 * generator.next()) }
    }

    private static func cut(_ signal: [Float], _ size: (Int) -> Int) -> [RPeak] {
        var detector = RPeakDetector(rate: 250)
        var peaks: [RPeak] = []
        var start = 0
        while start < signal.count {
            let end = min(start + size(start), signal.count)
            let part = signal[start..<end]
            detector.process(part.span, into: &peaks)
            start = end
        }
        detector.finish(into: &peaks)
        return peaks
    }

    private static func quality(_ signal: [Float]) -> ECGQuality {
        var detector = RPeakDetector(rate: 250)
        var peaks: [RPeak] = []
        detector.process(signal.span, into: &peaks)
        return detector.quality
    }
}
