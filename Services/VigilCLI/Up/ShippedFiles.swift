import Foundation

/// Files that come with Vigil and are not in the program: the broker's settings, the alert rules.
enum ShippedFiles {
    /// Where a package or an image puts them.
    private static let installation = "/usr/share/vigil"

    /// The path of what is `deploy/<name>` in the checkout that this program was built in, or else `<installed>` where Vigil is
    /// installed; nil where it is neither.
    static func path(_ name: String, installed: String) -> String? {
        var folder = ownProgram.deletingLastPathComponent()
        var places: [String] = []
        while folder.path != "/" {
            places.append(folder.appending(path: "deploy/\(name)").path)
            folder = folder.deletingLastPathComponent()
        }
        places.append("\(installation)/\(installed)")
        return places.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// The file of this very program.
    static var ownProgram: URL { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath() }
}
