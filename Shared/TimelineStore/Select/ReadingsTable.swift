import SQLiteDatabase
import VigilSchema

/// The virtual table `readings`: first those in rows, in the order of time, then those in blocks, each block read once.
final class ReadingsTable: VirtualTable {
    let columns = [
        VirtualColumn("time", "INTEGER", isSought: true), VirtualColumn("at", isSought: true), VirtualColumn("participant", isSought: true),
        VirtualColumn("metric", isSought: true), VirtualColumn("value", "REAL"), VirtualColumn("text"), VirtualColumn("unit"),
        VirtualColumn("source"), VirtualColumn("session"), VirtualColumn("seq", "INTEGER"), VirtualColumn("period", "INTEGER"),
        VirtualColumn("zone", "INTEGER"), VirtualColumn("received"), VirtualColumn("origin"),
    ]
    private let source: SelectSource

    init(_ source: SelectSource) { self.source = source }

    func rows(_ conditions: [VirtualCondition]) throws -> any VirtualRows {
        ReadingRows(try source.noting { () throws(StoreError) in try ReadingReader(source, SelectScope(conditions, of: columns)) })
    }
}

/// Readings as the columns of the table, those of a page or block at a time.
private final class ReadingRows: VirtualRows {
    private let reader: ReadingReader
    private var rows: [ReadingReader.Row] = []
    private var index = -1

    init(_ reader: ReadingReader) { self.reader = reader }

    func next() throws -> Bool {
        index += 1
        while index >= rows.count {
            guard let more = try reader.next() else { return false }
            (rows, index) = (more, 0)
        }
        return true
    }

    func value(_ column: Int) -> SQLiteValue {
        let (row, reading) = (rows[index], rows[index].reading)
        return switch column {
        case 0: .integer(reading.time)
        case 1: .text(SelectMoment.text(reading.time))
        case 2: row.names.participant
        case 3: row.names.metric
        case 4: row.text == .null ? .real(reading.value) : .null
        case 5: row.text
        case 6: row.names.unit
        case 7: row.names.source
        case 8: row.session
        case 9: .integer(Int64(reading.sequence))
        case 10: row.names.period
        case 11: reading.zone == .min ? .null : .integer(Int64(reading.zone))
        case 12: .text(SelectMoment.text(reading.received))
        default: row.origin
        }
    }
}

/// Reads the readings of a scope.
private final class ReadingReader {
    /// What the readings of a series share.
    struct Names {
        let participant, metric, unit, source, period: SQLiteValue

        /// From columns in this order.
        init(_ columns: some Sequence<SQLValue>) {
            let values = columns.map { SQLiteValue($0) }
            (participant, metric, unit, source, period) = (values[0], values[1], values[2], values[3], values[4])
        }
    }

    struct Row {
        let reading: SealedReading
        let names: Names
        let text, session, origin: SQLiteValue
    }

    private enum Place {
        case open([SQLValue])
        case sealed([SQLValue])
    }

    private static let pageLength = 2000

    private let source: SelectSource
    private let scope: SelectScope
    /// Conditions on participant and metric, and the values of their parameters, which are the first.
    private var condition = ""
    private var numbers: [SQLValue] = []
    private var place: Place?

    init(_ source: SelectSource, _ scope: SelectScope) throws(StoreError) {
        (self.source, self.scope) = (source, scope)
        let lookup = Lookup(connection: source.connection)
        let wanted = [
            ("participant", try scope.participant.map { name throws(StoreError) in try lookup.participant(name) }),
            ("metric", try scope.metric.map { name throws(StoreError) in try lookup.metric(name) }),
        ]
        for (column, number) in wanted {
            guard let number else { continue }
            // What is unknown has nothing.
            guard let number else { return }
            numbers.append(.integer(number))
            condition += " AND r.\(column) = $\(numbers.count)"
        }
        guard scope.first <= scope.last else { return }
        let none = SQLValue.integer(-1)
        place = .open([.time(Timestamp(microseconds: scope.first)), none, none, none, .integer(Int64(Int32.min) - 1)])
    }

    /// Some more; nil at the end.
    func next() throws(StoreError) -> [Row]? {
        try source.noting { () throws(StoreError) in
            switch place {
            case nil: nil
            case .open(let after): try page(after)
            case .sealed(let after): try block(after)
            }
        }
    }

    private func parameter(_ offset: Int) -> String { "$\(numbers.count + offset)" }

    private func page(_ after: [SQLValue]) throws(StoreError) -> [Row] {
        let rows = try source.connection.rows(
            """
            SELECT r.time, r.participant, r.metric, r.source, r.seq, coalesce(r.value, 0), r.received, r.zone, r.text, e.name, o.name,
                p.name, m.name, m.unit, s.name, nullif(s.period, 0)
            FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
                LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin
            WHERE r.time >= \(parameter(1)) AND r.time <= \(parameter(6))
                AND (r.time, r.participant, r.metric, r.source, r.seq) > (\((1...5).map(parameter).joined(separator: ", ")))\(condition)
            ORDER BY r.time, r.participant, r.metric, r.source, r.seq LIMIT \(Self.pageLength)
            """, numbers + after + [.time(Timestamp(microseconds: scope.last))])
        if rows.count < Self.pageLength {
            let day = SQLValue.time(RollupLevel.day.start(of: Timestamp(microseconds: scope.first)))
            place = .sealed([.integer(-1), .integer(-1), day, .integer(-1)])
        } else {
            place = rows.last.map { .open(Array($0.values.prefix(5))) }
        }
        return rows.map { row in
            let reading = SealedReading(
                time: row.integer(0), sequence: Int32(truncatingIfNeeded: row.integer(4)), value: row.real(5), received: row.integer(6),
                session: 0, origin: 0, zone: row.optionalInteger(7).map { Int16(truncatingIfNeeded: $0) } ?? .min)
            return Row(
                reading: reading, names: Names(row.values.suffix(5)), text: SQLiteValue(row.values[8]), session: SQLiteValue(row.values[9]),
                origin: SQLiteValue(row.values[10]))
        }
    }

    private func block(_ after: [SQLValue]) throws(StoreError) -> [Row]? {
        guard
            let row = try source.connection.rows(
                """
                SELECT r.participant, r.metric, r.first, r.source, r.sessions, r.origins, r.block, p.name, m.name, m.unit, s.name,
                    nullif(s.period, 0)
                FROM sealed r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
                WHERE r.last >= \(parameter(5)) AND r.first >= \(parameter(6)) AND r.first <= \(parameter(7))
                    AND (r.participant, r.metric, r.first, r.source) > (\((1...4).map(parameter).joined(separator: ", ")))\(condition)
                ORDER BY r.participant, r.metric, r.first, r.source LIMIT 1
                """, numbers + after + sealedBounds
            ).first
        else {
            place = nil
            return nil
        }
        place = .sealed(Array(row.values.prefix(4)))
        let names = Names(row.values.suffix(5))
        let (sessions, origins) = (try self.names(of: "session", row.text(4)), try self.names(of: "origin", row.text(5)))
        let key = [0, 1, 3, 2].map { row.values[$0] }[...]
        return try SealedTable(source.connection).readings(row.blob(6), of: key).lazy
            .filter { [scope] in scope.first <= $0.time && $0.time <= scope.last }
            .map { reading in
                Row(
                    reading: reading, names: names, text: .null, session: sessions[reading.session] ?? .null,
                    origin: origins[reading.origin] ?? .null)
            }
    }

    /// A block lies within one day.
    private var sealedBounds: [SQLValue] {
        [scope.first, RollupLevel.day.start(of: scope.first), scope.last].map { .time(Timestamp(microseconds: $0)) }
    }

    /// The names of the numbers between commas.
    private func names(of table: String, _ list: String) throws(StoreError) -> [Int32: SQLiteValue] {
        if list.isEmpty { return [:] }
        let rows = try source.connection.rows(
            "SELECT id, name FROM \(table) WHERE id IN (\(type(of: source.connection).elements(of: "$1")))",
            [.text("[\(list.dropFirst().dropLast())]")])
        return Dictionary(
            rows.map { (Int32(truncatingIfNeeded: $0.integer(0)), SQLiteValue($0.values[1])) }, uniquingKeysWith: { first, _ in first })
    }
}
