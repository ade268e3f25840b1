import Access
import Cryptography
import Foundation
import Settings
import VigilSchema

/// The account files: the broker's `passwords` (hashes only) and `acl`, and the services' list of roles.
///
/// Each change is first written to a file that vigil-timeline adds to the audit trail. Concurrent changes are made one
/// after the other.
struct AccountFiles: Sendable {
    let folder: String
    /// The audit lines, and their actor.
    var notes = AccountNotes(actor: AccountNotes.localUser)
    private var changes: AccountChanges { AccountChanges(besideAccounts: roles) }
    private var passwords: String { "\(folder)/passwords" }
    var accessList: String { "\(folder)/acl" }
    private var roles: String { "\(folder)/roles/\(AccountList.fileName)" }

    /// Adds the account, or changes its password and role.
    /// - Parameter isGenerated: Whether the password is random.
    func add(_ account: BrokerAccount, password: String, isGenerated: Bool = false) throws {
        guard !AccountList.services.contains(account.name) else {
            throw CommandError(.usage, "\(account.name) is a service's account; choose another name")
        }
        let hashed = try BrokerPassword.line(account.name, password, isGenerated: isGenerated)
        let natsHash = try natsHash(password, isGenerated: isGenerated)
        try FolderLock.holding(folder) { try add(account, hashed, natsHash) }
    }

    private func add(_ account: BrokerAccount, _ hashed: String, _ natsHash: String?) throws {
        var list = AccessList(try read(accessList))
        list.set(account.name, rights: account.rights)
        // vigil-ingest must be allowed to read a bridge's topics.
        list.grant("ingest", rights: account.topics.map { "topic read \($0)" })
        try checkNATS(list)
        let others = try lines(without: account.name)
        let isKnown = try lines().count > others.count
        let told = notes.setting(account.entry, isKnown: isKnown, former: try roleList()[account.name])
        try telling(told) {
            // Rights first: an account with rights and no password can do nothing, unlike the reverse.
            try write(list.text, to: accessList)
            try changeRoles { if account.role == .bridge { $0.remove(account.name) } else { $0.set(account.entry) } }
            try write((others + [hashed]).joined(separator: "\n") + "\n", to: passwords)
            try renewNATS(account.name, hash: natsHash)
        }
    }

    /// Removes the account; false: no file names it. Also removes the rest of an interrupted change.
    func remove(_ name: String) throws -> Bool {
        guard !AccountList.services.contains(name) else {
            throw CommandError(.usage, "\(name) is a service's account; it cannot be revoked")
        }
        return try FolderLock.holding(folder) {
            let left = try lines(without: name)
            let former = try roleList()[name]
            let hasRights = AccessList(try read(accessList)).users.contains { $0.name == name }
            guard try left.count < lines().count || hasRights || former != nil || namesForNATS(name) else { return false }
            try telling(notes.revoking(name, former: former)) { try remove(name, leaving: left) }
            // Only now, so that a mistake in another's rights does not keep the account.
            try checkNATS(AccessList(try read(accessList)))
            return true
        }
    }

    private func remove(_ name: String, leaving left: [String]) throws {
        try write(left.isEmpty ? "" : left.joined(separator: "\n") + "\n", to: passwords)
        var list = AccessList(try read(accessList))
        list.remove(name)
        try write(list.text, to: accessList)
        try renewNATS(name, hash: nil)
        try changeRoles { $0.remove(name) }
    }

    /// Removes the accounts for this participant only, and the participant from the others; returns the number of
    /// changes.
    func forget(_ participant: String) throws -> Int { try FolderLock.holding(folder) { try forgetLocked(participant) } }

    private func forgetLocked(_ participant: String) throws -> Int {
        let own = try roleList().accounts.filter { $0.participants.contains(participant) }
        // Pseudonyms at once, also in lines that the trail has not read yet.
        let gone = own.filter { $0.participants == [participant] }.map(\.name)
        try makeRolesFolder()
        try changes.forget(Set(gone + [participant]), adding: notes.forgetting(participant, own))
        for account in own {
            let others = account.participants.filter { $0 != participant }
            guard !others.isEmpty, let role = AccountRole(rawValue: account.role) else {
                try remove(account.name, leaving: lines(without: account.name))
                continue
            }
            let changed = BrokerAccount(name: account.name, role: role, participants: others, device: account.name)
            var list = AccessList(try read(accessList))
            // Rights about others stay, whatever device they name.
            let kept = list.users.first { $0.name == account.name }?.rights.filter { !BrokerAccount.isRight($0, about: participant) }
            list.set(account.name, rights: kept ?? changed.rights)
            try write(list.text, to: accessList)
            try renewNATS()
            try changeRoles { $0.set(changed.entry) }
        }
        return own.count
    }

    /// The accounts for a participant, with their rights about this one, and no password.
    func accounts(of participant: String) throws -> [[String: Any]] {
        let users = AccessList(try read(accessList)).users
        return try roleList().accounts.filter { $0.participants.contains(participant) }.map { account in
            let rights = users.first { $0.name == account.name }?.rights.filter { BrokerAccount.isRight($0, about: participant) } ?? []
            return ["name": account.name, "role": account.role, "rights": rights]
        }
    }

    /// A line for each account.
    func list() throws -> [String] {
        let names = Set(try lines().map { String($0.prefix { $0 != ":" }) })
        let roles = try roleList()
        return AccessList(try read(accessList)).users.map { user in
            let isService = AccountList.services.contains(user.name)
            let state =
                isService ? "  (a service)" : names.contains(user.name) ? "" : "  (no password: connects with a certificate, or not at all)"
            let role =
                isService
                ? ""
                : roles[user.name].map { "  \($0.role) of \($0.participants.joined(separator: ", "))" }
                    ?? "  (no role: may ask for nothing)"
            return "\(user.name)\(role)\(state)\n" + user.rights.map { "    \($0.dropFirst(6))" }.joined(separator: "\n")
        }
    }

    private func roleList() throws -> AccountList {
        guard let data = FileManager.default.contents(atPath: roles) else { return AccountList() }
        do { return try AccountList(decoding: data) } catch { throw CommandError(.data, "\(roles): \(error)") }
    }

    private func changeRoles(_ change: (inout AccountList) -> Void) throws {
        var list = try roleList()
        change(&list)
        try makeRolesFolder()
        try write(String(decoding: list.encoded(), as: UTF8.self), to: roles)
    }

    private func makeRolesFolder() throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/roles", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    /// Writes an audit line, makes the change, and notes a failure.
    private func telling(_ entries: [AuditEntry], _ change: () throws -> Void) throws {
        try makeRolesFolder()
        try changes.append(entries)
        do { try change() } catch {
            try? changes.append(entries.map { notes.failed($0) })
            throw error
        }
    }

    private func lines() throws -> [String] { try read(passwords).split(separator: "\n").map(String.init) }

    private func lines(without name: String) throws -> [String] { try lines().filter { !$0.hasPrefix("\(name):") } }

    func read(_ path: String) throws(CommandError) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(.noInput, "\(path) cannot be read: run deploy/init first, or say where with --accounts-folder")
        }
        return text
    }

    /// In place, because the broker's container mounts the folder, and at once, because it may read at any moment.
    func write(_ text: String, to path: String) throws {
        let next = path + ".new"
        try Data(text.utf8).write(to: URL(filePath: next))
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: next)
        guard rename(next, path) == 0 else {
            throw CommandError(.failure, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
