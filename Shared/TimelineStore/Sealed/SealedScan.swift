import VigilSchema

/// Reads a participant's sealed readings in the order of (time, metric, source, sequence) or the opposite one, block by
/// block: a short part of a long range takes no more memory than a short range.
struct SealedScan {
    struct Row {
        let metric: Int64
        let source: Int64
        let reading: SealedReading

        var time: Timestamp { Timestamp(microseconds: reading.time) }
        fileprivate var place: Place { (reading.time, metric, source, Int64(reading.sequence)) }
    }

    typealias Place = (time: Int64, metric: Int64, source: Int64, sequence: Int64)

    private static let blocksAtOnce = 4

    private let connection: any SQLConnection
    private let participant: Int64
    private let metrics: [Int64]?
    private let source: String
    private let sources: [Int64]?
    private let range: Range<Int64>
    private let isNewestFirst: Bool

    /// - Parameters:
    ///   - metrics: the database's numbers; nil: all.
    ///   - source: by name; empty: all.
    ///   - sources: the database's numbers; nil: all.
    init(
        _ connection: any SQLConnection, participant: Int64, metrics: [Int64]?, source: String = "", sources: [Int64]? = nil,
        from: Timestamp, to: Timestamp, isNewestFirst: Bool = false
    ) {
        self.sources = sources
        (self.connection, self.participant, self.metrics, self.source) = (connection, participant, metrics, source)
        range = from.microseconds..<max(from.microseconds, to.microseconds)
        self.isNewestFirst = isNewestFirst
    }

    /// The first readings after a place.
    func rows(after place: Place, limit: Int) throws(StoreError) -> [Row] {
        var collector = Collector(after: place, limit: limit, isNewestFirst: isNewestFirst)
        for metric in try sealedMetrics() { try collect(metric, &collector) }
        return collector.rows
    }

    /// The first rows of two sorted lists.
    static func merged<Row>(_ open: [Row], _ sealed: [Row], limit: Int, by isBefore: (Row, Row) -> Bool) -> [Row] {
        if sealed.isEmpty { return open }
        return Array((open + sealed).sorted(by: isBefore).prefix(limit))
    }

    private func sealedMetrics() throws(StoreError) -> [Int64] {
        let sql = "SELECT id FROM metric m WHERE EXISTS (SELECT 1 FROM sealed s WHERE s.participant = $1 AND s.metric = m.id) ORDER BY id"
        let sealed = try connection.rows(sql, [.integer(participant)]).map { $0.integer(0) }
        return metrics.map { wanted in sealed.filter { wanted.contains($0) } } ?? sealed
    }

    private func collect(_ metric: Int64, _ collector: inout Collector) throws(StoreError) {
        let table = SealedTable(connection)
        // A block lies within one day.
        var place = isNewestFirst ? (range.upperBound, Int64.max / 4) : (RollupLevel.day.start(of: range.lowerBound), Int64(-1))
        while true {
            let blocks = try connection.rows(sql, values(metric, place))
            for row in blocks {
                if collector.hasAll(before: row.time(0).microseconds) { return }
                guard collector.wants(first: row.time(0).microseconds, last: row.time(1).microseconds) else { continue }
                let source = row.integer(2)
                guard sources?.contains(source) ?? true else { continue }
                let key: [SQLValue] = [.integer(participant), .integer(metric), row.values[2], row.values[0]]
                for reading in try table.readings(row.blob(3), of: key[...]) where range.contains(reading.time) {
                    collector.add(Row(metric: metric, source: source, reading: reading))
                }
                collector.trim()
            }
            guard blocks.count == Self.blocksAtOnce, let last = blocks.last else { return }
            place = (last.time(0).microseconds, last.integer(2))
        }
    }

    private var sql: String {
        let (order, sign) = isNewestFirst ? (" DESC", "<") : ("", ">")
        return """
            SELECT first, last, source, block FROM sealed
            WHERE participant = $1 AND metric = $2 AND first >= $3 AND first < $4 AND last >= $5 AND \(Lookup.isFrom("$6"))
                AND (first, source) \(sign) ($7, $8)
            ORDER BY first\(order), source\(order) LIMIT \(Self.blocksAtOnce)
            """
    }

    private func values(_ metric: Int64, _ place: (first: Int64, source: Int64)) -> [SQLValue] {
        let day = RollupLevel.day.start(of: range.lowerBound)
        let (start, end) = isNewestFirst ? (day, min(range.upperBound, place.first + 1)) : (max(day, place.first), range.upperBound)
        return [.integer(participant), .integer(metric)]
            + [start, end, range.lowerBound].map { .time(Timestamp(microseconds: $0)) }
            + [.text(source), .time(Timestamp(microseconds: place.first)), .integer(place.source)]
    }
}

/// The first rows after a place, of those that it is given in any order.
private struct Collector {
    private(set) var rows: [SealedScan.Row] = []
    private let start: SealedScan.Place
    private let limit: Int
    private let isNewestFirst: Bool

    init(after place: SealedScan.Place, limit: Int, isNewestFirst: Bool) {
        (start, self.limit, self.isNewestFirst) = (place, limit, isNewestFirst)
    }

    mutating func add(_ row: SealedScan.Row) {
        if isNewestFirst ? row.place < start : start < row.place { rows.append(row) }
    }

    /// Sorts the rows, and keeps no more than are wanted.
    mutating func trim() {
        rows.sort { isNewestFirst ? $1.place < $0.place : $0.place < $1.place }
        if rows.count > limit { rows.removeLast(rows.count - limit) }
    }

    /// The time of the last row, where there are as many as are wanted.
    private var bound: Int64? { rows.count >= limit ? rows.last?.reading.time : nil }

    /// Returns whether no block that begins like this one, or comes after it, can have a row that is wanted.
    func hasAll(before first: Int64) -> Bool {
        guard let bound else { return false }
        return isNewestFirst ? bound >= RollupLevel.day.start(of: first) + RollupLevel.day.width : bound < first
    }

    /// Returns whether a block may have a row that is wanted.
    func wants(first: Int64, last: Int64) -> Bool {
        isNewestFirst
            ? first <= start.time && (bound.map { last >= $0 } ?? true) : last >= start.time && (bound.map { first <= $0 } ?? true)
    }
}

/// Sealed readings as the columns of a query for readings, with the names for their numbers.
struct SealedNames {
    /// Columns as `ReadingScan` asks for them.
    let rows: [SQLRow]

    init(_ connection: any SQLConnection, _ readings: ArraySlice<SealedScan.Row>) throws(StoreError) {
        let metrics = try Self.names("name, unit", of: "metric", Set(readings.map(\.metric)), connection)
        let sources = try Self.names("name, period", of: "source", Set(readings.map(\.source)), connection)
        let sessions = try Self.names("name", of: "session", Set(readings.map { Int64($0.reading.session) }), connection)
        rows = readings.map { row in
            let (reading, none) = (row.reading, [SQLValue.null, .null])
            let (metric, source) = (metrics[row.metric] ?? none, sources[row.source] ?? none)
            return SQLRow([
                .time(row.time), .integer(row.metric), .integer(row.source), .integer(Int64(reading.sequence)), .real(reading.value), .null,
                .time(Timestamp(microseconds: reading.received)), reading.zone == .min ? .null : .integer(Int64(reading.zone)),
                metric[0], metric[1], source[0], sessions[Int64(reading.session)]?[0] ?? .null, source[1], .integer(0),
            ])
        }
    }

    private static func names(
        _ columns: String, of table: String, _ numbers: Set<Int64>, _ connection: any SQLConnection
    ) throws(StoreError) -> [Int64: [SQLValue]] {
        if numbers.isEmpty { return [:] }
        let list = SQLValue.text("[\(numbers.sorted().map { String($0) }.joined(separator: ","))]")
        let rows = try connection.rows(
            "SELECT id, \(columns) FROM \(table) WHERE id IN (\(type(of: connection).elements(of: "$1")))", [list])
        return Dictionary(rows.map { ($0.integer(0), Array($0.values.dropFirst())) }, uniquingKeysWith: { first, _ in first })
    }
}
