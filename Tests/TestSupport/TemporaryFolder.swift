package import Foundation

/// A folder of its own under the system's temporary one, removed with this value's last reference.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// - Parameter name: Begins the folder's name, for whoever finds it left behind by a crash.
    package init(_ name: String = "vigil-test") throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in it.
    package func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    /// Writes a file, which appears whole or not at all for whoever reads it meanwhile, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name), options: .atomic)
        return path(name)
    }
}

/// A file system of its own in memory that can be filled up. Needs the right to mount, which root mostly has.
package final class SmallDisk: Sendable {
    /// The explanation of a skipped test.
    package static let hint = "no file system may be mounted here: it takes root and, in a container, CAP_SYS_ADMIN"

    /// Indicates whether one can be made here: tried out.
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

/// The recorded data that tests may use: in the folder that `VIGIL_TEST_DATA` names, else in `../shared/data` beside the checkout or above.
/// It is not part of the repository; a test that needs it is skipped, in words, where it is missing.
package enum RecordedData {
    /// The explanation of a skipped test.
    package static let hint = "the recorded data is missing: set VIGIL_TEST_DATA to its folder"

    /// The folder, or nil where there is none.
    package static let folder: URL? = {
        if let named = ProcessInfo.processInfo.environment["VIGIL_TEST_DATA"] { return existing(URL(filePath: named)) }
        var parent = URL(filePath: #filePath).deletingLastPathComponent()
        while parent.path != "/" {
            if let found = existing(parent.appending(path: "shared/data")) { return found }
            parent = parent.deletingLastPathComponent()
        }
        return nil
    }()

    /// Indicates whether a data set is there.
    package static func has(_ name: String) -> Bool { folder.flatMap { existing($0.appending(path: name)) } != nil }

    /// The files of a data set with that extension, in the order of their paths.
    package static func files(in name: String, extension suffix: String) -> [URL] {
        guard let folder, let all = FileManager.default.enumerator(at: folder.appending(path: name), includingPropertiesForKeys: nil)
        else { return [] }
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == suffix }.sorted { $0.path < $1.path }
    }

    private static func existing(_ folder: URL) -> URL? {
        FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }
}
