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
            var uses: Float { ages.reduce(0) { $0 + powf(0.995, Float($1)) } }
        }
        var kinds: [Kind] = []

        mutating func compare(_ shape: BeatShape, _ before: Float, _ after: Float) -> (likeness: Float, breadth: Float)? {
            let likenesses = kinds.map { shape.likeness(to: $0.shape) }, total = kinds.reduce(0) { $0 + $1.uses }
            var answer: (likeness: Float, breadth: Float)?
            if total >= 12 {
                let weights = kinds.map { $0.uses * powf(min($0.before, 1.1), 4) }
                let usual = kinds.indices.filter { index in
                    let isOften = kinds[index].uses > 0.15 * total && kinds[index].before > 0.95 && kinds[index].after < 1.07
                    return isOften || weights.allSatisfy { $0 <= weights[index] }
                }
                if let nearest = usual.max(by: { likenesses[$0] < likenesses[$1] }) {
                    answer = (likenesses[nearest], logf(max(shape.breadth, 1)) - logf(max(kinds[nearest].shape.breadth, 1)))
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
            } else {
                if kinds.count == 6, let least = kinds.indices.min(by: { kinds[$0].uses < kinds[$1].uses }) { kinds.remove(at: least) }
                kinds.append(Kind(shape: shape, before: before, after: after))
            }
            return answer
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
                let found = families.compare(beat, before: before, after: after), expected = kinds.compare(beat, before, after)
                #expect((found == nil) == (expected == nil))
                guard let found, let expected else { continue }
                known += 1
                guard abs(found.likeness - expected.likeness) < 1e-3, abs(found.breadth - expected.breadth) < 1e-3 else {
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
        let known = (0..<20).map { _ in families.compare(shape(1, &random), before: 1, after: 1) != nil }
        #expect(known.firstIndex(of: true) == 13)
    }

    /// 100 beats of one kind, then 40 of another, which is a good quarter of what is remembered.
    @Test(
        "takes a second kind for usual that comes often, neither early nor before a pause",
        arguments: [(1.0, 1.0, true), (0.96, 1.06, true), (0.94, 1, false), (1, 1.08, false)] as [(Float, Float, Bool)])
    func usual(before: Float, after: Float, isUsual: Bool) {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        for _ in 0..<100 { _ = families.compare(shape(1, &random, scatter: 0), before: 1, after: 1) }
        for _ in 0..<40 { _ = families.compare(shape(6, &random, scatter: 0), before: before, after: after) }
        let comparison = families.compare(shape(6, &random, scatter: 0), before: before, after: after)
        #expect(((comparison?.likeness ?? 2) > 0.99) == isUsual)
    }

    /// Of a kind that comes 20 % early only 0.8⁴ = 0.41 count: 60 of those are less than 40 in time.
    @Test(
        "takes for the wearer's own what comes most, early beats counting less",
        arguments: [(0.8, false), (1, true), (1.5, true)] as [(Float, Bool)])
    func most(before: Float, isOwn: Bool) {
        var random = SeededGenerator(seed: 1), families = BeatFamilies()
        for beat in 0..<100 {
            _ = families.compare(shape(beat % 5 < 3 ? 6 : 1, &random, scatter: 0), before: beat % 5 < 3 ? before : 1, after: 1.2)
        }
        let comparison = families.compare(shape(6, &random, scatter: 0), before: before, after: 1.2)
        #expect(((comparison?.likeness ?? 2) > 0.99) == isOwn)
    }
}
