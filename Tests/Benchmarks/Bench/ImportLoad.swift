import Foundation
import TestSupport

/// A CSV file like the stress study's, of any length: 53 bytes a row, a hundred participants one after the other.
struct ImportLoad {
    let rows: Int

    /// The file's path; made when it is first asked for.
    func file(in folder: TemporaryFolder) throws -> String {
        let path = folder.path("import-\(rows).csv")
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let partial = path + ".partial"
        try Data().write(to: URL(filePath: partial))
        let handle = try FileHandle(forWritingTo: URL(filePath: partial))
        try handle.write(contentsOf: Data("participant-id,session-id,timestamp,source,heart-rate\n".utf8))
        for start in stride(from: 0, to: rows, by: 10_000) {
            let lines = (start..<min(start + 10_000, rows)).map(line).joined()
            try handle.write(contentsOf: Data(lines.utf8))
        }
        try handle.close()
        try FileManager.default.moveItem(atPath: partial, toPath: path)
        return path
    }

    private func line(_ row: Int) -> String {
        let participant = 100 + row / 50_000, quarter = ["000000", "250000", "500000", "750000"][row % 4]
        return
            "participant\(participant),05,\(1_469_477_616 + row / 4).\(quarter),empatica,\(50 + row * 7919 % 100).\(1000 + row * 104_729 % 9000)\n"
    }
}
