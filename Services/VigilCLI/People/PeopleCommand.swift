import Dashboard
import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// `vigil people`: who may sign in at the dashboard, and what each may see.
enum PeopleCommand {
    static let role = Setting(
        "role", .list(of: .text), default: ["carer"], help: "The roles, separated by commas: patient, carer, analyst or operator.")
    static let participant = Setting(
        "participant", .list(of: .text), default: [],
        help: "The participants that the account may see, separated by commas; * for everybody.")
    static let kiosk = Setting(
        "kiosk", .boolean, default: false, help: "A screen on a wall, which only reads and stays signed in for 30 days.")
    static let label = Setting("label", .text, default: "vigil people token", help: "The purpose of the token.")
    private static let readOnly = Setting(
        "read-only", .boolean, default: false, help: "Make a token that may only ask, and change nothing.")
    static let withoutPasskeys = Setting(
        "without-passkeys", .boolean, default: false, help: "Also remove the account's passkeys, if their owner has lost them.")
    static let end = Setting.optional("end", .text, help: "The token to end, as shown at the start of its line.")
    static let limit = Setting(
        "limit", .integer(in: 1...10_000), default: 50, help: "The most lines of the audit that are shown, newest first.")
    static let about = Setting.optional("about", .name, help: "Only entries about this participant.")

    static let command = Command(
        name: "people", summary: "adds, lists and revokes the accounts of the dashboard, and shows its audit",
        details: """
            Works on the dashboard's file in the state folder or, with --state, on the database of several \
            dashboards, also while they run; changes apply at once. Nobody gets a password: each gets a link to \
            choose one, good once and for three days.
            """,
        subcommands: [add, list, revoke, reset, token, tokens, audit])

    private static let name = Operands("NAME", help: "The account's name: 1 to 64 of A-Z a-z 0-9 _ . -")
    private static let common: [any AnySetting] = [CommonSettings.instance, CommonSettings.stateFolder] + DashboardService.state.all

    private static let add = Command(
        name: "add", summary: "adds an account and prints its one-time link", settings: common + [role, participant, kiosk], operands: name
    ) { invocation in
        let store = try store(invocation)
        let roles = try invocation[role].map { text in
            guard let role = Role(rawValue: text) else {
                throw CommandError(.usage, "--role accepts \(Role.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(text)\"")
            }
            return role
        }
        let account = Dashboard.Account(
            name: invocation.operands[0], roles: Set(roles), participants: try invocation[participant], isKiosk: try invocation[kiosk])
        try await refusing { try await store.add(account, now: now, note: note) }
        StandardOutput.line("added \(account.name)")
        try await printLink(account.name, store)
    }

    private static let list = Command(name: "list", summary: "lists the accounts", settings: common) { invocation in
        let store = try store(invocation)
        for account in try await store.accounts() {
            let passkeys = try await store.passkeys(of: account.name).count
            let roles = account.roles.map(\.rawValue).sorted().joined(separator: "+") + (account.isKiosk ? " (kiosk)" : "")
            let step = passkeys == 0 ? "-" : passkeys == 1 ? "1 passkey" : "\(passkeys) passkeys"
            StandardOutput.line("\(account.name)\t\(roles)\t\(account.participants.joined(separator: ","))\t\(step)")
        }
    }

    private static let revoke = Command(
        name: "revoke", summary: "removes an account and ends its sessions, open pages and tokens", settings: common, operands: name
    ) { invocation in
        let store = try store(invocation)
        let name = invocation.operands[0]
        try await refusing { try await store.remove(name, noting: note.line("remove-account", name)) }
        StandardOutput.line("revoked \(name)")
    }

    private static let reset = Command(
        name: "reset", summary: "prints a new one-time link, for a forgotten password or a lost passkey",
        settings: common + [withoutPasskeys], operands: name
    ) { invocation in
        let (store, name, isWithout) = (try store(invocation), invocation.operands[0], try invocation[withoutPasskeys])
        try await refusing {
            if isWithout {
                let count = try await store.removePasskeys(of: name, noting: note.line("passkeys-removed", name))
                StandardOutput.line("removed \(count) passkey\(count == 1 ? "" : "s")")
            }
            try await printLink(name, store, noting: note.line("make-link", name))
        }
    }

    private static let token = Command(
        name: "token", summary: "prints a personal token for programs that use the REST interface",
        settings: common + [label, readOnly], operands: name
    ) { invocation in
        let (store, label, isReadOnly) = (try store(invocation), try invocation[label], try invocation[readOnly])
        try await refusing {
            let name = invocation.operands[0]
            let token = try await store.makeToken(
                for: name, label: label, isReadOnly: isReadOnly, now: now, noting: note.line("make-token", name))
            StandardOutput.line(token)
        }
    }

    private static let tokens = Command(
        name: "tokens", summary: "lists an account's tokens, or ends one", settings: common + [end], operands: name
    ) { invocation in
        let (store, name) = (try store(invocation), invocation.operands[0])
        let all = try await store.tokens(of: name)
        guard let start = try invocation[end] else {
            for token in all {
                let made = Date(timeIntervalSince1970: token.created).formatted(.iso8601)
                StandardOutput.line("\(token.id.prefix(12))\t\(made)\t\(token.label)")
            }
            return
        }
        let meant = all.filter { $0.id.hasPrefix(start) }
        guard let token = meant.first, meant.count == 1, !start.isEmpty else {
            throw CommandError(.failure, meant.isEmpty ? "\(name) has no such token" : "several tokens begin so: write more of it")
        }
        try await refusing { try await store.endToken(id: token.id, of: name, noting: note.line("token-ended", name)) }
        StandardOutput.line("ended \(token.label)")
    }

    private static let audit = Command(
        name: "audit", summary: "shows who saw or changed which data, newest first", settings: common + [limit, about]
    ) { invocation in
        let entries = try await store(invocation).audit(before: nil, limit: try invocation[limit], participant: try invocation[about])
        for entry in entries {
            let time = Date(timeIntervalSince1970: entry.time).formatted(.iso8601)
            StandardOutput.line(
                [time, entry.actor, entry.action, entry.participant, entry.detail, entry.address].map { $0.isEmpty ? "-" : $0 }
                    .joined(separator: "\t"))
        }
    }

    private static var now: Double { Timestamp.now.seconds }

    private static func store(_ invocation: Invocation) throws -> AccountStore {
        if let database = try PostgresAccounts(DashboardService.state, invocation.configuration) { return AccountStore(database) }
        let path = AccountStore.path(
            stateFolder: try invocation[CommonSettings.stateFolder], instance: try invocation[CommonSettings.instance])
        // Made here, it would be a list that no dashboard reads: nobody gets in by its links, and nobody whom it lacks is shut out.
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError(
                .noInput, "there are no accounts at \(path): --state-folder names the dashboard's, which makes them when it starts")
        }
        return try AccountStore(path: path)
    }

    private static func printLink(_ name: String, _ store: AccountStore, noting lines: [AuditRecord] = []) async throws {
        let link = try await store.makeLink(for: name, now: now, noting: lines)
        StandardOutput.line("one-time link, behind the dashboard's address: /welcome#\(link)")
    }

    /// What the audit is told, in the transaction of what it tells of.
    private static var note: AccountNote { .ofCommandLine(at: now) }

    private static func refusing(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as AccountError { throw CommandError(.failure, error.description) }
    }
}

/// The first account of a suite on one machine.
enum FirstOperator {
    /// The path of a link with which whoever started the suite chooses the first password; nil where somebody has one already.
    static func link(stateFolder: String) async throws -> String? {
        let store = try AccountStore(path: AccountStore.path(stateFolder: stateFolder))
        let now = Timestamp.now.seconds
        let accounts = try await store.accounts()
        for account in accounts where try await store.passwordHash(of: account.name) != nil { return nil }
        let name = accounts.first { $0.roles.contains(.operator) }?.name ?? "operator"
        if accounts.isEmpty {
            // One machine, one person: who starts it sees everybody.
            let first = Dashboard.Account(name: name, roles: [.operator, .carer], participants: ["*"])
            try await store.add(first, now: now, note: .ofCommandLine(at: now))
        }
        let lines = AccountNote.ofCommandLine(at: now).line("make-link", name)
        return "/welcome#" + (try await store.makeLink(for: name, now: now, noting: lines))
    }
}

extension AccountNote {
    /// Of whoever is at the command line of this machine.
    fileprivate static func ofCommandLine(at time: Double) -> AccountNote {
        AccountNote(actor: AccountNotes.localUser, address: AuditRecord.commandLine, time: time)
    }
}
