import Access
import Foundation
import Settings
import TestSupport
import Testing

@testable import VigilCLI

/// How the passwords of accounts are made and kept: what a person chose may be guessed, what is of random bits not.
@Suite("Passwords of accounts", .timeLimit(.minutes(1)))
struct AccountPasswordTests {
    private let folder: TemporaryFolder
    private var files: AccountFiles { AccountFiles(folder: folder.url.path, notes: AccountNotes(actor: "local:me")) }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "passwords")
        try folder.write("user ingest\ntopic readwrite vigil/v1/ingest/#\n", to: "acl")
        for service in AccountList.services { try folder.write("bits of \(service)\n", to: service) }
    }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    /// The rounds, or the cost, with which the account's password is kept.
    private func effort(_ account: String, in file: String) throws -> String? {
        let line = try text(file).split(separator: "\n").first { $0.hasPrefix("\(account):") }
        return line?.split(separator: "$").dropFirst(2).first.map(String.init)
    }

    private func run(_ arguments: String...) async throws {
        try await AccountsCommand.command.run(
            arguments: arguments + ["--accounts-folder", folder.url.path], environment: [:], print: { _ in })
    }

    @Test("one that somebody chose takes long to try, for either broker; one of random bits need not")
    func effort() async throws {
        try await run("nats", "--service-passwords", folder.url.path)
        #expect(try effort("ingest", in: "nats-passwords") == "04" && text("nats.conf").contains(#"{user: "ingest""#))
        try folder.write("zwoelf zeich", to: "chosen")
        try await run("add", "w1", "--participant", "anna", "--account-password-file", folder.path("chosen"))
        try await run("add", "w2", "--participant", "anna")
        try files.add(BrokerAccount(name: "w3", role: .device, participants: ["anna"], device: "w3"), password: "a chosen one")
        for (account, rounds, cost) in [("w1", "20000", "11"), ("w2", "1000", "04"), ("w3", "20000", "11")] {
            #expect(try effort(account, in: "passwords") == rounds && effort(account, in: "nats-passwords") == cost, "\(account)")
        }
        let accounts = PrivateAccounts(folder: folder.path("private"), servicePort: 4_711)
        try accounts.prepare()
        #expect(try AccountList.services.allSatisfy { try effort($0, in: "private/services") == "1000" })
    }

    @Test("one that is made is shown once, of 192 bits that need no quoting, and one that was given is not shown")
    func shown() async throws {
        func vigil(_ arguments: String...) async throws -> String {
            let child = try ChildProcess(
                BuiltProgram.path("vigil"), ["accounts"] + arguments + ["--accounts-folder", folder.url.path],
                output: folder.path("\(UUID().uuidString).out"), environment: [:])
            #expect(try await child.waitForExit() == 0, "\(child.output)")
            return child.output
        }
        let made = try await vigil("add", "w1", "--participant", "anna")
        let password = try #require(made.firstMatch(of: /password, shown only now: (\S+)/)?.1)
        #expect(password.wholeMatch(of: /[A-Za-z0-9_-]{32}/) != nil, "\(password.count)")
        try folder.write("zwoelf zeich", to: "chosen")
        let given = try await vigil("add", "w2", "--participant", "anna", "--account-password-file", folder.path("chosen"))
        #expect(given.contains("added w2") && !given.contains("password") && !given.contains("zwoelf"))
        #expect(try await vigil("revoke", "w2").contains("revoked w2"))
    }

    @Test("whoever looks after others too keeps no right about somebody who is erased, at NATS neither")
    func erased() throws {
        try files.makeNATS(servicePasswords: folder.url.path)
        let carer = BrokerAccount(name: "carl", role: .carer, participants: ["anna", "bernd"], device: "carl")
        try files.add(carer, password: "a password of bits", isGenerated: true)
        #expect(try text("nats.conf").contains("vigil.v1.alerts.anna.*"))
        #expect(try files.forget("anna") == 1)
        #expect(try !text("nats.conf").contains("anna") && text("nats.conf").contains("vigil.v1.alerts.bernd.*"))
    }
}
