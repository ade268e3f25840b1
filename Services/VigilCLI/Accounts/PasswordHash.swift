import Foundation
import ServiceKit

/// Passwords as Mosquitto keeps them, made by its own tool.
enum PasswordHash {
    private static let tool = "/usr/bin/mosquitto_passwd"

    /// The password file's line for an account. The password stands in no command line: it goes through a file that only we can read.
    static func line(_ name: String, _ password: String) async throws -> String {
        guard FileManager.default.isExecutableFile(atPath: tool) else {
            throw CommandError(.unavailable, "\(tool) is missing: apt-get install mosquitto")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "passwords").path
        try Data("\(name):\(password)\n".utf8).write(to: URL(filePath: file))
        let child = try SupervisedProcess(
            .init(program: tool, arguments: ["-U", file], environment: [:], log: folder.appending(path: "log").path))
        guard await child.exit() == 0 else { throw CommandError(.failure, "mosquitto_passwd failed: \(child.lastWords)") }
        guard let line = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first else {
            throw CommandError(.failure, "mosquitto_passwd made nothing")
        }
        return String(line)
    }
}
