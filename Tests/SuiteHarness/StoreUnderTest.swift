package import TestSupport

/// The database that a run stores into, read independently of the product's own store.
package enum StoreUnderTest: Sendable {
    case sqlite(path: String)
    case postgres(PostgresServer, connection: String)

    /// A fresh, empty database.
    package static func make(_ kind: Kind, in folder: TemporaryFolder, server: @autoclosure () throws -> PostgresServer) throws -> Self {
        switch kind {
        case .sqlite: return .sqlite(path: folder.path("timeline.sqlite"))
        case .postgres:
            let server = try server()
            return .postgres(server, connection: try server.makeDatabase())
        }
    }

    /// The two that there are.
    package enum Kind: String, Sendable, CaseIterable {
        case sqlite, postgres
    }

    /// As `vigil-timeline --store` takes it.
    /// - Parameter port: that of a proxy before PostgreSQL, if there is one.
    package func setting(port: UInt16? = nil) -> String {
        switch self {
        case .sqlite(let path): return "sqlite:\(path)"
        case .postgres(let server, let connection):
            let name = connection.split(separator: " ").first { $0.hasPrefix("dbname=") }?.dropFirst(7) ?? "postgres"
            return "postgresql://vigil@127.0.0.1:\(port.map(Int.init) ?? server.port)/\(name)"
        }
    }

    /// Rows of a query, each column as text without a `|`.
    package func rows(_ sql: String) async throws -> [[Substring]] {
        try await lines(sql).map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    }

    /// Rows of a query of one column.
    package func lines(_ sql: String) async throws -> [String] {
        let text: String
        switch self {
        case .sqlite(let path):
            let folder = try TemporaryFolder("vigil-query")
            text = try await ChildProcess.run("/usr/bin/sqlite3", ["-readonly", "-separator", "|", path, sql], in: folder)
        case .postgres(let server, let connection): text = try server.psql(sql, in: connection)
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// The numbered readings that are stored; what services derived from them is passed over.
    package func census(_ readings: NumberedReadings, expected: Int) async throws -> Census {
        let seconds =
            switch self {
            case .sqlite: "r.time / 1000000"
            case .postgres: "extract(epoch FROM r.time)::bigint"
            }
        let rows = try await rows(
            """
            SELECT p.name, m.name, \(seconds), r.value FROM reading r JOIN participant p ON p.id = r.participant \
            JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source \
            WHERE p.name LIKE 'bench-%' AND s.name NOT LIKE 'vigil-%'
            """)
        var census = Census(readings, expected: expected)
        for row in rows where row.count == 4 {
            census.add(participant: row[0], metric: row[1], second: Int64(row[2]) ?? -1, value: Double(row[3]) ?? .nan)
        }
        return census
    }
}
