import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// What is told of a drawn heart beside what follows from the times at which the detector alone finds its beats.
@Suite("One person's beats")
struct HeartBeatsTests {
    private static let start = 1_700_000_000.0

    /// A heart of 75 beats a minute that stops at a second.
    private func drawn(_ seconds: Double, until end: Double) -> DrawnHeart {
        var heart = DrawnHeart(seconds: seconds)
        heart.beat(from: 0.5, to: end, every: 0.8)
        return heart
    }

    /// A track that was given an electrocardiogram second by second.
    private func track(_ heart: DrawnHeart, until end: Int, isMoving: Bool = false) -> HeartTrack {
        var track = HeartTrack()
        for second in 0..<end {
            let samples = heart.samples(from: Double(second), to: Double(second + 1))
            track.addECG(SampleBlock(start: Self.start + Double(second), period: 0.004, samples: samples), isMoving: isMoving)
        }
        return track
    }

    /// The times of the beats that the detector finds.
    private func beats(_ heart: DrawnHeart, until end: Double) -> [Double] {
        var detector = RPeakDetector(rate: 250), peaks: [RPeak] = []
        detector.process(heart.samples(from: 0, to: end).span, into: &peaks)
        return peaks.map { Double($0.position) / 250 }
    }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 1e-6 } ?? false }

    // MARK: Silence

    /// What is certain ends two and a half seconds behind the report, and as much before the end of the signal.
    @Test(
        "silence lasts from the last beat as far as beats are certain",
        arguments: [(40.0, 42.5), (50, 52.5), (55, 57.5), (56, 57.5), (90, 57.5)])
    func silence(time: Double, certain: Double) throws {
        let heart = drawn(60, until: 30), track = track(heart, until: 60)
        let last = try #require(beats(heart, until: 60).last)
        #expect(abs(last - 29.3) < 0.1 && track.end == Self.start + 60)
        #expect(isNear(track.silence(at: Self.start + time), certain - last))
        #expect(isNear(track.pause(at: Self.start + time, isWave: false), certain - last))
        #expect(isNear(track.pause(at: Self.start + time, isWave: true), certain - last) && track.flatness(at: Self.start + time) == nil)
        #expect(HeartTrack().silence(at: 10) == nil && HeartTrack().pause(at: 10, isWave: true) == nil)
    }

    @Test("the rate is that of fifteen seconds", arguments: [(25.0, 75.0), (30, 75), (34, nil), (49, nil)] as [(Double, Double?)])
    func rate(time: Double, expected: Double?) {
        let heart = drawn(60, until: 30), found = track(heart, until: 60).rate(at: Self.start + time)
        let all = beats(heart, until: 60)
        let intervals = zip(all.dropFirst(), all).filter { $0.0 > time - 15 && $0.0 <= time }.map { $0.0 - $0.1 }
        let sum = intervals.reduce(0, +), open = max(0, time - (all.last ?? 0)), count = Double(intervals.count)
        let plain = intervals.isEmpty ? nil : 60 * (open > 1.5 * sum / count ? (count + 1) / (sum + open) : count / sum)
        #expect(plain.map { isNear(found, $0) } ?? (found == nil) && expected.map { abs((found ?? 0) - $0) < 1 } ?? true)
    }

    @Test(
        "a line that is flat, or only jumps, is told of since the last beat, and a wave is silence too",
        arguments: ["flat", "square", "wave"])
    func nothing(kind: String) throws {
        var heart = drawn(80, until: 30)
        heart.replace(from: 30, to: 80) { time in
            kind == "flat" ? 0.1 : kind == "square" ? (Int(time * 2) % 2 == 0 ? 0 : 1) : 2 * sin(2 * .pi * 8 * time)
        }
        let track = track(heart, until: 80)
        let last = try #require(beats(heart, until: 80).last)
        #expect(track.quality?.isWave == (kind == "wave"))
        #expect(kind == "wave" ? track.flatness(at: Self.start + 75) == nil : isNear(track.flatness(at: Self.start + 75), 77.5 - last))
        if kind == "wave" { #expect(isNear(track.pause(at: Self.start + 75, isWave: true), 77.5 - last)) }
    }

    @Test("a wave while the wearer moves is a shaken cable: of beats in it nothing is known", arguments: [false, true])
    func moving(isMoving: Bool) {
        var heart = drawn(80, until: 30)
        heart.replace(from: 30, to: 80) { 2 * sin(2 * .pi * 8 * $0) }
        let silence = track(heart, until: 80, isMoving: isMoving).silence(at: Self.start + 75) ?? -1
        #expect(isMoving ? silence == 0 : silence > 40, "\(silence)")
    }

    // MARK: Holes

    /// Ten samples are 40 ms. The first interval of all stands behind a start; one behind a hole is the first once more.
    @Test("a hole of up to 40 ms hides no beat, a longer one may", arguments: [(1, 1), (10, 1), (11, 2), (100, 2)])
    func holes(missing: Int, starts: Int) {
        let heart = drawn(80, until: 80)
        var track = HeartTrack()
        for second in 0..<78 {
            let shift = second < 40 ? 0 : Double(missing) / 250
            let samples = heart.samples(from: Double(second) + shift, to: Double(second + 1) + shift)
            track.addECG(SampleBlock(start: Self.start + Double(second) + shift, period: 0.004, samples: samples))
        }
        #expect(track.intervals.filter { $0.isAfterGap == true }.count == starts && track.intervals.count > 80)
        #expect(track.intervals.allSatisfy { abs($0.milliseconds - 800) < 25 })
        // The rhythm is learnt anew behind a hole: of the beats right behind it nothing is said.
        let behind = track.rhythm.beats.filter { (43.0..<50).contains($0.time - Self.start) }
        #expect(behind.count > 6 && behind.allSatisfy { ($0.isFibrillating == nil) == (starts == 2) })
    }

    @Test("intervals on both sides of three seconds without a beat do not compare", arguments: [(2.4, 1), (3.6, 2)])
    func pause(seconds: Double, starts: Int) {
        var heart = DrawnHeart(seconds: 60)
        heart.beat(from: 0.5, to: 30, every: 0.8)
        // The last of those is at 29.3.
        heart.beat(from: 29.3 + seconds, to: 60, every: 0.8)
        #expect(track(heart, until: 60).intervals.filter { $0.isAfterGap == true }.count == starts)
    }

    // MARK: The pulse

    /// A pulse of 75 a minute, whose beats are a second's blocks at 64 Hz.
    private func pulse(_ second: Int, pause: Range<Double> = 0..<0) -> [Float] {
        (0..<64).map { index in
            let time = Double(second) + Double(index) / 64
            let away = (time / 0.8).truncatingRemainder(dividingBy: 1) - 0.5
            return Float(pause.contains(time) ? 0.02 * sin(time * 40) : exp(-away * away * 30))
        }
    }

    /// Those in blocks that begin later than 15 s, ten behind the electrocardiogram's end; of their intervals neither the first nor the last two.
    @Test("the pulse counts from ten seconds behind the electrocardiogram on")
    func besideECG() {
        var track = HeartTrack(), detector = PulseDetector(rate: 64), taken = 0
        for second in 0..<5 {
            track.addECG(SampleBlock(start: Self.start + Double(second), period: 0.02, samples: [Float](repeating: 0, count: 50)))
        }
        for second in 0..<40 {
            let samples = pulse(second)
            var found: [PulseBeat] = []
            detector.process(samples.span, into: &found)
            if second > 15 { taken += found.count }
            track.addPulse(SampleBlock(start: Self.start + Double(second), period: 1 / 64, samples: samples))
        }
        #expect(taken > 25 && track.intervals.count == taken - 4 && track.pulseEnd == Self.start + 40 && track.pulseFault == nil)
    }

    /// From 30 s on two beats are missing, which leaves 2.4 s, or three, which leaves 3.2 s.
    @Test("beats of a pulse on both sides of more than three seconds do not compare", arguments: [(0.0, 0), (1.6, 0), (2.4, 1)])
    func pulsePause(seconds: Double, gaps: Int) {
        var track = HeartTrack()
        for second in 0..<60 {
            let samples = pulse(second, pause: 29.6..<29.6 + seconds)
            track.addPulse(SampleBlock(start: Self.start + Double(second), period: 1 / 64, samples: samples))
        }
        #expect(track.intervals.count > 50 && track.intervals.filter { $0.isAfterGap == true }.count == gaps)
    }

    @Test(
        "a pulse sampled too coarsely or too finely is not looked into",
        arguments: [(19.0, false), (19.9, true), (2020, true), (2030, false)])
    func coarse(rate: Double, isKnown: Bool) {
        var track = HeartTrack()
        track.addPulse(SampleBlock(start: Self.start, period: 1 / rate, samples: [Float](repeating: 1, count: 40)))
        #expect(track.isPulseRateKnown == isKnown && (track.pulseFault == .missing) == !isKnown && !track.isPulseTooFast)
        #expect(HeartTrack().isPulseRateKnown && HeartTrack().isRateKnown && !HeartTrack().isPulseTooFast && HeartTrack().quality == nil)
    }

    @Test("blocks that came twice are counted of every signal")
    func dropped() {
        var analysis = WearerAnalysis()
        let metrics: [WearerAnalysis.Metric] = [.ecg, .bloodVolumePulse, .airflow, .skinConductance]
        for (index, metric) in metrics.enumerated() {
            for count in 1...2 + index {
                analysis.add(metric, SampleBlock(start: Self.start, period: 0.02, samples: [Float](repeating: 1, count: 50)))
                #expect(analysis.dropped == index * (index + 1) / 2 + count - 1)
            }
        }
    }

    // MARK: What is kept

    @Test("of a device's rates 256 are kept")
    func deviceRates() {
        var analysis = WearerAnalysis()
        for count in 0..<300 {
            analysis.add(.heartRate, 60, at: Self.start + Double(count) / 5)
            analysis.add(.respirationRate, 15, at: Self.start + Double(count) / 5)
        }
        #expect(analysis.deviceHeartRate.items.count == 256 && analysis.deviceBreathing.items.count == 256)
        for metric in [WearerAnalysis.Metric.heartRate, .respirationRate] { analysis.add(metric, 60, at: Self.start + 149) }
        // Of the last 90 s are five, from 59 s on, and the newest.
        #expect(analysis.deviceHeartRate.items.count == 6 && analysis.deviceBreathing.items.count == 6)
    }

    /// Ten a second. When the minute is told of, five seconds later, 182 of 30 °C and 280 of 34 °C are left of it; without a bound 320 were colder.
    @Test("of temperatures 512 are kept")
    func temperatures() {
        var analysis = WearerAnalysis(), reports: [WearerReport] = []
        for count in 0..<660 {
            analysis.add(.skinTemperature, count <= 320 ? 30 : 34, at: DrawnSignal.start + Double(count) / 10)
            while let report = analysis.nextReport() { reports.append(report) }
        }
        #expect(reports.first { $0.time == DrawnSignal.start + 60 }?.inputs.temperature == 34)
    }
}
