/// The indexes by which one participant's readings of a metric are found in a month's partition without reading everybody's of the time.
///
/// The key of `reading` begins with the time, because that is the order in which readings come, and what is new lies side by side. An index by series
/// costs the server more than that (3.1 µs of processor time a row without it, 7.6 with it, at 5,000 series): a partition gets it by and by, so that
/// a first import goes into months that have none yet. Each is made by itself, and nobody waits for it.
///
/// It holds the values, so that a curve is drawn from it alone: the readings themselves lie where they came, one person's each on a page of its own.
struct SeriesIndexes {
    let connection: PostgresConnection

    /// The partitions that have no index, or half of one that somebody was stopped in making; the newest months first, which are asked for
    /// most. None while somebody else makes them.
    func missing() throws(StoreError) -> [String] {
        guard try AdvisoryLock.indexes.take(on: connection) else { return [] }
        return try connection.rows(
            """
            SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                LEFT JOIN pg_class n ON n.relnamespace = c.relnamespace AND n.relname = c.relname || '_values'
                LEFT JOIN pg_index x ON x.indexrelid = n.oid
            WHERE i.inhparent = 'reading'::regclass AND x.indisvalid IS NOT TRUE ORDER BY 1 DESC
            """
        ).map { $0.text(0) }
    }

    /// Makes the index of a partition, and then removes the one without values that an earlier version made. Whoever reads or stores goes on meanwhile.
    /// All columns of the key stand in it: an index that gives less order than the key does is passed over for the key by a query that goes through
    /// several months in order.
    func make(_ partition: String) throws(StoreError) {
        try connection.execute("DROP INDEX CONCURRENTLY IF EXISTS \(partition)_values")
        try connection.execute(
            "CREATE INDEX CONCURRENTLY \(partition)_values ON \(partition) (participant, metric, time, source, seq) INCLUDE (value)")
        try connection.execute("DROP INDEX CONCURRENTLY IF EXISTS \(partition)_series")
    }
}
