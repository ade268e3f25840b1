package import Foundation

/// The executables of this package as the build left them, beside the test bundle.
package enum BuiltProgram {
    /// The executable's place.
    package static func url(_ name: String) -> URL {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
    }
}
