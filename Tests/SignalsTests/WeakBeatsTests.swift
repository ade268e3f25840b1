import Foundation
import SignalSynthesis
import Testing

@testable import Signals

/// Drawn electrocardiograms at 250 samples a second, whose beats stand on whole samples, 0.8 s apart.
@Suite("What is too weak for a beat, and what is not")
struct WeakBeatsTests {
    /// A line with a little noise and bells on it, by their places in samples.
    private struct Line {
        private(set) var samples: [Float]

        init(seconds: Int) {
            var random = SeededGenerator(seed: 5)
            samples = (0..<seconds * 250).map { Float(0.02 * sine(2 * .pi * 0.25 * Double($0) / 250) + 0.002 * random.normal()) }
        }

        /// - Parameter breadth: the standard deviation, in seconds.
        mutating func bell(at place: Int, height: Double = 1, breadth: Double = 0.011) {
            for index in max(0, place - Int(1250 * breadth))..<min(samples.count, place + Int(1250 * breadth)) {
                samples[index] += Float(height * gauss(Double(index - place) / (250 * breadth)))
            }
        }

        mutating func beats(_ places: StrideTo<Int>, height: Double = 1) { for place in places { bell(at: place, height: height) } }
    }

    private func found(_ line: Line, skipping hole: Range<Int> = 0..<0) -> [Int] {
        var detector = RPeakDetector(rate: 250), peaks: [RPeak] = []
        let (before, after) = (line.samples[..<hole.lowerBound], line.samples[hole.upperBound...])
        detector.process(before.span, into: &peaks)
        detector.skip(hole.count, into: &peaks)
        detector.process(after.span, into: &peaks)
        detector.finish(into: &peaks)
        return peaks.map { Int($0.position) }
    }

    @Test("the atria's waves are no beats of a heart that stands still, however long that lasts", arguments: [0.1, 0.15, 0.2, 0.25, 0.3])
    func atria(height: Double) {
        var line = Line(seconds: 120)
        line.beats(stride(from: 100, to: 7500, by: 200))
        for place in stride(from: 7600, to: 29_900, by: 200) { line.bell(at: place, height: height, breadth: 0.022) }
        let beats = found(line)
        #expect(beats.count == 37 && beats.last == 7300, "\(beats.suffix(5))")
    }

    /// Small beats behind a gap: within five seconds they are small beside those before it, afterwards the electrodes may have been moved.
    @Test(
        "what is small counts behind a gap of more than five seconds, and not behind a shorter one",
        arguments: [(1250, false), (1251, true)])
    func moved(gap: Int, isFound: Bool) {
        var line = Line(seconds: 90)
        line.beats(stride(from: 100, to: 7500, by: 200))
        line.beats(stride(from: 9000, to: 22_500, by: 200), height: 0.14)
        let behind = found(line, skipping: 7500..<7500 + gap).filter { $0 > 8000 }
        #expect(isFound ? behind.count > 50 : behind.isEmpty, "\(behind)")
    }

    @Test("what is skipped in the middle is the same as samples that are no numbers, bridged or not", arguments: [1, 12, 25, 26, 700])
    func skipped(length: Int) {
        var line = Line(seconds: 40)
        line.beats(stride(from: 100, to: 10_000, by: 200))
        for start in [5003, 5050, 5190] {
            var detectors = (RPeakDetector(rate: 250), RPeakDetector(rate: 250)), peaks: ([RPeak], [RPeak]) = ([], [])
            let hole = [Float](repeating: .nan, count: length),
                (before, after) = (line.samples[..<start], line.samples[(start + length)...])
            detectors.0.process(before.span, into: &peaks.0)
            detectors.1.process(before.span, into: &peaks.1)
            detectors.0.process(hole.span, into: &peaks.0)
            // In two parts, as two blocks that do not come.
            detectors.1.skip(length / 2, into: &peaks.1)
            detectors.1.skip(length - length / 2, into: &peaks.1)
            #expect(detectors.0.quality == detectors.1.quality && (detectors.0.quality.fault == .missing) == (length > 25))
            detectors.0.process(after.span, into: &peaks.0)
            detectors.1.process(after.span, into: &peaks.1)
            detectors.0.finish(into: &peaks.0)
            detectors.1.finish(into: &peaks.1)
            #expect(peaks.0 == peaks.1 && peaks.0.count > 40)
        }
    }

    @Test("a beat is told with its own height, upwards or downwards, above the 200 ms around it", arguments: [1.0, -1, 2.5])
    func amplitude(height: Double) throws {
        var line = Line(seconds: 30)
        line.beats(stride(from: 100, to: 7300, by: 200), height: height)
        var detector = RPeakDetector(rate: 250), peaks: [RPeak] = []
        let samples = line.samples
        detector.process(samples.span, into: &peaks)
        detector.finish(into: &peaks)
        #expect(peaks.count == 36)
        for peak in peaks {
            let place = Int(peak.position), around = line.samples[place - 25..<place + 25].reduce(0, +) / 50
            #expect(place % 200 == 100 && abs(peak.amplitude - (line.samples[place] - around)) < 1e-4 && peak.origin == .threshold)
        }
    }
}
