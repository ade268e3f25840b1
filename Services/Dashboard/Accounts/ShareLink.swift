import Cryptography
import Foundation
import TimelineStore

/// A link by which somebody without an account sees a person's chosen metrics of some days, until it ends.
package struct ShareLink: Sendable, Hashable {
    /// The digest of its secret; harmless to show to whoever made it.
    package let id: String
    /// The account that made it. The link shows nothing that this account may not see any more.
    package let account: String
    package let participant: String
    package let metrics: [String]
    /// The time that it shows, in Unix seconds.
    package let range: ClosedRange<Double>
    /// From when on it opens nothing, in Unix seconds.
    package let expires: Double

    /// The most metrics of a link.
    package static let mostMetrics = 8
    /// The longest time that a link shows: a week, and the hour that a change of the clock adds.
    package static let longestRange = 7 * 86_400.0 + 3600
    /// The longest life of a link in hours.
    package static let longestLife = 720.0
}

extension AccountStore {
    /// The most links of a person that hold at once.
    static let mostShareLinks = 20

    /// Makes a link; its secret is shown once.
    /// - Parameter link: without its id.
    func makeShareLink(_ link: ShareLink, now: Double, noting lines: [AuditRecord]) async throws -> String {
        let secret = RandomToken.make()
        let metrics = link.metrics.joined(separator: " ")
        let values: [SQLValue] = [
            .text(SHA256.hex(of: secret)), .text(link.account), .text(link.participant), .text(metrics), .real(link.range.lowerBound),
            .real(link.range.upperBound), .real(link.expires),
        ]
        try await database.transaction { connection in
            guard try Self.lock(link.account, connection) else { throw AccountError.unknown(link.account) }
            // A day longer, so that who opens it late learns that its time is over.
            try connection.run("DELETE FROM share_links WHERE expires < $1", [.real(now - 86_400)])
            let count = "SELECT count(*) FROM share_links WHERE participant = $1 AND expires > $2"
            let known = try connection.rows(count, [.text(link.participant), .real(now)]).first?.integer(0) ?? 0
            guard known < Self.mostShareLinks else { throw AccountError.tooManyShareLinks }
            try connection.run("INSERT INTO share_links VALUES ($1, $2, $3, $4, $5, $6, $7)", values)
            try Self.append(lines, connection)
        }
        return secret
    }

    /// A person's links that hold, the first to end first.
    func shareLinks(of participant: String, now: Double) async throws -> [ShareLink] {
        try await database.read { connection in
            try connection.rows(
                "SELECT \(Self.linkColumns) FROM share_links WHERE participant = $1 AND expires > $2 ORDER BY expires, digest",
                [.text(participant), .real(now)]
            ).map(Self.link)
        }
    }

    /// The link with a secret, also one whose time is over; nil where there is none, it was revoked, or the account that made it may not see
    /// the person any more.
    func shareLink(secret: String) async throws -> ShareLink? {
        let digest = SQLValue.text(SHA256.hex(of: secret))
        return try await database.read { connection in
            guard let row = try connection.rows("SELECT \(Self.linkColumns) FROM share_links WHERE digest = $1", [digest]).first
            else { return nil }
            let link = Self.link(row)
            let account = try Self.accounts(connection, "WHERE name = $1", [.text(link.account)]).first
            return account?.sees(link.participant) == true && account?.seesPseudonyms == false ? link : nil
        }
    }

    /// Revokes one of a person's links.
    func endShareLink(id: String, of participant: String, noting lines: [AuditRecord]) async throws {
        try await database.transaction { connection in
            guard
                try connection.run("DELETE FROM share_links WHERE digest = $1 AND participant = $2", [.text(id), .text(participant)]) > 0
            else { throw APIError.notFound }
            try Self.append(lines, connection)
        }
    }

    private static let linkColumns: StaticString = "digest, account, participant, metrics, first, last, expires"

    private static func link(_ row: SQLRow) -> ShareLink {
        ShareLink(
            id: row.text(0), account: row.text(1), participant: row.text(2), metrics: row.text(3).split(separator: " ").map(String.init),
            range: row.real(4)...max(row.real(4), row.real(5)), expires: row.real(6))
    }
}

// MARK: - People who are archived

extension AccountStore {
    /// The participants whom lists leave out; their data and their alarms stay.
    func archived() async throws -> Set<String> {
        try await database.read { Set(try $0.rows("SELECT participant FROM archived").map { $0.text(0) }) }
    }

    /// Leaves a participant out of the lists, or takes one back.
    func archive(_ participant: String, _ isArchived: Bool, now: Double, noting lines: [AuditRecord]) async throws {
        try await database.transaction { connection in
            try connection.run("DELETE FROM archived WHERE participant = $1", [.text(participant)])
            if isArchived { try connection.run("INSERT INTO archived VALUES ($1, $2)", [.text(participant), .real(now)]) }
            try Self.append(lines, connection)
        }
    }
}
