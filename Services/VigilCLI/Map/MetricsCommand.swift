import Observability
import SensorIngest
import ServiceKit
import Settings
import VigilSchema

/// `vigil metrics`: the catalogue.
enum MetricsCommand {
    private static let markdown = Setting("markdown", .boolean, default: false, help: "Print the list of the page metrics.md.")

    static let command = Command(
        name: "metrics", summary: "lists the metrics: name, unit, plausible range, code, other names",
        details: "With a word it lists the metrics whose name, title or other names contain it.", settings: [markdown],
        operands: Operands("WORD", count: 0...1, help: "Part of a name.")
    ) { invocation in
        let word = invocation.operands.first ?? ""
        // A name is known in any case and punctuation: heart_rate too.
        let meant = MetricCatalogue.standard.definition(for: word)?.name
        let found = MetricTable.rows.filter { row in
            word.isEmpty || row.first == meant || row.contains { $0.lowercased().contains(word.lowercased()) }
        }
        guard !found.isEmpty else {
            let nearest = MetricCatalogue.standard.suggestion(for: word).map { "; did you mean \($0)?" } ?? ""
            throw CommandError(.failure, "no metric has \"\(word)\" in its names\(nearest)")
        }
        let isList = try invocation[markdown]
        let lines = isList ? [MetricTable.markdown] : found.map { $0.filter { !$0.isEmpty }.joined(separator: "  ") }
        for line in lines { StandardOutput.line(line) }
    }
}
