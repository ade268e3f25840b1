package import Access
import Cryptography
import Foundation
import SQLiteDatabase
import ServiceKit

extension AccountStore {
    /// Forgets a participant: the own account of a patient goes with its sessions, links and tokens; other accounts are assigned to the others
    /// only; the audit tells of a pseudonym from now on that nobody can undo.
    /// - Returns: the number of things that were removed, by what they are.
    package func erase(_ participant: String) async throws -> [String: Int] {
        let removed = try await state.transaction { database in
            var removed = ["accounts": 0, "assignments": 0]
            for account in try Self.accounts(database, "", []) {
                if account.roles == [.patient], account.participants == [participant] {
                    try database.run("DELETE FROM accounts WHERE name = ?", [.text(account.name)])
                    removed["accounts", default: 0] += 1
                } else if let changed = account.without(participant) {
                    try database.run(
                        "UPDATE accounts SET participants = ?2, preferences = ?3 WHERE name = ?1",
                        [.text(account.name), .text(try Self.json(changed.participants)), .text(changed.preferences)])
                    removed["assignments", default: 0] += 1
                }
            }
            removed["audit lines"] = try Self.pseudonymise(participant, database)
            return removed
        }
        try await state.wipe()
        return removed
    }

    /// Everything that `erase` would remove or change, but for passwords, sessions' and links' secrets, and whom else an account is assigned to.
    package func personalData(of participant: String) async throws -> PersonalData {
        try await state.read { database in
            var (own, assigned): ([[String: Any]], [[String: Any]]) = ([], [])
            for account in try Self.accounts(database, "", []) {
                if account.roles == [.patient], account.participants == [participant] {
                    own.append(try Self.description(of: account, database))
                } else if account.without(participant) != nil {
                    assigned.append(["account": account.name, "roles": account.roles.map(\.rawValue).sorted()])
                }
            }
            var data = PersonalData()
            try data.add("accounts", own)
            try data.add("assignments", assigned)
            try data.add("audit lines", database.objects("SELECT * FROM audit \(Self.mentioning) ORDER BY id", [.text(participant)]))
            return data
        }
    }

    private static func description(of account: Account, _ database: Database) throws -> [String: Any] {
        let name: [SQLiteValue] = [.text(account.name)]
        return [
            "name": account.name, "participants": account.participants, "preferences": account.preferences,
            "roles": account.roles.map(\.rawValue).sorted(),
            "created": try database.objects("SELECT created FROM accounts WHERE name = ?", name).first?["created"] ?? NSNull(),
            "sessions": try database.objects("SELECT created, seen, address, agent FROM sessions WHERE account = ?", name),
            "tokens": try database.objects("SELECT label, created FROM tokens WHERE account = ?", name),
            "links": try database.objects("SELECT expires FROM links WHERE account = ?", name),
            "passkeys": try database.objects("SELECT label, host, created, used FROM passkeys WHERE account = ?", name),
        ]
    }

    private static var mentioning: String { "WHERE ?1 IN (actor, participant) OR instr(detail, ?1) > 0" }

    private static func json(_ names: [String]) throws -> String { String(decoding: try JSONEncoder().encode(names), as: UTF8.self) }

    /// The audit is append-only for everything but this.
    private static func pseudonymise(_ participant: String, _ database: Database) throws -> Int {
        let pseudonym = "~" + RandomToken.make().prefix(12)
        var count = 0
        try database.execute("DROP TRIGGER audit_stays")
        for (id, actor, detail) in try lines(mentioning: participant, database) {
            try database.run(
                "UPDATE audit SET actor = ?2, participant = iif(participant = ?4, ?5, participant), detail = ?3 WHERE id = ?1",
                [
                    .integer(id), .text(actor == participant ? pseudonym : actor), .text(detail.replacingName(participant, by: pseudonym)),
                    .text(participant), .text(pseudonym),
                ])
            count += 1
        }
        try database.execute(auditStays)
        return count
    }

    private static func lines(mentioning participant: String, _ database: Database) throws -> [(Int64, String, String)] {
        let row = try database.statement("SELECT id, actor, detail FROM audit \(mentioning)")
        defer { row.reset() }
        try row.bind([.text(participant)])
        var lines: [(Int64, String, String)] = []
        while try row.step() { lines.append((row.integer(0), row.text(1), row.text(2))) }
        return lines
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

extension String {
    /// With another word wherever the name stands by itself.
    fileprivate func replacingName(_ name: String, by other: String) -> String {
        var result = "", rest = self[...]
        while let range = rest.range(of: name) {
            let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
            let after = range.upperBound == endIndex ? nil : self[range.upperBound]
            let isWhole = ![before, after].contains { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } == true }
            result += rest[..<range.lowerBound] + (isWhole ? other : name)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
