import Foundation
import Signals
import Testing

@Suite("Starts, gaps and ends of an electrocardiogram")
struct DetectorStartTests {
    private let signal = TestSignals.ecg(seconds: 30)

    private func beats(_ process: (inout RPeakDetector, inout [RPeak]) -> Void) -> [RPeak] {
        var detector = RPeakDetector(rate: 250), beats: [RPeak] = []
        process(&detector, &beats)
        detector.finish(into: &beats)
        return beats
    }

    @Test(
        "the rate is brought to 50 to 2000 a second",
        arguments: [(1, 50), (49, 50), (50, 50), (250, 250), (2000, 2000), (2001, 2000), (1e9, 2000)])
    func rate(asked: Double, given: Double) { #expect(RPeakDetector(rate: asked).rate == given) }

    @Test("samples that are missing, as 0.1 s and more, or are beyond 1,000 V, are a gap; fewer are bridged")
    func missing() {
        for (count, isGap) in [(25, false), (26, true)] {
            for value in [Float.nan, 1e6, -1e6, .infinity] {
                var detector = RPeakDetector(rate: 250), beats: [RPeak] = []
                detector.process(signal.span, into: &beats)
                #expect(detector.quality.fault != .missing)
                let hole = [Float](repeating: value, count: count)
                detector.process(hole.span, into: &beats)
                #expect((detector.quality.fault == .missing) == isGap)
            }
            var detector = RPeakDetector(rate: 250), beats: [RPeak] = []
            let large = [Float](repeating: 999_999, count: 30)
            detector.process(large.span, into: &beats)
            #expect(detector.quality.fault != .missing)
        }
        #expect(RPeakDetector(rate: 250).quality.fault == .missing)
    }

    @Test(
        "a gap shifts what follows by its length, whether its samples come as no numbers or are skipped",
        arguments: [1, 2, 3, 26, 250, 1001])
    func shifted(gap: Int) {
        let plain = beats { $0.process(signal.span, into: &$1) }
        let skipped = beats {
            $0.skip(gap, into: &$1)
            $0.process(signal.span, into: &$1)
        }
        let hole = [Float](repeating: .nan, count: gap)
        let absent = beats {
            $0.process(hole.span, into: &$1)
            $0.process(signal.span, into: &$1)
        }
        #expect(plain.count > 25 && skipped.map(\.position) == plain.map { $0.position + Int64(gap) })
        #expect(absent.map(\.position) == skipped.map(\.position))
    }

    @Test("after a long hole positions count what was missing, and before it nothing waits", arguments: [30, 400])
    func hole(length: Int) {
        let hole = [Float](repeating: .nan, count: length)
        let found = beats {
            $0.process(signal.span, into: &$1)
            $0.process(hole.span, into: &$1)
            $0.process(signal.span, into: &$1)
        }
        let skipped = beats {
            $0.process(signal.span, into: &$1)
            $0.finish(into: &$1)
            $0.skip(length, into: &$1)
            $0.process(signal.span, into: &$1)
        }
        let second = Int64(signal.count + length)
        #expect(found.filter { $0.position >= second }.map(\.position) == skipped.filter { $0.position >= second }.map(\.position))
        #expect(found.count == skipped.count && found.allSatisfy { $0.position < Int64(signal.count) || $0.position >= second })
    }

    @Test("at the end all that waits is told, and no beat behind the last sample")
    func ends() {
        let all = beats { $0.process(signal.span, into: &$1) }
        for length in stride(from: 2500, to: 3000, by: 7) {
            let part = signal[..<length]
            let found = beats { $0.process(part.span, into: &$1) }
            #expect(found.allSatisfy { $0.position < Int64(length) })
            let expected = all.filter { $0.position < Int64(length) - 30 }.map(\.position)
            #expect(expected.allSatisfy { beat in found.contains { abs($0.position - beat) <= 1 } } && found.count <= expected.count + 1)
        }
        let twice = beats {
            $0.process(signal.span, into: &$1)
            $0.finish(into: &$1)
            $0.finish(into: &$1)
        }
        #expect(twice == all)
    }

    @Test("a detector that is kept as JSON in the middle goes on as if nothing had been")
    func kept() throws {
        let all = beats { $0.process(signal.span, into: &$1) }
        for cut in [101, 3777, 6000] {
            var detector = RPeakDetector(rate: 250), beats: [RPeak] = []
            let (before, after) = (signal[..<cut], signal[cut...])
            detector.process(before.span, into: &beats)
            var restored = try JSONDecoder().decode(RPeakDetector.self, from: JSONEncoder().encode(detector))
            restored.process(after.span, into: &beats)
            restored.finish(into: &beats)
            #expect(beats.map(\.position) == all.map(\.position))
        }
    }
}
