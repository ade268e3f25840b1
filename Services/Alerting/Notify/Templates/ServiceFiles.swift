import AlertRules
import Foundation
import JSON5
import ServiceKit
import Settings
import VigilSchema

/// Finds the files of services: those of the operator before those that come with Vigil.
enum ServiceFiles {
    /// - Parameter own: the folder of the notifiers' file, which may hold `services`.
    static func folders(beside own: String) -> [String] {
        ["\(own)/services"] + [ShippedFiles.path("notifiers/services", installed: "services")].compactMap(\.self)
    }

    /// Reads the file of a service.
    /// - Throws: every mistake in it, or the names that there are.
    static func read(_ name: String, in folders: [String]) throws(RuleError) -> ServiceTemplate {
        guard Name.isValid(name), let path = folders.map({ "\($0)/\(name).json5" }).first(where: FileManager.default.fileExists) else {
            let known = Set(folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] })
                .filter { $0.hasSuffix(".json5") }.map { String($0.dropLast(6)) }.sorted()
            throw problem("\(name.prefix(64)).json5", "there is no such service", Spelling.suggestion(for: name, among: known), known)
        }
        guard let files = try? RuleFolder.read(path), let file = files.first else {
            throw problem(path, "it cannot be read as UTF-8 text", nil, [])
        }
        return try ServiceTemplateReader.read(file)
    }

    private static func problem(_ file: String, _ message: String, _ suggestion: String?, _ known: [String]) -> RuleError {
        let suggestion = suggestion ?? (known.isEmpty ? nil : "known: \(known.joined(separator: ", "))")
        let problem = JSON5Problem(position: SourcePosition(line: 1, column: 1), message: message, suggestion: suggestion)
        return RuleError(entries: [RuleError.Entry(file: file, problem: problem)])
    }
}
