import SignalSynthesis
import Signals
import Testing

/// The method of Lipponen and Tarvainen once more, plainly: over the whole series at once, every list made anew for every interval.
private func corrected(_ values: [Double]) -> [RRInterval] {
    func quantile(_ list: [Double]) -> Double {
        let sorted = list.suffix(91).sorted()
        return max(5.2 * (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / 2, 40)
    }
    func median(_ list: ArraySlice<Double>) -> Double {
        let sorted = list.sorted(), middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
    var (changes, deviations, result, isJoined, time) = ([Double](), [Double](), [RRInterval](), false, 0.0)
    let times = values.map { value in
        time += value / 1000
        return time
    }
    for index in values.indices.dropFirst().dropLast(2) {
        let value = values[index], usual = median(values[max(0, index - 8)...index + 2])
        let (change, deviation) = (value - values[index - 1], value < usual ? 2 * (value - usual) : value - usual)
        changes.append(abs(change))
        deviations.append(abs(deviation))
        let (changeLimit, deviationLimit) = (quantile(changes), quantile(deviations))
        guard !isJoined else {
            isJoined = false
            continue
        }
        let steps = [index - 1, index, index + 1, index + 2].map { $0 > 0 ? (values[$0] - values[$0 - 1]) / changeLimit : 0 }
        let (before, own, next, afterNext) = (steps[0], steps[1], steps[2], steps[3])
        let isEarly = own < -1 && min(before, next) > -0.13 * own + 0.17
        let isLate = own > 1 && max(before, next) < -0.13 * own - 0.17
        let isLong = own > 1 && (next < -1 || afterNext < -1) || deviation / deviationLimit > 3
        let isShort = own < -1 && (next > 1 || afterNext > 1) || deviation / deviationLimit < -3
        func add(_ kind: RRInterval.Kind, _ milliseconds: Double, at time: Double) {
            result.append(RRInterval(time: time, milliseconds: milliseconds, kind: kind))
        }
        if isEarly || isLate {
            add(.ectopic, usual, at: times[index])
        } else if isLong, abs(value / 2 - usual) < deviationLimit {
            add(.missedBeat, value / 2, at: times[index] - value / 2000)
            add(.missedBeat, value / 2, at: times[index])
        } else if isShort, abs(value + values[index + 1] - usual) < deviationLimit {
            add(.extraBeat, value + values[index + 1], at: times[index] + values[index + 1] / 1000)
            isJoined = true
        } else {
            add(isLong || isShort ? .outlying : .normal, isLong || isShort ? usual : value, at: times[index])
        }
    }
    return result
}

private func cleaned(_ values: [Double], _ cleaner: inout RRCleaner) -> [RRInterval] {
    var (result, time) = ([RRInterval](), 0.0)
    for value in values {
        time += value / 1000
        cleaner.push(milliseconds: value, at: time, into: &result)
    }
    return result
}

@Suite("RR correction by the plain method")
struct RRCleanerReferenceTests {
    /// A rhythm of so much scatter, every twelfth interval or so disturbed: early, long, short, doubled, halved, by whole steps of the least limit.
    private func disturbed(scatter: Double, seed: UInt64, count: Int) -> [Double] {
        var random = SeededGenerator(seed: seed)
        var values: [Double] = []
        while values.count < count {
            let usual = (800 + scatter * random.normal()).rounded()
            guard Int.random(in: 0..<12, using: &random) == 0 else {
                values.append(usual)
                continue
            }
            let sizes: [Double] = [40, 41, 60, 80, 119, 120, 121, 200, 240, 280, 320, 400]
            let size = sizes.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<8, using: &random) {
            case 0: values += [usual - size, usual + size]
            case 1: values.append(usual + size)
            case 2: values.append(usual - size)
            case 3: values.append(2 * usual + (size - 160) / 4)
            case 4: values += [usual / 2 + size / 4, usual / 2 - size / 5]
            case 5: values += [usual + size, usual - size]
            case 6: values += [usual - size, usual, usual + size]
            default: values += [usual + size, usual, usual - size]
            }
        }
        return values
    }

    @Test(
        "decides each interval as the plain method does",
        arguments: [(0.0, 1), (3.0, 2), (10.0, 3), (25.0, 4), (60.0, 5), (6.0, 6)] as [(Double, UInt64)])
    func same(scatter: Double, seed: UInt64) {
        let values = disturbed(scatter: scatter, seed: seed, count: 500)
        var cleaner = RRCleaner()
        let found = cleaned(values, &cleaner), expected = corrected(values)
        #expect(found.count == expected.count && Set(expected.map(\.kind)).count >= 4)
        for (one, other) in zip(found, expected)
        where one.kind != other.kind || abs(one.milliseconds - other.milliseconds) > 1e-6
            || abs(one.time - other.time) > 1e-6
        {
            Issue.record("\(one) in place of \(other)")
            return
        }
    }

    /// With a steady 800 ms both limits are the least, 40 ms: a change counts above 40 ms, a deviation above 120 ms, below the median doubled.
    @Test(
        "draws its lines where the limits are",
        arguments: [
            ([840], [RRInterval.Kind.normal], [840]), ([920, 920, 920], [.normal, .normal, .normal], [920, 920, 920]),
            ([921, 921, 921], [.outlying, .outlying, .outlying], [800, 800, 800]),
            ([740, 740, 740], [.normal, .normal, .normal], [740, 740, 740]),
            ([739, 739, 739], [.outlying, .outlying, .outlying], [800, 800, 800]), ([1600], [.missedBeat, .missedBeat], [800, 800]),
            ([1679], [.missedBeat, .missedBeat], [839.5, 839.5]), ([1680], [.outlying], [800]), ([500, 300], [.extraBeat], [800]),
        ] as [([Double], [RRInterval.Kind], [Double])])
    func lines(disturbed: [Double], kinds: [RRInterval.Kind], milliseconds: [Double]) {
        let steady = [Double](repeating: 800, count: 60)
        var cleaner = RRCleaner()
        // The first interval is never judged, so that the 61st is the 60th here.
        let found = cleaned(steady + disturbed + steady, &cleaner).dropFirst(59).prefix(kinds.count)
        #expect(found.map(\.kind) == kinds && found.map(\.milliseconds) == milliseconds)
    }

    @Test("judges an interval once the two after it are known, and never the first after a gap")
    func causal() {
        var cleaner = RRCleaner()
        #expect(cleaned([800, 810, 820], &cleaner).isEmpty)
        var (result, time) = ([RRInterval](), 10.0)
        cleaner.push(milliseconds: 830, at: time, into: &result)
        #expect(result.map(\.milliseconds) == [810])
        cleaner.gap()
        result.removeAll()
        for value in [805.0, 815, 825, 835] {
            time += value / 1000
            cleaner.push(milliseconds: value, at: time, into: &result)
        }
        #expect(result.map(\.milliseconds) == [815])
    }

    /// 2 limits down and up again: early with a like step before it, but of the first that is judged nothing is known before.
    @Test("does not take the first interval for an early beat")
    func first() {
        var cleaner = RRCleaner()
        #expect(cleaned([800, 720, 800, 800], &cleaner).map(\.kind) == [.outlying])
    }

    @Test("forgets at a gap that an interval was joined with the next")
    func gapAfterJoin() {
        var cleaner = RRCleaner()
        var result = cleaned([Double](repeating: 800, count: 40) + [500, 300, 800], &cleaner)
        #expect(result.last?.kind == .extraBeat)
        cleaner.gap()
        result.removeAll()
        for step in 1...4 { cleaner.push(milliseconds: 800, at: 100 + Double(step), into: &result) }
        #expect(result.map(\.milliseconds) == [800])
    }

    /// The times at which intervals end of which the third and fourth are not certain yet when they are moved.
    @Test(
        "moves those of the last two that are to end earlier, and none that is certain",
        arguments: [(0, [2.0, 3, 4, 5]), (1, [2, 3, 3.5, 5]), (2, [2, 2.5, 3.5, 5]), (3, [2, 2.5, 3.5, 5]), (9, [2, 2.5, 3.5, 5])])
    func moved(count: Int, times: [Double]) {
        var cleaner = RRCleaner(), result: [RRInterval] = []
        for second in 1...4 { cleaner.push(milliseconds: 800, at: Double(second), into: &result) }
        cleaner.moveBack(count, by: 0.5)
        for second in 5...7 { cleaner.push(milliseconds: 800, at: Double(second), into: &result) }
        #expect(result.map(\.time) == times && result.allSatisfy { $0.isAfterGap == nil })
        var empty = RRCleaner()
        empty.moveBack(count, by: 0.5)
    }

    /// Behind a gap the first interval has no neighbour, and the last two are not certain.
    @Test(
        "marks the first that is certain behind a gap, and no other",
        arguments: [([800.0, 810, 820, 830, 840], 3), ([800, 1600, 800, 800, 800], 4)])
    func afterGap(values: [Double], count: Int) {
        var cleaner = RRCleaner()
        var result = cleaned([Double](repeating: 800, count: 60), &cleaner)
        #expect(result.count == 57 && result.allSatisfy { $0.isAfterGap == nil })
        cleaner.gap()
        result.removeAll()
        for (index, value) in (values + [800]).enumerated() { cleaner.push(milliseconds: value, at: 100 + Double(index), into: &result) }
        #expect(result.count == count && result.map(\.isAfterGap) == [true] + Array(repeating: nil, count: count - 1))
    }

    /// Of 800, 900 | 700, 760 the changes are 100 and 60; with that across the gap they would be three.
    @Test("has no change from one interval to the next across a gap")
    func changes() throws {
        let kinds: [(Double, Bool)] = [(800, false), (900, false), (700, true), (760, false)]
        let intervals = kinds.map { RRInterval(time: 0, milliseconds: $0.0, kind: .normal, isAfterGap: $0.1) }
        let measures = try #require(HeartRateVariability(intervals))
        #expect(abs(measures.rmssd - (Double(100 * 100 + 60 * 60) / 2).squareRoot()) < 1e-9)
        #expect(abs(measures.pnn50 - 200 / 3.0) < 1e-9 && abs(measures.heartRate - 60_000 / 790) < 1e-9)
        // One change is too few, however many intervals there are.
        let single = [false, false, true, true].map { RRInterval(time: 0, milliseconds: 800, kind: .normal, isAfterGap: $0) }
        #expect(HeartRateVariability(single) == nil && HeartRateVariability(Array(intervals.dropFirst(2))) == nil)
        #expect(HeartRateVariability(Array(intervals.prefix(2)) + intervals.suffix(1)) != nil)
    }
}
