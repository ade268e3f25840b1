import Foundation
import SignalSynthesis
import Testing

@testable import Signals

@Suite("A wearer's kinds of beats")
struct BeatFamiliesTests {
    /// One of ten shapes of which no two are alike, a little different every time.
    private func shape(_ kind: Int, _ random: inout SeededGenerator, scatter: Double = 0.02) -> BeatShape {
        BeatShape(
            (0..<64).map { (index: Int) -> Float in
                let wave =
                    sin(Double(index) * (0.1 + 0.11 * Double(kind)) + Double(kind))
                    * gauss((Double(index) - 32) / (4 + 2 * Double(kind % 5)))
                return Float(wave + scatter * random.normal())
            })
    }

    /// What is told of the kinds, written down from the words of their description: each kind with all that was ever counted of it.
    private struct Kinds {
        struct Kind {
            var shape: BeatShape
            var ages: [Int] = [0]
            var count: Float = 1
            var before: Float
            var after: Float
            var alone: Float = 1
            var evidences: [Float] = []
            var name: Int
            var uses: Float { ages.reduce(0) { $0 + powf(0.995, Float($1)) } }
        }
        var kinds: [Kind] = []
        var names = 0, last = -1

        /// The answer: likeness, breadth, and of the kind that it belongs to likeness, time before and after, share alone, and mean evidence.
        mutating func compare(_ shape: BeatShape, _ before: Float, _ after: Float, _ evidence: Float) -> [Float]? {
            let likenesses = kinds.map { shape.likeness(to: $0.shape) }, total = kinds.reduce(0) { $0 + $1.uses }
            var answer: [Float]?
            if total >= 12 {
                let weights = kinds.map { $0.uses * powf(min($0.before, 1.1), 4) }
                let usual = kinds.indices.filter { index in
                    let isOften =
                        kinds[index].uses > 0.15 * total && kinds[index].before > 0.95 && kinds[index].after < 1.07
                        && kinds[index].alone < 0.5 && Self.mean(kinds[index].evidences) < 0
                    return isOften || weights.allSatisfy { $0 <= weights[index] }
                }
                if let nearest = usual.max(by: { likenesses[$0] < likenesses[$1] }) {
                    answer = [likenesses[nearest], logf(max(shape.breadth, 1)) - logf(max(kinds[nearest].shape.breadth, 1))]
                    if let own = likenesses.indices.max(by: { likenesses[$0] < likenesses[$1] }), likenesses[own] > 0.9 {
                        let kind = kinds[own]
                        answer? += [likenesses[own], kind.before, kind.after, kind.alone, Self.mean(kind.evidences)]
                    }
                }
            }
            for index in kinds.indices { kinds[index].ages = kinds[index].ages.map { $0 + 1 } }
            if let nearest = likenesses.indices.max(by: { likenesses[$0] < likenesses[$1] }), likenesses[nearest] > 0.9 {
                kinds[nearest].ages.append(0)
                kinds[nearest].count += 1
                let part = 1 / min(kinds[nearest].count, 32)
                kinds[nearest].shape.approach(shape, by: part)
                kinds[nearest].before = (1 - part) * kinds[nearest].before + part * before
                kinds[nearest].after = (1 - part) * kinds[nearest].after + part * after
                kinds[nearest].alone += part * ((last == kinds[nearest].name ? 0 : 1) - kinds[nearest].alone)
                kinds[nearest].evidences.append(evidence)
                last = kinds[nearest].name
            } else {
                if kinds.count == 6, let least = kinds.indices.min(by: { kinds[$0].uses < kinds[$1].uses }) { kinds.remove(at: least) }
                names += 1
                kinds.append(Kind(shape: shape, before: before, after: after, evidences: [evidence], name: names))
                last = names
            }
            return answer
        }

        /// Of the first sixteen the mean; every later one moves it by a sixteenth.
        private static func mean(_ evidences: [Float]) -> Float {
            let bounded = evidences.map { max(-4, min(4, $0)) }, first = bounded.prefix(16)
            return bounded.dropFirst(16).reduce(first.reduce(0, +) / Float(first.count)) { $0 + ($1 - $0) / 16 }
        }
    }

    @Test("compares each beat with the nearest of the usual kinds, and learns from it", arguments: 1...6)
    func definition(seed: UInt64) {
        var random = SeededGenerator(seed: seed), families = BeatFamilies(), kinds = Kinds()
        var known = 0
        for stretch in 0..<12 {
            // Which kinds there are, how early they come and what follows them changes from one stretch to the next.
            let first = Int(random.uniform() * 9.99), second = Int(random.uniform() * 9.99), share = random.uniform()
            let (early, late) = (0.7 + 0.5 * random.uniform(), 0.95 + 0.25 * random.uniform())
            for _ in 0..<(stretch == 0 ? 20 : 50) {
                let isSecond = random.uniform() < share, isOdd = random.uniform() < 0.1
                let kind = isOdd ? Int(random.uniform() * 9.99) : isSecond ? second : first
                let beat = shape(kind, &random)
                let (before, after) = (Float(isSecond ? early : 1), Float(isSecond ? late : 1))
                let evidence = Float(isSecond && early < 1 ? 1 : -1) + Float(4 * random.uniform() - 2)
                let found = families.see(beat, before, after, evidence), expected = kinds.compare(beat, before, after, evidence)
                #expect((found == nil) == (expected == nil))
                guard let found, let expected else { continue }
                known += 1
                let kin = found.family.map { [$0.likeness, $0.before, $0.after, $0.alone, $0.evidence] } ?? []
                let all = [found.likeness, found.breadth] + kin
                guard all.count == expected.count, zip(all, expected).allSatisfy({ abs($0 - $1) < 2e-3 }) else {
                    Issue.record("\(found) in place of \(expected)")
                    return
                }
            }
        }
        #expect(known > 500)
    }

    /// Older beats count 0.995 of those after them: twelve are there after the thirteenth, 12.6; after the twelfth it is 11.7.
    @Test("says nothing before it has seen thirteen beats")
    func learning() {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        let known = (0..<20).map { _ in families.see(shape(1, &random), 1, 1) != nil }
        #expect(known.firstIndex(of: true) == 13)
    }

    /// 100 beats of one kind, then 40 of another, which is a good quarter of what is remembered.
    @Test(
        "takes a second kind for usual that comes often, neither early nor before a pause",
        arguments: [(1.0, 1.0, true), (0.96, 1.06, true), (0.94, 1, false), (1, 1.08, false)] as [(Float, Float, Bool)])
    func usual(before: Float, after: Float, isUsual: Bool) {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        for _ in 0..<100 { _ = families.see(shape(1, &random, scatter: 0), 1, 1, -1) }
        for _ in 0..<40 { _ = families.see(shape(6, &random, scatter: 0), before, after, -1) }
        let comparison = families.see(shape(6, &random, scatter: 0), before, after)
        #expect(((comparison?.likeness ?? 2) > 0.99) == isUsual)
    }

    /// Ectopic beats that come late are in time, but each behind another; a bundle-branch block that comes and goes stays for a while.
    @Test("takes a second kind for usual only where it comes behind its like", arguments: [(1, false), (4, true)])
    func alone(row: Int, isUsual: Bool) {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        for beat in 0..<160 { _ = families.see(shape(beat % (3 * row) < row ? 6 : 1, &random, scatter: 0), 1, 1, -1) }
        let comparison = families.see(shape(6, &random, scatter: 0), 1, 1)
        #expect(((comparison?.likeness ?? 2) > 0.99) == isUsual)
        #expect(comparison?.family.map { abs($0.alone - 1 / Float(row)) < 0.1 } == true)
    }

    /// A ventricle that has taken over is in time once the rate has been its own for a while.
    @Test(
        "does not take for usual what looks ventricular, however often it comes, until it comes most",
        arguments: [(60, false), (200, true)])
    func evidence(count: Int, isUsual: Bool) {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        for _ in 0..<200 { _ = families.see(shape(1, &random, scatter: 0), 1, 1, -1) }
        for _ in 0..<count { _ = families.see(shape(6, &random, scatter: 0), 1, 1, 1) }
        #expect(((families.see(shape(6, &random, scatter: 0), 1, 1)?.likeness ?? 2) > 0.99) == isUsual)
    }

    /// Of a kind that comes 20 % early only 0.8⁴ = 0.41 count: 60 of those are less than 40 in time.
    @Test(
        "takes for the wearer's own what comes most, early beats counting less",
        arguments: [(0.8, false), (1, true), (1.5, true)] as [(Float, Bool)])
    func most(before: Float, isOwn: Bool) {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        for beat in 0..<100 {
            _ = families.see(shape(beat % 5 < 3 ? 6 : 1, &random, scatter: 0), beat % 5 < 3 ? before : 1, 1.2)
        }
        let comparison = families.see(shape(6, &random, scatter: 0), before, 1.2)
        #expect(((comparison?.likeness ?? 2) > 0.99) == isOwn)
    }
}

extension BeatFamilies {
    /// Compares a beat, and learns from it.
    fileprivate mutating func see(_ shape: BeatShape, _ before: Float, _ after: Float, _ evidence: Float? = nil) -> Comparison? {
        let (comparison, likenesses) = compare(shape)
        learn(shape, likenesses, before: before, after: after, evidence: evidence)
        return comparison
    }
}
