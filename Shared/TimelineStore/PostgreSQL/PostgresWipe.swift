import VigilSchema

/// Overwrites what was removed from PostgreSQL, which by itself only frees it: in the tables, and in the log's files that it keeps for further use.
///
/// Tables are written anew where something was removed from them. What is larger than `largest` is only freed, since everybody waits while a table
/// is written anew; it is named, to be done in a quiet hour. Without the right to a checkpoint the log's files are overwritten later by themselves.
struct PostgresWipe {
    /// In bytes.
    private static let largest: Int64 = 8 << 30
    /// The length of one message that fills the log, in bytes.
    private static let filling: Int64 = 1 << 20

    let connection: PostgresConnection

    /// - Returns: the tables that were only freed.
    func run() throws(StoreError) -> [String] {
        _ = try connection.rows("SELECT pg_stat_force_next_flush()")
        var freed: [String] = []
        for (table, size) in try touched() {
            if size > Self.largest { freed.append(table) }
            try connection.execute(size > Self.largest ? "VACUUM \(table)" : "VACUUM (FULL) \(table)")
        }
        if try checkpoint() {
            try overwriteLog()
            _ = try checkpoint()
        }
        return freed
    }

    /// This program's tables with rows that are dead, or were until they were lately vacuumed, quoted, and their sizes. PostgreSQL vacuums by itself,
    /// maybe right after rows were removed: they count as dead no longer, and their bytes are still there.
    private func touched() throws(StoreError) -> [(table: String, size: Int64)] {
        try connection.rows(
            """
            SELECT relid::regclass::text, pg_total_relation_size(relid) FROM pg_stat_user_tables
            WHERE schemaname = current_schema() AND n_tup_del + n_tup_upd > 0
                AND (n_dead_tup > 0 OR GREATEST(last_vacuum, last_autovacuum) > now() - interval '1 hour')
            ORDER BY 1
            """
        ).map { ($0.text(0), $0.integer(1)) }
    }

    /// Has the log before this moment given up; false for a role that may not.
    private func checkpoint() throws(StoreError) -> Bool {
        do throws(StoreError) {
            try connection.execute("CHECKPOINT")
            return true
        } catch {
            guard error.code == .misconfigured else { throw error }
            return false
        }
    }

    /// Files of the log that were given up are kept, as they are, for what comes: it comes now.
    private func overwriteLog() throws(StoreError) {
        let length = try connection.rows("SELECT pg_size_bytes(current_setting('wal_segment_size'))").first?.integer(0) ?? 16 << 20
        try fill(bytes: Self.margin(length))
        _ = try checkpoint()
        try fill(bytes: try waiting() * length + Self.margin(length))
    }

    /// The number of the log's files that wait to be used; as many as the server may keep, for a role that may not look.
    private func waiting() throws(StoreError) -> Int64 {
        do throws(StoreError) {
            let sql = "SELECT count(*) FROM pg_ls_waldir() WHERE name > pg_walfile_name(pg_current_wal_lsn())"
            return try connection.rows(sql).first?.integer(0) ?? 0
        } catch {
            guard error.code == .misconfigured else { throw error }
            let sql = "SELECT pg_size_bytes(current_setting('max_wal_size')) / pg_size_bytes(current_setting('wal_segment_size'))"
            return try connection.rows(sql).first?.integer(0) ?? 0
        }
    }

    /// Enough to leave the file that is written to at present.
    private static func margin(_ length: Int64) -> Int64 { length + filling }

    private func fill(bytes: Int64) throws(StoreError) {
        for _ in 0...(bytes / Self.filling) {
            _ = try connection.rows("SELECT pg_logical_emit_message(false, 'vigil', repeat('-', \(Self.filling)))::text")
        }
    }
}
