import VigilSchema

/// The numbers that the database gave to names, as far as this process has met them.
///
/// Names that an append meets for the first time are stored in a transaction before its own, all together, so that the cache never holds
/// a number that a rollback took back, and that twenty thousand new names do not take as many commits. An erasure or an undone import takes numbers
/// back all the same, perhaps from another process: an append makes sure in its transaction that those of participants and sessions still stand for
/// them (`RememberedNames`), and forgets all names where one does not. Threading: as the connection that owns it.
struct DimensionCache {
    /// Above this many names the cache starts anew: it stays below about 10 MB whatever passes.
    private static let limit = 50_000

    /// A metric as the database knows it.
    struct Metric {
        var id: Int32
        var unit: String
        /// The time its longest block lasts, microseconds.
        var longest: Int64
    }

    private struct Session: Hashable {
        var participant: Int32
        var name: String
    }

    /// A source's readings of one interval length are a series of their own, with a number of its own: what counts over a day never
    /// meets what counts over its hours, in no table.
    private struct Source: Hashable {
        var name: String
        var interval: Int32
    }

    /// A Boolean value that indicates whether the first new name begins a transaction, which whoever set it commits.
    var beginsTransaction = false
    private var participants: [String: Int32] = [:]
    private var sources: [Source: Int32] = [:]
    private var origins: [String: Int32] = [:]
    private var sessions: [Session: Int32] = [:]
    private(set) var metrics: [String: Metric] = [:]

    mutating func participant(_ name: String, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        try Self.number(name, "participant", &participants, beginsTransaction, connection)
    }

    /// - Parameter interval: the seconds that each reading counts over; 0 for moments.
    mutating func source(_ name: String, interval: Int32 = 0, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        let source = Source(name: name, interval: interval)
        if let known = sources[source] { return known }
        if sources.count >= Self.limit { sources.removeAll() }
        let values: [SQLValue] = [.text(name), .integer(Int64(interval))]
        let row = try Self.row("SELECT id FROM source WHERE name = $1 AND period = $2", values, on: connection) { () throws(StoreError) in
            try begin(on: connection)
            try connection.run("INSERT INTO source (name, period) VALUES ($1, $2) ON CONFLICT DO NOTHING", values)
        }
        let number = Self.number(row)
        sources[source] = number
        return number
    }

    mutating func origin(_ name: String, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        try Self.number(name, "origin", &origins, beginsTransaction, connection)
    }

    mutating func session(_ name: String, of participant: Int32, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        let session = Session(participant: participant, name: name)
        if let known = sessions[session] { return known }
        if sessions.count >= Self.limit { sessions.removeAll() }
        let values: [SQLValue] = [.integer(Int64(participant)), .text(name)]
        let sql = "SELECT id FROM session WHERE participant = $1 AND name = $2"
        let row = try Self.row(sql, values, on: connection) { () throws(StoreError) in
            try begin(on: connection)
            try connection.run("INSERT INTO session (participant, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", values)
        }
        let number = Self.number(row)
        sessions[session] = number
        return number
    }

    /// The metric; one met for the first time takes its unit, code and title from the catalogue, or else this unit.
    mutating func metric(_ name: String, unit: String, on connection: some SQLConnection) throws(StoreError) -> Metric {
        if let known = metrics[name] { return known }
        if metrics.count >= Self.limit { metrics.removeAll() }
        let sql = "SELECT id, unit, longest FROM metric WHERE name = $1"
        let row = try Self.row(sql, [.text(name)], on: connection) { () throws(StoreError) in
            try begin(on: connection)
            try insert(metric: name, unit: unit, on: connection)
        }
        let metric = Metric(id: Self.number(row), unit: row.text(1), longest: row.integer(2))
        metrics[name] = metric
        return metric
    }

    private func insert(metric name: String, unit: String, on connection: some SQLConnection) throws(StoreError) {
        let definition = MetricCatalogue.standard.definition(named: name)
        try connection.run(
            "INSERT INTO metric (name, title, unit, system, code, longest) VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT DO NOTHING",
            [
                .text(name), .text(definition?.title ?? name), .text(definition?.unit ?? unit),
                .optional(definition?.code?.system), .optional(definition?.code?.code),
            ])
    }

    /// Notes that a metric has a block this long, so that a query for a window knows how far before it to look.
    mutating func lengthen(_ name: String, to length: Int64, on connection: some SQLConnection) throws(StoreError) {
        guard let known = metrics[name], known.longest < length else { return }
        try begin(on: connection)
        try connection.run(
            "UPDATE metric SET longest = $1 WHERE id = $2 AND longest < $1", [.integer(length), .integer(Int64(known.id))])
        metrics[name]?.longest = length
    }

    private func begin(on connection: some SQLConnection) throws(StoreError) {
        if beginsTransaction && !connection.isInTransaction { try connection.execute(type(of: connection).beginWriting) }
    }

    /// Forgets everything, after names were removed.
    mutating func removeAll() { self = DimensionCache() }

    private static func number(
        _ name: String, _ table: String, _ known: inout [String: Int32], _ begins: Bool, _ connection: some SQLConnection
    ) throws(StoreError) -> Int32 {
        if let number = known[name] { return number }
        if known.count >= limit { known.removeAll() }
        let row = try row("SELECT id FROM \(table) WHERE name = $1", [.text(name)], on: connection) { () throws(StoreError) in
            if begins && !connection.isInTransaction { try connection.execute(type(of: connection).beginWriting) }
            try connection.run("INSERT INTO \(table) (name) VALUES ($1) ON CONFLICT DO NOTHING", [.text(name)])
        }
        let number = number(row)
        known[name] = number
        return number
    }

    /// The row of a name, which is inserted only where it is missing: PostgreSQL takes a number for every row that is to be inserted, also for one that
    /// is there already, and it has 2,147,483,647 of them.
    private static func row(
        _ sql: String, _ values: [SQLValue], on connection: some SQLConnection, insert: () throws(StoreError) -> Void
    ) throws(StoreError) -> SQLRow {
        if let row = try connection.rows(sql, values).first { return row }
        try insert()
        // Missing only where somebody removed the name between the two statements.
        guard let row = try connection.rows(sql, values).first else {
            throw StoreError(.conflict, operation: "append", detail: "a name vanished")
        }
        return row
    }

    private static func number(_ row: SQLRow) -> Int32 { Int32(truncatingIfNeeded: row.integer(0)) }
}

/// Keeps from when to when the observations of a session, or of an origin, reach.
enum TimeBounds {
    static func sql(_ table: String) -> String {
        """
        UPDATE \(table) SET
            first_time = CASE WHEN first_time < $2 THEN first_time ELSE $2 END,
            last_time = CASE WHEN last_time > $3 THEN last_time ELSE $3 END
        WHERE id = $1 AND (first_time IS NULL OR first_time > $2 OR last_time < $3)
        """
    }

    /// The statements, with their values, that widen the bounds of everything that the rows name.
    static func updates(_ prepared: Prepared) -> [(sql: String, values: [SQLValue])] {
        [("session", \ReadingRow.session, \BlockRow.session), ("origin", \ReadingRow.origin, \BlockRow.origin)].flatMap {
            table, reading, block in
            bounds(prepared, reading, block).sorted { $0.key < $1.key }.map { number, times in
                (
                    sql(table),
                    [
                        .integer(Int64(number)), .time(Timestamp(microseconds: times.lowerBound)),
                        .time(Timestamp(microseconds: times.upperBound)),
                    ]
                )
            }
        }
    }

    private static func bounds(
        _ prepared: Prepared, _ ofReading: KeyPath<ReadingRow, Int32>, _ ofBlock: KeyPath<BlockRow, Int32>
    ) -> [Int32: ClosedRange<Int64>] {
        var bounds: [Int32: ClosedRange<Int64>] = [:]
        var last = ReadingRow.none
        func add(_ number: Int32, _ first: Int64, _ last: Int64) {
            let known = bounds[number] ?? first...last
            bounds[number] = min(known.lowerBound, first)...max(known.upperBound, last)
        }
        // Rows are sorted by time: of a run with one number only the ends count.
        var previous: Int64 = 0
        for reading in prepared.readings {
            let number = reading[keyPath: ofReading], time = reading.identity.time
            if number != last {
                if last != ReadingRow.none { add(last, previous, previous) }
                if number != ReadingRow.none { add(number, time, time) }
                last = number
            }
            previous = time
        }
        if last != ReadingRow.none { add(last, previous, previous) }
        for block in prepared.blocks where block[keyPath: ofBlock] != ReadingRow.none {
            add(block[keyPath: ofBlock], block.identity.time, block.ends)
        }
        return bounds
    }
}
