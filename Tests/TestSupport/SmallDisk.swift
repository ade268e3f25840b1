import Foundation

/// A file system of its own in memory that can be filled up. Needs the right to mount, which root mostly has.
package final class SmallDisk: Sendable {
    /// What a skipped test says.
    package static let hint = "no file system may be mounted here: it takes root and, in a container, CAP_SYS_ADMIN"

    /// Whether one can be made here: tried out.
    package static func isPermitted() async -> Bool {
        let path = FileManager.default.temporaryDirectory.appending(path: "vigil-disk-\(UUID().uuidString)").path
        let disk = try? await SmallDisk(at: path, megabytes: 1)
        await disk?.remove()
        rmdir(path)
        return disk != nil
    }

    package let path: String
    private let folder: TemporaryFolder

    /// Mounts it at a folder, which is made where it is missing.
    package init(at path: String, megabytes: Int) async throws {
        self.path = path
        folder = try TemporaryFolder("vigil-disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try await ChildProcess.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path], in: folder)
    }

    /// Takes all the room that is left.
    package func fill() throws {
        let descriptor = open("\(path)/ballast", O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        lseek(descriptor, 0, SEEK_END)
        while write(descriptor, block, block.count) > 0 {}
    }

    /// Gives it back.
    package func free() { unlink("\(path)/ballast") }

    /// Unmounts it and removes its folder.
    package func remove() async {
        _ = try? await ChildProcess.run("/usr/bin/umount", ["-l", path], in: folder)
        rmdir(path)
    }
}
