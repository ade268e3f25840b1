import Cryptography
import Foundation
import MessageBus
import Settings

/// `vigil accounts`: who may connect to the broker, and what each may publish and read.
enum AccountsCommand {
    static let folder = Setting(
        "accounts-folder", .path, default: "deploy/secrets/state", help: "The folder of the broker's files passwords and acl.")
    static let participant = Setting(
        "participant", .list(of: .name), default: [], help: "The participants of the account; a device has one, a subscriber one or more.")
    static let device = Setting.optional("device", .name, help: "The device's name in its topics; by default the account's name.")
    static let role = Setting(
        "role", ValueFormat<AccountRole>.choice, default: .device,
        help: """
            A device publishes for one participant; a subscriber reads the alerts of some; deploy/roles.json5 \
            lists the rights of a patient, carer and analyst; a bridge publishes on its own topics, which \
            mappings read.
            """
    )
    static let topics = Setting(
        "topic", .list(of: .text), default: [], help: "The topics of a bridge, for example home/#; vigil-ingest may read them.")
    static let passwordFile = Setting.secret(
        "account-password", help: "The account's password; by default a random one that is shown once.")

    static let changedBy = Setting.optional(
        "changed-by", .text, help: "The name in the audit trail; by default the user at the command line.")

    static let command = Command(
        name: "accounts", summary: "adds, lists and revokes the accounts of devices and people at the broker",
        details:
            "The broker of docker-compose.yml reads its accounts again by itself; any other does on SIGHUP.",
        subcommands: [add, list, revoke, forget, nats])

    private static let name = Operands("NAME", help: "The account's name: 1 to 64 of A-Z a-z 0-9 _ . -")

    private static let add = Command(
        name: "add", summary: "adds an account, or gives one another role",
        settings: [folder, role, participant, device, topics, passwordFile, changedBy],
        operands: name
    ) { invocation in
        let account = try account(invocation)
        let given = try invocation[passwordFile]?.exposed
        if let given, given.count < BrokerPassword.fewestCharacters {
            throw CommandError(
                .usage,
                "the password needs at least \(BrokerPassword.fewestCharacters) characters; without --account-password-file a random one is made"
            )
        }
        let password = given ?? randomPassword()
        try files(invocation).add(account, password: password, isGenerated: given == nil)
        StandardOutput.line("added \(account.name), \(account.role.rawValue): \(account.rights.joined(separator: ", "))")
        if given == nil { StandardOutput.line("password, shown only now: \(password)") }
    }

    private static let list = Command(name: "list", summary: "lists the accounts and what each may do", settings: [folder]) { invocation in
        for line in try AccountFiles(folder: invocation[folder]).list() { StandardOutput.line(line) }
    }

    private static let revoke = Command(
        name: "revoke", summary: "removes an account and ends its connections", settings: [folder, changedBy], operands: name
    ) { invocation in
        let name = invocation.operands[0]
        guard try files(invocation).remove(name) else {
            throw CommandError(.failure, "there is no account \(name)")
        }
        StandardOutput.line("revoked \(name)")
    }

    private static let forget = Command(
        name: "forget", summary: "removes the accounts for one participant only, and that participant from the others",
        settings: [folder, changedBy], operands: Operands("PARTICIPANT", help: "The erased participant; see vigil erase.")
    ) { invocation in
        let count = try files(invocation).forget(invocation.operands[0])
        StandardOutput.line("\(count) accounts were taken away or changed")
    }

    static let servicePasswords = Setting(
        "service-passwords", .path, default: "deploy/secrets/broker", help: "The folder with a file for each service's password.")

    private static let nats = Command(
        name: "nats", summary: "makes the accounts of a NATS broker from the access list, and updates them from then on",
        details: """
            Writes nats.conf beside acl, for inclusion in the configuration of a NATS broker. Existing accounts \
            need a new password.
            """,
        settings: [folder, servicePasswords]
    ) { invocation in
        let files = AccountFiles(folder: try invocation[folder])
        try files.makeNATS(servicePasswords: try invocation[servicePasswords])
        StandardOutput.line("\(files.folder)/nats.conf has the accounts of \(files.folder)/acl")
    }

    private static func files(_ invocation: Invocation) throws -> AccountFiles {
        var files = AccountFiles(folder: try invocation[folder])
        if let name = try invocation[changedBy] { files.notes = AccountNotes(actor: AccountNotes.local(name)) }
        return files
    }

    private static func account(_ invocation: Invocation) throws -> BrokerAccount {
        let name = invocation.operands[0]
        guard ValueFormat.name.read(name) != nil else {
            throw CommandError(.usage, "NAME accepts \(ValueFormat.name.accepts), not \"\(name)\"")
        }
        let people = try invocation[participant]
        let role = try invocation[role]
        let topics = try invocation[topics]
        guard role == .bridge ? people.isEmpty && !topics.isEmpty : topics.isEmpty else {
            throw CommandError(.usage, "--topic is for --role bridge, which needs one and has no --participant")
        }
        for topic in topics {
            if let objection = BrokerAccount.objection(toBridgeTopic: topic) {
                throw CommandError(.usage, "--topic \(topic): \(objection)")
            }
        }
        if role == .bridge { return BrokerAccount(name: name, role: role, participants: [], device: name, topics: topics) }
        guard role == .device ? people.count == 1 : !people.isEmpty else {
            throw CommandError(
                .usage, "--participant must name \(role == .device ? "the device's one participant" : "at least one participant")")
        }
        return BrokerAccount(name: name, role: role, participants: people, device: try invocation[device] ?? name)
    }

    /// 192 bits, in characters that need no quoting.
    private static func randomPassword() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<24).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }
}
