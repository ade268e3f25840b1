import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// What a report says, and says that it cannot say, where a signal is at its limits.
@Suite("A wearer's vital signs")
struct WearerVitalsTests {
    private func reports(_ metric: WearerAnalysis.Metric, seconds: Double, rate: Double, _ value: (Double) -> Double) -> [WearerReport] {
        DrawnSignal.reports(metric, (0..<Int(seconds * rate)).map { value(Double($0) / rate) }, rate: rate)
    }

    private func breath(_ time: Double) -> Double { sin(2 * .pi * time / 4) }

    // MARK: The heart

    @Test("a pulse too coarse or too fine for its detector says so, and is worth little", arguments: [10.0, 19, 2100])
    func coarsePulse(rate: Double) {
        let found = reports(.bloodVolumePulse, seconds: 40, rate: rate) { sin(2 * .pi * 1.2 * $0) }
        #expect(!found.isEmpty)
        for report in found {
            #expect(report.reasons == ["the pulse signal is sampled too coarsely or too finely"] && report.heartQuality == 0.2)
            #expect(report.heartRate == nil && report.inputs.heartRate == nil)
        }
    }

    @Test("a pulse that is too fast to be told says so")
    func fastPulse() {
        let found = reports(.bloodVolumePulse, seconds: 60, rate: 64) { sin(2 * .pi * 4.7 * $0) }
        #expect(found.last?.reasons == ["the pulse is too fast to be told"] && found.last?.heartQuality == 0.2, "\(found)")
    }

    /// Behind the hole fewer than three intervals are certain for some seconds, while no pause is as long as a standstill.
    @Test("a good electrocardiogram with too few beats says so, and goes on when there are enough")
    func fewBeats() {
        var heart = DrawnHeart(seconds: 120)
        heart.beat(from: 0.5, to: 120, every: 1.2)
        let found = heart.reports(without: 60..<80)
        let few = found.filter { $0.time >= 60 && $0.heartRate == nil }
        #expect(few.map(\.time).contains(80) && few.allSatisfy { $0.heartPause ?? 9 < 4 && $0.heartQuality ?? 0 >= 0.5 }, "\(few)")
        for report in found where report.time >= 30 { #expect(report.reasons == (report.heartRate == nil ? ["too few heart beats"] : [])) }
        #expect(abs((found.last?.heartRate ?? 0) - 50) < 1)
    }

    /// Fifty seconds of beats, and then a wave.
    @Test("a wave without beats is a pause, but where the wearer moves it may be a cable", arguments: [false, true])
    func wave(isMoving: Bool) throws {
        var heart = DrawnHeart(seconds: 90)
        heart.beat(from: 0.5, to: 50, every: 0.8)
        heart.replace(from: 50, to: 90) { 2 * sin(2 * .pi * 5 * $0) }
        var analysis = WearerAnalysis(), found: [WearerReport] = []
        for second in 0..<90 {
            let time = Double(second), shake = (0..<32).map { Float(isMoving && second > 45 ? 3 * sin(Double($0)) : 0) }
            found += DrawnSignal.reports(of: &analysis, on: .accelerationX, SampleBlock(start: time, period: 1 / 32, samples: shake))
            let samples = heart.samples(from: time, to: time + 1)
            found += DrawnSignal.reports(of: &analysis, on: .ecg, SampleBlock(start: time, period: 0.004, samples: samples))
        }
        let last = try #require(found.last)
        #expect(last.time == 85 && last.isMoving == isMoving && last.reasons.contains("the electrocardiogram is a wave without beats"))
        #expect(last.heartRate == nil && last.inputs.heartRate == nil && last.heartQuality == 0)
        #expect(isMoving ? last.heartPause == nil : last.heartPause ?? 0 > 30, "\(last)")
    }

    @Test("of an electrocardiogram each minute's rhythm is told, and of no other time", arguments: [true, false])
    func rhythm(hasBeats: Bool) {
        var heart = DrawnHeart(seconds: 190)
        if hasBeats { heart.beat(from: 0.5, to: 190, every: 0.8) }
        let told = heart.reports().filter { $0.rhythm != nil }
        #expect(told.map(\.time) == [0, 60, 120, 180] || told.map(\.time) == [60, 120, 180])
        #expect((told.last?.rhythm?.beats ?? -1 > 50) == hasBeats && (hasBeats || told.last?.rhythm == RhythmMinute()))
    }

    /// An interval a second; where the next comes a second and a half later, those beside it are not certain, which leaves 3.5 s.
    @Test("what needs beats in a row is left out where more than three seconds are missing", arguments: [(1.25, true), (1.5, false)])
    func whole(step: Double, isWhole: Bool) throws {
        var analysis = WearerAnalysis(), found: [WearerReport] = []
        for second in 0..<420 {
            let time = Double(second) + (second > 200 ? step - 1 : 0)
            let value = 1000 + 20 * sin(Double(second) / 2)
            analysis.add(.interval, value, at: DrawnSignal.start + time)
            while let report = analysis.nextReport() { found.append(report) }
        }
        let told = try #require(found.last { $0.longTerm != nil }?.longTerm)
        #expect((told.spectrum != nil) == isWhole && (told.alpha1 != nil) == isWhole && told.baevsky != nil)
    }

    // MARK: Breath

    @Test("a breathing signal that is cut off at its ends still tells the breath")
    func clipped() throws {
        let found = reports(.airflow, seconds: 120, rate: 25) { max(-0.6, min(0.6, breath($0))) }
        let last = try #require(found.last)
        #expect(abs((last.breathing?.rate ?? 0) - 15) < 0.5 && last.breathingQuality == 1 && last.reasons == ["no heart signal"], "\(last)")
        #expect(last.breathingFlat == nil && last.breathingPause ?? 9 < 5)
    }

    @Test("too few breaths are worth nothing, and are no pause", arguments: [5.0, 10])
    func fewBreaths(time: Double) throws {
        let report = try #require(reports(.airflow, seconds: 60, rate: 25, breath).first { $0.time == time })
        #expect(report.breathingQuality == 0 && report.breathing == nil && report.reasons.contains("too few breaths"))
    }
}
