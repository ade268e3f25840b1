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

    /// Writes a file and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
