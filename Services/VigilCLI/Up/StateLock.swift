import Foundation
import ServiceKit

/// Keeps a second `vigil up` away from a state folder, for as long as the process lives.
struct StateLock {
    private let descriptor: Int32

    /// Makes the folder if it is missing.
    /// - Throws: `CommandError` when another process holds it.
    init(folder: String) throws(CommandError) {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        descriptor = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.unavailable, "\(folder) cannot be written: \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandError(
                .unavailable, "another vigil up uses \(folder): stop it, or give this one its own --state-folder")
        }
    }

    func release() { close(descriptor) }
}
