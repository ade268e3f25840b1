import Foundation
import ServiceKit
import Settings

/// A folder in which everything is encrypted under a password, by gocryptfs: `cipher` holds what is on the disk, and `open` shows it in the clear
/// for as long as the vault is open.
struct Vault: Sendable {
    private static let tool = "/usr/bin/gocryptfs"
    private static let closer = "/usr/bin/fusermount3"
    /// After a crash that left nobody to close it, an open vault without an open file closes by itself.
    private static let idle = "5m"

    let folder: String
    /// The file with the password; nil to be asked on the terminal.
    let passwordFile: String?

    init(folder: String, passwordFile: String?) {
        // The kernel names what is open by its real path, however one came there.
        let real = realpath(folder, nil)
        defer { free(real) }
        self.folder = real.map { String(cString: $0) } ?? URL(filePath: folder).path
        self.passwordFile = passwordFile
    }

    /// The encrypted files.
    var cipher: String { "\(folder)/cipher" }
    /// The same in the clear, while the vault is open.
    var opened: String { "\(folder)/open" }

    /// Indicates whether there is a vault in the folder.
    var exists: Bool { FileManager.default.fileExists(atPath: "\(cipher)/gocryptfs.conf") }

    /// Indicates whether it is open.
    var isOpen: Bool {
        Self.kernelFile("/proc/self/mounts").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 2 && Self.unescaped(fields[1]) == opened && fields[2].hasPrefix("fuse.gocryptfs")
        }
    }

    /// A path as the table of mounts writes it: blanks, tabs, line ends and backslashes are there in octal digits.
    static func unescaped(_ path: Substring) -> String {
        [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(String(path)) { $0.replacing($1.0, with: $1.1) }
    }

    /// Reads a file of the kernel's to its end. It has no length, and Foundation takes its first 4 KiB for all of it: with a few containers on the machine
    /// the table of mounts is longer.
    static func kernelFile(_ path: String) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? handle.close() }
        var content = Data()
        while let piece = try? handle.read(upToCount: 1 << 16), !piece.isEmpty { content += piece }
        return String(decoding: content, as: UTF8.self)
    }

    /// Makes an empty one.
    func create() async throws {
        guard !exists else { throw CommandError(.failure, "there is a vault in \(folder) already") }
        for part in [folder, cipher, opened] {
            try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        guard try FileManager.default.contentsOfDirectory(atPath: cipher).isEmpty else {
            throw CommandError(.failure, "\(cipher) is not empty")
        }
        try await run(["-init", "-q"] + password + ["--", cipher], otherwise: "the vault could not be made")
    }

    /// Opens it; a wrong password is refused.
    func open() async throws {
        try demand()
        guard !isOpen else { return }
        guard FileManager.default.fileExists(atPath: "/dev/fuse") else {
            throw CommandError(.unavailable, "/dev/fuse is missing: this machine, or this container, has no user file systems")
        }
        try await run(["-q", "-idle", Self.idle] + password + ["--", cipher, opened], otherwise: "the vault could not be opened")
    }

    /// Closes it; false where it was not open.
    func close() async throws -> Bool {
        try demand()
        guard isOpen else { return false }
        try await run(["-u", opened], with: Self.closer, otherwise: "the vault is in use: stop what runs in it")
        return true
    }

    /// Asks for the present password and a new one. The files are not encrypted anew: the password opens the key.
    /// - Parameter newPassword: The file with the new one; nil to be asked.
    func changePassword(newPassword: String?) async throws {
        try demand()
        let given = (passwordFile ?? "").isEmpty ? [] : password
        guard (newPassword == nil) == given.isEmpty else {
            throw CommandError(.usage, "give both --vault-password-file and --new-password-file, or none of them")
        }
        guard let newPassword else { return try await run(["-passwd", "--", cipher], otherwise: "the password was not changed") }
        // gocryptfs reads both from its input, a line each, where it is no terminal.
        let input = try SecretInput([passwordFile ?? "", newPassword])
        try await run(["-passwd", "-q", "--", cipher], input: input.descriptor, otherwise: "the password was not changed")
    }

    private func demand() throws(CommandError) {
        if !exists { throw CommandError(.noInput, "there is no vault in \(folder): vigil vault create \(folder)") }
    }

    private var password: [String] { passwordFile.map { ["-passfile", $0] } ?? [] }

    private func run(_ arguments: [String], with program: String = tool, input: Int32? = nil, otherwise problem: String) async throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw CommandError(.unavailable, "\(program) is missing: apt-get install gocryptfs fuse3")
        }
        let code = try await Self.run([program] + arguments, input: input)
        guard code == 0 else { throw CommandError(.failure, "\(problem) (\(Self.reason(code)))") }
    }

    /// Runs a program on this terminal, with no signal blocked or ignored: gocryptfs tells itself by one that it is mounted.
    private static func run(_ words: [String], input: Int32?) async throws -> Int32 {
        var launch = ProgramLaunch(words)
        launch.input = input.map { .descriptor($0) }
        let number = try launch.started()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(number, &status, 0) == -1, errno == EINTR {}
                continuation.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
            }
        }
    }

    /// gocryptfs' own exit codes in words.
    private static func reason(_ code: Int32) -> String {
        switch code {
        case 10: "the mount point is not empty"
        case 12: "the password is wrong"
        case 22: "the password is empty"
        default: "exit code \(code)"
        }
    }
}

/// Lines of secrets for a program's input.
private struct SecretInput {
    let descriptor: Int32

    init(_ files: [String]) throws {
        var text = ""
        for file in files {
            guard let line = try? String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first else {
                throw CommandError(.noInput, "\(file) cannot be read, or is empty")
            }
            text += line + "\n"
        }
        // A pipe, so that the passwords are never on a disk; it takes far more than two lines.
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CommandError(.failure, "the password could not be handed over") }
        descriptor = ends[0]
        let bytes = Array(text.utf8.prefix(4096))
        let count = write(ends[1], bytes, bytes.count)
        Foundation.close(ends[1])
        guard count == bytes.count else { throw CommandError(.failure, "the password could not be handed over") }
    }
}

/// `vigil vault`: all data of a household encrypted under a password, as a phone does it.
enum VaultCommand {
    static let passwordFile = Setting.optional(
        "vault-password-file", .path, help: "The file with the vault's password; by default you are asked.")
    private static let newPasswordFile = Setting.optional("new-password-file", .path, help: "The file with the new password.")
    private static let folder = Operands("FOLDER", help: "The vault's folder.")

    static let command = Command(
        name: "vault", summary: "encrypts everything of vigil up under a password, with gocryptfs",
        details: """
            FOLDER/cipher contains the encrypted files, and FOLDER/open shows them while the vault is open. \
            vigil up --vault FOLDER opens it, stores everything in it, and closes it at the end. The password is \
            the only key: if you forget it, nothing can be opened.
            """,
        subcommands: [create, open, close, changePassword, status])

    private static let create = Command(name: "create", summary: "makes an empty vault", settings: [passwordFile], operands: folder) {
        invocation in
        let vault = try vault(invocation)
        try await vault.create()
        StandardOutput.line("made the vault \(vault.folder); its password is the only key")
    }

    private static let open = Command(name: "open", summary: "opens it", settings: [passwordFile], operands: folder) { invocation in
        let vault = try vault(invocation)
        try await vault.open()
        StandardOutput.line("open: \(vault.opened)")
    }

    private static let close = Command(
        name: "close", summary: "closes it; then nothing in it can be read without the password", operands: folder
    ) { invocation in
        let vault = Vault(folder: invocation.operands[0], passwordFile: nil)
        StandardOutput.line(try await vault.close() ? "closed" : "it was closed")
    }

    private static let changePassword = Command(
        name: "change-password", summary: "changes the password", settings: [passwordFile, newPasswordFile], operands: folder
    ) { invocation in
        try await vault(invocation).changePassword(newPassword: try invocation[newPasswordFile])
        StandardOutput.line("the password is changed; copies of the vault made before still open with the former one")
    }

    private static let status = Command(
        name: "status", summary: "says whether it is open, and what could leak outside it", operands: folder
    ) { invocation in
        let vault = Vault(folder: invocation.operands[0], passwordFile: nil)
        guard vault.exists else { throw CommandError(.noInput, "there is no vault in \(vault.folder)") }
        StandardOutput.line(vault.isOpen ? "open: \(vault.opened)" : "closed")
        let swaps = Vault.kernelFile("/proc/swaps").split(separator: "\n").dropFirst()
        for swap in swaps where !swap.hasPrefix("/dev/zram") && !swap.hasPrefix("/dev/dm-") {
            StandardOutput.line("swap that is not known to be encrypted: \(swap.prefix { $0 != " " }); memory may be written there")
        }
    }

    private static func vault(_ invocation: Invocation) throws -> Vault {
        Vault(folder: invocation.operands[0], passwordFile: try invocation[passwordFile])
    }
}
