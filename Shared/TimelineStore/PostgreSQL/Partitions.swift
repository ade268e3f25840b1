import VigilSchema

/// Makes the monthly partitions that rows are about to need.
struct Partitions {
    static let tables = ["reading", "waveform"]
    /// Any number: what all instances agree on for this lock.
    static let lock = 7_220_012

    let connection: PostgresConnection

    /// Makes what these rows need, and the month after each, so that a month that starts finds its partition.
    func prepare(_ prepared: Prepared) throws(StoreError) {
        var wanted: Set<Month> = []
        var current: Range<Int64> = 0..<0
        for time in prepared.readings.lazy.map(\.identity.time) where !current.contains(time) {
            let month = Month(time)
            current = month.start..<month.next.start
            wanted.insert(month)
        }
        for block in prepared.blocks { wanted.insert(Month(block.identity.time)) }
        try make(wanted.filter { !connection.months.contains($0) })
    }

    /// Makes the partitions of these months and of the month after each.
    func make(_ months: Set<Month>) throws(StoreError) {
        let missing = Set(months.filter(\.isOrdinary).flatMap { [$0, $0.next] }).filter(\.isOrdinary)
        connection.months.formUnion(months)
        guard !missing.isEmpty else { return }
        do throws(StoreError) {
            try connection.transaction { () throws(StoreError) in
                try connection.execute("SELECT pg_advisory_xact_lock(\(Self.lock))")
                for table in Self.tables {
                    let existing = try existing(table)
                    for month in missing.sorted() where !existing.contains(month) { try make(month, table) }
                }
            }
        } catch {
            connection.months.subtract(months)
            throw error
        }
        connection.months.formUnion(missing)
    }

    /// The months that have all partitions.
    func existing() throws(StoreError) -> Set<Month> {
        try existing("reading").intersection(existing("waveform"))
    }

    /// Drops a table's months that end at or before a moment, and names them. Waits for readers, but not for long.
    func drop(_ table: String, before end: Int64) throws(StoreError) -> [String] {
        let gone = try existing(table).filter { $0.next.start <= end }.sorted().map { "\(table)_\($0.suffix)" }
        guard !gone.isEmpty else { return [] }
        try connection.execute("SET LOCAL lock_timeout = '5s'; SELECT pg_advisory_xact_lock(\(Self.lock))")
        for name in gone { try connection.execute("DROP TABLE \(name)") }
        return gone
    }

    private func existing(_ table: String) throws(StoreError) -> Set<Month> {
        let rows = try connection.rows(
            """
            SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = '\(table)'::regclass
            """)
        return Set(rows.compactMap { Month(suffix: $0.text(0).dropFirst(table.count + 1)) })
    }

    /// Attaching a table waits for no reader, where `CREATE TABLE … PARTITION OF` would.
    private func make(_ month: Month, _ table: String) throws(StoreError) {
        let name = "\(table)_\(month.suffix)"
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(name) (LIKE \(table) INCLUDING ALL);
            ALTER TABLE \(table) ATTACH PARTITION \(name)
                FOR VALUES FROM ('\(month.literal)') TO ('\(month.next.literal)')
            """)
    }
}
