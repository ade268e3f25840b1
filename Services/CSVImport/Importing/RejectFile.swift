import Foundation
import VigilSchema

/// Writes refused cells to a CSV file, each with its place, the reason, and its row.
///
/// The rows can be corrected and imported again: `header` and `row` are the original's, `field` is the column of the
/// cell (empty: all of the row), `place` is the column's number from 1, `metric` distinguishes two values of a cell,
/// and `sequence` and `time` are the cell's identity.
///
/// An existing file is extended. Each row names the run and the import, and a continued import does not repeat the rows
/// of its earlier run.
package actor RejectFile {
    static let header = [
        "reject-file", "run", "import", "line", "column", "byte", "field", "sequence", "time", "cells", "reason", "profile", "time-formats",
        "delimiter", "decimal", "quote", "place", "metric", "header", "row",
    ]
    /// The headers of earlier versions, whose files can still be imported and, for the later one, extended.
    static let earlierHeaders = [["place", "metric"], ["run", "import", "place", "metric"]].map { later in
        header.filter { !later.contains($0) }
    }

    private let handle: FileHandle
    private let path: String
    private let run = Date().formatted(.iso8601)
    /// The cells that the file had when it was opened: import, byte, field and metric.
    private var told: Set<[String]> = []
    /// The columns of the file; an earlier version's file lacks some.
    private var columns = RejectFile.header
    private let isOfOneImport: Bool
    private let onKeep: @Sendable () async throws -> Void

    /// Opens the file for appending, or creates it.
    /// - Parameters:
    ///   - isOfOneImport: whether a cell is never repeated, however often the import starts.
    ///   - onKeep: copies new rows to a durable store outside this machine.
    package init(
        path: String, isOfOneImport: Bool = false, onKeep: @escaping @Sendable () async throws -> Void = {}
    ) throws(ImportError) {
        (self.path, self.isOfOneImport, self.onKeep) = (path, isOfOneImport, onKeep)
        var start: [UInt8] = []
        if FileManager.default.fileExists(atPath: path) {
            (told, columns) = try RejectFile.cells(path)
            var source = try FileSource(path: path)
            start = try source.readStart(1)
        } else {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let handle = FileHandle(forUpdatingAtPath: path), let end = try? handle.seekToEnd() else {
            throw ImportError(.usage, "cannot write the rejects to \(path)")
        }
        self.handle = handle
        guard !start.isEmpty else {
            try Self.write([Self.header], to: handle, path)
            return
        }
        // A killed run may have left half a line.
        var last = try FileSource(path: path, range: Int(end) - 1..<Int(end))
        if try last.readStart(1) != [0x0A] { try Self.write("\r\n", to: handle, path) }
    }

    /// The cells in a file of rejects, and its columns.
    private static func cells(_ path: String) throws(ImportError) -> (Set<[String]>, columns: [String]) {
        var reader = CSVReader(try FileSource(path: path))
        var cells: Set<[String]> = []
        guard try reader.next() == .record else { return ([], header) }
        let columns = reader.texts()
        guard columns == header || columns == earlierHeaders[0] else {
            throw ImportError(.usage, "\(path) is there already and holds something else: give --rejects another file")
        }
        while true {
            let event = try reader.next()
            if event == .end { return (cells, columns) }
            guard event == .record, reader.fieldCount == columns.count else { continue }
            let texts = reader.texts()
            let metric = columns.firstIndex(of: "metric").map { texts[$0] } ?? ""
            cells.insert([texts[2], texts[5], texts[6], metric])
        }
    }

    /// Adds the refused cells of a file.
    /// - Parameter entry: the ledger's entry; nil for a dry run.
    func add(_ rejects: [RejectedCell], of file: ImportFile, survey: FileSurvey, entry: LedgerEntry? = nil) throws(ImportError) {
        let dialect = survey.dialect
        let origin = entry?.id ?? ""
        let isGoneOnWith = isOfOneImport || (entry?.batches ?? 0) > 0
        let delimiter = String(UnicodeScalar(dialect.delimiter)), formats = TimeFormat.names(of: survey.profile.time.formats)
        let way = [
            survey.profile.name, CSVText.record(formats, delimiter: "|"), delimiter, String(UnicodeScalar(dialect.decimal)),
            String(UnicodeScalar(dialect.quote)),
        ]
        // Units of a row below the header are moved into the header, so that the rows are complete.
        let named = survey.header.enumerated().map { place, name in
            place < survey.units.count && !survey.units[place].isEmpty ? "\(name) (\(survey.units[place]))" : name
        }
        let names = Dictionary(zip(survey.header, named)) { first, _ in first }
        let header = CSVText.record(named, delimiter: delimiter)
        let hasMetrics = columns.contains("metric")
        let rows = rejects.compactMap { cell -> [String]? in
            if isGoneOnWith, told.contains([origin, String(cell.offset), cell.field ?? "", hasMetrics ? cell.cell?.metric ?? "" : ""]) {
                return nil
            }
            let row =
                [
                    file.name, run, origin, String(cell.line), String(cell.column), String(cell.offset),
                    cell.field.map { names[$0] ?? $0 } ?? "", String(cell.sequence),
                    cell.time.map(UnixTime.text) ?? "", String(cell.cells), cell.reason,
                ] + way + [cell.cell.map { String($0.place + 1) } ?? "", cell.cell?.metric ?? "", header, cell.original]
            return zip(Self.header, row).filter { columns.contains($0.0) }.map(\.1)
        }
        try Self.write(rows, to: handle, path)
    }

    /// Returns once the new rows are stored outside this machine, if they are to be.
    func keep() async throws { try await onKeep() }

    private static func write(_ rows: [[String]], to handle: FileHandle, _ path: String) throws(ImportError) {
        try write(rows.map { CSVText.record($0, delimiter: ",") + "\r\n" }.joined(), to: handle, path)
    }

    private static func write(_ text: String, to handle: FileHandle, _ path: String) throws(ImportError) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw ImportError(.usage, "cannot write the rejects to \(path): \(error.localizedDescription)")
        }
    }
}

/// The number of refused cells that an import tolerates, as in `--max-errors`: `100` or `2.5%`.
package enum RejectLimit: Hashable, Sendable {
    /// An absolute number.
    case count(Int)
    /// A share of the filled cells in per cent.
    case percent(Double)

    /// Nil for any other text.
    package init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(decimal: text.dropLast()), (0...100).contains(percent) else { return nil }
            self = .percent(percent)
        } else {
            guard let count = Int(text), count >= 0 else { return nil }
            self = .count(count)
        }
    }

    /// Too few cells for a share.
    private static let leastCells = 1000

    /// Returns whether the limit is exceeded.
    /// - Parameter isAtEnd: whether the whole file has been read.
    func isExceeded(by account: CellCounts, isAtEnd: Bool) -> Bool {
        switch self {
        case .count(let most): return account.rejected > most
        case .percent(let most):
            let filled = account.accepted + account.rejected
            return (isAtEnd || filled >= RejectLimit.leastCells) && Double(account.rejected) > Double(filled) * most / 100
        }
    }
}
