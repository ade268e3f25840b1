import Foundation

/// Lines on standard error, each written with one call so that lines of several threads do not mix.
package enum StandardError {
    /// Writes a line; a closed standard error is no reason to fail.
    package static func line(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text.replacing("\n", with: " ") + "\n").utf8))
    }
}
