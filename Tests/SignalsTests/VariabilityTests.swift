import Foundation
import SignalSynthesis
import Signals
import Testing

@Suite("Heart-rate variability")
struct VariabilityTests {
    @Test("has the textbook values for a handful of intervals")
    func textbook() throws {
        let measures = try #require(HeartRateVariability([800, 860, 790, 810]))
        #expect(abs(measures.heartRate - 60_000 / 815) < 1e-9)
        #expect(abs(measures.sdnn - 31.0913) < 1e-3)
        #expect(abs(measures.rmssd - (Double(60 * 60 + 70 * 70 + 20 * 20) / 3).squareRoot()) < 1e-9)
        #expect(measures.pnn50 == 50)
    }

    @Test("puts the power of a rhythm into its band", arguments: [(0.1, true), (0.25, false)])
    func bands(hertz: Double, isLow: Bool) throws {
        var time = 0.0
        var intervals: [RRInterval] = []
        while time < 300 {
            let interval = 800 + 40 * sin(2 * .pi * hertz * time)
            time += interval / 1000
            intervals.append(RRInterval(time: time, milliseconds: interval, kind: .normal))
        }
        let spectrum = try #require(SpectralVariability(intervals))
        let (inside, outside) =
            isLow ? (spectrum.lowFrequency, spectrum.highFrequency) : (spectrum.highFrequency, spectrum.lowFrequency)
        // A sine of amplitude 40 has a power of 800; what interpolation costs grows with the frequency.
        #expect(inside > 600 && inside < 880)
        #expect(outside < 0.05 * inside)
    }

    @Test("grows in Baevsky's index as the rhythm stiffens")
    func baevsky() throws {
        var random = SeededGenerator(seed: 4)
        let loose = (0..<200).map { _ in 800 + 60 * random.normal() }
        let stiff = (0..<200).map { _ in 650 + 12 * random.normal() }
        #expect(try #require(BaevskyIndex.of(stiff)) > 3 * (try #require(BaevskyIndex.of(loose))))
        #expect(BaevskyIndex.of(Array(repeating: 800, count: 100)) == nil)
    }

    @Test("has DFA-α1 of 0.5 for white noise and 1.5 for a random walk")
    func alpha() throws {
        var random = SeededGenerator(seed: 9)
        let white = (0..<2000).map { _ in 800 + 30 * random.normal() }
        var sum = 800.0
        let walk = (0..<2000).map { _ in
            sum += random.normal()
            return sum
        }
        #expect(abs(try #require(DetrendedFluctuation.alpha1(white)) - 0.5) < 0.12)
        #expect(abs(try #require(DetrendedFluctuation.alpha1(walk)) - 1.5) < 0.12)
    }
}

@Suite("RR correction")
struct RRCleanerTests {
    private static func clean(_ intervals: [Double]) -> [RRInterval] {
        var cleaner = RRCleaner()
        var cleaned: [RRInterval] = []
        var time = 0.0
        for interval in intervals {
            time += interval / 1000
            cleaner.push(milliseconds: interval, at: time, into: &cleaned)
        }
        return cleaned
    }

    private static var calm: [Double] {
        var random = SeededGenerator(seed: 2)
        return (0..<120).map { 800 + 20 * sin(Double($0) / 3) + 6 * random.normal() }
    }

    @Test("leaves a calm rhythm alone")
    func untouched() {
        let cleaned = Self.clean(Self.calm)
        #expect(cleaned.count >= 115)
        #expect(cleaned.allSatisfy { $0.kind == .normal })
    }

    @Test("halves the interval in which a beat was missed")
    func missed() {
        var intervals = Self.calm
        intervals[60] = intervals[60] + intervals.remove(at: 61)
        let cleaned = Self.clean(intervals)
        #expect(cleaned.count { $0.kind == .missedBeat } == 2)
        #expect(cleaned.allSatisfy { $0.milliseconds < 900 })
        for (last, next) in zip(cleaned, cleaned.dropFirst()) {
            #expect(abs((next.time - last.time) * 1000 - next.milliseconds) < 1, "the beat stands where its interval ends")
        }
    }

    @Test("joins the two parts that a beat too many made")
    func extra() {
        var intervals = Self.calm
        intervals.replaceSubrange(60...60, with: [intervals[60] * 0.4, intervals[60] * 0.6])
        let cleaned = Self.clean(intervals)
        #expect(cleaned.count { $0.kind == .extraBeat } == 1)
        #expect(cleaned.allSatisfy { $0.milliseconds > 700 })
    }

    @Test("replaces an early beat and its pause")
    func ectopic() {
        var intervals = Self.calm
        intervals[60] -= 280
        intervals[61] += 280
        let cleaned = Self.clean(intervals)
        #expect(cleaned.contains { $0.kind == .ectopic })
        #expect(cleaned.allSatisfy { abs($0.milliseconds - 800) < 100 })
    }
}
