/// Brings a SQLite file to the program's schema, while other processes wait.
struct SQLiteMigrator {
    let connection: SQLiteConnection
    let rollups: Bool?

    func run() throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try migrate()
            try WearerClock.complete(on: connection)
            connection.keepsRollups = try RollupRebuild(connection: connection).follow(wanted: rollups)
        }
    }

    private func migrate() throws(StoreError) {
        let newest = SQLiteSchema.migrations.count
        let version = Int(try connection.rows("PRAGMA user_version")[0].integer(0))
        try SchemaVersion.check(found: version, known: newest)
        guard version < newest else { return }
        for step in version..<newest { try connection.execute(SQLiteSchema.migrations[step]) }
        try connection.execute("PRAGMA user_version = \(newest)")
    }
}

/// The SQLite store's schema, in the steps in which it came to be. A step that was released never changes.
enum SQLiteSchema {
    /// Step i brings the schema from version i to i + 1.
    static let migrations: [String] = [
        dimensions + observations + rollups + people + views, retention, rollupsInOrderOfTime, intervals, audit, correctionMoments,
        predictedSamples, sealed, SQLiteViews.sealedDays,
    ]

    /// Earlier versions would not find sealed readings.
    private static let sealed = """
        CREATE TABLE sealed (
            participant INTEGER NOT NULL, metric INTEGER NOT NULL, source INTEGER NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, -- times of readings, of one day
            count INTEGER NOT NULL,
            sessions TEXT NOT NULL, origins TEXT NOT NULL, -- the numbers, each between commas
            block BLOB NOT NULL, PRIMARY KEY (participant, metric, first, source));
        CREATE INDEX sealed_last ON sealed (last);
        CREATE INDEX sealed_metric ON sealed (metric, last);
        """

    /// A device may correct the same readings without end: whether one says again what was replaced long ago is found without reading all that it said.
    private static let correctionMoments = """
        DROP INDEX correction_identity;
        CREATE INDEX correction_identity ON correction (participant, metric, source, time, seq, received);
        """

    /// Blocks of samples have a form that earlier versions cannot read: a version of its own keeps them from these blocks. No table changes.
    private static let predictedSamples = ""

    private static let dimensions = """
        CREATE TABLE participant (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE origin (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE session (
            id INTEGER PRIMARY KEY, participant INTEGER NOT NULL REFERENCES participant, name TEXT NOT NULL,
            first_time INTEGER, last_time INTEGER, UNIQUE (participant, name));
        CREATE TABLE metric (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, unit TEXT NOT NULL,
            system TEXT, code TEXT,
            longest INTEGER NOT NULL -- microseconds that its longest block lasts
        );
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """

    /// Times are microseconds since 1970, UTC.
    private static let observations = """
        CREATE TABLE reading (
            time INTEGER NOT NULL, participant INTEGER NOT NULL, metric INTEGER NOT NULL, source INTEGER NOT NULL,
            seq INTEGER NOT NULL, value REAL, text TEXT, received INTEGER NOT NULL, session INTEGER, origin INTEGER,
            zone INTEGER, -- minutes from UTC
            PRIMARY KEY (time, participant, metric, source, seq)) WITHOUT ROWID;
        CREATE INDEX reading_text ON reading (participant, metric, time) WHERE text IS NOT NULL;
        CREATE TABLE waveform (
            participant INTEGER NOT NULL, metric INTEGER NOT NULL, source INTEGER NOT NULL, time INTEGER NOT NULL,
            seq INTEGER NOT NULL, ends INTEGER NOT NULL, period REAL NOT NULL, count INTEGER NOT NULL,
            min REAL NOT NULL, max REAL NOT NULL, samples BLOB NOT NULL, received INTEGER NOT NULL, session INTEGER,
            origin INTEGER, zone INTEGER, PRIMARY KEY (participant, metric, time, source, seq)) WITHOUT ROWID;
        CREATE TABLE correction (
            id INTEGER PRIMARY KEY, time INTEGER NOT NULL, participant INTEGER NOT NULL, metric INTEGER NOT NULL,
            source INTEGER NOT NULL, seq INTEGER NOT NULL, value REAL, text TEXT, period REAL, count INTEGER, samples BLOB,
            received INTEGER NOT NULL, session INTEGER, origin INTEGER, zone INTEGER,
            replaced INTEGER NOT NULL -- when what replaced it was received
        );
        CREATE INDEX correction_identity ON correction (participant, metric, source, time, seq);
        """

    private static let rollups = ["minute", "hour", "day"].map { level in
        """
        CREATE TABLE rollup_\(level) (
            participant INTEGER NOT NULL, metric INTEGER NOT NULL, source INTEGER NOT NULL, time INTEGER NOT NULL,
            count INTEGER NOT NULL, sum REAL NOT NULL, min REAL NOT NULL, max REAL NOT NULL,
            first REAL NOT NULL, first_time INTEGER NOT NULL, first_seq INTEGER NOT NULL,
            last REAL NOT NULL, last_time INTEGER NOT NULL, last_seq INTEGER NOT NULL,
            PRIMARY KEY (participant, metric, time, source)) WITHOUT ROWID;
        """
    }.joined()

    private static let people = """
        CREATE TABLE profile (
            participant INTEGER PRIMARY KEY REFERENCES participant, first TEXT, last TEXT, pseudonym TEXT, birth_date TEXT, sex TEXT,
            time_zone TEXT, height REAL, is_pregnant INTEGER, family TEXT, position INTEGER, modules TEXT);
        CREATE TABLE entry (
            participant INTEGER NOT NULL REFERENCES participant, id TEXT NOT NULL, kind TEXT NOT NULL, time INTEGER NOT NULL,
            ends INTEGER, description TEXT NOT NULL, value REAL, text TEXT, unit TEXT, codes TEXT, detail TEXT, received INTEGER NOT NULL, origin INTEGER,
            PRIMARY KEY (participant, id)) WITHOUT ROWID;
        CREATE INDEX entry_time ON entry (participant, time);
        CREATE TABLE alert_event (
            participant INTEGER NOT NULL REFERENCES participant, id TEXT NOT NULL, rule TEXT NOT NULL, time INTEGER NOT NULL,
            transition TEXT NOT NULL, state TEXT NOT NULL, severity TEXT NOT NULL, priority TEXT NOT NULL, title TEXT, message TEXT,
            detail TEXT NOT NULL, -- the whole event as JSON
            PRIMARY KEY (participant, id)) WITHOUT ROWID;
        CREATE INDEX alert_event_time ON alert_event (participant, time);
        """

    /// `metric` is empty where a rule holds for all that have none of their own.
    private static let retention = """
        ALTER TABLE metric ADD COLUMN kept_from INTEGER; -- readings before it are gone, but stand in the rollups
        CREATE TABLE retention (
            kind TEXT NOT NULL, metric TEXT NOT NULL, days INTEGER NOT NULL, PRIMARY KEY (kind, metric)) WITHOUT ROWID;
        """

    private static func moment(_ column: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000000, 'unixepoch') || printf('.%06dZ', ((\(column) % 1000000) + 1000000) % 1000000)"
    }

    static let daily = """
        CREATE VIEW daily AS
            SELECT strftime('%Y-%m-%d', d.time / 1000000, 'unixepoch') AS day, p.name AS participant, m.name AS metric,
                m.unit, s.name AS source, d.count, d.sum / d.count AS mean, d.sum, d.min, d.max, d.first, d.last
            FROM rollup_day d JOIN participant p ON p.id = d.participant JOIN metric m ON m.id = d.metric
                JOIN source s ON s.id = d.source;
        """

    private static let views = """
        CREATE VIEW readings AS
            SELECT \(moment("r.time")) AS time, p.name AS participant, m.name AS metric, r.value, r.text, m.unit,
                s.name AS source, e.name AS session, r.seq, \(moment("r.received")) AS received, o.name AS origin
            FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        CREATE VIEW waveforms AS
            SELECT \(moment("r.time")) AS time, \(moment("r.ends")) AS ends, p.name AS participant, m.name AS metric, r.period,
                r.count, r.min, r.max, m.unit, s.name AS source, e.name AS session, r.samples,
                \(moment("r.received")) AS received, o.name AS origin
            FROM waveform r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        \(daily)
        CREATE VIEW participants AS
            SELECT p.name AS participant, f.first, f.last, f.pseudonym, f.birth_date, f.sex, f.time_zone, f.height,
                f.is_pregnant, f.family, f.position, f.modules
            FROM participant p LEFT JOIN profile f ON f.participant = p.id;
        CREATE VIEW alerts AS
            SELECT \(moment("a.time")) AS time, p.name AS participant, a.rule, a.transition, a.state, a.severity, a.priority,
                a.title, a.message, a.detail
            FROM alert_event a JOIN participant p ON p.id = a.participant;
        """

    /// With row ids, rows lie in the order in which they came: an append writes to the buckets of the present, which then lie side by side.
    /// In the order of the key each series' newest bucket lay on a page of its own, and all of these pages were written each time.
    private static let rollupsInOrderOfTime =
        "DROP VIEW daily;\n"
        + ["minute", "hour", "day"].map { level in
            """
            CREATE TABLE rollup_rows (
                participant INTEGER NOT NULL, metric INTEGER NOT NULL, source INTEGER NOT NULL, time INTEGER NOT NULL,
                count INTEGER NOT NULL, sum REAL NOT NULL, min REAL NOT NULL, max REAL NOT NULL,
                first REAL NOT NULL, first_time INTEGER NOT NULL, first_seq INTEGER NOT NULL,
                last REAL NOT NULL, last_time INTEGER NOT NULL, last_seq INTEGER NOT NULL,
                PRIMARY KEY (participant, metric, time, source));
            INSERT INTO rollup_rows SELECT * FROM rollup_\(level) ORDER BY time, participant, metric, source;
            DROP TABLE rollup_\(level);
            ALTER TABLE rollup_rows RENAME TO rollup_\(level);

            """
        }.joined() + daily

    /// A source has a number for each interval that its readings count over, so that a day's steps are no correction of an hour's. Imports know
    /// from when to when they reach, so that one is undone without reading everything.
    private static let intervals =
        SQLiteViews.drop + """
            CREATE TABLE source_rows (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL,
                period INTEGER NOT NULL DEFAULT 0, -- seconds that each of its readings counts over; 0 for moments
                UNIQUE (name, period));
            INSERT INTO source_rows (id, name) SELECT id, name FROM source;
            DROP TABLE source;
            ALTER TABLE source_rows RENAME TO source;
            ALTER TABLE origin ADD COLUMN first_time INTEGER;
            ALTER TABLE origin ADD COLUMN last_time INTEGER;
            CREATE TABLE wearer_clock (
                participant INTEGER NOT NULL REFERENCES participant, since INTEGER NOT NULL, minutes INTEGER NOT NULL, -- from UTC
                PRIMARY KEY (participant, since)) WITHOUT ROWID;

            """ + SQLiteViews.create

    /// Names stand apart from the lines, so that an erasure leaves the lines as they were hashed.
    private static let audit = """
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY, time INTEGER NOT NULL, actor TEXT NOT NULL, address TEXT, operation TEXT NOT NULL, participant TEXT,
            detail TEXT, outcome TEXT NOT NULL,
            hash TEXT NOT NULL -- SHA-256 of the hash of the line before and of this one's fields
        );
        CREATE TABLE audit_name (pseudonym TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE) WITHOUT ROWID;
        CREATE TABLE audit_head (number INTEGER NOT NULL, hash TEXT NOT NULL);
        INSERT INTO audit_head VALUES (0, '\(AuditTrail.start)');
        CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
        CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
        """
}
