import Foundation
import JSON5
import VigilSchema

/// A mapping file, or several: JSON5, checked as a whole, each mistake told with file, line and column.
package struct MappingFile: Sendable {
    /// The mistakes of files, a line each: `file:line:column: what`.
    package struct Malformed: Error, CustomStringConvertible {
        package let problems: [String]
        package var description: String { problems.joined(separator: "\n") }
    }

    /// Reads files and folders. What is named later goes first: its tables' entries, and its mappings.
    package static func load(_ paths: [String]) throws -> MappingSet {
        var mistakes: [String] = [], documents: [(path: String, value: JSON5Value)] = []
        for path in try paths.reversed().flatMap(files) {
            do {
                documents.append((path, try JSON5Parser.parse(utf8: [UInt8](try Data(contentsOf: URL(filePath: path))))))
            } catch let problem as JSON5Problem {
                mistakes.append(problem.description(file: path))
            }
        }
        return try set(of: documents, mistakes)
    }

    /// Reads one text, for tests.
    package static func parse(_ text: String, file: String = "mapping.json5") throws -> MappingSet {
        do {
            return try set(of: [(file, try JSON5Parser.parse(text))], [])
        } catch let problem as JSON5Problem {
            throw Malformed(problems: [problem.description(file: file)])
        }
    }

    /// The file itself, or a folder's files by name.
    private static func files(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Malformed(problems: ["\(path): there is no such file or folder"])
        }
        guard isFolder.boolValue else { return [path] }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json5") }
        return names.sorted().map { "\(path)/\($0)" }
    }

    private static func set(of documents: [(path: String, value: JSON5Value)], _ before: [String]) throws -> MappingSet {
        var mistakes = before
        var tables: [String: [(String, String)]] = [:]
        var mappings: [Mapping] = []
        for pass in 0..<2 {
            for (path, value) in documents {
                let problems = JSON5Problems()
                var reader = MappingReader(file: path, problems: problems, tables: tables)
                if pass == 0 { reader.readTables(value) } else { mappings += reader.readMappings(value) }
                tables = reader.tables
                if pass == 1 { mistakes += problems.sorted.map { $0.description(file: path) } }
            }
        }
        guard mistakes.isEmpty else { throw Malformed(problems: mistakes) }
        return MappingSet(mappings, people: GlobTable((tables["people"] ?? []).map { (pattern: $0.0, value: $0.1) }))
    }
}
