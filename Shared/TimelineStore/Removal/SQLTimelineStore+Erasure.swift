package import VigilSchema

extension SQLTimelineStore {
    package func erase(participant: String) async throws(StoreError) -> ErasureReport {
        let report = try await write { connection throws(StoreError) in
            var report = ErasureReport()
            // An append holds the row until its commit: what it stores is seen by the statements below.
            let sql = "SELECT id FROM participant WHERE name = $1 \(type(of: connection).lockingClause)"
            guard let number = try connection.rows(sql, [.text(participant)]).first?.integer(0) else { return report }
            for table in erasedTables {
                let count = try connection.run("DELETE FROM \(table) WHERE participant = $1", [.integer(number)])
                if count > 0 { report.rows[table] = count }
            }
            report.pseudonym = try AuditTrail(connection: connection).forget(participant)
            report.rows["participant"] = try connection.run("DELETE FROM participant WHERE id = $1", [.integer(number)])
            return report
        }
        // Also where nothing was found: the order may be a second one, after a first that could not wipe.
        try await wipeRemoved()
        return report
    }
}

/// Every table with a participant; those that others refer to last.
private let erasedTables = [
    "reading", "waveform", "correction", "rollup_minute", "rollup_hour", "rollup_day", "entry", "alert_event", "profile", "session",
    "wearer_clock",
]
