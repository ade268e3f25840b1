import VigilSchema

/// The numbers that the database gave to names, as far as this process has met them.
///
/// A name that is met for the first time is stored at once, outside the append's transaction, so that the cache never holds
/// a number that a rollback took back. An erasure takes numbers back all the same, perhaps from another process: an append makes sure
/// in its transaction that the participants' numbers still stand for somebody, and forgets all names where one does not. Threading: as the connection that owns it.
struct DimensionCache {
    /// Above this many names the cache starts anew: it stays below about 10 MB whatever passes.
    private static let limit = 50_000

    /// A metric as the database knows it.
    struct Metric {
        var id: Int32
        var unit: String
        /// How long its longest block lasts, microseconds.
        var longest: Int64
    }

    private struct Session: Hashable {
        var participant: Int32
        var name: String
    }

    private var participants: [String: Int32] = [:]
    private var sources: [String: Int32] = [:]
    private var origins: [String: Int32] = [:]
    private var sessions: [Session: Int32] = [:]
    private(set) var metrics: [String: Metric] = [:]

    mutating func participant(_ name: String, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        try Self.number(name, "participant", &participants, connection)
    }

    mutating func source(_ name: String, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        try Self.number(name, "source", &sources, connection)
    }

    mutating func origin(_ name: String, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        try Self.number(name, "origin", &origins, connection)
    }

    mutating func session(_ name: String, of participant: Int32, on connection: some SQLConnection) throws(StoreError) -> Int32 {
        let session = Session(participant: participant, name: name)
        if let known = sessions[session] { return known }
        if sessions.count >= Self.limit { sessions.removeAll() }
        let values: [SQLValue] = [.integer(Int64(participant)), .text(name)]
        try connection.run("INSERT INTO session (participant, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", values)
        let rows = try connection.rows("SELECT id FROM session WHERE participant = $1 AND name = $2", values)
        let number = try Self.number(rows)
        sessions[session] = number
        return number
    }

    /// The metric; one met for the first time takes its unit, code and title from the catalogue, or else this unit.
    mutating func metric(_ name: String, unit: String, on connection: some SQLConnection) throws(StoreError) -> Metric {
        if let known = metrics[name] { return known }
        if metrics.count >= Self.limit { metrics.removeAll() }
        let definition = MetricCatalogue.standard.definition(named: name)
        try connection.run(
            "INSERT INTO metric (name, title, unit, system, code, longest) VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT DO NOTHING",
            [
                .text(name), .text(definition?.title ?? name), .text(definition?.unit ?? unit),
                .optional(definition?.code?.system), .optional(definition?.code?.code),
            ])
        let rows = try connection.rows("SELECT id, unit, longest FROM metric WHERE name = $1", [.text(name)])
        let metric = Metric(id: try Self.number(rows), unit: rows[0].text(1), longest: rows[0].integer(2))
        metrics[name] = metric
        return metric
    }

    /// Notes that a metric has a block this long, so that a query for a window knows how far before it to look.
    mutating func lengthen(_ name: String, to length: Int64, on connection: some SQLConnection) throws(StoreError) {
        guard let known = metrics[name], known.longest < length else { return }
        try connection.run(
            "UPDATE metric SET longest = $1 WHERE id = $2 AND longest < $1", [.integer(length), .integer(Int64(known.id))])
        metrics[name]?.longest = length
    }

    /// Forgets everything, after names were removed.
    mutating func removeAll() { self = DimensionCache() }

    private static func number(
        _ name: String, _ table: String, _ known: inout [String: Int32], _ connection: some SQLConnection
    ) throws(StoreError) -> Int32 {
        if let number = known[name] { return number }
        if known.count >= limit { known.removeAll() }
        try connection.run("INSERT INTO \(table) (name) VALUES ($1) ON CONFLICT DO NOTHING", [.text(name)])
        let number = try number(connection.rows("SELECT id FROM \(table) WHERE name = $1", [.text(name)]))
        known[name] = number
        return number
    }

    private static func number(_ rows: [SQLRow]) throws(StoreError) -> Int32 {
        // Missing only where somebody removed the name between the two statements.
        guard let row = rows.first else { throw StoreError(.conflict, operation: "append", detail: "a name vanished") }
        return Int32(truncatingIfNeeded: row.integer(0))
    }
}

/// Keeps from when to when a session's observations reach.
enum SessionSQL {
    static let sql = """
        UPDATE session SET
            first_time = CASE WHEN first_time < $2 THEN first_time ELSE $2 END,
            last_time = CASE WHEN last_time > $3 THEN last_time ELSE $3 END
        WHERE id = $1 AND (first_time IS NULL OR first_time > $2 OR last_time < $3)
        """

    /// The statement's values for each session of the rows.
    static func values(_ prepared: Prepared) -> [[SQLValue]] {
        bounds(prepared).sorted { $0.key < $1.key }.map { session, times in
            [
                .integer(Int64(session)), .time(Timestamp(microseconds: times.lowerBound)),
                .time(Timestamp(microseconds: times.upperBound)),
            ]
        }
    }

    private static func bounds(_ prepared: Prepared) -> [Int32: ClosedRange<Int64>] {
        var bounds: [Int32: ClosedRange<Int64>] = [:]
        func add(_ session: Int32, _ first: Int64, _ last: Int64) {
            guard session != Reading.none else { return }
            let known = bounds[session] ?? first...last
            bounds[session] = min(known.lowerBound, first)...max(known.upperBound, last)
        }
        for reading in prepared.readings { add(reading.session, reading.identity.time, reading.identity.time) }
        for block in prepared.blocks { add(block.session, block.identity.time, block.ends) }
        return bounds
    }
}
