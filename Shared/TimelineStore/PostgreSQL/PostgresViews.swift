/// The views of the PostgreSQL store, as they are from schema version 3 on: what people query.
enum PostgresViews {
    static let drop = "DROP VIEW readings, waveforms, daily, participants, alerts;\n"

    static let create =
        """
        CREATE VIEW readings AS
            SELECT r.time, p.name AS participant, m.name AS metric, r.value, r.text, m.unit, s.name AS source, e.name AS session,
                r.seq, nullif(s.period, 0) AS period, r.zone, r.received, o.name AS origin
            FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        CREATE VIEW waveforms AS
            SELECT r.time, r.ends, p.name AS participant, m.name AS metric, r.period, r.count, r.min, r.max, m.unit,
                s.name AS source, e.name AS session, r.samples, r.zone, r.received, o.name AS origin
            FROM waveform r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        CREATE VIEW daily AS
            \(daily());
        CREATE VIEW participants AS
            SELECT p.name AS participant, f.first, f.last, f.pseudonym, f.birth_date, f.sex, f.time_zone, f.height,
                f.is_pregnant, f.family, f.position, f.modules
            FROM participant p LEFT JOIN profile f ON f.participant = p.id;
        CREATE VIEW entries AS
            SELECT n.time, n.ends, p.name AS participant, n.kind, n.description, n.value, n.text, n.unit, n.codes, n.detail, n.id,
                n.received, o.name AS origin
            FROM entry n JOIN participant p ON p.id = n.participant LEFT JOIN origin o ON o.id = n.origin;
        CREATE VIEW alerts AS
            SELECT a.time, p.name AS participant, a.rule, a.transition, a.state, a.severity, a.priority, a.title, a.message,
                a.detail
            FROM alert_event a JOIN participant p ON p.id = a.participant;

        """ + comments

    /// Days of which rows of the table `r` of sums fit a condition.
    static func daily(where condition: String = "") -> String {
        """
        \(days("hour", "\(minutes("r")) % 60 = 0\(condition)"))
            UNION ALL
            \(days("minute", "r.participant IN (SELECT participant FROM wearer_clock WHERE minutes % 60 <> 0) AND \(minutes("r")) % 60 <> 0\(condition)"))
        """
    }

    /// Packed days, which the view `readings` does not show.
    static let sealedDays = """
        CREATE VIEW sealed_days AS
            SELECT (b.first AT TIME ZONE 'UTC')::date AS day, p.name AS participant, m.name AS metric, m.unit, s.name AS source,
                nullif(s.period, 0) AS period, min(b.first) AS time, max(b.last) AS last, sum(b.count)::bigint AS count,
                max(d.sum / d.count) AS mean, min(d.min) AS min, max(d.max) AS max, sum(length(b.block))::bigint AS bytes
            FROM sealed b JOIN participant p ON p.id = b.participant JOIN metric m ON m.id = b.metric JOIN source s ON s.id = b.source
                LEFT JOIN rollup_day d ON d.participant = b.participant AND d.metric = b.metric AND d.source = b.source
                    AND d.time = date_trunc('day', b.first, 'UTC')
            GROUP BY 1, 2, 3, 4, 5, 6;
        COMMENT ON VIEW sealed_days IS
            'Packed days, whose readings the view readings does not show: a row a participant, metric, source and day of UTC.';
        COMMENT ON COLUMN sealed_days.time IS 'Of the first reading.';
        COMMENT ON COLUMN sealed_days.last IS 'Of the last reading.';
        COMMENT ON COLUMN sealed_days.bytes IS 'What the packed readings take.';
        COMMENT ON VIEW readings IS 'Numbers and texts of days that are not packed (sealed_days): when, of whom, what, in which UCUM unit, by which source.';

        """

    private static func minutes(_ row: String) -> String {
        """
        coalesce((SELECT w.minutes FROM wearer_clock w WHERE w.participant = \(row).participant AND w.since <= \(row).time
            ORDER BY w.since DESC LIMIT 1), 0)
        """
    }

    private static func days(_ level: String, _ condition: String) -> String {
        """
        SELECT ((r.time + make_interval(mins => \(minutes("r")))) AT TIME ZONE 'UTC')::date AS day, p.name AS participant,
            m.name AS metric, m.unit, s.name AS source, nullif(s.period, 0) AS period, sum(r.count)::bigint AS count,
            sum(r.sum) / sum(r.count) AS mean, sum(r.sum) AS sum, min(r.min) AS min, max(r.max) AS max,
            (array_agg(r.first ORDER BY r.first_time, r.first_seq))[1] AS first,
            (array_agg(r.last ORDER BY r.last_time DESC, r.last_seq DESC))[1] AS last
        FROM rollup_\(level) r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
            JOIN source s ON s.id = r.source
        WHERE \(condition) GROUP BY 1, 2, 3, 4, 5, 6
        """
    }

    private static let comments: String = {
        let views: [(view: String, comment: String, columns: [(String, String)])] = [
            (
                "readings", "Every number and text: when, of whom, what, in which UCUM unit, by which source.",
                [
                    ("time", "When it was measured; what counts over an interval: when the interval began."),
                    ("value", "The number, in unit."),
                    ("text", "The text, where there is no number."),
                    ("period", "Seconds, from time on, that it counts over; null for a moment."),
                    ("seq", "Tells apart readings of one metric and source that share a time."),
                    ("zone", "The wearer's minutes from UTC at that time, where known."), ("received", "When the suite received it."),
                    ("origin", "The import that brought it; null for what sensors sent."),
                ]
            ),
            (
                "waveforms", "Every block of samples: its first sample at time, each next period seconds later.",
                [
                    ("ends", "A period after the last sample."), ("period", "Seconds between samples."),
                    ("samples", "Encoded; see the table waveform."),
                    ("zone", "The wearer's minutes from UTC at that time, where known."),
                ]
            ),
            (
                "daily", "What the numbers of each day come to, a row a participant, metric, source and interval length.",
                [
                    ("day", "The wearer's day, by the time zone of the profile; without one, of UTC."),
                    ("period", "Seconds that each reading counts over; null for moments. Totals over several lengths are not to be added."),
                    ("mean", "The mean of the readings; of a counter ask for sum."), ("first", "The earliest value of the day."),
                    ("last", "The latest value of the day."),
                ]
            ),
            (
                "participants", "Everybody who was observed, with the profile where one was entered.",
                [("family", "The family or ward that displays show together."), ("height", "Centimetres.")]
            ),
            (
                "entries", "What people entered: notes, medications, conditions and the like.",
                [
                    ("kind", "allergy, condition, encounter, immunization, medication, note, procedure, regimen or result."),
                    ("codes", "JSON: codes by system."),
                ]
            ),
            ("alerts", "Every transition of every alert.", [("detail", "The whole event as JSON.")]),
        ]
        func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
        return views.map { view, comment, columns in
            "COMMENT ON VIEW \(view) IS \(quoted(comment));\n"
                + columns.map { "COMMENT ON COLUMN \(view).\($0.0) IS \(quoted($0.1));\n" }.joined()
        }.joined()
    }()
}
