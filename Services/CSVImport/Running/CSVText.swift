/// Writes CSV (RFC 4180).
enum CSVText {
    /// One record, without its line end; quoted where it must be.
    static func record(_ fields: [String], delimiter: String) -> String {
        fields.map { quoted($0, delimiter) }.joined(separator: delimiter)
    }

    private static func quoted(_ field: String, _ delimiter: String) -> String {
        let needsQuotes = field.unicodeScalars.contains { $0 == "\"" || $0 == "\n" || $0 == "\r" } || field.contains(delimiter)
        return needsQuotes ? "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"" : field
    }
}
