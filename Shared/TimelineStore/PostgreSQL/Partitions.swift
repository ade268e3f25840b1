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
                let existing = try existing()
                for month in missing.sorted() where !existing.contains(month) { try make(month) }
            }
        } catch {
            connection.months.subtract(months)
            throw error
        }
        connection.months.formUnion(missing)
    }

    /// The months that have partitions.
    func existing() throws(StoreError) -> Set<Month> {
        let rows = try connection.rows(
            """
            SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'reading'::regclass
            """)
        return Set(rows.compactMap { Month(suffix: $0.text(0).dropFirst("reading_".count)) })
    }

    /// Attaching a table waits for no reader, where `CREATE TABLE … PARTITION OF` would.
    private func make(_ month: Month) throws(StoreError) {
        for table in Self.tables {
            let name = "\(table)_\(month.suffix)"
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS \(name) (LIKE \(table) INCLUDING ALL);
                ALTER TABLE \(table) ATTACH PARTITION \(name)
                    FOR VALUES FROM ('\(month.literal)') TO ('\(month.next.literal)')
                """)
        }
    }
}
