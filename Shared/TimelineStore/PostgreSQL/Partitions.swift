import VigilSchema

/// Makes the monthly partitions that rows are about to need.
struct Partitions {
    static let tables = ["reading", "waveform"]

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
                try AdvisoryLock.partitions.hold(on: connection)
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

    /// Drops a table's months that end at or before a moment, and names them. Waits for readers, but not for long. Of blocks of samples those around
    /// alarms stay, in a month of nothing else.
    func drop(_ table: String, before end: Int64) throws(StoreError) -> [String] {
        let over = try existing(table).filter { $0.next.start <= end }.sorted()
        guard !over.isEmpty else { return [] }
        try connection.execute("SET LOCAL lock_timeout = '5s'")
        try AdvisoryLock.partitions.hold(on: connection)
        var gone: [String] = []
        for month in over {
            let name = "\(table)_\(month.suffix)"
            if table == "waveform", try !connection.rows("\(KeptStrips.blocks(of: name)) LIMIT 1").isEmpty {
                guard try dropAllButStrips(month, name) else { continue }
            } else {
                try connection.execute("DROP TABLE \(name)")
            }
            gone.append(name)
        }
        return gone
    }

    /// Puts a month with only the blocks around alarms in the place of one with all blocks; false where it has no others any more.
    private func dropAllButStrips(_ month: Month, _ name: String) throws(StoreError) -> Bool {
        let isKept = KeptStrips.isKept(name, PostgresConnection.self)
        guard try !connection.rows("SELECT 1 FROM \(name) WHERE NOT \(isKept) LIMIT 1").isEmpty else { return false }
        try connection.execute("ALTER TABLE waveform DETACH PARTITION \(name); ALTER TABLE \(name) RENAME TO \(name)_old")
        try make(month, "waveform")
        try connection.execute("INSERT INTO waveform \(KeptStrips.blocks(of: "\(name)_old")); DROP TABLE \(name)_old")
        return true
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

/// A month of the range partitions, UTC. Times outside the years 1900–2099 lie in two partitions of their own, so that
/// a device with a wrong clock cannot make partitions without end.
struct Month: Hashable, Comparable {
    /// Months since January of the year 0.
    let number: Int

    static let first = Month(year: 1900, month: 1)
    static let end = Month(year: 2100, month: 1)

    init(year: Int, month: Int) { number = year * 12 + month - 1 }
    init(number: Int) { self.number = number }

    /// The month of a moment.
    init(_ microseconds: Int64) {
        let width: Int64 = 86_400_000_000
        let date = CivilDate(daysSince1970: Int((microseconds - (((microseconds % width) + width) % width)) / width))
        self.init(year: date.year, month: date.month)
    }

    var next: Month { Month(number: number + 1) }
    /// A Boolean value that indicates whether the month has a partition of its own.
    var isOrdinary: Bool { self >= .first && self < .end }

    /// The start of the month, microseconds since 1970.
    var start: Int64 { Int64(CivilDate(year: number / 12, month: number % 12 + 1, day: 1).daysSince1970) * 86_400_000_000 }

    /// `2017_01`: what a partition's name ends in.
    var suffix: String {
        let month = number % 12 + 1
        return "\(number / 12)_\(month < 10 ? "0" : "")\(month)"
    }

    /// From a partition's name.
    init?(suffix: Substring) {
        let parts = suffix.split(separator: "_").compactMap { Int($0) }
        guard parts.count == 2, (1...12).contains(parts[1]) else { return nil }
        self.init(year: parts[0], month: parts[1])
    }

    /// `2017-01-01 00:00:00+00`.
    var literal: String { suffix.replacing("_", with: "-") + "-01 00:00:00+00" }

    static func < (left: Month, right: Month) -> Bool { left.number < right.number }
}
