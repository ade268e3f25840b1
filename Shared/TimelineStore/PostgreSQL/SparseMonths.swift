/// Gives the room of packed readings back to the system. A deletion frees it within a month's partition only, in which little is stored once the
/// month is over, and indexes never shrink.
///
/// A partition with few readings left is written anew in the order of its key, read through the key's index, so that empty pages are not read.
/// `CLUSTER` keeps what each transaction sees. Whoever needs the partition waits tenths of a second; one that is in use is left for the next run.
struct SparseMonths {
    /// The most readings of a partition that is written anew.
    private static let mostRows = 100_000
    /// The bytes a reading from which a partition is sparse.
    private static let sparse = 1000

    let connection: PostgresConnection
    /// The bytes below which it is not worth it.
    var least = 1 << 20

    /// The partitions that seem to be sparse; none while somebody else looks after indexes.
    func candidates() throws(StoreError) -> [String] {
        guard try AdvisoryLock.indexes.take(on: connection) else { return [] }
        return try connection.rows(
            """
            SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_stat_all_tables s ON s.relid = c.oid
            WHERE i.inhparent = 'reading'::regclass AND s.n_live_tup <= \(Self.mostRows) AND pg_total_relation_size(c.oid) > \(least)
                AND pg_total_relation_size(c.oid) > s.n_live_tup * \(Self.sparse) ORDER BY 1
            """
        ).map { $0.text(0) }
    }

    /// Returns whether the partition was written anew.
    func shrink(_ partition: String) throws(StoreError) -> Bool {
        // What it leaves is counted.
        try connection.execute("VACUUM \(partition)")
        let rows = try connection.rows(
            """
            SELECT c.reltuples::bigint, pg_total_relation_size(c.oid), k.relname::text
            FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary JOIN pg_class k ON k.oid = x.indexrelid
            WHERE c.oid = CAST($1 AS text)::regclass
            """, [.text(partition)])
        guard let row = rows.first, row.integer(0) <= Self.mostRows,
            row.integer(1) > max(Int64(least), row.integer(0) * Int64(Self.sparse))
        else { return false }
        do throws(StoreError) {
            try connection.transaction { () throws(StoreError) in
                try connection.execute("SET LOCAL lock_timeout = '1s'; SET LOCAL enable_seqscan = off")
                try connection.execute("CLUSTER \(partition) USING \(row.text(2))")
            }
            return true
        } catch  where error.code == .conflict {
            return false
        }
    }
}
