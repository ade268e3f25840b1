import Cryptography
package import VigilSchema

/// A line of the audit trail as it is kept.
package struct AuditLine: Hashable, Sendable, Codable {
    /// From 1 on, without a gap.
    package var number: Int64
    /// Names that have been erased are told by their pseudonyms.
    package var entry: AuditEntry
    /// The link to the line before: the hash of that line and of this one's content.
    package var hash: String
}

/// The result of a check of the audit trail.
package struct AuditVerification: Hashable, Sendable, Codable {
    /// Lines that are as they were written, from the first on.
    package var lines: Int64
    /// The hash of the last of them: noted elsewhere, it proves later that nothing was cut off.
    package var head: String
    /// The problem with the next one; nil where nothing is.
    package var problem: String?
}

extension SQLTimelineStore {
    package func append(audit entries: [AuditEntry]) async throws(StoreError) {
        guard !entries.isEmpty else { return }
        try await record { connection throws(StoreError) in try AuditTrail(connection: connection).append(entries) }
    }

    package func audit(
        participant: String?, from: Timestamp, to: Timestamp, limit: Int, after: Int64
    ) async throws(StoreError) -> [AuditLine] {
        try await read { connection throws(StoreError) in
            let rows = try connection.rows(
                """
                SELECT \(AuditTrail.columns), coalesce(a.name, audit.actor), coalesce(p.name, audit.participant)
                FROM audit LEFT JOIN audit_name a ON a.pseudonym = audit.actor LEFT JOIN audit_name p ON p.pseudonym = audit.participant
                WHERE audit.number > $1 AND audit.time >= $2 AND audit.time < $3
                    AND ($4 = '' OR audit.participant = $4 OR p.name = $4 OR a.name = $4)
                ORDER BY audit.number LIMIT $5
                """,
                [.integer(after), .time(from), .time(to), .text(participant ?? ""), .integer(Int64(limit))])
            return rows.map { row in
                var line = AuditTrail.line(row)
                line.entry.actor = row.text(9)
                line.entry.participant = row.optionalText(10)
                return line
            }
        }
    }

    package func verifyAudit(head: String?) async throws(StoreError) -> AuditVerification {
        var found = AuditVerification(lines: 0, head: AuditTrail.start, problem: nil)
        var isHeadMet = head == nil || head == AuditTrail.start
        while true {
            let lines = try await read { [found] connection throws(StoreError) in
                try connection.rows(
                    "SELECT \(AuditTrail.columns) FROM audit WHERE number > $1 ORDER BY number LIMIT 10000", [.integer(found.lines)]
                ).map(AuditTrail.line)
            }
            for line in lines {
                if line.number != found.lines + 1 { found.problem = "line \(found.lines + 1) is missing" }
                if found.problem == nil, AuditTrail.hash(line, after: found.head) != line.hash {
                    found.problem = "line \(line.number) is not what was written, or does not follow the line before"
                }
                if found.problem != nil { return found }
                (found.lines, found.head) = (line.number, line.hash)
                if line.hash == head { isHeadMet = true }
            }
            if lines.isEmpty { break }
        }
        let last = try await read { connection throws(StoreError) in try AuditTrail(connection: connection).head(lock: "") }
        if last.number != found.lines || last.hash != found.head {
            found.problem = "\(last.number) lines were written, and the last of them are missing"
        } else if !isHeadMet {
            found.problem = "the hash that was noted before is none of these lines'"
        }
        return found
    }
}

/// The audit trail's tables, in the dialect of both databases.
///
/// Lines name people by pseudonyms, whose names stand in a table of their own: an erasure removes the name there, and every line stays as
/// it was hashed.
struct AuditTrail {
    /// The hash that the first line follows.
    static let start = String(repeating: "0", count: 64)
    static let columns =
        "audit.number, audit.time, audit.actor, audit.address, audit.operation, audit.participant, audit.detail, audit.outcome, audit.hash"

    let connection: any SQLConnection

    func append(_ entries: [AuditEntry]) throws(StoreError) {
        var (number, hash) = try head(lock: type(of: connection).lockingClause)
        for entry in entries {
            var entry = entry.kept
            entry.actor = try pseudonym(of: entry.actor)
            entry.participant = try entry.participant.map { name throws(StoreError) in try pseudonym(of: name) }
            number += 1
            var line = AuditLine(number: number, entry: entry, hash: "")
            line.hash = Self.hash(line, after: hash)
            hash = line.hash
            try connection.run(
                """
                INSERT INTO audit (number, time, actor, address, operation, participant, detail, outcome, hash)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """,
                [
                    .integer(number), .time(entry.time), .text(entry.actor), .optional(entry.address), .text(entry.operation),
                    .optional(entry.participant), .optional(entry.detail), .text(entry.outcome), .text(hash),
                ])
        }
        try connection.run("UPDATE audit_head SET number = $1, hash = $2", [.integer(number), .text(hash)])
    }

    /// The last line's number and hash, kept apart from the lines so that one that is cut off is missed.
    func head(lock: String) throws(StoreError) -> (number: Int64, hash: String) {
        guard let row = try connection.rows("SELECT number, hash FROM audit_head \(lock)").first else {
            throw StoreError(.corrupt, operation: "audit", detail: "the audit trail's head is missing")
        }
        return (row.integer(0), row.text(1))
    }

    /// The pseudonym that stands for a name, made where there is none yet. One that is given as a name is its own.
    private func pseudonym(of name: String) throws(StoreError) -> String {
        guard !name.hasPrefix("~") else { return name }
        if let known = try pseudonymIfKnown(of: name) { return known }
        let random = (0..<2).map { _ in String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16) }.joined()
        try connection.run(
            "INSERT INTO audit_name (pseudonym, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", [.text("~" + random), .text(name)])
        return try pseudonymIfKnown(of: name) ?? "~" + random
    }

    private func pseudonymIfKnown(of name: String) throws(StoreError) -> String? {
        try connection.rows("SELECT pseudonym FROM audit_name WHERE name = $1", [.text(name)]).first?.text(0)
    }

    /// Forgets whom a pseudonym stands for, and says which it is; also accounts and devices that are called after the person, as `anna-watch`.
    func forget(_ name: String) throws(StoreError) -> String? {
        let known = try pseudonymIfKnown(of: name)
        for row in try connection.rows("SELECT name FROM audit_name") where row.text(0).holdsWord(name) {
            try connection.run("DELETE FROM audit_name WHERE name = $1", [.text(row.text(0))])
        }
        return known
    }

    /// SHA-256 of the hash before and of every field behind its length, so that no two lines are told alike.
    static func hash(_ line: AuditLine, after previous: String) -> String {
        let entry = line.entry
        let fields = [
            previous, String(line.number), String(entry.time.microseconds), entry.actor, entry.address, entry.operation, entry.participant,
            entry.detail, entry.outcome,
        ]
        let hash = SHA256()
        for field in fields {
            let bytes = field.map { Array("\($0.utf8.count):\($0)".utf8) } ?? Array("-".utf8)
            hash.update(bytes, count: bytes.count)
        }
        return hash.finish()
    }

    static func line(_ row: SQLRow) -> AuditLine {
        let entry = AuditEntry(
            time: row.time(1), actor: row.text(2), address: row.optionalText(3), operation: row.text(4), participant: row.optionalText(5),
            detail: row.optionalText(6), outcome: row.text(7))
        return AuditLine(number: row.integer(0), entry: entry, hash: row.text(8))
    }
}

extension AuditEntry {
    /// The entry with what can be kept of each of its texts, so that nobody's choice of words keeps a deed, or those told of with it, from being noted.
    fileprivate var kept: AuditEntry {
        AuditEntry(
            time: time, actor: actor.kept(128), address: address?.kept(128), operation: operation.kept(64),
            participant: participant?.kept(64), detail: detail?.kept(512), outcome: outcome.kept(64))
    }
}
