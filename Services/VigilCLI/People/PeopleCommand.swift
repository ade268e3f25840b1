import Dashboard
import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// `vigil people`: who may sign in at the dashboard, and what each may see.
enum PeopleCommand {
    static let role = Setting(
        "role", .list(of: .text), default: ["carer"], help: "patient, carer, analyst or operator; several with commas.")
    static let participant = Setting(
        "participant", .list(of: .text), default: [], help: "Whose data the account is about; several with commas, * for everybody.")
    static let kiosk = Setting(
        "kiosk", .boolean, default: false, help: "A screen on a wall: it only reads and stays signed in for 30 days.")
    static let label = Setting("label", .text, default: "vigil people token", help: "What the token is for.")
    static let withoutPasskeys = Setting(
        "without-passkeys", .boolean, default: false, help: "Remove the account's passkeys too, for an owner who has lost them.")
    static let limit = Setting("limit", .integer(in: 1...10_000), default: 50, help: "How many entries of the audit, newest first.")
    static let about = Setting.optional("about", .name, help: "Only entries about this participant.")

    static let command = Command(
        name: "people", summary: "adds, lists and revokes the accounts of the dashboard, and shows its audit",
        details: """
            Works on the dashboard's file in the state folder, or with --state on the database of dashboards that serve side by side, also while they \
            run; what changes counts at once. Nobody gets a password: each gets a link, good once and for three days, to choose one.
            """,
        subcommands: [add, list, revoke, reset, token, audit])

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
        try await refusing { try await store.add(account, now: now) }
        try await note("add-account", account.name, store)
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
        name: "revoke", summary: "removes an account; its sessions, open pages and tokens end", settings: common, operands: name
    ) { invocation in
        let store = try store(invocation)
        try await refusing { try await store.remove(invocation.operands[0]) }
        try await note("remove-account", invocation.operands[0], store)
        StandardOutput.line("revoked \(invocation.operands[0])")
    }

    private static let reset = Command(
        name: "reset", summary: "prints a new one-time link, for a forgotten password or a lost passkey",
        settings: common + [withoutPasskeys], operands: name
    ) { invocation in
        let (store, name, isWithout) = (try store(invocation), invocation.operands[0], try invocation[withoutPasskeys])
        try await refusing {
            if isWithout {
                let count = try await store.removePasskeys(of: name)
                try await note("passkeys-removed", name, store)
                StandardOutput.line("removed \(count) passkey\(count == 1 ? "" : "s")")
            }
            try await printLink(name, store)
        }
        try await note("make-link", name, store)
    }

    private static let token = Command(
        name: "token", summary: "prints a personal token for programs that use the REST interface", settings: common + [label],
        operands: name
    ) { invocation in
        let (store, label) = (try store(invocation), try invocation[label])
        try await refusing {
            StandardOutput.line(try await store.makeToken(for: invocation.operands[0], label: label, now: now))
        }
        try await note("make-token", invocation.operands[0], store)
    }

    private static let audit = Command(
        name: "audit", summary: "shows who saw or changed what of whom, newest first", settings: common + [limit, about]
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
        return try AccountStore(
            path: AccountStore.path(
                stateFolder: try invocation[CommonSettings.stateFolder], instance: try invocation[CommonSettings.instance]))
    }

    private static func printLink(_ name: String, _ store: AccountStore) async throws {
        let link = try await store.makeLink(for: name, now: now)
        StandardOutput.line("one-time link, behind the dashboard's address: /welcome#\(link)")
    }

    private static func note(_ action: String, _ name: String, _ store: AccountStore) async throws {
        try await store.audit(
            AuditRecord(
                time: now, actor: AccountNotes.localUser, action: action, participant: "", detail: name,
                address: AuditRecord.commandLine))
    }

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
            try await store.add(Dashboard.Account(name: name, roles: [.operator, .carer], participants: ["*"]), now: now)
        }
        return "/welcome#" + (try await store.makeLink(for: name, now: now))
    }
}
