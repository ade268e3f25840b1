import Foundation
import SuiteHarness

/// A named pipe that a test feeds a program's standard input through, at its own pace.
struct LinePipe: Sendable {
    let path: String
    private let file: FileHandle

    init(path: String) throws {
        // Opened for both, so that neither side waits for the other.
        guard mkfifo(path, 0o600) == 0, case let descriptor = open(path, O_RDWR | O_CLOEXEC), descriptor >= 0 else {
            throw HarnessError("no pipe at \(path): \(String(cString: strerror(errno)))")
        }
        self.path = path
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns when the pipe has taken all; waits in a thread that may wait.
    func write(_ text: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try file.write(contentsOf: Data(text.utf8)) }) }
        }
    }

    /// The program reads its end once it has read what is in the pipe.
    func close() { try? file.close() }
}
