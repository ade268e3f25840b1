import Foundation
import SignalSynthesis
import Signals
import Testing

@testable import StressAnalysis

@Suite("A heart that races, pauses or stands still")
struct HeartExtremesTests {
    @Test(
        "is told of with good quality, however fast it beats in a clean electrocardiogram",
        arguments: [60.0, 110, 150, 160, 180, 200, 220], [0.008, 0.012, 0.016])
    func fast(rate: Double, breadth: Double) {
        var heart = DrawnHeart(seconds: 100)
        heart.beat(from: 0.5, to: 30, every: 0.8, breadth: breadth)
        heart.beat(from: 30, to: 100, every: 60 / rate, breadth: breadth)
        let reports = heart.reports().filter { $0.time >= 60 }
        #expect(reports.count >= 6)
        for report in reports {
            #expect(abs((report.heartRate ?? 0) - rate) < 0.02 * rate && report.heartQuality ?? 0 >= 0.5, "\(report)")
            #expect(report.reasons.isEmpty && report.heartPause ?? 9 < 1.5, "\(report)")
        }
    }

    @Test("is not told of as racing with good quality where noise hides it", arguments: [0.2, 0.3])
    func noisy(noise: Double) {
        var heart = DrawnHeart(seconds: 90, noise: noise)
        heart.beat(from: 0.5, to: 90, every: 60 / 180)
        for report in heart.reports() where report.time >= 30 { #expect(report.heartQuality ?? 0 < 0.5, "\(report)") }
    }

    @Test(
        "that stands still while the atria go on is told of within seconds, and never as the atria's rate", arguments: [0, 0.1, 0.15, 0.25])
    func standstill(atria: Double) {
        var heart = DrawnHeart(seconds: 330)
        heart.beat(from: 0.5, to: 60, every: 0.8)
        for time in stride(from: 60.5, to: 330, by: 0.8) { heart.atria(at: time, height: atria) }
        let reports = heart.reports()
        for report in reports where report.time >= 65 {
            #expect(report.heartPause ?? 0 >= min(report.time - 62, 250), "\(report)")
            #expect(!report.reasons.isEmpty && report.variability == nil && report.inputs.heartRate == nil, "\(report)")
            #expect(report.time < 75 || report.heartRate == nil, "\(report)")
        }
        #expect(reports.last?.reasons == ["no beats in a good electrocardiogram"])
        #expect(reports.filter { $0.time < 60 }.allSatisfy { $0.heartPause ?? 0 < 1 })
    }

    @Test("that pauses beats as often as it does, not as often as between the pauses")
    func pauses() {
        var heart = DrawnHeart(seconds: 180)
        for start in stride(from: 0.5, to: 180, by: 9.8) { heart.beat(from: start, to: start + 5, every: 0.8) }
        // Seven beats in 9.8 s, of which five pass without one.
        let reports = heart.reports().filter { $0.time >= 60 && $0.heartQuality ?? 0 >= 0.5 }
        #expect(reports.count > 10)
        for report in reports { #expect(report.heartRate.map { (30...60).contains($0) } ?? true, "\(report)") }
        #expect(reports.contains { abs(($0.heartPause ?? 0) - 5) < 0.2 })
    }

    @Test("that stands still is told of also where the device's clock trembles", arguments: [0.004, 0.01, 0.02])
    func trembling(clock: Double) {
        var heart = DrawnHeart(seconds: 120)
        heart.beat(from: 0.5, to: 60, every: 0.8)
        let reports = heart.reports(blocks: 1) { $0 + clock * (Int($0) % 2 == 0 ? 1 : -1) }
        #expect(reports.allSatisfy { $0.time >= 60 || $0.heartPause ?? 0 < 1 })
        #expect(reports.filter { $0.time < 58 && $0.time > 20 }.allSatisfy { abs(($0.heartRate ?? 0) - 75) < 1.5 })
        for report in reports where report.time >= 70 {
            #expect(report.heartPause ?? 0 > report.time - 62 && !report.reasons.isEmpty && report.heartRate ?? 0 < 50, "\(report)")
        }
    }

    @Test(
        "that stands still is told of also where the radio loses a little of every second or third, later only, and no pause without one",
        arguments: [(3, 0.2), (2, 0.2), (3, 0.4)])
    func lossy(every: Int, loss: Double) {
        var heart = DrawnHeart(seconds: 150)
        heart.beat(from: 0.5, to: 60, every: 0.8)
        let reports = heart.reports(blocks: 0.2) { $0.truncatingRemainder(dividingBy: Double(every)) < loss - 0.01 ? nil : $0 }
        #expect(reports.allSatisfy { $0.time >= 60 || $0.heartPause ?? 0 < 2 })
        let first = reports.first { $0.heartPause ?? 0 >= 4 }
        #expect(first.map { (65...75).contains($0.time) } ?? false, "\(String(describing: first))")
        #expect(reports.last?.reasons == ["no beats in a good electrocardiogram"] && reports.last?.heartRate == nil)
    }

    @Test(
        "is not told of as standing still, nor as slow, because an electrode was off or shaken",
        arguments: ["flat", "rail", "noise", "strong noise"], [5.0, 9, 12, 20])
    func off(kind: String, seconds: Double) {
        var heart = DrawnHeart(seconds: 130)
        heart.beat(from: 0.5, to: 130, every: 0.8)
        var random = SeededGenerator(seed: 3)
        let values: [String: (Double) -> Double] = [
            "flat": { _ in 0.1 }, "rail": { _ in 5 }, "noise": { _ in 0.5 * random.normal() }, "strong noise": { _ in 2 * random.normal() },
        ]
        heart.replace(from: 60, to: 60 + seconds, by: values[kind] ?? { _ in 0 })
        for report in heart.reports() where report.time > 20 {
            let isNormal = report.heartRate.map { (70...95).contains($0) } ?? true
            #expect(isNormal && (report.heartQuality == 0 || report.heartPause ?? 0 < 2.5), "\(report)")
            #expect(report.heartFlat == nil || ["flat", "rail"].contains(kind))
        }
    }

    @Test("a line that trembles now and then, and carries no beat, is flat as long as no beat comes")
    func trembles() {
        var heart = DrawnHeart(seconds: 130)
        heart.beat(from: 0.5, to: 130, every: 0.8)
        heart.replace(from: 60, to: 100) { Int($0) % 10 == 5 ? 0.1 + 0.03 * sin(8 * $0) : 0.1 }
        let reports = heart.reports().filter { (70...90).contains($0.time) }
        #expect(reports.count == 5 && reports.allSatisfy { $0.heartFlat ?? 0 > $0.time - 62 }, "\(reports)")
    }

    @Test("a line that is flat right after beats is told of at once, apart from a pause, and when it ends")
    func flat() {
        var heart = DrawnHeart(seconds: 150)
        heart.beat(from: 0.5, to: 150, every: 0.8)
        heart.flatten(from: 60, to: 90)
        let reports = heart.reports()
        let during = reports.filter { (70..<85).contains($0.time) }
        #expect(during.count == 3)
        for report in during {
            #expect(report.heartFlat ?? 0 > report.time - 62 && report.heartPause == nil && report.heartRate == nil, "\(report)")
            #expect(report.reasons.contains("the electrocardiogram is flat") && report.reasons.count == 2, "\(report)")
        }
        #expect(reports.first { $0.time == 110 }?.heartFlat == 0)
        #expect(reports.first { $0.time == 50 }?.heartFlat == nil)
    }

    @Test("a weaker signal behind a gap is found again: the electrodes were moved")
    func moved() {
        var heart = DrawnHeart(seconds: 160, noise: 0.002, wander: 0)
        heart.beat(from: 0.5, to: 60, every: 0.8)
        heart.beat(from: 70, to: 160, every: 0.8, height: 0.2)
        let last = heart.reports(without: 60..<70).last
        #expect(abs((last?.heartRate ?? 0) - 75) < 2 && last?.heartQuality ?? 0 >= 0.5, "\(String(describing: last))")
    }

    @Test("an escape rhythm of broad beats counts as beats, with the pause before it")
    func escape() {
        var heart = DrawnHeart(seconds: 120)
        heart.beat(from: 0.5, to: 60, every: 0.8)
        heart.beat(from: 68, to: 120, every: 2, breadth: 0.03, height: 1.2)
        let reports = heart.reports()
        #expect(reports.contains { $0.heartPause ?? 0 > 7 })
        #expect(abs((reports.last?.heartRate ?? 0) - 30) < 2, "\(String(describing: reports.last))")
    }

    @Test("an electrocardiogram too coarse or too fine for its detector says so, and nothing else", arguments: [16.0, 40, 4000])
    func coarse(rate: Double) {
        let samples = (0..<Int(60 * rate)).map { index in
            let phase = (Double(index) / rate / 0.8).truncatingRemainder(dividingBy: 1) - 0.5
            return exp(-phase * phase * 800)
        }
        for report in DrawnSignal.reports(.ecg, samples, rate: rate) {
            #expect(report.heartRate == nil && report.heartQuality == 0)
            #expect(report.reasons == ["the electrocardiogram is sampled too coarsely or too finely"])
        }
    }

    @Test("variability of five minutes needs four of beats, and its spectrum no hole")
    func hole() {
        var heart = DrawnHeart(seconds: 720)
        for time in stride(from: 0.5, to: 720, by: 8) {
            for beat in 0..<10 {
                heart.beat(from: time + 0.8 * Double(beat) + 0.01 * Double(beat % 3), to: time + 0.8 * Double(beat) + 0.1, every: 1)
            }
        }
        let whole = heart.reports().compactMap(\.longTerm)
        #expect(whole.count > 4 && whole.allSatisfy { $0.spectrum != nil })
        let long = heart.reports(without: 310..<430).filter { (420...600).contains($0.time) }.compactMap(\.longTerm)
        #expect(long.isEmpty)
        let short = heart.reports(without: 400..<410).filter { (420...660).contains($0.time) }.compactMap(\.longTerm)
        #expect(!short.isEmpty && short.allSatisfy { $0.spectrum == nil && $0.alpha1 == nil && $0.variability.sdnn > 0 })
    }
}
