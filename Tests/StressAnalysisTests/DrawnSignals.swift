import Foundation
import SignalSynthesis
import Signals
import VigilSchema

@testable import StressAnalysis

/// An electrocardiogram drawn of bells, wave by wave, so that what it tells is known: at 250 samples a second, in mV.
struct DrawnHeart {
    static let rate = 250.0

    private var samples: [Double]
    private var random = SeededGenerator(seed: 3)

    /// A baseline that wanders a little, with noise.
    init(seconds: Double, noise: Double = 0.005, wander: Double = 0.03) {
        samples = (0..<Int(seconds * Self.rate)).map { wander * sin(2 * .pi * 0.25 * Double($0) / Self.rate) }
        for index in samples.indices { samples[index] += noise * random.normal() }
    }

    /// Beats from one second to another, every `interval`; a QRS complex of this breadth, the standard deviation of its R wave, in seconds.
    mutating func beat(from start: Double, to end: Double, every interval: Double, breadth: Double = 0.011, height: Double = 1) {
        for time in stride(from: start, to: end, by: interval) {
            atria(at: time - min(0.16, 0.3 * interval), height: 0.1 * height)
            bell(at: time - 2.2 * breadth, height: -0.1 * height, breadth: 0.8 * breadth)
            bell(at: time, height: height, breadth: breadth)
            bell(at: time + 2.4 * breadth, height: -0.2 * height, breadth: 0.9 * breadth)
            bell(at: time + min(0.25, 0.45 * interval), height: 0.2 * height, breadth: min(0.045, 0.11 * interval))
        }
    }

    /// A P wave.
    mutating func atria(at time: Double, height: Double) { bell(at: time, height: height, breadth: 0.022) }

    /// A line on which nothing is, not even noise.
    mutating func flatten(from start: Double, to end: Double) {
        for index in Int(start * Self.rate)..<Int(end * Self.rate) { samples[index] = 0.1 }
    }

    private mutating func bell(at time: Double, height: Double, breadth: Double) {
        let (first, last) = (max(0, Int((time - 5 * breadth) * Self.rate)), Int((time + 5 * breadth) * Self.rate))
        for index in first..<max(first, min(samples.count, last)) {
            let distance = (Double(index) / Self.rate - time) / breadth
            samples[index] += height * exp(-distance * distance / 2)
        }
    }

    /// The samples from one second to another.
    func samples(from start: Double, to end: Double) -> [Float] {
        samples[Int(start * Self.rate)..<Int(end * Self.rate)].map { Float($0) }
    }

    /// The reports on it, by their second; the seconds `without` do not come.
    func reports(without hole: Range<Int> = 0..<0) -> [WearerReport] {
        DrawnSignal.reports(.ecg, samples, rate: Self.rate, without: hole)
    }

    /// The reports on it in blocks of so many seconds, of which each says the time that `stamp` makes of its own, and does not come where that is nil.
    func reports(blocks length: Double, stamp: (Double) -> Double?) -> [WearerReport] {
        let size = Int(length * Self.rate)
        var analysis = WearerAnalysis(), reports: [WearerReport] = []
        for first in stride(from: 0, to: samples.count - size + 1, by: size) {
            guard let time = stamp(Double(first) / Self.rate) else { continue }
            let block = samples[first..<first + size].map { Float($0) }
            reports += DrawnSignal.reports(of: &analysis, on: .ecg, SampleBlock(start: time, period: 1 / Self.rate, samples: block))
        }
        return reports
    }

    /// Its standstills that are told between the reports.
    func standstills() -> [(report: WearerReport, told: Double)] { DrawnSignal.standstills(.ecg, samples, rate: Self.rate) }

    /// What comes in one second of it.
    func observation(second: Int, from start: Double) -> Observation {
        let piece = Array(samples[second * Int(Self.rate)..<(second + 1) * Int(Self.rate)])
        return Observation(
            metric: "ecg", time: Timestamp(seconds: start + Double(second)), content: .samples(piece, period: 1 / Self.rate), unit: "mV")
    }

    /// A stretch of something else.
    mutating func replace(from start: Double, to end: Double, by value: (Double) -> Double) {
        for index in Int(start * Self.rate)..<Int(end * Self.rate) { samples[index] = value(Double(index) / Self.rate) }
    }
}

/// The analysis of a signal whose samples are known, in blocks of a second or, where it is coarse, of ten.
enum DrawnSignal {
    /// On the grid of minutes.
    static let start = 1_700_000_040.0

    /// The reports, their times counted from the signal's first sample.
    static func reports(_ metric: WearerAnalysis.Metric, _ samples: [Double], rate: Double, without hole: Range<Int> = 0..<0)
        -> [WearerReport]
    {
        var analysis = WearerAnalysis(), reports: [WearerReport] = []
        let length = rate < 20 ? max(1, Int(10 * rate)) : Int(rate)
        for first in stride(from: 0, to: samples.count - length + 1, by: length) {
            let time = Double(first) / rate
            if hole.contains(Int(time)) { continue }
            let block = samples[first..<first + length].map { Float($0) }
            reports += Self.reports(of: &analysis, on: metric, SampleBlock(start: time, period: 1 / rate, samples: block))
        }
        return reports
    }

    /// Each standstill that is told between the reports, with the second of the signal at which it is: it comes in blocks of one.
    static func standstills(_ metric: WearerAnalysis.Metric, _ samples: [Double], rate: Double) -> [(report: WearerReport, told: Double)] {
        var analysis = WearerAnalysis(), found: [(report: WearerReport, told: Double)] = []
        let length = Int(rate)
        for first in stride(from: 0, to: samples.count - length + 1, by: length) {
            let time = Double(first) / rate
            let block = samples[first..<first + length].map { Float($0) }
            _ = reports(of: &analysis, on: metric, SampleBlock(start: time, period: 1 / rate, samples: block))
            while var report = analysis.nextStandstill() {
                report.time -= start
                found.append((report, time + Double(length) / rate))
            }
        }
        return found
    }

    /// The reports that a block makes due, whose time counts from the signal's first sample.
    static func reports(of analysis: inout WearerAnalysis, on metric: WearerAnalysis.Metric, _ block: SampleBlock) -> [WearerReport] {
        var reports: [WearerReport] = []
        analysis.add(metric, SampleBlock(start: start + block.start, period: block.period, samples: block.samples))
        while var report = analysis.nextReport() {
            report.time -= start
            reports.append(report)
        }
        return reports
    }
}
