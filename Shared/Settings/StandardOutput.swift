import Foundation
import Synchronization

/// Lines on standard output, each written whole and at once, so that a reader at the other end of a pipe sees it now.
///
/// What could not be written is not lost without a word: `finish()` tells it at the end of the process.
package enum StandardOutput {
    private static let problem = Mutex<POSIXErrorCode?>(nil)

    /// Writes a line. False once nobody reads any more.
    @discardableResult
    package static func line(_ text: String) -> Bool { write(text + "\n") }

    /// Writes text as it is. False once nobody reads any more, or where there is no room.
    @discardableResult
    package static func write(_ text: String) -> Bool {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            return true
        } catch {
            let code = (error as? CocoaError)?.cause ?? .EIO
            problem.withLock { $0 = $0 ?? code }
            return false
        }
    }

    /// Writes what `print` still holds back.
    /// - Throws: `CommandError` where something was not written; a reader that went away, as `head` does, had what it wanted.
    package static func finish() throws(CommandError) {
        let isFlushed = fflush(nil) == 0, code = POSIXErrorCode(rawValue: errno) ?? .EIO
        guard let found = problem.withLock({ $0 }) ?? (isFlushed ? nil : code), found != .EPIPE else { return }
        throw CommandError(.failure, "standard output could not be written: \(unsafe String(cString: strerror(found.rawValue)))")
    }
}
