import VigilSchema

/// Tables in which a row depends on what stands above it, as tables whose rows tell all themselves.
struct RewrittenRows: ByteSource {
    private var reader: CSVReader
    /// The new row; nil: none.
    private let rewrite: ([String]) -> [String]?
    private var pending: [UInt8]
    private var taken = 0

    /// The file with its rows rewritten, if it is of one of these kinds; nil: it is not.
    /// - Parameter records: the first records.
    static func file(
        _ file: ImportFile, _ records: [[String]], _ dialect: CSVDialect, _ options: ImportOptions,
        _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource
    ) throws(ImportError) -> ImportFile? {
        guard let first = records.first?.map(\.trimmed) else { return nil }
        if first.starts(with: ["Time", "Weight", "Change", "BMI"]) {
            return ImportFile(name: file.name) { () throws(ImportError) in RewrittenRows(try open(), dialect, rewrite: datedRows()) }
        }
        if first.starts(with: ["Id", "Tz", "From", "To"]) {
            return ImportFile(name: file.name) { () throws(ImportError) in RewrittenRows(try open(), dialect, rewrite: nights()) }
        }
        guard options.columns.isEmpty, let beats = try BeatList(records, name: file.name, start: options.sessionStart) else { return nil }
        return ImportFile(name: file.name) { () throws(ImportError) in
            RewrittenRows(try open(), dialect, header: BeatList.header, rewrite: beats.rows())
        }
    }

    private init(
        _ source: any ByteSource, _ dialect: CSVDialect, header: [String]? = nil, rewrite: @escaping ([String]) -> [String]?
    ) {
        reader = CSVReader(source, dialect: dialect)
        self.rewrite = rewrite
        pending = Array((header.map { CSVText.record($0, delimiter: ",") + "\n" } ?? "").utf8)
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            let event = try reader.next()
            if event == .end { return 0 }
            let texts = event == .record ? reader.texts().map(\.trimmed) : [reader.originalRecord()]
            pending = rewrite(texts).map { Array((CSVText.record($0, delimiter: ",") + "\n").utf8) } ?? []
            taken = 0
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }

    /// Garmin Connect's weights: a row that only has a date, then rows with times of that day.
    private static func datedRows() -> ([String]) -> [String]? {
        var date = ""
        return { texts in
            guard texts.first != "Time" else { return texts }
            guard texts.dropFirst().contains(where: { !$0.isEmpty }) else {
                date = texts.first ?? ""
                return nil
            }
            return ["\(date) \(texts[0])"] + texts.dropFirst()
        }
    }

    /// Sleep as Android's nights: each has a header of its own, which differs in the columns behind the fifteenth, and
    /// some have a row of events.
    private static func nights() -> ([String]) -> [String]? {
        var hasHeader = false
        return { texts in
            guard texts.first != "Id" || !hasHeader, texts.first != "" else { return nil }
            hasHeader = true
            return Array(texts.prefix(15))
        }
    }
}
