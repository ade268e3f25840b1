import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// Signals whose truth is known, from 1,000,000 s on, in blocks of one second.
@Suite("A wearer's analysis")
struct WearerAnalysisTests {
    static let start = 1_000_000.0

    private struct Feed {
        var analysis = WearerAnalysis()
        var reports: [WearerReport] = []

        mutating func block(_ metric: WearerAnalysis.Metric, second: Int, rate: Double, _ value: (Double) -> Double) {
            let samples = (0..<Int(rate)).map { Float(value(Double(second) + Double($0) / rate)) }
            analysis.add(metric, SampleBlock(start: start + Double(second), period: 1 / rate, samples: samples))
            collect()
        }

        mutating func reading(_ metric: WearerAnalysis.Metric, _ value: Double, at second: Double) {
            analysis.add(metric, value, at: start + second)
            collect()
        }

        private mutating func collect() { while let report = analysis.nextReport() { reports.append(report) } }

        func report(at second: Double) -> WearerReport? { reports.first { $0.time == start + second } }
    }

    /// Fifteen breaths a minute, the highest points at 1 s, 5 s and so on.
    private static func breathing(_ time: Double) -> Double { sin(2 * .pi * time / 4) }

    /// A pulse of 72 beats a minute.
    private static func pulse(_ time: Double) -> Double {
        let phase = (time * 1.2).truncatingRemainder(dividingBy: 1), first = (phase - 0.2) / 0.1, second = (phase - 0.55) / 0.12
        return exp(-first * first) + 0.35 * exp(-second * second)
    }

    @Test("a hole in the breathing is no long breath: the rate is that of the breaths before and after it", arguments: [2, 10, 30])
    func breathingHole(length: Int) {
        var feed = Feed()
        for second in 0..<180 where second < 100 || second >= 100 + length {
            feed.block(.airflow, second: second, rate: 25, Self.breathing)
            feed.reading(.skinTemperature, 33, at: Double(second))
        }
        for time in stride(from: 60.0, through: 170, by: 5) {
            guard let pattern = feed.report(at: time)?.breathing else { continue }
            #expect(abs(pattern.rate - 15) < 1 && !pattern.isIrregular, "\(pattern) at \(time)")
        }
        #expect(feed.report(at: 95)?.breathing != nil && feed.report(at: 170)?.breathing != nil)
    }

    @Test("a hole of up to a second is bridged: the breaths around it compare")
    func bridged() {
        var feed = Feed()
        for second in 0..<120 where second != 80 { feed.block(.airflow, second: second, rate: 25, Self.breathing) }
        #expect(abs((feed.report(at: 100)?.breathing?.rate ?? 0) - 15) < 1)
    }

    @Test("the wearer moves for a minute after the movement's sensor fell silent, not for ever")
    func movement() {
        var feed = Feed()
        for second in 0..<180 {
            feed.block(.bloodVolumePulse, second: second, rate: 64, Self.pulse)
            if second < 60 { feed.block(.accelerationX, second: second, rate: 32) { 3 * sin($0 * 9) } }
        }
        let moving = feed.report(at: 115), still = feed.report(at: 120)
        #expect(feed.report(at: 55)?.isMoving == true && moving?.isMoving == true && moving?.inputs.heartRate == nil)
        #expect(moving?.heartQuality == 0.2 && moving?.reasons.contains("the wearer moves") == true)
        #expect(still?.isMoving == false && abs((still?.inputs.heartRate ?? 0) - 72) < 2 && still?.heartQuality == 0.7)
    }
}
