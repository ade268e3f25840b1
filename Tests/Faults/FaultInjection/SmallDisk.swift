import Foundation
import SuiteHarness
import TestSupport

/// A file system of its own in memory that can be filled up. Needs root, as mounting does.
final class SmallDisk: Sendable {
    let path: String
    private let megabytes: Int
    private let folder: TemporaryFolder

    init(at path: String, megabytes: Int) async throws {
        self.path = path
        self.megabytes = megabytes
        folder = try TemporaryFolder("vigil-disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try await ChildProcess.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path], in: folder)
    }

    /// Takes all the room that is left.
    func fill() throws {
        let descriptor = open("\(path)/ballast", O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw HarnessError("no ballast in \(path)") }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        lseek(descriptor, 0, SEEK_END)
        while write(descriptor, block, block.count) > 0 {}
    }

    /// Gives it back.
    func free() { unlink("\(path)/ballast") }

    func remove() async {
        _ = try? await ChildProcess.run("/usr/bin/umount", ["-l", path], in: folder)
    }
}
