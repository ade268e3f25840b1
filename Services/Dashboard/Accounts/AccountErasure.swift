package import Access
import Cryptography
import Foundation
import TimelineStore

extension AccountStore {
    /// Forgets a participant: the own account of a patient goes with its sessions, links and tokens; other accounts are assigned to the others
    /// only; the audit tells of a pseudonym from now on that nobody can undo.
    /// - Returns: the number of things that were removed, by what they are.
    package func erase(_ participant: String) async throws -> [String: Int] {
        let pseudonym = "~" + RandomToken.make().prefix(12)
        var removed = try await database.transaction { connection in
            try Self.lockAll(connection)
            var removed = ["accounts": 0, "assignments": 0]
            for account in try Self.accounts(connection, "", []) {
                if account.roles == [.patient], account.participants == [participant] {
                    try connection.run("DELETE FROM accounts WHERE name = $1", [.text(account.name)])
                    removed["accounts", default: 0] += 1
                } else if let changed = account.without(participant) {
                    try connection.run(
                        "UPDATE accounts SET participants = $2, preferences = $3 WHERE name = $1",
                        [.text(account.name), try Self.row(changed)[2], .text(changed.preferences)])
                    removed["assignments", default: 0] += 1
                }
            }
            for table in ["share_links", "archived"] as [StaticString] {
                let count = try connection.run("DELETE FROM \(table) WHERE participant = $1", [.text(participant)])
                if count > 0 { removed["share links and archive", default: 0] += count }
            }
            return removed
        }
        // By itself, as it may take long in a long audit: nobody who signs in waits behind it.
        removed["audit lines"] = try await database.transaction { try database.pseudonymise(participant, as: pseudonym, $0) }
        try await database.wipe()
        return removed
    }

    /// Everything that `erase` would remove or change, but for passwords, sessions' and links' secrets, and whom else an account is assigned to.
    package func personalData(of participant: String) async throws -> PersonalData {
        try await database.read { connection in
            var (own, assigned): ([[String: Any]], [[String: Any]]) = ([], [])
            for account in try Self.accounts(connection, "", []) {
                if account.roles == [.patient], account.participants == [participant] {
                    own.append(try Self.description(of: account, connection))
                } else if account.without(participant) != nil {
                    assigned.append(["account": account.name, "roles": account.roles.map(\.rawValue).sorted()])
                }
            }
            var data = PersonalData()
            try data.add("accounts", own)
            try data.add("assignments", assigned)
            let columns = "account, metrics, first, last, expires"
            let links = try connection.rows("SELECT \(columns) FROM share_links WHERE participant = $1", [.text(participant)])
            try data.add("share links", links.map { Self.object(columns, $0) })
            let lines = try connection.rows(
                "SELECT \(AuditRecord.columns) FROM audit \(AuditRecord.mentioning) ORDER BY id", [.text(participant)])
            try data.add("audit lines", lines.map { Self.object(AuditRecord.columns, $0) })
            return data
        }
    }

    private static func description(of account: Account, _ connection: any SQLConnection) throws -> [String: Any] {
        func objects(_ columns: String, of table: String, by column: String = "account") throws -> [[String: Any]] {
            try connection.rows("SELECT \(columns) FROM \(table) WHERE \(column) = $1", [.text(account.name)]).map { object(columns, $0) }
        }
        return [
            "name": account.name, "participants": account.participants, "preferences": account.preferences,
            "roles": account.roles.map(\.rawValue).sorted(),
            "created": try objects("created", of: "accounts", by: "name").first?["created"] ?? NSNull(),
            "sessions": try objects("created, seen, address, agent", of: "sessions"),
            "tokens": try objects("label, created", of: "tokens"),
            "links": try objects("expires", of: "links"),
            "passkeys": try objects("label, host, created, used", of: "passkeys"),
        ]
    }

    /// A row as a JSON object, without what is null.
    private static func object(_ columns: String, _ row: SQLRow) -> [String: Any] {
        var object: [String: Any] = [:]
        for (name, value) in zip(columns.split(separator: ", "), row.values) {
            switch value {
            case .integer(let number): object[String(name)] = number
            case .real(let number): object[String(name)] = number
            case .text(let text): object[String(name)] = text
            case .null, .blob, .time: break
            }
        }
        return object
    }
}

extension Account {
    /// The account without the participant in its assignments and settings; nil where it has neither.
    fileprivate func without(_ participant: String) -> Account? {
        var changed = self
        changed.participants.removeAll { $0 == participant }
        var settings = Preference.read(preferences)
        for (name, value) in settings {
            switch value {
            case .list(let names) where names.contains(participant): settings[name] = .list(names.filter { $0 != participant })
            case .text(participant): settings[name] = nil
            default: if name.replacingName(participant, by: "") != name { settings[name] = nil }
            }
        }
        if settings != Preference.read(preferences), let text = try? Preference.write(settings) { changed.preferences = text }
        return changed == self ? nil : changed
    }
}
