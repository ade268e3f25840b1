/// A row of this importer's own rejects, as its user may have corrected it.
struct RejectedRow {
    /// The file that it is from, and how that was read: the same for many rows.
    struct Origin: Hashable {
        let file: String
        let profile: String
        let timeFormats: [TimeFormat]
        let dialect: CSVDialect
        let header: [String]
    }

    let origin: Origin
    /// The refused cell's column; nil where all of the row was refused.
    let field: String?
    /// The cell's number among those of its series and time.
    let sequence: Int32
    /// When it was measured, in microseconds since 1970, where that was known.
    let time: Int64?
    /// The row as it stands in its file.
    let text: String

    /// - Parameter fields: in the order of `RejectFile.header`; nil comes back for a row of something else.
    init?(_ fields: [String]) {
        guard fields.count == RejectFile.header.count else { return nil }
        let values = Dictionary(zip(RejectFile.header, fields)) { first, _ in first }
        guard let sequence = values["sequence"].flatMap({ Int32($0) }), let dialect = RejectedRow.dialect(values) else { return nil }
        let formats = values["time-formats"].map { RejectedRow.split($0, CSVDialect(delimiter: UInt8(ascii: "|"))) } ?? []
        origin = Origin(
            file: values["reject-file"] ?? "", profile: values["profile"] ?? "", timeFormats: TimeFormat.all(named: formats),
            dialect: dialect, header: RejectedRow.split(values["header"] ?? "", dialect))
        field = values["field"].flatMap { $0.isEmpty ? nil : $0 }
        self.sequence = sequence
        let time = Array((values["time"] ?? "").utf8)
        self.time = UnixTime.parse(time.span.bytes, 0, time.count, unit: 1_000_000)
        text = values["row"] ?? ""
    }

    private static func dialect(_ values: [String: String]) -> CSVDialect? {
        guard let delimiter = values["delimiter"]?.utf8.first, let decimal = values["decimal"]?.utf8.first,
            let quote = values["quote"]?.utf8.first
        else { return nil }
        return CSVDialect(delimiter: delimiter, quote: quote, decimal: decimal)
    }

    private static func split(_ record: String, _ dialect: CSVDialect) -> [String] {
        DialectSniffer.records(Array(record.utf8) + [0x0A], dialect, limit: 1).first ?? []
    }
}
