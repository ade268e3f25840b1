import Access
import Foundation
import SensorIngest
import Settings
import TestSupport
import Testing
import VigilSchema

@testable import VigilCLI

/// The files that a change of accounts leaves, without a broker.
@Suite("Files of accounts")
struct AccountFilesTests {
    private let folder: TemporaryFolder
    private var files: AccountFiles { AccountFiles(folder: folder.url.path, notes: AccountNotes(actor: "local:me")) }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "passwords")
        try folder.write("user ingest\ntopic readwrite vigil/v1/ingest/#\n", to: "acl")
    }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    private func roles() throws -> [AccountList.Account] {
        try AccountList(decoding: Data(contentsOf: URL(filePath: folder.path("roles/accounts.json")))).accounts
    }

    private var told: [AuditEntry] { AccountChanges(besideAccounts: folder.path("roles/accounts.json")).lines().map(\.entry) }

    private func told(_ entries: some Sequence<AuditEntry>) -> [String] {
        entries.map { "\($0.operation) \($0.participant ?? "") \($0.detail ?? "-") \($0.outcome)" }
    }

    private func device(_ name: String, of participant: String = "anna") -> BrokerAccount {
        BrokerAccount(name: name, role: .device, participants: [participant], device: name)
    }

    private func carer(_ name: String, of participants: String...) -> BrokerAccount {
        BrokerAccount(name: name, role: .carer, participants: participants, device: name)
    }

    private func add(_ account: BrokerAccount) throws { try files.add(account, password: "a password of bits", isGenerated: true) }

    @Test("accounts that are added and revoked at once are all there, and gone, afterwards")
    func atOnce() async throws {
        for number in 0..<8 { try add(device("old\(number)")) }
        let files = files
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<8 {
                let account = device("new\(number)")
                tasks.addTask { try await onThread { try files.add(account, password: "a password of bits", isGenerated: true) } }
                tasks.addTask {
                    try await onThread {
                        let isGone = try files.remove("old\(number)")
                        #expect(isGone)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let expected = (0..<8).map { "new\($0)" }
        #expect(try text("passwords").split(separator: "\n").map { String($0.prefix { $0 != ":" }) }.sorted() == expected)
        #expect(try roles().map(\.name).sorted() == expected)
        #expect(AccessList(try text("acl")).users.map(\.name).sorted() == ["ingest"] + expected)
    }

    @Test("tokens that are made at once are all there afterwards")
    func tokensAtOnce() async throws {
        let path = folder.path("tokens")
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<16 {
                tasks.addTask {
                    try await onThread { _ = try TokensCommand.changing(path) { $0.add(participant: "anna", device: "d\(number)") } }
                }
            }
            try await tasks.waitForAll()
        }
        let tokens = try IngestTokens(text: text("tokens"), file: path)
        #expect(Set(tokens.entries.map(\.device)).count == 16)
    }

    @Test("an account that is added has a password, rights and a role, all for everybody to read and told to the trail")
    func adds() throws {
        try add(device("w1"))
        #expect(
            try text("acl") == """
                user ingest
                topic readwrite vigil/v1/ingest/#

                user w1
                topic write vigil/v1/ingest/anna/w1
                topic read vigil/v1/receipts/anna/w1
                topic read vigil/v1/receipts/anna/w1/#
                topic read vigil/v1/rejects/anna/w1

                """)
        #expect(try roles() == [AccountList.Account(name: "w1", role: "device", participants: ["anna"])])
        let passwords = try text("passwords")
        #expect(passwords.hasPrefix("w1:") && passwords.hasSuffix("\n") && passwords.split(separator: "\n").count == 1)
        for name in ["acl", "passwords", "roles/accounts.json"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o444, "\(name)")
        }
        #expect(told(told) == ["account-add w1 device of 1 ok", "account-assign anna device ok"])
        #expect(told.allSatisfy { $0.actor == "local:me" })
    }

    @Test("an account that is added again has the new password and role alone, and the trail tells whom it lost")
    func changes() throws {
        try add(carer("carl", of: "anna", "bernd"))
        try add(device("w1"))
        let before = try text("passwords")
        try add(carer("carl", of: "bernd", "carla"))
        let after = try text("passwords")
        #expect(after != before && after.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["w1", "carl"])
        #expect(try roles().map(\.name) == ["carl", "w1"] && roles()[0].participants == ["bernd", "carla"])
        #expect(try !text("acl").contains("alerts/anna"))
        #expect(
            told(told.suffix(4)) == [
                "account-change carl carer of 2 ok", "account-assign bernd carer ok", "account-assign carla carer ok",
                "account-unassign anna carer ok",
            ])
    }

    @Test("a bridge has topics, which ingest may read, and no role")
    func bridge() throws {
        try add(carer("b", of: "anna"))
        try add(BrokerAccount(name: "b", role: .bridge, participants: [], device: "b", topics: ["home/#"]))
        #expect(try roles().isEmpty)
        #expect(try text("acl").contains("user b\ntopic write home/#\n") && text("acl").contains("user ingest\ntopic read home/#\n"))
        #expect(told(told.suffix(2)) == ["account-change b bridge ok", "account-unassign anna carer ok"])
    }

    @Test("an account that is revoked is gone from everything, and nobody else's with it")
    func revokes() throws {
        try add(device("w1"))
        try add(device("w10"))
        #expect(try !files.remove("w"))
        let count = told.count
        #expect(try files.remove("w1"))
        #expect(try text("passwords").hasPrefix("w10:") && text("passwords").hasSuffix("\n"))
        #expect(try !text("acl").contains("user w1\n") && text("acl").contains("user w10\n"))
        #expect(try roles().map(\.name) == ["w10"])
        #expect(told(told.dropFirst(count)) == ["account-revoke w1 device of 1 ok", "account-unassign anna device ok"])
        #expect(try files.remove("w10"))
        #expect(try text("passwords") == "" && roles().isEmpty)
        #expect(try !files.remove("w10"))
    }

    @Test("a service's account is neither given nor taken", arguments: AccountList.services)
    func services(name: String) throws {
        for change in [{ try add(device(name)) }, { _ = try files.remove(name) }] {
            let error = #expect(throws: CommandError.self, performing: change)
            #expect(error?.description.contains("\(name) is a service's account") == true)
        }
        #expect(told.isEmpty)
    }

    @Test("a participant who is erased leaves the accounts of others theirs, takes the own ones along, and no name in the trail")
    func forgets() throws {
        try add(device("anna-watch"))
        try add(carer("carl", of: "anna", "bernd"))
        try add(carer("dora", of: "bernd"))
        // What somebody has written by hand about others stays.
        try folder.write(
            text("acl").replacing(
                "topic write vigil/v1/ingest/bernd/manual/carl\n\nuser dora", with: "topic read x/bernd/y\n\nuser dora"),
            to: "edited")
        try FileManager.default.removeItem(atPath: folder.path("acl"))
        try FileManager.default.moveItem(atPath: folder.path("edited"), toPath: folder.path("acl"))
        let own = try files.accounts(of: "anna")
        #expect(own.compactMap { $0["name"] as? String } == ["anna-watch", "carl"])
        #expect(own.allSatisfy { ($0["rights"] as? [String])?.allSatisfy { $0.contains("anna/") } == true })
        #expect((own.last?["rights"] as? [String])?.count == 6)
        #expect(own.last?["role"] as? String == "carer")
        #expect(try files.forget("anna") == 2)
        #expect(try roles().map(\.name) == ["carl", "dora"] && roles().map(\.participants) == [["bernd"], ["bernd"]])
        #expect(try !text("acl").contains("anna") && text("acl").contains("alerts/bernd"))
        #expect(try text("passwords").split(separator: "\n").map { String($0.prefix { $0 != ":" }) } == ["carl", "dora"])
        #expect(try !text("roles/changes.jsonl").contains("anna"))
        #expect(told.suffix(2).map(\.operation) == ["account-revoke", "account-change"])
        #expect(told.last?.participant == "carl" && told.last?.detail == "carer of 1")
        #expect(try files.accounts(of: "anna").isEmpty && files.forget("anna") == 0)
    }

    @Test("a change that cannot be made is told to have failed, and thrown")
    func fails() throws {
        try FileManager.default.createDirectory(atPath: folder.path("passwords.new"), withIntermediateDirectories: false)
        #expect(throws: (any Error).self) { try add(device("w1")) }
        #expect(told(told).suffix(2) == ["account-add w1 device of 1 failed", "account-assign anna device failed"])
        #expect(told.count == 4)
    }

    @Test("are listed with what each may do, and why one may do nothing")
    func lists() throws {
        try add(carer("carl", of: "anna", "bernd"))
        try folder.write(text("acl") + "user ghost\ntopic read a\ntopic write b\n", to: "acl.new")
        try FileManager.default.removeItem(atPath: folder.path("acl"))
        try FileManager.default.moveItem(atPath: folder.path("acl.new"), toPath: folder.path("acl"))
        let list = try files.list()
        #expect(list.count == 3)
        #expect(list[0] == "ingest  (a service)\n    readwrite vigil/v1/ingest/#")
        #expect(list[1].hasPrefix("carl  carer of anna, bernd\n    read vigil/v1/alerts/anna/+\n"))
        #expect(
            list[2]
                == "ghost  (no role: may ask for nothing)  (no password: connects with a certificate, or not at all)\n    read a\n    write b"
        )
    }

    @Test("that are not there, or damaged, are named with what to do")
    func missing() throws {
        try FileManager.default.removeItem(atPath: folder.path("acl"))
        let error = #expect(throws: CommandError.self) { try add(device("w1")) }
        #expect(error?.description.contains("acl cannot be read: run deploy/init first") == true)
        try folder.write("", to: "acl")
        try FileManager.default.createDirectory(atPath: folder.path("roles"), withIntermediateDirectories: true)
        try folder.write("{", to: "roles/accounts.json")
        let damaged = #expect(throws: CommandError.self) { try add(device("w1")) }
        #expect(damaged?.description.contains("roles/accounts.json") == true && damaged?.exitCode == .data)
    }

    @Test("of a NATS broker follow, where there is one: with passwords of their own, and without those that are gone")
    func nats() throws {
        for service in AccountList.services { try folder.write("bits of \(service)\n", to: "\(service)") }
        try add(device("early"))
        try files.makeNATS(servicePasswords: folder.url.path)
        let hashes = try text("nats-passwords")
        #expect(hashes.split(separator: "\n").map { String($0.prefix { $0 != ":" }) } == AccountList.services.sorted())
        #expect(try text("nats.conf").contains(#"{user: "ingest", password: "$2"#) && !text("nats.conf").contains("early"))
        try add(device("w1"))
        #expect(try text("nats.conf").contains(#"{user: "w1", password: "$2"#) && text("nats-passwords").contains("\nw1:$2"))
        try add(carer("carl", of: "anna", "bernd"))
        #expect(try text("nats.conf").contains("vigil.v1.alerts.anna.*"))
        _ = try files.forget("anna")
        #expect(try !text("nats.conf").contains("anna") && text("nats.conf").contains("vigil.v1.alerts.bernd.*"))
        #expect(try !text("nats-passwords").contains("w1:"))
        // Again: who is known keeps the hash, as connections would end otherwise.
        try files.makeNATS(servicePasswords: folder.url.path)
        #expect(try text("nats-passwords").hasPrefix(hashes.prefix(20)))
        #expect(try files.remove("carl") && !text("nats.conf").contains("carl"))
        try FileManager.default.removeItem(atPath: folder.path("monitor"))
        let error = #expect(throws: CommandError.self) { try files.makeNATS(servicePasswords: folder.url.path) }
        #expect(error?.description.contains("monitor cannot be read") == true)
    }

    @Test(
        "an account that only one file still names, as after a change that was broken off, is revoked and then named nowhere",
        arguments: ["passwords", "acl", "nats-passwords", "nats.conf", "roles/accounts.json"])
    func revokedInPart(only: String) throws {
        for service in AccountList.services { try folder.write("bits of \(service)\n", to: "\(service)") }
        try files.makeNATS(servicePasswords: folder.url.path)
        let names = ["passwords", "acl", "nats-passwords", "nats.conf", "roles/accounts.json"]
        var before: [String: String] = [:]
        try add(device("other"))
        for name in names { before[name] = try text(name) }
        try add(device("nurse"))
        for name in names where name != only { try files.write(before[name] ?? "", to: folder.path(name)) }
        #expect(try names.filter { try text($0).contains("nurse") } == [only])
        #expect(try files.remove("nurse"))
        for name in names { #expect(try text(name) == before[name], "\(name)") }
        #expect(try !files.remove("nurse") && told.last?.outcome == "ok")
    }

    @Test("rights that NATS does not know are refused in words before anything is changed; who is revoked is gone all the same")
    func untold() throws {
        for service in AccountList.services { try folder.write("bits of \(service)\n", to: "\(service)") }
        func deny() throws { try files.write(text("acl") + "\nuser other\ntopic deny vigil/v1/x\n", to: folder.path("acl")) }
        let plain = try text("acl")
        try deny()
        let refused = #expect(throws: CommandError.self) { try files.makeNATS(servicePasswords: folder.url.path) }
        #expect(refused?.description.contains(#"acl: "topic deny vigil/v1/x" stands for nothing at NATS"#) == true)
        #expect(refused?.exitCode == .data)
        #expect(throws: (any Error).self) { try text("nats.conf") }
        try files.write(plain, to: folder.path("acl"))
        try files.makeNATS(servicePasswords: folder.url.path)
        try add(device("nurse"))
        try deny()
        let count = told.count
        #expect(throws: CommandError.self) { try add(device("w2")) }
        #expect(try told.count == count && !text("passwords").contains("w2"))
        #expect(throws: CommandError.self) { try files.remove("nurse") }
        for name in ["passwords", "acl", "nats-passwords", "nats.conf"] { #expect(try !text(name).contains("nurse"), "\(name)") }
        #expect(told.last?.operation == "account-unassign" && told.last?.outcome == "ok")
    }

    // MARK: - The command

    private func run(_ arguments: String...) async throws {
        try await AccountsCommand.command.run(
            arguments: arguments + ["--accounts-folder", folder.url.path], environment: [:], print: { _ in })
    }

    @Test(
        "are not changed by a command that makes no sense, and it says why",
        arguments: [
            (["a b", "--participant", "anna"], "NAME accepts"), (["w1"], "the device's one participant"),
            (["w1", "--participant", "anna,bernd"], "the device's one participant"),
            (["c", "--role", "carer"], "at least one participant"),
            (["b", "--role", "bridge"], "--topic is for --role bridge"),
            (["b", "--role", "bridge", "--topic", "home/#", "--participant", "anna"], "--topic is for --role bridge"),
            (["w1", "--participant", "anna", "--topic", "home/#"], "--topic is for --role bridge"),
            (["b", "--role", "bridge", "--topic", "home/#,vigil/x"], "--topic vigil/x: a bridge publishes below"),
        ])
    func refused(arguments: [String], words: String) async throws {
        let error = await #expect(throws: CommandError.self) {
            try await AccountsCommand.command.run(
                arguments: ["add"] + arguments + ["--accounts-folder", folder.url.path], environment: [:], print: { _ in })
        }
        #expect(error?.description.contains(words) == true && error?.exitCode == .usage)
        #expect(told.isEmpty)
    }

    @Test("are added, revoked and forgotten by command, in the name of whoever is said to do it")
    func command() async throws {
        try folder.write("elf zeichen", to: "short")
        let short = await #expect(throws: CommandError.self) {
            try await run("add", "w1", "--participant", "anna", "--account-password-file", folder.path("short"))
        }
        #expect(short?.description.contains("at least 12 characters") == true)
        try folder.write("zwoelf zeich", to: "long")
        try await run("add", "w1", "--participant", "anna", "--account-password-file", folder.path("long"), "--changed-by", "Dora")
        #expect(told.map(\.actor) == ["local:Dora", "local:Dora"])
        #expect(try text("acl").contains("vigil/v1/ingest/anna/w1"))
        try await run("add", "w2", "--participant", "anna", "--device", "strap")
        #expect(try text("acl").contains("vigil/v1/ingest/anna/strap"))
        try await run("add", "carl", "--role", "carer", "--participant", "anna,bernd")
        try await run("list")
        try await run("revoke", "w1", "--changed-by", "Emil")
        #expect(told.last?.actor == "local:Emil")
        #expect(try roles().map(\.name) == ["carl", "w2"])
        let unknown = await #expect(throws: CommandError.self) { try await run("revoke", "w1") }
        #expect(unknown?.description.contains("there is no account w1") == true)
        try await run("forget", "anna")
        #expect(try roles() == [AccountList.Account(name: "carl", role: "carer", participants: ["bernd"])])
    }
}

/// Runs what waits for a lock on a thread of its own.
private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
