/// Reads a cell whose kind or spelling is not the usual one.
struct CellReader {
    /// What a cell says.
    enum Content: Hashable {
        case number(Double)
        case text(String)
        case refused(String)
    }

    /// The longest text that is kept.
    private static let longestText = 16 << 10

    let number: NumberFormat

    func read(_ text: String, _ column: ColumnPlan) -> Content {
        switch column.kind {
        case .number: numeric(text).map(Content.number) ?? .refused("this is not a number")
        case .flag: CellReader.flag(text).map(Content.number) ?? .refused("this is neither true nor false")
        case .clock: ClockTime.minutes(text).map(Content.number) ?? .refused("this is not a time of day")
        case .text, .ignore: checked(text, column)
        case .automatic: (numeric(text) ?? CellReader.flag(text)).map(Content.number) ?? checked(text, column)
        }
    }

    private func numeric(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        return number.parse(bytes.span.bytes, 0, bytes.count)
    }

    private func checked(_ text: String, _ column: ColumnPlan) -> Content {
        guard text.utf8.count <= CellReader.longestText else { return .refused("the text is longer than \(CellReader.longestText) bytes") }
        guard column.vocabulary.isEmpty || column.vocabulary.contains(text) else {
            return .refused("this is none of \(column.vocabulary.sorted().joined(separator: ", "))")
        }
        return .text(text)
    }

    private static func flag(_ text: String) -> Double? {
        switch text.lowercased() {
        case "true", "yes": 1
        case "false", "no": 0
        default: nil
        }
    }
}
