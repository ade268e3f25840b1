/// The views of the SQLite store, as they are from schema version 4 on: what people query.
///
/// `time` is the number by which the tables are sorted, so that the newest rows are found without reading the others; `at` is the same to read.
enum SQLiteViews {
    static let drop = ["readings", "waveforms", "daily", "participants", "alerts"].map { "DROP VIEW \($0);\n" }.joined()

    static let create = """
        CREATE VIEW readings AS
            SELECT r.time, -- microseconds since 1970, UTC
                \(moment("r.time")) AS at, p.name AS participant, m.name AS metric, r.value, r.text, m.unit,
                s.name AS source, e.name AS session, r.seq,
                nullif(s.period, 0) AS period, -- seconds from the time on that it counts over
                r.zone, -- the wearer's minutes from UTC, where known
                \(moment("r.received")) AS received, o.name AS origin
            FROM reading r LEFT JOIN participant p ON p.id = r.participant LEFT JOIN metric m ON m.id = r.metric
                LEFT JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        CREATE VIEW waveforms AS
            SELECT r.time, -- microseconds since 1970, UTC, of the first sample
                \(moment("r.time")) AS at, \(moment("r.ends")) AS ends, p.name AS participant, m.name AS metric,
                r.period, -- seconds between samples
                r.count, r.min, r.max, m.unit, s.name AS source, e.name AS session, r.samples, r.zone,
                \(moment("r.received")) AS received, o.name AS origin
            FROM waveform r LEFT JOIN participant p ON p.id = r.participant LEFT JOIN metric m ON m.id = r.metric
                LEFT JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        CREATE VIEW daily AS -- a day is the wearer's, by the time zone of the profile; without one it is a day of UTC
            \(daily());
        CREATE VIEW participants AS
            SELECT p.name AS participant, f.first, f.last, f.pseudonym, f.birth_date, f.sex, f.time_zone, f.height,
                f.is_pregnant, f.family, f.position, f.modules
            FROM participant p LEFT JOIN profile f ON f.participant = p.id;
        CREATE VIEW entries AS
            SELECT n.time, -- microseconds since 1970, UTC
                \(moment("n.time")) AS at, \(moment("n.ends")) AS ends, p.name AS participant, n.kind, n.description, n.value, n.text, n.unit,
                n.codes, n.detail, n.id, \(moment("n.received")) AS received, o.name AS origin
            FROM entry n LEFT JOIN participant p ON p.id = n.participant LEFT JOIN origin o ON o.id = n.origin;
        CREATE VIEW alerts AS
            SELECT a.time, -- microseconds since 1970, UTC
                \(moment("a.time")) AS at, p.name AS participant, a.rule, a.transition, a.state, a.severity, a.priority, a.title,
                a.message, a.detail
            FROM alert_event a LEFT JOIN participant p ON p.id = a.participant;
        """

    /// Days of which rows of the table `r` of sums fit a condition.
    static func daily(where condition: String = "") -> String {
        """
        \(days("hour", "\(minutes("r")) % 60 = 0\(condition)"))
            UNION ALL
            \(days("minute", "r.participant IN (SELECT participant FROM wearer_clock WHERE minutes % 60 <> 0) AND \(minutes("r")) % 60 <> 0\(condition)"))
        """
    }

    /// Packed days, which the view `readings` does not show: a row a participant, metric, source and day of UTC.
    static let sealedDays = """
        CREATE VIEW sealed_days AS
            SELECT strftime('%Y-%m-%d', b.first / 1000000, 'unixepoch') AS day, p.name AS participant, m.name AS metric, m.unit,
                s.name AS source, nullif(s.period, 0) AS period, min(b.first) AS time, -- microseconds since 1970, UTC
                \(moment("min(b.first)")) AS at, \(moment("max(b.last)")) AS last, sum(b.count) AS count, max(d.sum / d.count) AS mean,
                min(d.min) AS min, max(d.max) AS max, sum(length(b.block)) AS bytes
            FROM sealed b JOIN participant p ON p.id = b.participant JOIN metric m ON m.id = b.metric JOIN source s ON s.id = b.source
                LEFT JOIN rollup_day d ON d.participant = b.participant AND d.metric = b.metric AND d.source = b.source
                    AND d.time = b.first - ((b.first % 86400000000) + 86400000000) % 86400000000
            GROUP BY 1, 2, 3, 4, 5, 6;
        """

    /// ISO 8601 with microseconds. Whole seconds are rounded down, also before 1970.
    private static func moment(_ column: String) -> String {
        let fraction = "((\(column) % 1000000) + 1000000) % 1000000"
        return "strftime('%Y-%m-%dT%H:%M:%S', (\(column) - \(fraction)) / 1000000, 'unixepoch') || printf('.%06dZ', \(fraction))"
    }

    /// The wearer's minutes from UTC at a row's time.
    private static func minutes(_ row: String) -> String {
        """
        coalesce((SELECT w.minutes FROM wearer_clock w WHERE w.participant = \(row).participant AND w.since <= \(row).time
            ORDER BY w.since DESC LIMIT 1), 0)
        """
    }

    private static func days(_ level: String, _ condition: String) -> String {
        // A bucket's first and last value stand behind its time, so that the least and the greatest text hold them.
        func end(_ end: String, _ pick: String) -> String {
            "CAST(substr(\(pick)(printf('%020d%!.17g', r.\(end)_time + 62135596800000000, r.\(end))), 21) AS REAL) AS \(end)"
        }
        return """
            SELECT strftime('%Y-%m-%d', (r.time / 1000000) + \(minutes("r")) * 60, 'unixepoch') AS day, p.name AS participant,
                m.name AS metric, m.unit, s.name AS source, nullif(s.period, 0) AS period, sum(r.count) AS count,
                sum(r.sum) / sum(r.count) AS mean, sum(r.sum) AS sum, min(r.min) AS min, max(r.max) AS max,
                \(end("first", "min")), \(end("last", "max"))
            FROM rollup_\(level) r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source
            WHERE \(condition) GROUP BY 1, 2, 3, 4, 5, 6
            """
    }
}
