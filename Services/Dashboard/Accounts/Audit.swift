import Observability
import SQLiteDatabase
import ServiceKit
import Settings

/// One line of the audit: who saw or changed what of whom, when, from where.
package struct AuditRecord: Sendable, Hashable, Codable {
    package let id: Int64
    /// Unix seconds.
    package let time: Double
    /// Set by the server from the session, never by a page.
    package let actor: String
    /// For example `acknowledge`, `see-timeline`, `sign-in-refused`.
    package let action: String
    /// The participant whose data it was; empty where it was nobody's.
    package let participant: String
    package let detail: String
    package let address: String

    /// An entry that is to be appended; it gets its number then.
    package init(id: Int64 = 0, time: Double, actor: String, action: String, participant: String, detail: String, address: String) {
        self.id = id
        self.time = time
        self.actor = actor
        self.action = action
        self.participant = participant
        self.detail = detail
        self.address = address
    }
}

extension AccountStore {
    /// Appends to the audit; on disk when it returns.
    package func audit(_ entry: AuditRecord) async throws {
        try await state.transaction { database in
            try database.run(
                "INSERT INTO audit (time, actor, action, participant, detail, address) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .real(entry.time), .text(String(entry.actor.prefix(64))), .text(entry.action), .text(entry.participant),
                    .text(String(entry.detail.prefix(500))), .text(entry.address),
                ])
        }
    }

    /// Entries, newest first; older than `before` where that is given.
    package func audit(before: Int64?, limit: Int, participant: String? = nil) async throws -> [AuditRecord] {
        try await state.read { database in
            let row = try database.statement(
                """
                SELECT id, time, actor, action, participant, detail, address FROM audit
                WHERE id < ?1 AND (?3 IS NULL OR participant = ?3) ORDER BY id DESC LIMIT ?2
                """)
            defer { row.reset() }
            try row.bind([.integer(before ?? .max), .integer(Int64(limit)), participant.map { .text($0) } ?? .null])
            var entries: [AuditRecord] = []
            while try row.step() { entries.append(Self.auditEntry(row)) }
            return entries
        }
    }

    static func auditEntry(_ row: Statement) -> AuditRecord {
        AuditRecord(
            id: row.integer(0), time: row.real(1), actor: row.text(2), action: row.text(3), participant: row.text(4), detail: row.text(5),
            address: row.text(6))
    }
}
