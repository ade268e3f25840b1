package import AlertRules
import Foundation
package import Settings

/// The rule files of a folder, or one file.
package enum RuleFolder {
    /// Reads every `.json5` file of the folder, by name; or the one file.
    package static func read(_ path: String) throws(CommandError) -> [RuleFile] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandError(.noInput, "there is no rule file or folder \(path)")
        }
        do {
            let names =
                isFolder.boolValue
                ? try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json5") }.sorted() : [""]
            guard !names.isEmpty else { throw CommandError(.noInput, "\(path) holds no .json5 file") }
            return try names.map { name in
                let file = name.isEmpty ? path : "\(path)/\(name)"
                return RuleFile(name: file, text: try String(contentsOfFile: file, encoding: .utf8))
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.noInput, "\(path) cannot be read as UTF-8 text")
        }
    }
}
