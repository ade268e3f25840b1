import Foundation
import Signals

/// Scores labelled windows with the base and the enhanced mode, each person calibrated on the first rest only.
enum StressEvaluation {
    /// A person's windows with their scores.
    private struct Person {
        var base: [(score: Double, isStress: Bool)] = []
        var population: [(score: Double, isStress: Bool)] = []
        var enhanced: [(score: Double, isStress: Bool)] = []
    }

    /// Evaluates the folder; nil where it has no labels.
    static func run(_ folder: URL) throws -> EvaluationReport.Stress? {
        guard FileManager.default.fileExists(atPath: folder.appending(path: "labels_hr_rsp_1hz.csv").path) else { return nil }
        let people = try StressRecording.all(in: folder).compactMap(score)
        guard let base = AreaUnderCurve.of(people.flatMap(\.base)), let enhanced = AreaUnderCurve.of(people.flatMap(\.enhanced)),
            let population = AreaUnderCurve.of(people.flatMap(\.population))
        else { return nil }
        let within = people.compactMap { AreaUnderCurve.of($0.enhanced) }
        return .init(
            auc_base: base, auc_enhanced: enhanced, auc_within: within.reduce(0, +) / Double(max(1, within.count)),
            auc_base_population: population, participants: people.count, windows: people.reduce(0) { $0 + $1.enhanced.count })
    }

    private static func score(_ recording: StressRecording) -> Person? {
        guard let baseline = recording.baseline else { return nil }
        var person = Person()
        for (inputs, isStress) in recording.windows {
            let base = StressScore(inputs, mode: .base, baseline: baseline)
            let population = StressScore(inputs, mode: .base, baseline: nil)
            let enhanced = StressScore(inputs, mode: .enhanced, baseline: baseline)
            if let level = base.level { person.base.append((level, isStress)) }
            if let level = population.level { person.population.append((level, isStress)) }
            if let level = enhanced.level { person.enhanced.append((level, isStress)) }
        }
        return person
    }
}

/// The area under the ROC curve: how probable it is that a stressed window scores higher than a calm one.
package enum AreaUnderCurve {
    /// By ranks, ties counting half (H. B. Mann, D. R. Whitney, 1947); nil unless there are windows of both kinds.
    package static func of(_ windows: [(score: Double, isStress: Bool)]) -> Double? {
        let sorted = windows.sorted { $0.score < $1.score }
        let stressed = Double(sorted.count { $0.isStress })
        let calm = Double(sorted.count) - stressed
        guard stressed > 0, calm > 0 else { return nil }
        var (index, rankSum) = (0, 0.0)
        while index < sorted.count {
            var end = index
            while end < sorted.count, sorted[end].score == sorted[index].score { end += 1 }
            let rank = Double(index + end + 1) / 2
            rankSum += rank * Double(sorted[index..<end].count { $0.isStress })
            index = end
        }
        return (rankSum - stressed * (stressed + 1) / 2) / (stressed * calm)
    }
}
