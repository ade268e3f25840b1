package import VigilSchema

extension PageSpan {
    /// Returns the start of a page that ends at this moment: 1 day, 7 days, 1 month, 1 year, 10 years before, by the calendar of UTC.
    package func start(before end: Timestamp) -> Timestamp {
        let day: Int64 = 86_400_000_000
        switch self {
        case .day: return Timestamp(microseconds: end.microseconds - day)
        case .week: return Timestamp(microseconds: end.microseconds - 7 * day)
        case .month: return months(1, before: end)
        case .year: return months(12, before: end)
        case .decade: return months(120, before: end)
        }
    }

    /// The rollups that the page shows: at most 1,440 points a day, 168 a week, 744 a month, 366 a year, 3,653 a decade.
    var level: RollupLevel {
        switch self {
        case .day: .minute
        case .week, .month: .hour
        case .year, .decade: .day
        }
    }

    /// The number of metrics that are read at once, some 60,000 rows.
    fileprivate var metricsAtOnce: Int {
        switch self {
        case .day: 40
        case .week, .month: 80
        case .year: 160
        case .decade: 16
        }
    }

    /// The same day of an earlier month, or that month's last.
    private func months(_ count: Int, before end: Timestamp) -> Timestamp {
        let month = Month(end.microseconds)
        let earlier = Month(number: month.number - count)
        let offset = min(end.microseconds - month.start, earlier.next.start - earlier.start - 1)
        return Timestamp(microseconds: earlier.start + offset)
    }
}

/// One metric's part of a page.
package struct PageSeries: Hashable, Sendable, Codable {
    package var metric: String
    package var title: String
    package var unit: String
    /// Earliest first.
    package var points: [SeriesBucket]
}

/// Everything that a participant's timeline shows of a span.
package struct StoredPage: Hashable, Sendable, Codable {
    package var participant: String
    package var from: Timestamp
    package var to: Timestamp
    /// The numbers, sorted by metric.
    package var series: [PageSeries]
    /// The texts, earliest first, at most a thousand, the newest; of a text the first 4,096 characters.
    package var texts: [LatestValue]
}

extension SQLTimelineStore {
    package func page(participant: String, _ span: PageSpan, to end: Timestamp) async throws(StoreError) -> StoredPage {
        let from = span.start(before: end)
        return try await read { connection throws(StoreError) in
            var page = StoredPage(participant: participant, from: from, to: end, series: [], texts: [])
            guard let number = try Lookup(connection: connection).participant(participant) else { return page }
            let metrics = try PageSQL.metrics(number, from, end, span.level, connection)
            // Some metrics at a time: of a decade each may have thousands of rows.
            var rest = metrics[...]
            while !rest.isEmpty {
                let some = rest.prefix(span.metricsAtOnce)
                rest = rest.dropFirst(some.count)
                let buckets = try AggregateReader(connection: connection).buckets(
                    participant: number, metrics: some.map { ($0.integer(0), $0.text(1)) }, from: from, to: end, span.level,
                    by: CounterRule(step: span.level.width))
                page.series += some.map { metric in
                    let points = (buckets[metric.integer(0)] ?? []).map { SeriesBucket($0.aggregate, start: $0.start) }
                    return PageSeries(metric: metric.text(1), title: metric.text(2), unit: metric.text(3), points: points)
                }
            }
            page.texts = try PageSQL.texts(number, from, end, connection)
            return page
        }
    }
}

private enum PageSQL {
    static func metrics(
        _ participant: Int64, _ from: Timestamp, _ to: Timestamp, _ level: RollupLevel, _ connection: any SQLConnection
    ) throws(StoreError) -> [SQLRow] {
        let table = try Lookup(connection: connection).hasRollups() ? level.table : "reading"
        let condition = "participant = $1 AND r.metric = m.id AND time >= $2 AND time < $3"
        let numbers = table == "reading" ? "AND value IS NOT NULL" : ""
        return try connection.rows(
            """
            SELECT id, name, title, unit FROM metric m
            WHERE EXISTS (SELECT 1 FROM \(table) r WHERE \(condition) \(numbers)) ORDER BY name
            """,
            [.integer(participant), .time(level.start(of: from)), .time(to)])
    }

    static func texts(
        _ participant: Int64, _ from: Timestamp, _ to: Timestamp, _ connection: any SQLConnection
    ) throws(StoreError) -> [LatestValue] {
        let rows = try connection.rows(
            """
            SELECT m.name, m.unit, s.name, r.time, substr(r.text, 1, \(Observation.longestText))
            FROM reading r JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
            WHERE r.participant = $1 AND r.time >= $2 AND r.time < $3 AND r.text IS NOT NULL
            ORDER BY r.time DESC, m.name, s.name, r.seq LIMIT 1000
            """,
            [.integer(participant), .time(from), .time(to)])
        return rows.reversed().map { row in
            LatestValue(metric: row.text(0), unit: row.text(1), source: row.text(2), time: row.time(3), value: nil, text: row.text(4))
        }
    }
}
