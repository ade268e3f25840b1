import Foundation
import SignalSynthesis
import Signals
import TestSupport
import Testing

@testable import DetectorEvaluation
@testable import StressAnalysis

@Suite("Breathing that stops or races")
struct BreathingExtremesTests {
    /// Airflow at 25 Hz: breaths so many a minute until a second, then noise and the heart's oscillation.
    private func airflow(_ rate: Double, until end: Double, seconds: Double = 240, hertz: Double = 25, heart: Double = 0.03) -> [Double] {
        var random = SeededGenerator(seed: 11)
        return (0..<Int(seconds * hertz)).map { index in
            let time = Double(index) / hertz
            let breath = time < end ? sin(2 * .pi * rate / 60 * time) : 0
            return breath + 0.01 * random.normal() + heart * sin(2 * .pi * 1.2 * time)
        }
    }

    @Test("a breath that is missing counts: the rate falls, and from 20 s on it is said, in a signal as good as before")
    func apnoea() {
        let reports = DrawnSignal.reports(.airflow, airflow(15, until: 120), rate: 25)
        for report in reports where report.time >= 125 {
            let silence = report.time - 117
            #expect(report.breathing?.rate ?? 0 <= (silence < 20 ? 15 : silence < 40 ? 12 : 7), "\(report)")
            #expect(report.breathingQuality == 1, "\(report)")
            #expect(abs((report.breathingPause ?? 0) - silence - 3) < 1.5, "\(report)")
            #expect(report.reasons.contains("no breath in a sound breathing signal") == (report.breathingPause ?? 0 >= 20), "\(report)")
        }
        #expect(
            reports.filter { (60...115).contains($0.time) }.allSatisfy {
                $0.breathingPause ?? 99 < 8 && abs(($0.breathing?.rate ?? 0) - 15) < 1
            })
    }

    @Test("a hole in the signal is no pause of the breath, which is counted from its end")
    func hole() {
        let reports = DrawnSignal.reports(.airflow, airflow(15, until: 120), rate: 25, without: 125..<140)
        #expect(reports.allSatisfy { $0.time > 155 || $0.breathingPause ?? 0 < 20 })
        #expect(reports.last?.breathingPause ?? 0 > 80)
    }

    @Test("breaths that a jolt hides are no pause, nor fewer breaths: how many there were is not known")
    func jolt() {
        var samples = airflow(15, until: 999)
        for index in 110 * 25..<112 * 25 { samples[index] += 30 * sin(.pi * Double(index - 110 * 25) / 50) }
        let reports = DrawnSignal.reports(.airflow, samples, rate: 25)
        #expect(reports.allSatisfy { $0.breathingPause ?? 0 < 20 }, "\(reports.map { $0.breathingPause ?? -1 })")
        #expect(reports.allSatisfy { $0.time < 60 || $0.breathing?.rate ?? 15 > 12 }, "\(reports.map { $0.breathing?.rate ?? -1 })")
    }

    @Test("a movement while nobody breathes only delays what is said of it")
    func movement() {
        var samples = airflow(15, until: 120)
        for index in 130 * 25..<132 * 25 { samples[index] += 1.2 * sin(2 * .pi * Double(index - 130 * 25) / 50) }
        let reports = DrawnSignal.reports(.airflow, samples, rate: 25)
        #expect(reports.contains { (150...157).contains($0.time) && $0.breathingPause ?? 0 >= 20 })
    }

    /// Their annotators saw no breath more than six seconds behind another.
    @Test(
        "no recorded patient is said not to breathe for twenty seconds",
        .enabled(if: RecordedData.has("bidmc"), "\(RecordedData.hint)"))
    func recorded() throws {
        let files = AnnotatedRecording.files(in: try #require(RecordedData.folder).appending(path: "bidmc"))
        #expect(files.count == 27)
        for file in files {
            let recording = try AnnotatedRecording(file)
            let reports = DrawnSignal.reports(.respiration, recording.samples.map { Double($0) }, rate: recording.rate)
            let pauses = reports.filter { $0.breathingPause ?? 0 >= 20 }
            #expect(pauses.isEmpty, "\(recording.name): \(pauses.map { ($0.time, $0.breathingPause ?? 0) })")
            #expect(DrawnSignal.standstills(.respiration, recording.samples.map { Double($0) }, rate: recording.rate).isEmpty)
        }
    }

    @Test("a sensor that is off is flat, which is said apart")
    func off() {
        let samples = airflow(15, until: 120).enumerated().map { $0.offset < 120 * 25 ? $0.element : 0.2 }
        let reports = DrawnSignal.reports(.airflow, samples, rate: 25).filter { $0.time >= 145 }
        #expect(!reports.isEmpty)
        for report in reports {
            #expect(report.breathingPause == nil && report.breathingQuality == 0 && report.breathingFlat ?? 0 > 20, "\(report)")
            #expect(report.reasons.contains("it was so right after breaths: the sensor is off, or nobody breathes"))
        }
    }

    @Test("a sensor that was off is no pause, and no slower breathing, once breaths are seen again", arguments: [16.0, 18, 20, 30])
    func again(seconds: Double) {
        let gap = 120 * 25..<Int((120 + seconds) * 25)
        let samples = airflow(15, until: 999).enumerated().map { gap.contains($0.offset) ? 0.2 : $0.element }
        for report in DrawnSignal.reports(.airflow, samples, rate: 25) where report.time > 60 {
            #expect(report.breathingPause ?? 0 < 20 && report.breathing?.rate ?? 15 > 12, "\(report)")
        }
    }

    @Test("a breath that stops is told of also where two seconds of ten are lost, later only")
    func lossy() {
        let samples = airflow(15, until: 120)
        var analysis = WearerAnalysis(), reports: [WearerReport] = []
        for second in 0..<240 where second % 10 > 1 {
            let block = samples[second * 25..<second * 25 + 25].map { Float($0) }
            reports += DrawnSignal.reports(
                of: &analysis, on: .airflow, SampleBlock(start: Double(second), period: 0.04, samples: block))
        }
        let first = reports.first { $0.breathingPause ?? 0 >= 20 }
        #expect(first.map { (137...170).contains($0.time) } ?? false, "\(String(describing: first))")
    }

    @Test("fast breathing is told as fast as it is, not half as fast, or not at all", arguments: [38.0, 42, 50, 60, 75, 100, 120])
    func fast(rate: Double) {
        let reports = DrawnSignal.reports(.airflow, airflow(rate, until: 999, heart: 0), rate: 25).filter { $0.time >= 90 }
        #expect(!reports.isEmpty)
        for report in reports {
            #expect(report.breathing.map { abs($0.rate - rate) < 1.5 } ?? (report.breathingQuality == 0), "\(report)")
            #expect(rate > 80 || report.breathing != nil, "\(report)")
        }
    }

    @Test("a signal coarser than its detector is made for says so", arguments: [0.5, 1, 1.5])
    func coarse(hertz: Double) {
        for report in DrawnSignal.reports(.respiration, airflow(20, until: 999, seconds: 400, hertz: hertz), rate: hertz) {
            #expect(report.breathing == nil && report.reasons.contains("the breathing signal is sampled too coarsely or too finely"))
        }
    }

    @Test("a fast pulse is told as fast as it is, not half as fast, or not at all", arguments: [170.0, 185, 200, 220, 260])
    func pulse(rate: Double) {
        let samples = (0..<60 * 64).map { index in
            let angle = 2 * .pi * rate / 60 * Double(index) / 64
            return sin(angle) + 0.3 * sin(2 * angle)
        }
        let reports = DrawnSignal.reports(.bloodVolumePulse, samples, rate: 64).filter { $0.time >= 30 }
        #expect(!reports.isEmpty)
        for report in reports {
            #expect(report.heartRate.map { abs($0 - rate) < 0.02 * rate } ?? (report.heartQuality ?? 1 < 0.5), "\(report)")
        }
        #expect(rate > 240 || reports.allSatisfy { $0.heartRate != nil })
    }
}
