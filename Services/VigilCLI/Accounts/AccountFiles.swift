import Foundation
import Settings

/// The broker's files of accounts: `passwords`, which holds hashes only, and `acl`.
struct AccountFiles: Sendable {
    let folder: String
    private var passwords: String { "\(folder)/passwords" }
    private var accessList: String { "\(folder)/acl" }

    /// Adds the account, or gives it this password and role.
    func add(_ account: Account, password: String) async throws {
        guard !serviceAccounts.contains(account.name) else {
            throw CommandError(.usage, "\(account.name) is a service's account; choose another name")
        }
        let hashed = try await PasswordHash.line(account.name, password)
        var list = AccessList(try read(accessList))
        list.set(account.name, rights: account.rights)
        // The rights first: an account with a password and without rights can do nothing, the other way round neither.
        try write(list.text, to: accessList)
        try write((lines(without: account.name) + [hashed]).joined(separator: "\n") + "\n", to: passwords)
    }

    /// Takes the account away; false where there is none.
    func remove(_ name: String) throws -> Bool {
        guard !serviceAccounts.contains(name) else { throw CommandError(.usage, "\(name) is a service's account; it cannot be revoked") }
        let all = try lines()
        let left = try lines(without: name)
        guard left.count < all.count else { return false }
        try write(left.joined(separator: "\n") + "\n", to: passwords)
        var list = AccessList(try read(accessList))
        list.remove(name)
        try write(list.text, to: accessList)
        return true
    }

    /// A line for each account.
    func list() throws -> [String] {
        let names = Set(try lines().map { String($0.prefix { $0 != ":" }) })
        return AccessList(try read(accessList)).users.map { user in
            let state = names.contains(user.name) ? "" : "  (no password: cannot connect)"
            return "\(user.name)\(state)\n" + user.rights.map { "    \($0.dropFirst(6))" }.joined(separator: "\n")
        }
    }

    private var serviceAccounts: Set<String> {
        ["ingest", "stress", "modules", "alert", "timeline", "import", "dashboard", "operator", "monitor"]
    }

    private func lines() throws -> [String] { try read(passwords).split(separator: "\n").map(String.init) }

    private func lines(without name: String) throws -> [String] { try lines().filter { !$0.hasPrefix("\(name):") } }

    private func read(_ path: String) throws(CommandError) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(.noInput, "\(path) cannot be read: run deploy/init first, or say where with --accounts-folder")
        }
        return text
    }

    /// In place, as the broker's container has the folder mounted, and all at once, as it may read at any moment.
    private func write(_ text: String, to path: String) throws {
        let next = path + ".new"
        try Data(text.utf8).write(to: URL(filePath: next))
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: next)
        guard rename(next, path) == 0 else {
            throw CommandError(.failure, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}

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
