import SignalSynthesis
import Testing

@testable import Signals

@Suite("Suspicion of fibrillation")
struct FibrillationDetectorTests {
    private func verdicts(_ intervals: [Double]) -> [Bool?] {
        var detector = FibrillationDetector()
        return intervals.map { detector.push($0) }
    }

    /// The method as Petrėnas and others give it, from all intervals at once: over the eight intervals that end with the one before the last.
    private func plain(_ intervals: [Double]) -> [Bool?] {
        var (trend, irregularity, bigeminy, count) = (0.0, 0.0, 0.0, 0.0)
        let medians = intervals.indices.map { index in
            index > 0 && index + 1 < intervals.count ? intervals[index - 1...index + 1].sorted()[1] : 0
        }
        return intervals.indices.map { newest in
            guard newest >= 9 else { return nil }
            let window = newest - 8..<newest
            let different = window.reduce(0) { sum, left in sum + window.count { $0 > left && abs(medians[left] - medians[$0]) >= 0.03 } }
            let ratio = window.reduce(0) { $0 + medians[$1] } / window.reduce(0) { $0 + intervals[$1] }
            count += 1
            let share = max(1 / count, 0.02)
            trend = (1 - share) * trend + share * intervals[newest - 1]
            irregularity = (1 - share) * irregularity + share * Double(different) / 28
            bigeminy = (1 - share) * bigeminy + share * (ratio - 1) * (ratio - 1)
            return count < 15 ? nil : bigeminy >= 2e-4 && irregularity / trend > 0.725
        }
    }

    @Test("follows the definition, whatever the rhythm", arguments: 1...8)
    func definition(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var intervals: [Double] = []
        for _ in 0..<25 {
            let (usual, spread) = (0.4 + 0.8 * random.uniform(), [0, 0.02, 0.04, 0.08, 0.15, 0.3][Int(random.uniform() * 5.99)])
            let isBigeminy = random.uniform() < 0.2
            for beat in 0..<Int(20 + 80 * random.uniform()) {
                let turn = isBigeminy ? (beat % 2 == 0 ? 0.75 : 1.25) : 1
                intervals.append(usual * turn + spread * (random.uniform() - 0.5))
            }
        }
        let (found, expected) = (verdicts(intervals), plain(intervals))
        #expect(found == expected)
        #expect(found.contains(true) && found.contains(false))
    }

    @Test("is said from the twenty-fourth interval on: ten for the first window, of which fifteen are wanted")
    func learning() {
        let found = verdicts([Double](repeating: 0.8, count: 60))
        #expect(found.firstIndex(of: false) == 23 && !found.contains(true))
    }

    /// The averages forget 2 % a beat, and some 80 % of the pairs differ by 30 ms at 0.75 s a beat: 1 − 0.98ⁿ must reach 0.68, after 57 beats.
    @Test("begins some dozens of beats after an episode does, and ends as late")
    func end() {
        var random = SeededGenerator(seed: 5)
        let steady = [Double](repeating: 0.8, count: 100), episode = (0..<100).map { _ in 0.4 + 0.7 * random.uniform() }
        let found = verdicts(steady + episode + steady)
        let first = found.firstIndex(of: true) ?? 0, last = found.lastIndex(of: true) ?? 0
        #expect((140...175).contains(first) && (201...260).contains(last), "\(first)…\(last)")
        #expect(found[first...last].allSatisfy { $0 == true })
    }
}
