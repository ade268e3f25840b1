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

    /// Both regressions with the weights that the classifier names, in double precision: of the beat alone, and beside its family's mean of that.
    private func odds(_ comparison: BeatFamilies.Comparison, before: Double, after: Double) -> (alone: Double, all: Double) {
        let unlike = { (likeness: Float) in log(max(1 - Double(likeness), 0) + 0.02) + 3 }
        let clip = { (value: Double, high: Double) in min(max(value, 0), high) }
        let kin = comparison.family
        let own = clip(unlike(comparison.likeness) - (kin.map { unlike($0.likeness) } ?? 100), 3)
        let values = [
            1, unlike(comparison.likeness), clip(1 - before, 0.5), clip(after - 1, 0.6), min(max(Double(comparison.breadth), -0.7), 0.9),
            clip(before - 1, 0.5), own * clip(Double(kin?.alone ?? 0) - 0.5, 0.5), clip(1 - (kin.map { Double($0.before) } ?? before), 0.5),
            clip((kin.map { Double($0.after) } ?? after) - 1, 0.6),
        ]
        let sum = { (weights: [Double]) in zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } }
        let alone = sum([-4.48, 0.967, 1.88, 2.887, 3.513, -2.572, 1.928, 2.27, 2.579])
        let beside = sum([-1.498, 0.338, 1.992, 2.664, 0.961, -2.31, 0.652, -1.037, 1.261])
        return (alone, beside + 0.89 * Double(kin?.evidence ?? 0))
    }

    @Test("follows from shape, time and what was found of the beats of its shape, as the regressions weigh them", arguments: 1...6)
    func definition(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed), classifier = BeatClassifier(), families = BeatFamilies(), usual = UsualInterval()
        var waiting: (interval: Double, shape: BeatShape)?, earlier = 0.0, row = 0
        var found: [BeatClass: Int] = [:], close = 0
        for _ in 0..<600 {
            let isOdd = random.uniform() < 0.2
            let interval = 0.8 * (isOdd ? 0.4 + 1.4 * random.uniform() : 0.97 + 0.06 * random.uniform())
            let shape = wave(
                isOdd && random.uniform() < 0.6 ? 5 + 40 * random.uniform() : 12, height: isOdd && random.uniform() < 0.4 ? -1 : 1)
            let verdict = classifier.push(interval: interval, shape: shape)
            defer { waiting = (interval, shape) }
            guard let beat = waiting else { continue }
            if let reference = usual.seconds {
                let (before, after) = (beat.interval / reference, interval / reference)
                let (comparison, likenesses) = families.compare(beat.shape)
                let odds = comparison.map { self.odds($0, before: before, after: after) }
                families.learn(beat.shape, likenesses, before: Float(before), after: Float(after), evidence: odds.map { Float($0.alone) })
                #expect((verdict == nil) == (comparison == nil))
                if let comparison, let odds, let verdict {
                    let isAbrupt = beat.interval < 0.85 * earlier || beat.interval < 0.6 || (1...3).contains(row)
                    let isSupraventricular = before < 0.84 && comparison.likeness > 0.9 && isAbrupt
                    let expected: BeatClass = odds.all > 0 ? .ventricular : isSupraventricular ? .supraventricular : .usual
                    if abs(odds.all) < 1e-3 { close += 1 } else { #expect(verdict == expected, "\(odds)") }
                    found[verdict, default: 0] += 1
                }
            } else {
                #expect(verdict == nil)
            }
            usual.add(beat.interval)
            (earlier, row) = (beat.interval, verdict == .supraventricular ? row + 1 : 0)
        }
        #expect(BeatClass.allCases.allSatisfy { found[$0, default: 0] > 5 } && close < 10, "\(found)")
    }

    @Test(
        "is supraventricular for a usual shape that comes by 0.16 too early or more, and never ventricular",
        arguments: [
            (0.68, 0.8, BeatClass.usual), (0.66, 0.8, .supraventricular), (0.3, 0.8, .supraventricular), (0.3, 5, .supraventricular),
            (0.8, 5, .usual),
        ])
    func early(interval: Double, next: Double, expected: BeatClass) {
        var classifier = taught()
        _ = classifier.push(interval: interval, shape: wave(12))
        #expect(classifier.push(interval: next, shape: wave(12)) == expected)
    }

    @Test("is ventricular for a broad and early beat, of either sign, and usual again after it", arguments: [1.0, -1])
    func ventricular(height: Double) {
        var classifier = taught()
        _ = classifier.push(interval: 0.5, shape: wave(45, height: height))
        #expect(classifier.push(interval: 1.1, shape: wave(12)) == .ventricular)
        #expect(classifier.push(interval: 0.8, shape: wave(12)) == .usual)
    }

    @Test("is supraventricular throughout a run of thirty beats, behind which a rate is the wearer's own")
    func run() {
        var classifier = taught()
        let kinds = (0..<61).map { _ in classifier.push(interval: 0.5, shape: wave(12)) }
        #expect(kinds.dropFirst().prefix(30).allSatisfy { $0 == .supraventricular } && kinds.dropFirst(31).allSatisfy { $0 == .usual })
    }

    @Test("is supraventricular for four early beats in a row that are no faster than 100 a minute, and then usual")
    func row() {
        var classifier = taught()
        let kinds = (0..<9).map { _ in classifier.push(interval: 0.62, shape: wave(12)) }
        #expect(kinds.dropFirst().prefix(4).allSatisfy { $0 == .supraventricular } && kinds.suffix(4).allSatisfy { $0 == .usual })
    }

    /// A slow sinus node between atrial triplets, whose intervals are more than half of all.
    @Test("is supraventricular for the early beats of a slow heart that has more of them than others")
    func slow() {
        var classifier = BeatClassifier(), found: [BeatClass?] = []
        for _ in 0..<30 {
            for interval in [2.2, 1.5, 0.75, 0.75, 0.75] { found.append(classifier.push(interval: interval, shape: wave(12))) }
        }
        // Each class is told with the next beat.
        let last = Array(found.suffix(50))
        #expect(last.count { $0 == .supraventricular } == 30 && !last.contains(.ventricular), "\(last)")
    }

    @Test("is usual for a beat that is early only beside pauses")
    func paused() {
        var classifier = taught()
        for interval in [1.6, 1.6, 0.82] { _ = classifier.push(interval: interval, shape: wave(12)) }
        #expect(classifier.push(interval: 0.8, shape: wave(12)) == .usual)
    }

    @Test("is not told in a noisy signal of a strange shape until three such beats have come")
    func noisy() {
        var classifier = taught()
        let kinds = (0..<10).map { beat -> BeatClass? in
            _ = classifier.push(interval: 0.5, shape: wave(45, height: -1), isGood: beat == 9)
            let kind = classifier.push(interval: 1.1, shape: wave(12), isGood: true)
            #expect(classifier.isDoubtful == (beat < 3))
            return kind
        }
        #expect(kinds == [nil, nil, nil] + Array(repeating: .ventricular, count: 7))
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
