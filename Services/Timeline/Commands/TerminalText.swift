import Observability

/// Texts that came from outside, so that they can be shown: names, notes and headers may hold what a terminal obeys.
package enum TerminalText {
    /// The text with what a terminal would obey written out.
    package static func printable(_ text: String) -> String { text.printable }

    /// The text on one line of some columns; what is cut is said by "…".
    package static func cell(_ text: String, columns: Int = 120) -> String {
        // Without counting the characters of a text that may be as long as a book.
        guard text.utf8.count > columns, text.count > columns else { return printable(text) }
        return printable(String(text.prefix(columns - 1))) + "…"
    }
}

/// Cells of CSV files.
package enum CSVCell {
    /// As RFC 4180 has it.
    package static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    /// A text behind an apostrophe where a spreadsheet would take it for a formula, and run it
    /// (https://owasp.org/www-community/attacks/CSV_Injection).
    ///
    /// One that has an apostrophe there already gets another, so that whoever takes one away has the text as it was.
    package static func harmless(_ text: String) -> String {
        switch text.utf8.first(where: { $0 != UInt8(ascii: "'") }) {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: "'" + text
        default: text
        }
    }
}
