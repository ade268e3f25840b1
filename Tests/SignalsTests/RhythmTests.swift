import Foundation
import SignalSynthesis
import Testing

@testable import Signals

@Suite("Rhythm")
struct RhythmTests {
    /// A detector's verdict after the last of some intervals.
    private func verdict(_ intervals: [Double]) -> Bool? {
        var detector = FibrillationDetector()
        var last: Bool?
        for interval in intervals { last = detector.push(interval) }
        return last
    }

    private func random(_ count: Int, from: Double, to: Double) -> [Double] {
        var generator = SeededGenerator(seed: 7)
        return (0..<count).map { _ in from + (to - from) * generator.uniform() }
    }

    @Test("suspects fibrillation where hardly two intervals agree")
    func irregular() {
        #expect(verdict(random(200, from: 0.4, to: 1.1)) == true)
        #expect(verdict(random(200, from: 0.55, to: 0.8)) == true)
    }

    @Test("suspects none in a regular rhythm, breathing, bigeminy, trigeminy, or with single extrasystoles")
    func regular() {
        #expect(verdict(Array(repeating: 0.8, count: 200)) == false)
        // Breathing moves a young heart by a tenth in either direction.
        #expect(verdict((0..<300).map { 0.9 + 0.09 * sin(2 * .pi * Double($0) / 5) }) == false)
        #expect(verdict((0..<200).map { $0 % 2 == 0 ? 0.55 : 1.05 }) == false)
        #expect(verdict((0..<210).map { [0.8, 0.5, 1.1][$0 % 3] }) == false)
        #expect(verdict((0..<200).map { $0 % 10 == 4 ? 0.5 : $0 % 10 == 5 ? 1.1 : 0.8 }) == false)
    }

    @Test("says nothing before it knows enough, nor for what is no interval")
    func unknown() {
        #expect(verdict(random(20, from: 0.4, to: 1.1)) == nil)
        _ = verdict([0, 0, 0, .infinity, .nan, -1] + Array(repeating: 0, count: 60))
    }

    /// An electrocardiogram at 250 Hz: narrow beats, broad ones of the other sign, T waves, a little noise.
    private func signal(_ beats: [(time: Double, isBroad: Bool)], seconds: Double) -> [Float] {
        var generator = SeededGenerator(seed: 3)
        var signal = (0..<Int(seconds * 250)).map { _ in Float(0.01 * (generator.uniform() - 0.5)) }
        for beat in beats {
            let waves: [(at: Double, height: Double, width: Double)] =
                beat.isBroad ? [(0, -1.3, 0.035), (0.3, 0.3, 0.06)] : [(0, 1, 0.011), (0.03, -0.2, 0.01), (0.28, 0.2, 0.05)]
            for wave in waves {
                for index in max(0, Int((beat.time - 0.3) * 250))..<max(0, Int((beat.time + 0.6) * 250)) where index < signal.count {
                    let away = (Double(index) / 250 - beat.time - wave.at) / wave.width
                    signal[index] += Float(wave.height * exp(-away * away / 2))
                }
            }
        }
        return signal
    }

    private func minutes(_ signal: [Float], rate: Double = 250) -> [RhythmMinute?] {
        var (detector, analysis) = (RPeakDetector(rate: rate), RhythmAnalysis())
        var (peaks, minutes): ([RPeak], [RhythmMinute?]) = ([], [])
        for start in stride(from: 0, to: signal.count, by: Int(rate)) {
            detector.process(signal[start..<min(start + Int(rate), signal.count)].span, into: &peaks)
            for peak in peaks { analysis.add(at: Double(peak.position) / rate, shape: peak.shape, isUsable: detector.quality.isCalm) }
            peaks.removeAll()
            let second = start / Int(rate) + 1
            if second % 60 == 5, second > 60 { minutes.append(analysis.minute(endingAt: Double(second - 5))) }
        }
        return minutes
    }

    @Test("counts broad early beats as ventricular-like, narrow early ones as supraventricular-like, and no others")
    func classes() throws {
        var (beats, time): ([(time: Double, isBroad: Bool)], Double) = ([], 0.5)
        for number in 0..<300 {
            beats.append((time, number % 12 == 6))
            // Every twelfth beat is broad, early, and followed by a pause; another twelfth early and narrow.
            time += number % 12 == 5 ? 0.5 : number % 12 == 6 ? 1.1 : number % 12 == 10 ? 0.56 : 0.8
        }
        let found = minutes(signal(beats, seconds: 190))
        let last = try #require(found.last ?? nil)
        let own = beats.indices.filter { beats[$0].time > 120 && beats[$0].time <= 180 }
        #expect(abs(last.beats - own.count) <= 2 && last.fibrillation == 0)
        #expect(abs(last.ventricular - own.count { beats[$0].isBroad }) <= 1, "\(last)")
        #expect(abs(last.supraventricular - own.count { $0 % 12 == 11 }) <= 1, "\(last)")
    }

    /// NeuroKit2 0.2.13 (signal_fixpeaks, Kubios' method after Lipponen and Tarvainen) calls 25 of these 300 intervals ectopic:
    /// Tests/Peers/health_modules.py.
    @Test("finds as many early beats as NeuroKit does among the same intervals")
    func secondOpinion() {
        let intervals = (0..<300).map { (place: Int) -> Double in
            let usual = 0.8 + Double(place * 37 % 11) / 1000
            return place % 12 == 5 ? 0.5 : place % 12 == 6 ? 1.1 : usual
        }
        let shape = BeatShape(
            (0..<64).map { (place: Int) -> Float in
                let away = (Double(place) * 4 - 100) / 12
                return Float(exp(-away * away / 2))
            })
        var classifier = BeatClassifier()
        let classes: [BeatClass?] = intervals.map { classifier.push(interval: $0, shape: shape) }
        // The first are learnt from: one or two of the early ones stand among them.
        let early = classes.count { $0 == .supraventricular }
        #expect((23...24).contains(early) && !classes.contains(.ventricular), "\(early)")
    }

    @Test("says nothing of a minute whose signal is flat or noise, nor of a signal too coarse for shapes")
    func bad() {
        #expect(minutes(Array(repeating: 0, count: 250 * 130)).allSatisfy { $0 == nil })
        var generator = SeededGenerator(seed: 11)
        #expect(minutes((0..<250 * 130).map { _ in Float(generator.uniform() - 0.5) }).allSatisfy { $0 == nil })
        let beats = (0..<160).map { (time: 0.5 + 0.8 * Double($0), isBroad: false) }
        let fine = signal(beats, seconds: 128)
        let coarse = stride(from: 0, to: fine.count, by: 4).map { fine[$0] }
        #expect(minutes(coarse, rate: 62.5).allSatisfy { $0 == nil })
    }

    @Test("likens a shape to itself, shifted and larger, and not to another")
    func shapes() {
        let wave = { (width: Double, shift: Double, height: Double) in
            BeatShape((0..<64).map { Float(height * exp(-pow((Double($0) * 4 - 100 - shift) / width, 2) / 2)) })
        }
        #expect(wave(12, 0, 1).likeness(to: wave(12, 16, 3)) > 0.99)
        #expect(wave(12, 0, 1).likeness(to: wave(40, 0, 1)) < 0.8)
        #expect(wave(12, 0, 1).likeness(to: wave(12, 0, -1)) < 0.3)
        #expect(wave(40, 0, 1).breadth > 2 * wave(12, 0, 1).breadth)
        #expect(BeatShape([]).likeness(to: wave(12, 0, 1)) == 0)
    }
}
