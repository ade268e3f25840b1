import VigilSchema

/// Lays a participant's sums of a metric side by side, once their month is over.
///
/// Sums lie where they were first written, everybody's of one hour or day together: a person's days of a year would be read from 365 pages, which takes
/// seconds from a disk where nobody has looked lately. Laid together they are on ten. What comes for a month later lies elsewhere, and is found as before.
struct RollupPacking {
    static let levels: [RollupLevel] = [.day, .hour, .minute]
    /// How many rows are moved at once, and how many before somebody else may use the connection or stop it, about.
    private static let (part, most) = (1000, 10_000)
    /// How long a month is left alone after its end, since devices and replays bring what is late.
    private static let grace: Int64 = 3 * 86_400_000_000

    let connection: PostgresConnection
    let level: RollupLevel

    /// The pass to go on with; nil where nothing is left to do, or somebody else does it: the lock goes with the connection.
    func begin(now: Timestamp) throws(StoreError) -> PackingPass? {
        // What a failing server forgets is packed again, so that nobody waits for its disk while the table is locked.
        try connection.execute("SET synchronous_commit = off; SET lock_timeout = '200ms'")
        guard try AdvisoryLock.packing.take(on: connection) else { return nil }
        let remembered = try remembered()
        if let remembered, remembered.after != nil { return remembered }
        let over = Month(now.microseconds - Self.grace)
        // Looking for the first month asks for everybody.
        if let remembered, remembered.until >= over { return nil }
        guard let first = try firstMonth(from: remembered?.until, before: over) else { return nil }
        return PackingPass(from: first, until: min(over, Month(number: first.number + (level == .day ? 12 : 1))), after: 0)
    }

    /// Lets the next one pack at once: the server may take a while to see that the connection has gone, and with it the lock.
    func end() throws(StoreError) { try connection.execute("SELECT pg_advisory_unlock_all()") }

    /// Moves what lies in a pass's months of the next participants and metrics, and says how many rows that were.
    func step(_ pass: inout PackingPass) throws(StoreError) -> Int {
        let people = try connection.rows("SELECT id FROM participant WHERE id > $1 ORDER BY id LIMIT 4", [.integer(pass.after ?? 0)])
        var rows = 0
        for person in people.map({ $0.integer(0) }) {
            for metric in try metrics(person, pass) where rows < Self.most {
                rows += try move(person, metric, pass)
                pass.metric = metric
            }
            guard rows < Self.most else { break }
            (pass.after, pass.metric) = (person, 0)
        }
        if people.isEmpty { pass.after = nil }
        try remember(pass)
        return rows
    }

    /// The next metrics of which a participant has something in a pass's months.
    private func metrics(_ participant: Int64, _ pass: PackingPass) throws(StoreError) -> [Int64] {
        try lookingUp(
            """
            SELECT m.id FROM metric m WHERE m.id > $4 AND EXISTS (
                SELECT FROM \(level.table) r WHERE r.participant = $1 AND r.metric = m.id AND r.time >= $2 AND r.time < $3 OFFSET 0)
            ORDER BY 1
            """, [.integer(participant)] + pass.range + [.integer(pass.metric)]
        ).map { $0.integer(0) }
    }

    /// Moves what a participant has of a metric in a pass's months, in parts that are moved while others wait.
    private func move(_ participant: Int64, _ metric: Int64, _ pass: PackingPass) throws(StoreError) -> Int {
        var (rows, start) = (0, pass.start)
        while start < pass.end {
            let end = try endOfPart(participant, metric, from: start, until: pass.end)
            rows += try move(participant, metric, [.time(start), .time(end)])
            start = end
        }
        return rows
    }

    /// The moment before which a part's rows lie.
    private func endOfPart(
        _ participant: Int64, _ metric: Int64, from start: Timestamp, until end: Timestamp
    ) throws(StoreError) -> Timestamp {
        try lookingUp(
            """
            SELECT time FROM \(level.table) WHERE participant = $1 AND metric = $2 AND time > $3 AND time < $4
            ORDER BY time OFFSET \(Self.part) LIMIT 1
            """, [.integer(participant), .integer(metric), .time(start), .time(end)]
        ).first?.time(0) ?? end
    }

    /// Milliseconds, within which nobody else changes the table: whoever waited for a row that moves would take it as gone.
    private func move(_ participant: Int64, _ metric: Int64, _ range: [SQLValue]) throws(StoreError) -> Int {
        try connection.transaction { () throws(StoreError) in
            try connection.execute("LOCK TABLE \(level.table) IN SHARE ROW EXCLUSIVE MODE")
            let moved = try lookingUp(
                """
                WITH moved AS (DELETE FROM \(level.table) WHERE participant = $1 AND metric = $2 AND time >= $3 AND time < $4 RETURNING *),
                    laid AS (INSERT INTO \(level.table) SELECT * FROM moved ORDER BY time, source RETURNING 1)
                SELECT count(*) FROM laid
                """, [.integer(participant), .integer(metric)] + range)
            return Int(moved[0].integer(0))
        }
    }

    /// Remembers how far a pass has come, for the next run.
    private func remember(_ pass: PackingPass) throws(StoreError) {
        try connection.run(
            "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(setting), .text(pass.text)])
    }

    private func remembered() throws(StoreError) -> PackingPass? {
        try connection.rows("SELECT value FROM setting WHERE name = $1", [.text(setting)]).first
            .flatMap { PackingPass(text: $0.text(0)) }
    }

    private var setting: String { "packed \(level.rawValue)" }

    /// The first month of which anything lies there.
    private func firstMonth(from start: Month?, before end: Month) throws(StoreError) -> Month? {
        let range = [max(Month.first, start ?? .first), end].map { SQLValue.time(Timestamp(microseconds: $0.start)) }
        let first = try lookingUp(
            """
            SELECT min(r.time) FROM participant p, metric m, LATERAL (
                SELECT time FROM \(level.table) r WHERE r.participant = p.id AND r.metric = m.id AND r.time >= $1 AND r.time < $2
                ORDER BY time LIMIT 1) r
            """, range)[0]
        return first.isNull(0) ? nil : Month(first.integer(0))
    }

    /// The rows of a query that goes by the key, whatever the server takes the table's size for.
    private func lookingUp(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        try connection.transaction { () throws(StoreError) in
            try connection.execute(KnownIdentities.lookedUpOneByOne)
            return try connection.rows(sql, values)
        }
    }
}
