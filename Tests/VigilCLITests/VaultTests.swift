import Foundation
import Settings
import SuiteHarness
import TestSupport
import Testing

@testable import VigilCLI

/// The programs and rights that a vault takes.
private enum VaultNeeds {
    static let areMet: Bool = {
        let needed = ["/usr/bin/gocryptfs", "/usr/bin/fusermount3", "/dev/fuse"]
        return needed.allSatisfy { FileManager.default.fileExists(atPath: $0) } && geteuid() == 0
    }()
}

@Suite("A vault", .serialized, .timeLimit(.minutes(4)), .enabled(if: VaultNeeds.areMet, "gocryptfs, fuse3 and /dev/fuse are needed"))
struct VaultTests {
    private let folder: TemporaryFolder
    private let place: String

    init() throws {
        folder = try TemporaryFolder("vigil-vault")
        place = folder.path("vault")
        try folder.write("right\n", to: "password")
        try folder.write("other\n", to: "other")
    }

    private func vigil(_ words: String...) async throws -> (code: Int32, output: String) { try await vigil(words) }

    private func vigil(_ words: [String]) async throws -> (code: Int32, output: String) {
        let child = try ChildProcess(BuiltProgram.path("vigil"), words, output: folder.path(UUID().uuidString), environment: [:])
        return (try await child.waitForExit(), child.output)
    }

    /// Indicates whether bytes of the text stand in any file below a folder.
    private func stands(_ text: String, in path: String) throws -> Bool {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return files.contains { name in
            name.contains(text) || FileManager.default.contents(atPath: "\(path)/\(name)")?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test("opens with its password only, keeps nothing readable on the disk, and takes another password")
    func passwords() async throws {
        #expect(try await vigil("vault", "create", place, "--vault-password-file", folder.path("password")).code == 0)
        #expect(try await vigil("vault", "create", place, "--vault-password-file", folder.path("password")).code == 1)
        let wrong = try await vigil("vault", "open", place, "--vault-password-file", folder.path("other"))
        #expect(wrong.code == 1 && wrong.output.contains("the password is wrong"), "\(wrong.output)")
        #expect(try await vigil("vault", "open", place, "--vault-password-file", folder.path("password")).code == 0)
        #expect(try await vigil("vault", "status", place).output.hasPrefix("open"))
        try Data("a-known-note".utf8).write(to: URL(filePath: "\(place)/open/a-known-name"))
        #expect(try !stands("a-known", in: "\(place)/cipher"))
        #expect(try await vigil("vault", "close", place).output == "closed\n")
        #expect(try !stands("a-known", in: place))
        let changed = try await vigil(
            "vault", "change-password", place, "--vault-password-file", folder.path("password"), "--new-password-file", folder.path("other")
        )
        #expect(changed.code == 0, "\(changed.output)")
        #expect(try await vigil("vault", "open", place, "--vault-password-file", folder.path("password")).code == 1)
        #expect(try await vigil("vault", "open", place, "--vault-password-file", folder.path("other")).code == 0)
        #expect(try String(contentsOfFile: "\(place)/open/a-known-name", encoding: .utf8) == "a-known-note")
        #expect(try await vigil("vault", "close", place).code == 0)
        #expect(try await vigil("vault", "close", folder.path("none")).output.contains("there is no vault"))
    }

    @Test("is known to be open, and is closed, whichever way leads to it: through a link, or with a blank and a tab in its name")
    func ways() async throws {
        let (real, link) = (folder.path("a real\tplace"), folder.path("link"))
        try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        let vault = "\(link)/vault"
        for words in [["create"], ["open"], ["open"]] {
            let done = try await vigil(["vault"] + words + [vault, "--vault-password-file", folder.path("password")])
            #expect(done.code == 0, "\(done.output)")
        }
        for way in [vault, "\(real)/vault"] { #expect(try await vigil("vault", "status", way).output.hasPrefix("open"), "\(way)") }
        #expect(try await vigil("vault", "close", vault).output == "closed\n")
        for way in [vault, "\(real)/vault"] { #expect(try await vigil("vault", "status", way).output.hasPrefix("closed"), "\(way)") }
    }

    @Test("holds all of a suite, loses nothing acknowledged by kill -9, and is closed when the suite stops")
    func suite() async throws {
        #expect(try await vigil("vault", "create", place, "--vault-password-file", folder.path("password")).code == 0)
        let vault = ["--vault", place, "--vault-password-file", folder.path("password")]
        let suite = try await RunningSuite(folder: folder, place: vault)
        let sent = try await suite.run(["publish", "--participant", "anna", "--metric", "note", "--text", "a-known-note", "--receipt"])
        #expect(sent.code == 0, "\(sent.output)")
        try await suite.kill()
        // The services end with it; what they left is still open, as after a crash.
        try await eventually("the services to end") {
            Suite.services.allSatisfy { suite.processes(of: $0.name, in: "\(place)/open/state").isEmpty }
        }
        let again = try await RunningSuite(folder: folder, place: vault)
        let latest = try await again.run(
            ["timeline", "latest", "anna", "--store", "sqlite:\(place)/open/state/timeline.sqlite"], withBroker: false)
        #expect(latest.output.contains("a-known-note"), "\(latest.output)")
        #expect(try await again.interrupt() == 0)
        #expect(again.output.contains("the vault is closed"))
        #expect(try await vigil("vault", "status", place).output.hasPrefix("closed"))
        #expect(try !stands("a-known", in: place) && !stands("timeline.sqlite", in: place))
    }
}

@Suite("What the kernel tells")
struct KernelFileTests {
    @Test("is read to its end, however many pieces it comes in: whether a vault is open stands in a long table where containers run")
    func whole() {
        let maps = Vault.kernelFile("/proc/self/maps")
        #expect(maps.utf8.count > 16_384 && maps.contains("[stack]") && maps.hasSuffix("\n"))
        #expect(Vault.kernelFile("/proc/none").isEmpty)
    }
}

@Suite("vigil up --private", .serialized, .timeLimit(.minutes(3)))
struct PrivateUpTests {
    @Test("lets nobody in without an account, lets the user's own commands in, and takes accounts that are added while it runs")
    func accounts() async throws {
        let folder = try TemporaryFolder("vigil-up")
        let suite = try await RunningSuite(folder: folder, place: ["--state-folder", folder.path("state"), "--private"])
        await #expect(throws: NeverHappened.self) { _ = try await HostileClient.connected(port: suite.port) }
        let own = ["--private-folder", folder.path("state")]
        let sent = try await suite.run(
            ["publish", "--participant", "anna", "--metric", "heart-rate", "--value", "61", "--receipt"] + own, withBroker: false)
        #expect(sent.code == 0, "\(sent.output)")
        let erased = try await suite.run(["timeline", "erase", "anna", "--yes"] + own, withBroker: false)
        #expect(erased.code == 0 && erased.output.contains("anna is erased"), "\(erased.output)")
        let adding = [
            "accounts", "add", "w1", "--participant", "anna", "--accounts-folder", folder.path("state/accounts"),
            "--account-password-file", folder.path("password"),
        ]
        try folder.write("geheim", to: "password")
        let refused = try await suite.run(adding, withBroker: false)
        #expect(refused.code == 64 && refused.output.contains("at least 12 characters"), "\(refused.output)")
        try folder.write("geheim und lang", to: "password")
        let added = try await suite.run(adding, withBroker: false)
        #expect(added.code == 0, "\(added.output)")
        try await eventually("the new account") {
            (try? await HostileClient.connected(port: suite.port) { ($0.user, $0.password) = ("w1", "geheim und lang") }) != nil
        }
        for name in ["accounts/keys/operator", "accounts/services", "timeline.sqlite", "broker/mosquitto.db"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path("state/\(name)"))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name): \(String(mode ?? 0, radix: 8))")
        }
        #expect(try await suite.interrupt() == 0)
    }
}
