import Foundation

/// Lines on standard output, each written whole and at once, so that a reader at the other end of a pipe sees it now.
package enum StandardOutput {
    /// Writes a line. False once nobody reads any more.
    @discardableResult
    package static func line(_ text: String) -> Bool { write(text + "\n") }

    /// Writes text as it is. False once nobody reads any more.
    @discardableResult
    package static func write(_ text: String) -> Bool {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            return true
        } catch {
            return false
        }
    }
}
