import Foundation

/// Standard error as a place for progress: a terminal, whose last line can be rewritten, or not.
struct Console: Sendable {
    /// Whether somebody is looking.
    let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    /// Writes as it is; a closed standard error is no reason to stop an import.
    func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
