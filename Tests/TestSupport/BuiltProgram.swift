import Foundation

/// The executables of this package as the build left them, beside the test bundle.
package enum BuiltProgram {
    /// The executable's path.
    package static func path(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
    }
}
