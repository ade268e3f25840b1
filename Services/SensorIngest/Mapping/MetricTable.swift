import VigilSchema

/// The catalogue as rows of text and as a list.
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

    /// The list in deploy/docs/reference/metrics.md, in lines of at most 120 columns.
    package static var markdown: String {
        rows.flatMap { wrapped(item($0)) }.joined(separator: "\n")
    }

    /// The longest list of texts that an item repeats, in characters; `vigil metrics NAME` prints it whole.
    private static let longest = 120

    /// A row as an item of the list, without other names, empty cells, or a title that only repeats the name.
    private static func item(_ row: [String]) -> String {
        let title = row[1].lowercased().filter(\.isLetter) == row[0].filter(\.isLetter) ? "" : row[1]
        let texts = row[3].count > Self.longest ? row[3].prefix { $0 != "," } + ", …" : row[3][...]
        let facts = [title, [String(texts), row[2]].filter { !$0.isEmpty }.joined(separator: " "), row[4]].filter { !$0.isEmpty }
        return "- `\(row[0])`: " + facts.joined(separator: "; ")
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 120 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(lines.isEmpty ? String(word) : "  \(word)")
            }
        }
        return lines
    }

    private static func bound(_ value: Double) -> String { value == value.rounded() ? String(Int(value)) : String(value) }
}
