import Foundation

/// Files that come with Vigil and are not in the program: the broker's settings, alert rules, mappings, profiles.
package enum ShippedFiles {
    /// The folder where a package or an image puts them.
    private static let installation = "/usr/share/vigil"

    /// The path of what is `deploy/<name>`, or lies in another top folder, in the checkout that this program was built
    /// in, or else `<installed>` where Vigil is installed; nil where it is neither.
    package static func path(_ name: String, in top: String = "deploy", installed: String) -> String? {
        var folder = URL(filePath: ownProgram).deletingLastPathComponent()
        var places: [String] = []
        while folder.path != "/" {
            places.append(folder.appending(path: "\(top)/\(name)").path)
            folder = folder.deletingLastPathComponent()
        }
        places.append("\(installation)/\(installed)")
        return places.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// The path of this very program's file.
    package static var ownProgram: String { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path }
}
