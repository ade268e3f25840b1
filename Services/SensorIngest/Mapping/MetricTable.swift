import VigilSchema

/// The catalogue as rows of text.
package enum MetricTable {
    /// Name, title, unit, range, code, other names.
    package static var rows: [[String]] {
        MetricCatalogue.standard.definitions.map { metric in
            let range =
                metric.plausible.map { "\(bound($0.lowerBound))…\(bound($0.upperBound))" } ?? metric.vocabulary.joined(separator: ", ")
            let unit = metric.kind == .text ? "text" : metric.kind == .waveform ? "\(metric.unit), samples" : metric.unit
            let code = metric.code.map { ($0.system == "http://loinc.org" ? "LOINC " : "MDC ") + $0.code } ?? ""
            return [metric.name, metric.title, unit, range, code, MetricCatalogue.standard.aliases(of: metric).joined(separator: " ")]
        }
    }

    /// As it stands in deploy/docs/reference/metrics.md.
    package static var markdown: String {
        let head = ["metric", "what it is", "unit (UCUM)", "believed", "code", "other names"]
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private static func bound(_ value: Double) -> String { value == value.rounded() ? String(Int(value)) : String(value) }
}
