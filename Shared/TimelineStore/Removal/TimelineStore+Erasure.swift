/// What erasing a participant removed.
package struct ErasureReport: Hashable, Sendable, Codable {
    /// Rows by table, those that held none left out.
    package var rows: [String: Int] = [:]

    /// A report of nothing.
    package init() {}
}

extension TimelineStore {
    /// Removes everything that is stored about a participant, also the name, the replaced contents and the rollups, in one transaction.
    ///
    /// SQLite overwrites what it removes; PostgreSQL frees it at its next vacuum, and backups keep what they hold. Another instance that
    /// has met the participant must be started again.
    package func erase(participant: String) async throws(StoreError) -> ErasureReport {
        try await write { connection throws(StoreError) in
            var report = ErasureReport()
            guard let number = try Lookup(connection: connection).participant(participant) else { return report }
            for table in erasedTables {
                let count = try connection.run("DELETE FROM \(table) WHERE participant = $1", [.integer(number)])
                if count > 0 { report.rows[table] = count }
            }
            report.rows["participant"] = try connection.run("DELETE FROM participant WHERE id = $1", [.integer(number)])
            return report
        }
    }
}

/// Every table with a participant; those that others refer to last.
private let erasedTables = [
    "reading", "waveform", "correction", "rollup_minute", "rollup_hour", "rollup_day", "entry", "alert_event", "profile", "session",
]
