import Foundation
import Settings

/// A lock on a folder for one process at a time, so that what it read stays true until it has written. Held while the
/// body runs; others wait.
///
/// The lock is on the folder itself, so no file is left behind, and it ends with the process.
enum FolderLock {
    static func holding<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandError(.noInput, "\(folder) cannot be opened: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw CommandError(.failure, "\(folder) cannot be locked: \(String(cString: strerror(errno)))") }
        }
        return try body()
    }
}
