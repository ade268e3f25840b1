import Foundation
import TestSupport

/// Counts the cells of CSV files with Python's own csv module: independent of the importer.
enum PythonCount {
    struct Cells: Decodable, Equatable {
        var filled: Int
        var empty: Int
        var rows: Int
    }

    private static let script = """
        import csv, json, sys
        identity = {"participantid", "timestamp", "source", "sessionid", "participant", "session"}
        result = {}
        for path in sys.stdin.read().splitlines():
            filled = empty = rows = 0
            with open(path, newline="", encoding="utf-8-sig") as file:
                reader = csv.reader(file, strict=True)
                header = next(reader)
                places = [i for i, name in enumerate(header) if name.replace("-", "").lower() not in identity]
                for row in reader:
                    if not row: continue
                    rows += 1
                    for place in places:
                        if place < len(row) and row[place].strip(): filled += 1
                        else: empty += 1
            result[path] = {"filled": filled, "empty": empty, "rows": rows}
        print(json.dumps(result))
        """

    static func count(_ files: [URL]) throws -> [String: Cells] {
        let output = try run(script, input: files.map(\.path).joined(separator: "\n"))
        return try JSONDecoder().decode([String: Cells].self, from: output)
    }

    /// Runs a Python script on an input and returns what it prints.
    static func run(_ script: String, input: String) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-input-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return Data(try ChildProcess.runBlocking(["python3", "-c", script], input: file.path).utf8)
    }
}
