import Foundation

/// The evaluation of beats' classes and rhythms as tables for people.
enum RhythmTables {
    private typealias Score = EvaluationReport.Rhythm.Score

    /// The shares record by record, their intervals, and the confusion matrices.
    static func text(_ rhythm: EvaluationReport.Rhythm) -> String {
        let groups = [("training", rhythm.training), ("kept apart", rhythm.test), ("pacemaker", rhythm.paced)]
        var lines = ["Rhythm                 beats    V: Se     +P      S: Se     +P    AF s: Se     Sp     V runs ≥ 5  found  false"]
        for record in rhythm.records { lines.append(line(record.record, record.score)) }
        for (name, score) in groups { lines.append(line(name, score)) }
        lines.append("  95 % intervals by drawing records")
        lines.append("  \(pad("all but pacemaker", 26))\(ends(rhythm.intervals))")
        lines.append("  \(pad("kept apart", 26))\(ends(rhythm.test_intervals))")
        lines += groups.map { onsets($0.0, $0.1) }
        lines.append("")
        lines.append("Beats by AAMI EC57       found as: \(EvaluationReport.Rhythm.answers.map { right($0, 8) }.joined())")
        for (name, score) in rhythm.records.map({ ($0.record, $0.score) }) + groups { lines += matrix(name, score) }
        return lines.joined(separator: "\n")
    }

    private static func line(_ name: String, _ score: Score) -> String {
        let classes = [score.ventricular, score.supraventricular].map { count in
            share(count.sensitivity, count.hits + count.missed, 10) + share(count.precision, count.hits + count.false_alarms, 9)
        }
        let (fibrillation, runs) = (score.fibrillation, score.runs)
        let beats = score.matrix.dropLast().joined().reduce(0, +)
        return "  \(pad(name, 18))\(right("\(beats)", 8))\(classes.joined())"
            + share(fibrillation.sensitivity, fibrillation.hits + fibrillation.missed, 10)
            + share(fibrillation.specificity, fibrillation.right_rejections + fibrillation.false_alarms, 9)
            + "\(right("\(runs.hits + runs.missed)", 12))\(right("\(runs.hits)", 7))\(right("\(runs.false_alarms)", 7))"
    }

    private static func ends(_ intervals: EvaluationReport.Rhythm.Intervals) -> String {
        let named = [
            ("V Se", intervals.ventricular_se), ("+P", intervals.ventricular_ppv), ("S Se", intervals.supraventricular_se),
            ("+P", intervals.supraventricular_ppv), ("AF Se", intervals.fibrillation_se), ("Sp", intervals.fibrillation_sp),
        ]
        return named.map { name, ends in
            ends.count == 2 ? String(format: "\(name) %.1f–%.1f", 100 * ends[0], 100 * ends[1]) : "\(name) –"
        }.joined(separator: "   ")
    }

    private static func onsets(_ name: String, _ score: Score) -> String {
        let sorted = score.onsets.sorted()
        let late = sorted.isEmpty ? "–" : String(format: "%.0f s, at most %.0f s", sorted[sorted.count / 2], sorted[sorted.count - 1])
        let found = "\(sorted.count) of \(score.episodes) episodes of fibrillation ≥ 60 s found, beginning late by (median) \(late)"
        return "  \(pad(name, 18))\(found); false ventricular runs \(score.runs.false_alarms) in \(String(format: "%.1f", score.hours)) h"
    }

    private static func matrix(_ name: String, _ score: Score) -> [String] {
        zip(EvaluationReport.Rhythm.truths, score.matrix).filter { $1.contains { $0 > 0 } }.map { truth, answers in
            "  \(pad(name, 18))\(pad(truth, 16))" + answers.map { right("\($0)", 8) }.joined()
        }
    }

    private static func share(_ value: Double, _ count: Int, _ width: Int) -> String {
        right(count == 0 ? "–" : String(format: "%.2f %%", 100 * value), width)
    }

    private static func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }

    private static func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
}
