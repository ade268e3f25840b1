import Foundation

/// The package's executables, as the build left them beside the one that runs.
package enum BuiltCommand {
    /// The path of an executable; throws where the build did not make it.
    package static func path(_ name: String) throws -> String {
        let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let candidates = [folder, URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()]
        guard let found = candidates.map({ $0.appending(path: name).path }).first(where: FileManager.default.isExecutableFile) else {
            throw HarnessError("\(name) is not built beside \(folder.path)")
        }
        return found
    }
}
