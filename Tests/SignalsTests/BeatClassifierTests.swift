import Foundation
import SignalSynthesis
import Testing

@testable import Signals

@Suite("The class of a beat")
struct BeatClassifierTests {
    private func wave(_ width: Double, height: Double = 1) -> BeatShape {
        BeatShape((0..<64).map { Float(height * gauss((Double($0) * 4 - 100) / width)) })
    }

    /// A classifier that knows sixty usual beats 0.8 s apart, and one more that waits for the next.
    private func taught() -> BeatClassifier {
        var classifier = BeatClassifier()
        for _ in 0..<61 { _ = classifier.push(interval: 0.8, shape: wave(12)) }
        return classifier
    }

    /// The regression with the weights that the classifier names, in double precision.
    private func odds(likeness: Double, breadth: Double, before: Double, after: Double) -> Double {
        let unlike = log(max(1 - likeness, 0) + 0.02) + 3
        let early = min(max(1 - before, 0), 0.5), pause = min(max(after - 1, 0), 0.6), broader = min(max(breadth, -0.7), 0.9)
        return -4.827 + 1.226 * unlike + 5.202 * early + 3.289 * pause + 3.914 * broader
    }

    @Test("follows from likeness, breadth, earliness and pause as the regression weighs them", arguments: 1...6)
    func definition(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed), classifier = BeatClassifier(), families = BeatFamilies()
        var intervals: [Double] = [], waiting: (interval: Double, shape: BeatShape)?
        var found: [BeatClass: Int] = [:], close = 0
        for _ in 0..<600 {
            let isOdd = random.uniform() < 0.3
            let interval = 0.8 * (isOdd ? 0.4 + 1.4 * random.uniform() : 0.97 + 0.06 * random.uniform())
            let shape = wave(isOdd ? 5 + 40 * random.uniform() : 12, height: isOdd && random.uniform() < 0.4 ? -1 : 1)
            let verdict = classifier.push(interval: interval, shape: shape)
            if let waiting, intervals.count >= 5 {
                let last = intervals.suffix(10), mean = last.reduce(0, +) / Double(last.count)
                let (before, after) = (waiting.interval / mean, interval / mean)
                let comparison = families.compare(waiting.shape, before: Float(before), after: Float(after))
                #expect((verdict == nil) == (comparison == nil))
                if let comparison, let verdict {
                    let odds = odds(
                        likeness: Double(comparison.likeness), breadth: Double(comparison.breadth), before: before, after: after)
                    let isEarly = before < 0.8, isUsual = comparison.likeness > 0.85
                    let expected: BeatClass = odds > 0 ? .ventricular : isEarly && isUsual ? .supraventricular : .usual
                    if abs(odds) < 1e-3 || abs(before - 0.8) < 1e-4 { close += 1 } else { #expect(verdict == expected, "\(odds)") }
                    found[verdict, default: 0] += 1
                }
            } else {
                #expect(verdict == nil)
            }
            if let waiting { intervals.append(waiting.interval) }
            waiting = (interval, shape)
        }
        #expect(BeatClass.allCases.allSatisfy { found[$0, default: 0] > 5 } && close < 10, "\(found)")
    }

    /// The usual shape, whose unlikeness is ln 0.02 + 3 = −0.912: 1.226 · −0.912 − 4.827 = −5.945. Early by the most that counts, 0.5, adds 2.601, and
    /// a pause of 0.6 and more 1.973: still no ventricular beat.
    @Test(
        "is supraventricular for a usual shape that comes a fifth too early or more, and never ventricular",
        arguments: [
            (0.64, 0.8, BeatClass.usual), (0.63, 0.8, .supraventricular), (0.3, 0.8, .supraventricular), (0.3, 5, .supraventricular),
            (0.8, 5, .usual),
        ])
    func early(interval: Double, next: Double, expected: BeatClass) {
        var classifier = taught()
        _ = classifier.push(interval: interval, shape: wave(12))
        #expect(classifier.push(interval: next, shape: wave(12)) == expected)
    }

    /// Twice as broad adds 3.914 · ln 2 = 2.713 and, being less like the usual one, some more; four times as broad counts as 0.9 does: 3.523.
    @Test("is ventricular for a broad and early beat, of either sign, and usual again after it", arguments: [1.0, -1])
    func ventricular(height: Double) {
        var classifier = taught()
        _ = classifier.push(interval: 0.5, shape: wave(45, height: height))
        #expect(classifier.push(interval: 1.1, shape: wave(12)) == .ventricular)
        #expect(classifier.push(interval: 0.8, shape: wave(12)) == .usual)
    }

    /// Nine of 0.5 s and one of 0.8 s: a mean of 0.53 s, of which a fifth less is 0.424 s.
    @Test(
        "is measured against the mean of the last ten intervals before it", arguments: [(0.43, BeatClass.usual), (0.42, .supraventricular)])
    func mean(interval: Double, expected: BeatClass) {
        var classifier = taught()
        for _ in 0..<9 { _ = classifier.push(interval: 0.5, shape: wave(12)) }
        _ = classifier.push(interval: interval, shape: wave(12))
        #expect(classifier.push(interval: 0.5, shape: wave(12)) == expected)
    }

    @Test("is told after a gap once five intervals are known anew")
    func gap() {
        var anew = taught()
        anew.gap()
        let known = (0..<8).map { _ in anew.push(interval: 0.8, shape: wave(12)) }
        #expect(known == [nil, nil, nil, nil, nil, nil, .usual, .usual])
    }

    @Test("is not told of a beat whose shape is not known, but its interval counts")
    func shapeless() {
        var classifier = taught()
        _ = classifier.push(interval: 0.5, shape: nil)
        #expect(classifier.push(interval: 0.8, shape: wave(12)) == nil)
        #expect(classifier.push(interval: 0.8, shape: wave(12)) == .usual)
    }
}
