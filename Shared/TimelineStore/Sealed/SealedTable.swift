import VigilSchema

/// The table `sealed`: a row for each block of a series' readings (`SealedBlock`).
///
/// A day of a series (a participant's metric from a source, a day of UTC) lies either wholly in `reading` or wholly in
/// blocks. Whatever repeats, corrects or adds to a sealed day, takes back or counts anew what it holds, unseals it
/// first in the same transaction, so that the rest of the program knows only of readings in `reading`; a later run
/// seals it again. Those who only read take both together (`SealedScan`).
struct SealedTable {
    /// A run of sealing begins with the day that the setting names, and has looked at all before. Behind the time
    /// stands a mark while it looks at that day, which whoever adds to the day or unseals it takes away.
    static let setting = "sealed"

    let connection: any SQLConnection
    private let zstd = ZstdContext()

    init(_ connection: any SQLConnection) { self.connection = connection }

    private static let isOfDay = "participant = $1 AND metric = $2 AND source = $3 AND first >= $4 AND first < $5"
    private static let isInDay = "participant = $1 AND metric = $2 AND source = $3 AND time >= $4 AND time < $5"

    /// The readings of a block as it was read.
    /// - Parameter key: participant, metric, source and the first reading's time, which name the block in an error as in the table.
    func readings(_ block: [UInt8], of key: ArraySlice<SQLValue>) throws(StoreError) -> [SealedReading] {
        guard let readings = SealedBlock.decode(block, with: zstd) else { throw Self.damage("cannot be decoded", key) }
        return readings
    }

    private static func damage(_ what: String, _ key: ArraySlice<SQLValue>) -> StoreError {
        let row = SQLRow(Array(key))
        let name = "participant \(row.integer(0)), metric \(row.integer(1)), source \(row.integer(2)), first \(row.time(3).iso8601())"
        return StoreError(.corrupt, operation: StoreError.unsealing, detail: "a sealed block \(what): \(name)")
    }

    // MARK: - Sealing

    /// What became of a day.
    struct Sealed {
        var readings = 0
        var blocks = 0
        var bytes = 0
    }

    /// Moves a series' day from `reading` into blocks; nil, and nothing is changed, where it holds what no block does.
    func seal(_ day: RollupKey) throws(StoreError) -> Sealed? {
        guard try connection.rows("SELECT 1 FROM sealed WHERE \(Self.isOfDay) LIMIT 1", day.bounds).isEmpty else { return nil }
        var sealed = Sealed()
        var after = (time: day.start, sequence: Int64.min / 4)
        while true {
            let rows = try connection.rows(
                Self.readings, day.bounds + [.time(Timestamp(microseconds: after.time)), .integer(after.sequence)])
            let isLast = rows.count <= SealedBlock.largestCount
            guard let readings = SealedReading.all(rows, isLast: isLast) else { return try giveUp(day) }
            guard let last = readings.last else { break }
            sealed.bytes += try insert(readings, of: day)
            sealed.readings += readings.count
            sealed.blocks += 1
            if isLast { break }
            after = (last.time, Int64(last.sequence))
        }
        let removed = try connection.run("DELETE FROM reading WHERE \(Self.isInDay)", day.bounds)
        guard removed == sealed.readings else {
            throw StoreError(.conflict, operation: "seal", detail: "a day was written to while it was sealed")
        }
        return sealed
    }

    private func giveUp(_ day: RollupKey) throws(StoreError) -> Sealed? {
        try connection.run("DELETE FROM sealed WHERE \(Self.isOfDay)", day.bounds)
        return nil
    }

    private static let readings = """
        SELECT time, seq, value, received, session, origin, zone FROM reading
        WHERE participant = $1 AND metric = $2 AND source = $3 AND time >= $4 AND time >= $6 AND time < $5 AND (time, seq) > ($6, $7)
        ORDER BY time, seq LIMIT \(SealedBlock.largestCount + 1)
        """

    /// Stores a block, and returns its length. What it holds is read back before anything is removed.
    private func insert(_ readings: [SealedReading], of day: RollupKey) throws(StoreError) -> Int {
        let block = SealedBlock.encode(readings, with: zstd)
        guard let first = readings.first, let last = readings.last, SealedBlock.decode(block, with: zstd) == readings else {
            throw StoreError(.failed, operation: "seal", detail: "a block does not give its readings back")
        }
        let names = [readings.map(\.session), readings.map(\.origin)].map { SQLValue.text(Self.list($0)) }
        let times = [first, last].map { SQLValue.time(Timestamp(microseconds: $0.time)) }
        try connection.run(
            """
            INSERT INTO sealed (participant, metric, source, first, last, count, sessions, origins, block)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """, Array(day.bounds.prefix(3)) + times + [.integer(Int64(readings.count))] + names + [.blob(block)])
        return block.count
    }

    /// Each number once, between commas: `,4,17,`; nothing where there is none.
    private static func list(_ numbers: [Int32]) -> String {
        let known = Set(numbers).subtracting([ReadingRow.none]).sorted()
        return known.isEmpty ? "" : "," + known.map(String.init).joined(separator: ",") + ","
    }

    /// Removes some blocks of a metric that end before a midnight, and returns the number of their readings.
    func remove(metric: Int64, before end: Int64, most: Int) throws(StoreError) -> Int {
        let blocks = try connection.rows(
            "SELECT participant, metric, first, source, count FROM sealed WHERE metric = $1 AND last < $2 LIMIT \(most)",
            [.integer(metric), .time(Timestamp(microseconds: end))])
        var removed = 0
        for row in blocks {
            let key: [SQLValue] = [.integer(row.integer(0)), .integer(metric), .time(row.time(2)), .integer(row.integer(3))]
            let isThere = try connection.run(
                "DELETE FROM sealed WHERE participant = $1 AND metric = $2 AND first = $3 AND source = $4", key)
            removed += isThere * Int(row.integer(4))
        }
        return removed
    }

    // MARK: - Unsealing

    /// Moves a series' day back, where it is sealed, and returns the number of its readings.
    /// - Throws: `StoreError.isOfSealedBlock`, before anything is changed, where the day cannot be moved whole.
    @discardableResult
    func unseal(_ day: RollupKey) throws(StoreError) -> Int {
        // Another connection may be about to do the same.
        let lock = type(of: connection).lockingClause
        let blocks = try connection.rows("SELECT block, count, first FROM sealed WHERE \(Self.isOfDay) ORDER BY first \(lock)", day.bounds)
        guard !blocks.isEmpty else { return 0 }
        // All are read before the first is moved, so that a damaged one leaves all as they are.
        var readings: [SealedReading] = []
        for row in blocks {
            let key = day.values.prefix(3) + [row.values[2]]
            let some = try self.readings(row.blob(0), of: key)
            guard some.count == Int(row.integer(1)) else { throw Self.damage("has another number of readings", key) }
            readings += some
        }
        let isMixed = try !connection.rows("SELECT 1 FROM reading WHERE \(Self.isInDay) LIMIT 1", day.bounds).isEmpty
        guard !isMixed else { throw Self.damage("has readings of its day beside it", day.values.prefix(3) + [blocks[0].values[2]]) }
        do throws(StoreError) {
            try connection.insert(readings, of: day)
        } catch  where error.code == .refused {
            throw StoreError(.conflict, operation: "unseal", detail: "a day is sealed and unsealed at once")
        }
        try connection.run("DELETE FROM sealed WHERE \(Self.isOfDay)", day.bounds)
        try SealingMark.look(at: day.start, on: connection)
        return readings.count
    }

    /// Moves back the days of all series of which a block fits a condition, and returns the number of readings.
    @discardableResult
    func unseal(where condition: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        let rows = try connection.rows("SELECT DISTINCT participant, metric, source, first FROM sealed WHERE \(condition)", values)
        var count = 0
        for day in Set(rows.map { RollupKey(Identity(sealed: $0), level: .day) }).sorted() { count += try unseal(day) }
        return count
    }

    /// Moves the first day behind a place back, and returns the place and the number of its readings; nil where none is sealed there.
    /// A day that cannot be moved stays, and the error says which.
    func unsealNext(after place: [SQLValue]) throws(StoreError) -> (place: [SQLValue], outcome: Result<Int, StoreError>)? {
        guard let row = try next(after: place, "participant, metric, source, first") else { return nil }
        let day = RollupKey(Identity(sealed: row), level: .day)
        let place: [SQLValue] = [row.values[0], row.values[1], row.values[3], row.values[2]]
        do throws(StoreError) {
            return (place, .success(try unseal(day)))
        } catch  where error.isOfSealedBlock {
            return (place, .failure(error))
        }
    }

    /// Before every block.
    static let start: [SQLValue] = [.integer(-1), .integer(-1), .time(Timestamp(microseconds: 0)), .integer(-1)]

    private func next(after place: [SQLValue], _ columns: String) throws(StoreError) -> SQLRow? {
        try connection.rows(
            """
            SELECT \(columns) FROM sealed
            WHERE (participant, metric, first, source) > ($1, $2, $3, $4) ORDER BY participant, metric, first, source LIMIT 1
            """, place
        ).first
    }

    /// Hands on the readings of every block.
    func forEachBlock(_ body: (RollupKey, [SealedReading]) throws(StoreError) -> Void) throws(StoreError) {
        var place = Self.start
        while let row = try next(after: place, "participant, metric, source, first, block") {
            try body(RollupKey(Identity(sealed: row), level: .day), try readings(row.blob(4), of: row.values.prefix(4)))
            place = [row.values[0], row.values[1], row.values[3], row.values[2]]
        }
    }

    /// Moves back what an append is about to repeat, correct or add to. Returns whether it reaches into what sealing
    /// has passed. What falls into a day with a damaged block is rejected, as nothing tells what of it is known there.
    @discardableResult
    func unseal(for prepared: inout Prepared) throws(StoreError) -> Bool {
        // Sorted by time.
        guard let first = prepared.readings.first?.identity.time else { return false }
        let isPassed = try SealingMark.look(at: first, on: connection)
        guard let newest = try connection.rows("SELECT max(last) FROM sealed").first?.optionalTime(0)?.microseconds else { return isPassed }
        let end = RollupLevel.day.start(of: newest) + RollupLevel.day.width
        guard first < end else { return isPassed }
        let days = Set(prepared.readings.prefix { $0.identity.time < end }.map { RollupKey($0.identity, level: .day) })
        var damaged: [RollupKey: String] = [:]
        for day in days.sorted() {
            do throws(StoreError) { try unseal(day) } catch  where error.isOfSealedBlock { damaged[day] = error.detail }
        }
        guard !damaged.isEmpty else { return true }
        let lost = prepared.readings.compactMap { reading in
            damaged[RollupKey(reading.identity, level: .day)].map { (reading.place, $0) }
        }
        prepared = prepared.removing(Dictionary(lost) { first, _ in first })
        return true
    }

    /// A command that fails, with a division by zero, where a reading of this time reaches into what sealing has
    /// passed, of whomever it is.
    static func refusal(of time: Int64) -> PostgresConnection.Command {
        let sql = """
            SELECT 1 / (NOT EXISTS (SELECT 1 FROM sealed WHERE last >= $1) AND NOT EXISTS (
                SELECT 1 FROM setting WHERE name = '\(setting)' AND CAST(split_part(value, ' ', 1) AS bigint) > $2))::integer
            """
        let day = Timestamp(microseconds: RollupLevel.day.start(of: time))
        return PostgresConnection.Command(
            sql: sql, parameters: [.time(day), .integer(time - RollupLevel.day.width)].map(PostgresParameter.init))
    }
}

extension StoreError {
    fileprivate static let unsealing = "unseal"
    /// Whether a day cannot be unsealed for what stands in its blocks. Damage that the database itself finds is another matter.
    var isOfSealedBlock: Bool { code == .corrupt && operation == Self.unsealing && databaseCode.isEmpty }
}

extension RollupKey {
    /// Participant, metric, source, and the beginning and the end of the day.
    fileprivate var bounds: [SQLValue] { values + [.time(Timestamp(microseconds: start + RollupLevel.day.width))] }
}

extension Identity {
    /// From the columns participant, metric, source, and a time.
    init(sealed row: SQLRow) {
        self.init(
            time: row.integer(3), participant: Int32(truncatingIfNeeded: row.integer(0)),
            metric: Int32(truncatingIfNeeded: row.integer(1)), source: Int32(truncatingIfNeeded: row.integer(2)), sequence: 0)
    }
}

extension SealedReading {
    /// A block's readings, from the columns time, seq, value, received, session, origin, zone; nil where a block cannot
    /// hold one, such as a text.
    ///
    /// - Parameter isLast: otherwise there are more than a block takes, and what has the last one's time is left for the next block.
    fileprivate static func all(_ rows: [SQLRow], isLast: Bool) -> [SealedReading]? {
        let end = rows.last.map { $0.time(0) }
        let taken = isLast ? rows[...] : rows.prefix { $0.time(0) != end }
        guard !taken.isEmpty || rows.isEmpty else { return nil }
        var readings: [SealedReading] = []
        readings.reserveCapacity(taken.count)
        for row in taken {
            guard let reading = SealedReading(row) else { return nil }
            readings.append(reading)
        }
        return readings
    }

    private init?(_ row: SQLRow) {
        guard let value = row.optionalReal(2), let sequence = Int32(exactly: row.integer(1)),
            let session = Int32(exactly: row.optionalInteger(4) ?? Int64(ReadingRow.none)),
            let origin = Int32(exactly: row.optionalInteger(5) ?? Int64(ReadingRow.none)),
            let zone = Int16(exactly: row.optionalInteger(6) ?? Int64(Int16.min))
        else { return nil }
        self.init(
            time: row.integer(0), sequence: sequence, value: value, received: row.integer(3), session: session, origin: origin, zone: zone)
    }
}

/// The place up to which sealing has looked at the days, in the table `setting`.
enum SealingMark {
    /// Microseconds; nil where nothing was ever sealed.
    static func read(_ connection: any SQLConnection) throws(StoreError) -> Int64? {
        try text(connection).flatMap { time(of: $0) }
    }

    private static func text(_ connection: any SQLConnection) throws(StoreError) -> String? {
        try connection.rows("SELECT value FROM setting WHERE name = '\(SealedTable.setting)'").first?.text(0)
    }

    private static func time(of text: String) -> Int64? { Int64(text.prefix { $0 != " " }) }

    /// Has the next run look at a day again. Returns whether one has looked at it, or is about to.
    @discardableResult
    static func look(at time: Int64, on connection: any SQLConnection) throws(StoreError) -> Bool {
        guard let known = try text(connection), let mark = Self.time(of: known), time < mark + RollupLevel.day.width else { return false }
        let next = min(mark, RollupLevel.day.start(of: time))
        if known != String(next) { try set(next, on: connection) }
        return true
    }

    /// Notes that a run looks at a day.
    static func begin(_ day: Int64, on connection: any SQLConnection) throws(StoreError) { try set(day, state: " busy", on: connection) }

    /// Notes that it has, unless something was added meanwhile, and returns whether nothing was.
    static func end(_ day: Int64, on connection: any SQLConnection) throws(StoreError) -> Bool {
        try connection.run(
            "UPDATE setting SET value = $1 WHERE name = '\(SealedTable.setting)' AND value = $2",
            [.text(String(day + RollupLevel.day.width)), .text("\(day) busy")]) == 1
    }

    private static func set(_ time: Int64, state: String = "", on connection: any SQLConnection) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO setting (name, value) VALUES ('\(SealedTable.setting)', $1)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.text("\(time)\(state)")])
    }
}
