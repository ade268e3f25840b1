package import VigilSchema

/// The space that a timeline takes in its database, and how fast it grows.
package struct StorageReport: Sendable {
    /// What a database's tables hold, each with its indexes.
    package enum Kind: String, Sendable, CaseIterable {
        case readings
        /// Readings of days that are over, packed.
        case sealed
        case waveforms, rollups
        /// Values that were replaced.
        case replaced
        /// Profiles, entries and alerts.
        case people
        case audit
        /// Names, settings and other services' tables.
        case other
    }

    /// A participant's readings or blocks of samples of one metric.
    package struct Series: Sendable, Hashable {
        package var participant: String
        package var metric: String
        package var kind: Kind
        /// The number of readings or blocks.
        package var count: Int64
        /// The part of its table's bytes that is theirs: by their number, of samples by their own length.
        package var bytes: Int64
        /// The bytes a day that have been measured in the last week.
        package var bytesPerDay: Double
    }

    package var kinds: [Kind: Int64] = [:]
    /// By participant, metric and kind.
    package var series: [Series] = []

    /// The bytes of all tables.
    package var bytes: Int64 { kinds.values.reduce(0, +) }

    /// The bytes a day that the last week's measurements take; rollups are taken to grow as the readings do. What retention removes is not
    /// subtracted. Nil where the week brought nothing.
    package var bytesPerDay: Double? {
        let measured = series.reduce(0) { $0 + $1.bytesPerDay }
        let readings = series.filter { $0.kind == .readings }.reduce(0) { $0 + $1.bytesPerDay }
        let rollups = kinds[.readings].map { $0 > 0 ? Double(kinds[.rollups] ?? 0) / Double($0) : 0 } ?? 0
        return measured > 0 ? measured + readings * rollups : nil
    }
}

extension SQLTimelineStore {
    package func storage(now: Timestamp) async throws(StoreError) -> StorageReport {
        try await readAtLength { connection throws(StoreError) in try StorageSQL(connection: connection, now: now).report() }
    }
}

/// The questions behind a `StorageReport`. Readings are counted from the days' sums where there are any, else one by one.
private struct StorageSQL {
    let connection: any SQLConnection
    let now: Timestamp

    /// The start of the last week, at the beginning of a day, as the days' sums have it.
    private var week: Timestamp { RollupLevel.day.start(of: now.advanced(bySeconds: -7 * 86_400)) }

    func report() throws(StoreError) -> StorageReport {
        var report = StorageReport()
        for row in try connection.rows(type(of: connection).tableSizes) {
            report.kinds[StorageReport.Kind(table: row.text(0)), default: 0] += row.integer(1)
        }
        let rows = try readings() + sealed() + waveforms()
        report.series = series(rows, kinds: report.kinds)
        return report
    }

    private struct Row {
        var participant: String
        var metric: String
        var kind: StorageReport.Kind
        var count: Int64
        var recent: Int64
        /// The bytes of the samples alone.
        var length: Int64
        /// The first of the week's.
        var since: Timestamp?
    }

    private func readings() throws(StoreError) -> [Row] {
        guard try Lookup(connection: connection).hasRollups() else {
            return try rows(.readings, Self.sql("reading", "1", "0"))
        }
        let days = Self.sql("rollup_day", "r.count", "0", where: "m.kept_from IS NULL OR r.time >= m.kept_from")
        let texts = Self.sql("reading", "1", "0", where: "r.text IS NOT NULL")
        let blocks = Dictionary(try sealed().map { ([$0.participant, $0.metric], $0) }, uniquingKeysWith: { first, _ in first })
        let open = try rows(.readings, days).map { row in
            var row = row
            let sealed = blocks[[row.participant, row.metric]]
            row.count -= sealed?.count ?? 0
            row.recent -= sealed?.recent ?? 0
            return row
        }
        return try open + rows(.readings, texts)
    }

    private func sealed() throws(StoreError) -> [Row] {
        let sql = Self.sql("(SELECT *, first AS time FROM sealed)", "r.count", "length(r.block)")
        return try rows(.sealed, sql)
    }

    private func waveforms() throws(StoreError) -> [Row] {
        try rows(.waveforms, Self.sql("waveform", "1", "length(r.samples)"))
    }

    private func rows(_ kind: StorageReport.Kind, _ sql: String) throws(StoreError) -> [Row] {
        try connection.rows(sql, [.time(week), .time(now)]).map { row in
            Row(
                participant: row.text(0), metric: row.text(1), kind: kind, count: row.integer(2), recent: row.integer(3),
                length: row.integer(4), since: row.isNull(5) ? nil : row.time(5))
        }
    }

    private static func sql(_ table: String, _ count: String, _ length: String, where condition: String = "true") -> String {
        let isRecent = "r.time >= $1 AND r.time < $2"
        return """
            SELECT p.name, m.name, CAST(sum(\(count)) AS bigint), CAST(sum(CASE WHEN \(isRecent) THEN \(count) ELSE 0 END) AS bigint),
                CAST(sum(\(length)) AS bigint), min(CASE WHEN \(isRecent) THEN r.time END)
            FROM \(table) r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
            WHERE \(condition) GROUP BY p.name, m.name
            """
    }

    /// Divides the tables' bytes among the rows.
    private func series(_ rows: [Row], kinds: [StorageReport.Kind: Int64]) -> [StorageReport.Series] {
        let counts = rows.reduce(into: [StorageReport.Kind: Int64]()) { $0[$1.kind, default: 0] += $1.count }
        let lengths = rows.reduce(into: [StorageReport.Kind: Int64]()) { $0[$1.kind, default: 0] += $1.length }
        // Of a timeline that is younger than a week the days that it has.
        let first = rows.compactMap(\.since).min() ?? now
        let days = max(1, Double(now.microseconds - first.microseconds) / 86_400_000_000)
        var series: [[String]: StorageReport.Series] = [:]
        for row in rows where row.count > 0 {
            let (table, length) = (kinds[row.kind] ?? 0, lengths[row.kind] ?? 0)
            let each = Double(max(0, table - length)) / Double(max(1, counts[row.kind] ?? 1))
            let bytes = each * Double(row.count) + Double(row.length)
            var part =
                series[[row.participant, row.metric, row.kind.rawValue]]
                ?? StorageReport.Series(
                    participant: row.participant, metric: row.metric, kind: row.kind, count: 0, bytes: 0, bytesPerDay: 0)
            part.count += row.count
            part.bytes += Int64(bytes.rounded())
            part.bytesPerDay += bytes * Double(row.recent) / Double(row.count) / days
            series[[row.participant, row.metric, row.kind.rawValue]] = part
        }
        return series.values.sorted { ($0.participant, $0.metric, $0.kind.rawValue) < ($1.participant, $1.metric, $1.kind.rawValue) }
    }
}

extension StorageReport.Kind {
    /// The kind of what a table holds.
    fileprivate init(table: String) {
        self =
            switch table {
            case "reading": .readings
            case "sealed": .sealed
            case "waveform": .waveforms
            case "rollup_minute", "rollup_hour", "rollup_day": .rollups
            case "correction": .replaced
            case "profile", "entry", "alert_event", "wearer_clock": .people
            case "audit", "audit_name", "audit_head": .audit
            default: .other
            }
    }
}
