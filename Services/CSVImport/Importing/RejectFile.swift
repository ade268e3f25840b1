import Foundation

/// Writes refused cells to a CSV file, each with its place, the reason, and the row as it stands.
///
/// Its rows can be corrected and imported again: `header` and `row` are the original's, `field` names the cell that counts
/// (all of the row's where it is empty), and `sequence` and `time` keep the cell's identity.
package actor RejectFile {
    static let header = [
        "reject-file", "line", "column", "byte", "field", "sequence", "time", "cells", "reason", "profile", "time-formats", "delimiter",
        "decimal", "quote", "header", "row",
    ]

    private let handle: FileHandle
    private let path: String

    /// Makes the file, or empties it.
    package init(path: String) throws(ImportError) {
        guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path) else {
            throw ImportError(.usage, "cannot write the rejects to \(path)")
        }
        self.handle = handle
        self.path = path
        try Self.write([Self.header], to: handle, path)
    }

    /// Adds the refused cells of a file.
    func add(_ rejects: [RejectedCell], of file: ImportFile, survey: FileSurvey) throws(ImportError) {
        let dialect = survey.dialect
        let delimiter = String(UnicodeScalar(dialect.delimiter)), formats = TimeFormat.names(of: survey.profile.time.formats)
        let way = [
            survey.profile.name, CSVText.record(formats, delimiter: "|"), delimiter, String(UnicodeScalar(dialect.decimal)),
            String(UnicodeScalar(dialect.quote)),
        ]
        let header = CSVText.record(survey.header, delimiter: delimiter)
        let rows = rejects.map { cell in
            [
                file.name, String(cell.line), String(cell.column), String(cell.offset), cell.field ?? "", String(cell.sequence),
                cell.time.map(UnixTime.text) ?? "", String(cell.cells), cell.reason,
            ] + way + [header, cell.original]
        }
        try Self.write(rows, to: handle, path)
    }

    private static func write(_ rows: [[String]], to handle: FileHandle, _ path: String) throws(ImportError) {
        let text = rows.map { CSVText.record($0, delimiter: ",") + "\r\n" }.joined()
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw ImportError(.usage, "cannot write the rejects to \(path): \(error.localizedDescription)")
        }
    }
}

/// How many refused cells an import bears, as `--max-errors` says it: `100` or `2.5%`.
package enum RejectLimit: Hashable, Sendable {
    /// At most so many.
    case count(Int)
    /// At most so many of a hundred filled cells.
    case percent(Double)

    /// Nil for what is neither.
    package init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
            self = .percent(percent)
        } else {
            guard let count = Int(text), count >= 0 else { return nil }
            self = .count(count)
        }
    }

    /// So few cells say nothing of a share.
    private static let leastCells = 1000

    /// Whether it is passed.
    /// - Parameter isAtEnd: all of the file has been read.
    func isExceeded(by account: Account, isAtEnd: Bool) -> Bool {
        switch self {
        case .count(let most): return account.rejected > most
        case .percent(let most):
            let filled = account.accepted + account.rejected
            return (isAtEnd || filled >= RejectLimit.leastCells) && Double(account.rejected) > Double(filled) * most / 100
        }
    }
}
