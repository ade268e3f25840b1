import Foundation
import Settings

/// A folder that one process at a time changes: what it read stays true until it has written. Held while the body runs; whoever comes meanwhile waits.
///
/// The lock is the folder's own, so that it leaves no file behind; it is gone with the process.
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
