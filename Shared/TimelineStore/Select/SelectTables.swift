import SQLiteDatabase
import VigilSchema

/// The tables of a `SelectQuery`.
enum SelectTables {
    static func all(_ source: SelectSource) -> [(String, any VirtualTable)] {
        let participant = VirtualColumn("participant", isSought: true), metric = VirtualColumn("metric", isSought: true)
        let day = VirtualColumn("day", isSought: true)
        let moment = [VirtualColumn("time", "INTEGER", isSought: true), VirtualColumn("at", isSought: true)]
        let series = [participant, metric, VirtualColumn("unit"), VirtualColumn("source"), VirtualColumn("period", "INTEGER")]
        return [
            ("readings", ReadingsTable(source)),
            ("daily", DailyTable(source, columns: [day] + series + plain("count mean sum min max first last"))),
            (
                "sealed_days",
                ViewTable(source, "sealed_days", columns: [day] + series + moment + plain("last count mean min max bytes"))
            ),
            (
                "participants",
                ViewTable(
                    source, "participants",
                    columns: [participant]
                        + plain("first last pseudonym birth_date sex time_zone height is_pregnant family position modules"))
            ),
            (
                "entries",
                ViewTable(
                    source, "entries",
                    columns: moment + plain("ends") + [participant]
                        + plain("kind description value text unit codes detail id received origin"))
            ),
            (
                "alerts",
                ViewTable(
                    source, "alerts",
                    columns: moment + [participant] + plain("rule transition state severity priority title message detail"))
            ),
        ]
    }

    /// Columns that keep the type of what is in them.
    private static func plain(_ names: String) -> [VirtualColumn] { names.split(separator: " ").map { VirtualColumn(String($0), "") } }
}

/// A view of the store, read page by page.
private final class ViewTable: VirtualTable {
    private static let pageLength = 1000

    let columns: [VirtualColumn]
    private let source: SelectSource
    private let view: String

    init(_ source: SelectSource, _ view: String, columns: [VirtualColumn]) {
        (self.source, self.view, self.columns) = (source, view, columns)
    }

    func rows(_ conditions: [VirtualCondition]) throws -> any VirtualRows {
        let scope = SelectScope(conditions, of: columns)
        var values: [SQLValue] = []
        var found: [String] = []
        func add(_ condition: String, _ value: SQLValue) {
            values.append(value)
            found.append("\(condition) $\(values.count)")
        }
        if let participant = scope.participant { add("participant =", .text(participant)) }
        if let metric = scope.metric { add("metric =", .text(metric)) }
        // Of a packed day, whose moment is the first reading's, only the day is asked for.
        if columns.first?.name == "time" {
            add("time >=", .time(Timestamp(microseconds: scope.first)))
            add("time <=", .time(Timestamp(microseconds: scope.last)))
        }
        let list = columns.map { $0.name == "at" ? "time" : $0.name == "day" ? "CAST(day AS text)" : $0.name }.joined(separator: ", ")
        let sql = """
            SELECT \(list) FROM \(view) \(found.isEmpty ? "" : "WHERE " + found.joined(separator: " AND "))
            ORDER BY 1, 2, 3, 4, 5 LIMIT \(Self.pageLength) OFFSET
            """
        return PagedRows(source, columns) { connection, page throws(StoreError) in
            let rows = try connection.rows("\(sql) $\(values.count + 1)", values + [.integer(Int64(page * Self.pageLength))])
            return rows.isEmpty ? nil : rows
        }
    }
}

/// The view `daily`, read series by series: it is put together from the sums of hours.
private final class DailyTable: VirtualTable {
    let columns: [VirtualColumn]
    private let source: SelectSource

    init(_ source: SelectSource, columns: [VirtualColumn]) { (self.source, self.columns) = (source, columns) }

    func rows(_ conditions: [VirtualCondition]) throws -> any VirtualRows {
        let scope = SelectScope(conditions, of: columns).widened
        let series = try source.noting { () throws(StoreError) in try self.series(scope) }
        let bounds = [scope.first, scope.last].map { SQLValue.time(Timestamp(microseconds: $0)) }
        let condition = " AND r.participant = $1 AND r.metric = $2 AND r.time >= $3 AND r.time <= $4"
        return PagedRows(source, columns) { [names = columns.map(\.name)] connection, page throws(StoreError) in
            guard series.indices.contains(page) else { return nil }
            let list = names.map { $0 == "day" ? "CAST(day AS text)" : $0 }.joined(separator: ", ")
            return try connection.rows(
                "SELECT \(list) FROM (\(type(of: connection).daily(where: condition))) d ORDER BY 1", series[page] + bounds)
        }
    }

    /// The numbers of participant and metric of all that have sums.
    private func series(_ scope: SelectScope) throws(StoreError) -> [[SQLValue]] {
        var (condition, values): (String, [SQLValue]) = ("", [])
        for (table, name) in [("p", scope.participant), ("m", scope.metric)] {
            guard let name else { continue }
            values.append(.text(name))
            condition += " AND \(table).name = $\(values.count)"
        }
        let sql = """
            SELECT p.id, m.id FROM participant p CROSS JOIN metric m
            WHERE EXISTS (SELECT 1 FROM rollup_day d WHERE d.participant = p.id AND d.metric = m.id)\(condition) ORDER BY p.id, m.id
            """
        return try source.connection.rows(sql, values).map(\.values)
    }
}

/// Rows of queries, a page after the other.
private final class PagedRows: VirtualRows {
    private let source: SelectSource
    private let columns: [VirtualColumn]
    private let fetch: (any SQLConnection, Int) throws(StoreError) -> [SQLRow]?
    private var rows: [SQLRow] = []
    private var (index, page) = (-1, 0)

    /// - Parameter fetch: gives the page with a number from 0 on; nil after the last.
    init(_ source: SelectSource, _ columns: [VirtualColumn], fetch: @escaping (any SQLConnection, Int) throws(StoreError) -> [SQLRow]?) {
        (self.source, self.columns, self.fetch) = (source, columns, fetch)
    }

    func next() throws -> Bool {
        index += 1
        while index >= rows.count {
            guard let more = try source.noting({ () throws(StoreError) in try fetch(source.connection, page) }) else { return false }
            (rows, index, page) = (more, 0, page + 1)
        }
        return true
    }

    /// Moments are numbers in `time`, and texts elsewhere.
    func value(_ column: Int) -> SQLiteValue {
        switch (columns[column].name, rows[index].values[column]) {
        case ("at", _): .text(SelectMoment.text(rows[index].integer(column)))
        case ("time", _): .integer(rows[index].integer(column))
        case (_, .time(let moment)): .text(SelectMoment.text(moment.microseconds))
        case (_, let value): SQLiteValue(value)
        }
    }
}
