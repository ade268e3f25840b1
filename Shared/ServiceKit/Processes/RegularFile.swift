package import Foundation
import Glibc

/// Reads a file that somebody names in settings: never a device or a pipe, which would not end.
package enum RegularFile {
    package enum Failure: Error, Hashable, Sendable {
        /// It is missing, cannot be read, or is no regular file.
        case unreadable
        case tooLarge
    }

    /// - Parameter limit: the most bytes.
    package static func read(_ path: String, limit: Int) throws(Failure) -> Data {
        // Opening a pipe does not wait for its writer.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        // One that grows meanwhile is read no further.
        guard let data = try? file.read(upToCount: limit + 1) else {
            if status.st_size == 0 { return Data() }
            throw .unreadable
        }
        guard data.count <= limit else { throw .tooLarge }
        return data
    }
}
