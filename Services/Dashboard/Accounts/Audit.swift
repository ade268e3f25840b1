import TimelineStore
import VigilSchema

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

extension AuditRecord {
    static let columns = "id, time, actor, action, participant, detail, address"
    /// Lines that are about the name in `$1`, or mention it.
    static let mentioning = "WHERE $1 IN (actor, participant) OR replace(detail, $1, '') <> detail"

    init(_ row: SQLRow) {
        self.init(
            id: row.integer(0), time: row.real(1), actor: row.text(2), action: row.text(3), participant: row.text(4), detail: row.text(5),
            address: row.text(6))
    }

    /// The columns behind its number, which it gets when it is appended.
    var values: [SQLValue] {
        [
            .real(time), .text(actor.kept(128)), .text(action), .text(participant.kept(128)), .text(detail.kept(2000)), .text(address),
        ]
    }
}

extension AccountStore {
    static let appending = "INSERT INTO audit (time, actor, action, participant, detail, address) VALUES ($1, $2, $3, $4, $5, $6)"

    /// Appends lines in the transaction of what they tell of: neither is there without the other.
    static func append(_ lines: [AuditRecord], _ connection: any SQLConnection) throws {
        for line in lines { try connection.run(appending, line.values) }
    }

    /// Appends to the audit; on disk when it returns.
    package func audit(_ entry: AuditRecord) async throws {
        try await database.transaction { _ = try $0.run(Self.appending, entry.values) }
    }

    /// Entries, newest first; older than `before` where that is given.
    package func audit(before: Int64?, limit: Int, participant: String? = nil) async throws -> [AuditRecord] {
        let condition = participant == nil ? "" : "AND participant = $3"
        let values: [SQLValue] = [.integer(before ?? .max), .integer(Int64(limit))] + (participant.map { [.text($0)] } ?? [])
        return try await database.read { connection in
            try connection.rows(
                "SELECT \(AuditRecord.columns) FROM audit WHERE id < $1 \(condition) ORDER BY id DESC LIMIT $2", values
            ).map { AuditRecord($0) }
        }
    }
}
