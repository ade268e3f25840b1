package import VigilSchema

extension SQLTimelineStore {
    package func readings(
        participant: String, metric: String?, from: Timestamp, to: Timestamp, selection: TimelineQuery.Selection, limit: Int, bytes: Int,
        after: ReadingsCursor?
    ) async throws(StoreError) -> ReadingsPage {
        guard (1...100_000).contains(limit) else {
            throw StoreError(.badRequest, operation: "query", detail: "a page has 1 to 100000 readings")
        }
        return try await readAtLength { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else {
                return ReadingsPage(readings: [], next: nil)
            }
            let scan = try ReadingScan(
                connection, participant: number, metrics: metric.map { [$0] } ?? selection.metrics, from..<max(from, to), selection, after)
            return try scan.page(limit: limit, bytes: bytes)
        }
    }
}

/// One page of a participant's readings in the order of (time, metric, source, sequence), or in the opposite one.
private struct ReadingScan {
    /// The most readings that a page looks through where no index leads to what is wanted.
    private static let longest: Int64 = 50_000
    /// The most metrics that are looked up one after the other, each by its index.
    private static let mostLookups = 16
    /// The years 1 to 9999, which is what a store takes.
    private static let always = Timestamp(microseconds: -62_135_596_800_000_000)..<Timestamp(microseconds: 253_402_300_800_000_000)

    private let connection: any SQLConnection
    private let participant: Int64
    /// The database's numbers of the wanted metrics; nil: all.
    private let metrics: [Int64]?
    /// The numbers of the wanted sources; nil: all.
    private let sources: [Int64]?
    private let received: Range<Timestamp>?
    private let isNewestFirst: Bool
    private let range: Range<Timestamp>
    private let place: ReadingsCursor

    init(
        _ connection: any SQLConnection, participant: Int64, metrics names: [String], _ range: Range<Timestamp>,
        _ selection: TimelineQuery.Selection, _ after: ReadingsCursor?
    ) throws(StoreError) {
        (self.connection, self.participant, isNewestFirst) = (connection, participant, selection.isNewestFirst)
        var numbers: [Int64] = []
        for name in Set(names) { if let number = try Lookup(connection: connection).metric(name) { numbers.append(number) } }
        metrics = names.isEmpty ? nil : numbers.sorted()
        sources = try selection.source.map { start throws(StoreError) in
            try connection.rows("SELECT id FROM source WHERE substr(name, 1, length($1)) = $1 ORDER BY id", [.text(start)])
                .map { $0.integer(0) }
        }
        let (from, to) = (selection.received.from, selection.received.to)
        let start = from ?? Self.always.lowerBound
        received = from == nil && to == nil ? nil : start..<max(start, to ?? Self.always.upperBound)
        place = after ?? ReadingsCursor(time: isNewestFirst ? range.upperBound : range.lowerBound, metric: -1, source: -1, sequence: .min)
        let first = min(range.upperBound, max(range.lowerBound, place.time))
        let end = min(range.upperBound, max(range.lowerBound, Timestamp(microseconds: place.time.microseconds + 1)))
        self.range = isNewestFirst ? range.lowerBound..<end : first..<range.upperBound
    }

    func page(limit: Int, bytes: Int) throws(StoreError) -> ReadingsPage {
        let (rows, end) = try found(limit)
        var page = ReadingsPage(readings: [], next: nil)
        var room = bytes
        for (index, row) in rows.enumerated() {
            room -= Int(row.integer(13))
            if index == limit || (room < 0 && index > 0) {
                page.next = ReadingsCursor(rows[index - 1])
                return page
            }
            var reading = StoredReading(row)
            if reading.value == nil && reading.text == nil { reading.text = try longText(row) }
            page.readings.append(reading)
        }
        page.next = end
        return page
    }

    /// The next readings, one more than asked for where there are as many, and the place up to which all was looked through, where that is not the end.
    private func found(_ limit: Int) throws(StoreError) -> (rows: [SQLRow], end: ReadingsCursor?) {
        let open = try rows(limit + 1), sealed = try sealed(limit + 1)
        var end = sealed.end
        if received != nil, open.count <= limit || sealed.isAny, let last = try lastLookedAt() {
            end = end.map { isBefore(SortKey(last), SortKey($0)) ? last : $0 } ?? last
        }
        guard sealed.isAny else { return (open, end) }
        // Of what was not looked through in both there may be more.
        let known = sorted(open + sealed.rows).filter { row in end.map { !isBefore(SortKey($0), SortKey(row)) } ?? true }
        return (Array(known.prefix(limit + 1)), end)
    }

    private func isBefore(_ left: SortKey, _ right: SortKey) -> Bool { isNewestFirst ? right < left : left < right }

    private func sorted(_ rows: [SQLRow]) -> [SQLRow] {
        rows.map { (key: SortKey($0), row: $0) }.sorted { isBefore($0.key, $1.key) }.map(\.row)
    }

    /// The next sealed readings, and the last that was looked through, where others follow.
    private func sealed(_ limit: Int) throws(StoreError) -> (rows: [SQLRow], end: ReadingsCursor?, isAny: Bool) {
        let scan = SealedScan(
            connection, participant: participant, metrics: metrics, sources: sources, from: range.lowerBound, to: range.upperBound,
            isNewestFirst: isNewestFirst)
        let most = received == nil ? limit : Int(Self.longest)
        let found = try scan.rows(
            after: (place.time.microseconds, place.metric, place.source, Int64(place.sequence)), limit: most)
        let wanted = found.filter { row in received?.contains(Timestamp(microseconds: row.reading.received)) ?? true }
        let end = received != nil && found.count == most ? found.last.map { ReadingsCursor($0) } : nil
        return (try SealedNames(connection, wanted.prefix(limit)).rows, end, !found.isEmpty)
    }

    private func rows(_ limit: Int) throws(StoreError) -> [SQLRow] {
        guard let metrics, received == nil, metrics.count <= Self.mostLookups else { return try rows(.ofList, limit) }
        var found: [SQLRow] = []
        for metric in metrics { found += try rows(.ofOne(metric), limit) }
        guard metrics.count > 1 else { return found }
        return Array(sorted(found).prefix(limit))
    }

    private enum Wanted {
        case ofOne(Int64)
        /// Those of `metrics`, or all.
        case ofList
    }

    /// A statement for one metric and another for all: a plan that has to do for both would use no index that leads to one.
    private func rows(_ wanted: Wanted, _ limit: Int) throws(StoreError) -> [SQLRow] {
        var values: [SQLValue] = []
        let base = base(wanted, &values)
        guard let received else {
            values.append(.integer(Int64(limit)))
            return try connection.rows("\(Self.columns) FROM reading r \(Self.names) \(base) LIMIT $\(values.count)", values)
        }
        values += [.integer(Self.longest), .time(received.lowerBound), .time(received.upperBound), .integer(Int64(limit))]
        let count = values.count
        return try connection.rows(
            """
            \(Self.columns) FROM (SELECT * FROM reading r \(base) LIMIT $\(count - 3)) r \(Self.names)
            WHERE r.received >= $\(count - 2) AND r.received < $\(count - 1) \(order) LIMIT $\(count)
            """, values)
    }

    /// The last of the readings that were looked through; nil where no others follow.
    private func lastLookedAt() throws(StoreError) -> ReadingsCursor? {
        var values: [SQLValue] = []
        let base = base(.ofList, &values)
        values.append(.integer(Self.longest - 1))
        return try connection.rows(
            "SELECT r.time, r.metric, r.source, r.seq FROM reading r \(base) LIMIT 1 OFFSET $\(values.count)", values
        ).first.map { ReadingsCursor($0) }
    }

    private func base(_ wanted: Wanted, _ values: inout [SQLValue]) -> String {
        values = [
            .integer(participant), .time(range.lowerBound), .time(range.upperBound), .time(place.time), .integer(place.metric),
            .integer(place.source), .integer(Int64(place.sequence)),
        ]
        var condition = ""
        switch (wanted, metrics) {
        case (.ofOne(let metric), _):
            values.append(.integer(metric))
            condition = "AND r.metric = $8"
        case (.ofList, let metrics?):
            values.append(Self.list(metrics))
            condition = "AND r.metric IN (\(type(of: connection).elements(of: "$8")))"
        case (.ofList, nil): break
        }
        if let sources {
            values.append(Self.list(sources))
            condition += " AND r.source IN (\(type(of: connection).elements(of: "$\(values.count)")))"
        }
        return """
            WHERE r.participant = $1 AND r.time >= $2 AND r.time < $3 \(condition)
                AND (r.time, r.metric, r.source, r.seq) \(isNewestFirst ? "<" : ">") ($4, $5, $6, $7)
            \(order)
            """
    }

    private static func list(_ numbers: [Int64]) -> SQLValue { .text("[" + numbers.map { String($0) }.joined(separator: ",") + "]") }

    private var order: String {
        "ORDER BY " + ["time", "metric", "source", "seq"].map { "r.\($0)\(isNewestFirst ? " DESC" : "")" }.joined(separator: ", ")
    }

    private static let columns = """
        SELECT r.time, r.metric, r.source, r.seq, r.value,
            CASE WHEN length(r.text) <= \(Observation.longestText) THEN r.text END, r.received, r.zone, m.name, m.unit, s.name, e.name, s.period, coalesce(length(r.text), 0)
        """
    private static let names = """
        JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session
        """

    /// A text so long that it is read only once there is room for it; new ones are refused.
    private func longText(_ row: SQLRow) throws(StoreError) -> String? {
        try connection.rows(
            "SELECT text FROM reading WHERE \(CorrectionSQL.identity)",
            [.time(row.time(0)), .integer(participant), .integer(row.integer(1)), .integer(row.integer(2)), .integer(row.integer(3))]
        ).first?.optionalText(0)
    }

    private struct SortKey: Comparable {
        let values: (Timestamp, Int64, Int64, Int64)

        init(_ row: SQLRow) { values = (row.time(0), row.integer(1), row.integer(2), row.integer(3)) }
        init(_ cursor: ReadingsCursor) { values = (cursor.time, cursor.metric, cursor.source, Int64(cursor.sequence)) }

        static func < (left: Self, right: Self) -> Bool { left.values < right.values }
        static func == (left: Self, right: Self) -> Bool { left.values == right.values }
    }
}

extension ReadingsCursor {
    init(_ row: SealedScan.Row) {
        self.init(time: row.time, metric: row.metric, source: row.source, sequence: row.reading.sequence)
    }

    init(_ row: SQLRow) {
        self.init(
            time: row.time(0), metric: row.integer(1), source: row.integer(2), sequence: Int32(truncatingIfNeeded: row.integer(3)))
    }
}

extension StoredReading {
    init(_ row: SQLRow) {
        self.init(
            metric: row.text(8), unit: row.text(9), source: row.text(10), session: row.optionalText(11), time: row.time(0),
            sequence: Int32(truncatingIfNeeded: row.integer(3)), value: row.optionalReal(4), text: row.optionalText(5),
            received: row.time(6), zone: row.optionalInteger(7).map { Int16(truncatingIfNeeded: $0) },
            period: row.integer(12) == 0 ? nil : Int32(truncatingIfNeeded: row.integer(12)))
    }
}
