/// Brings a PostgreSQL database to the program's schema, while other instances wait.
struct PostgresMigrator {
    let connection: PostgresConnection
    let rollups: Bool?

    func run() throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try AdvisoryLock.partitions.hold(on: connection)
            try migrate()
            try WearerClock.complete(on: connection)
            connection.keepsRollups = try RollupRebuild(connection: connection).follow(wanted: rollups)
        }
        connection.months = try Partitions(connection: connection).existing()
    }

    private func migrate() throws(StoreError) {
        // Made only where it is missing: a role that may only read opens a database that is at the last version.
        if try connection.rows("SELECT count(to_regclass('schema_version'))")[0].integer(0) == 0 {
            try connection.execute("CREATE TABLE schema_version (version integer NOT NULL)")
        }
        let newest = PostgresSchema.migrations.count
        let version = Int(try connection.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0].integer(0))
        try SchemaVersion.check(found: version, known: newest)
        guard version < newest else { return }
        for step in version..<newest { try connection.execute(PostgresSchema.migrations[step]) }
        try connection.execute("DELETE FROM schema_version; INSERT INTO schema_version VALUES (\(newest))")
    }
}

/// The PostgreSQL store's schema, in the steps in which it came to be. A step that was released never changes.
enum PostgresSchema {
    /// Step i brings the schema from version i to i + 1.
    static let migrations: [String] = [
        dimensions + observations + rollups + people + views + roles, retention + roles, intervals + roles, audit + roles + auditRights,
        auditNameRights, PostgresLeases.schema + roles + auditRights + auditNameRights, correctionMoments, predictedSamples,
        sealed + ownRoles + auditRights + auditNameRights, PostgresViews.sealedDays + ownRoles + auditRights + auditNameRights,
    ]

    /// Earlier versions would not find sealed readings.
    private static let sealed = """
        CREATE TABLE sealed (
            participant integer NOT NULL, metric integer NOT NULL, source integer NOT NULL, first timestamptz NOT NULL,
            last timestamptz NOT NULL, count integer NOT NULL, sessions text NOT NULL, origins text NOT NULL, block bytea NOT NULL,
            PRIMARY KEY (participant, metric, first, source));
        ALTER TABLE sealed ALTER COLUMN block SET STORAGE EXTERNAL;
        CREATE INDEX sealed_last ON sealed (last);
        CREATE INDEX sealed_metric ON sealed (metric, last);
        COMMENT ON TABLE sealed IS 'One row a block of readings of a series and day, packed; vigil timeline reads it, the view readings does not.';

        """

    /// A device may correct the same readings without end: whether one says again what was replaced long ago is found without reading all that it said.
    private static let correctionMoments = """
        DROP INDEX correction_identity;
        CREATE INDEX correction_identity ON correction (participant, metric, source, time, seq, received);
        """

    /// Blocks of samples have a form that earlier versions cannot read: a version of its own keeps them from these blocks.
    private static let predictedSamples = """
        COMMENT ON COLUMN waveform.samples IS
            'Byte 0: 1 decimal deltas, 2 raw doubles or 3 predicted decimals, + 128 if the rest is compressed by zstd. Byte 1: decimals d. '
            'Decimal deltas: differences of samples * 10^d, zigzag, LEB128. Raw doubles: all lowest bytes, …, all highest. '
            'Predicted decimals: samples * 10^d by linear prediction and adaptive Rice codes; vigil timeline export reads them.';
        """

    private static let dimensions = """
        CREATE TABLE participant (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);
        CREATE TABLE source (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);
        CREATE TABLE origin (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);
        CREATE TABLE session (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, participant integer NOT NULL REFERENCES participant,
            name text NOT NULL, first_time timestamptz, last_time timestamptz, UNIQUE (participant, name));
        CREATE TABLE metric (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, title text NOT NULL, unit text NOT NULL,
            system text, code text, longest bigint NOT NULL);
        CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL);
        COMMENT ON TABLE origin IS 'Imports, by their id in the import ledger.';
        COMMENT ON COLUMN metric.unit IS 'UCUM unit in which every value of the metric is stored.';
        COMMENT ON COLUMN metric.system IS 'The code''s system as FHIR names it, for example http://loinc.org.';
        COMMENT ON COLUMN metric.longest IS 'Microseconds that the metric''s longest waveform block lasts.';
        """

    private static let observations = """
        CREATE TABLE reading (
            time timestamptz NOT NULL, participant integer NOT NULL, metric integer NOT NULL, source integer NOT NULL,
            seq integer NOT NULL, value double precision, text text, received timestamptz NOT NULL, session integer, origin integer,
            zone smallint, PRIMARY KEY (time, participant, metric, source, seq)) PARTITION BY RANGE (time);
        CREATE INDEX reading_text ON reading (participant, metric, time) WHERE text IS NOT NULL;
        CREATE TABLE reading_before PARTITION OF reading FOR VALUES FROM (MINVALUE) TO ('1900-01-01 00:00:00+00');
        CREATE TABLE reading_after PARTITION OF reading FOR VALUES FROM ('2100-01-01 00:00:00+00') TO (MAXVALUE);
        COMMENT ON TABLE reading IS 'One row a number or text; read it through the view readings.';
        COMMENT ON COLUMN reading.seq IS 'Tells apart readings of one metric and source that share a time.';
        COMMENT ON COLUMN reading.zone IS 'The wearer''s minutes from UTC, where known.';
        CREATE TABLE waveform (
            time timestamptz NOT NULL, ends timestamptz NOT NULL, participant integer NOT NULL, metric integer NOT NULL,
            source integer NOT NULL, seq integer NOT NULL, count integer NOT NULL, period double precision NOT NULL,
            min double precision NOT NULL, max double precision NOT NULL, samples bytea NOT NULL, received timestamptz NOT NULL,
            session integer, origin integer, zone smallint,
            PRIMARY KEY (participant, metric, time, source, seq)) PARTITION BY RANGE (time);
        ALTER TABLE waveform ALTER COLUMN samples SET STORAGE EXTERNAL;
        CREATE TABLE waveform_before PARTITION OF waveform FOR VALUES FROM (MINVALUE) TO ('1900-01-01 00:00:00+00');
        CREATE TABLE waveform_after PARTITION OF waveform FOR VALUES FROM ('2100-01-01 00:00:00+00') TO (MAXVALUE);
        COMMENT ON TABLE waveform IS 'One row a block of equally spaced samples; read it through the view waveforms.';
        COMMENT ON COLUMN waveform.samples IS
            'Byte 0: 1 decimal deltas or 2 raw doubles, + 128 if the rest is compressed by zstd. Byte 1: decimals d. '
            'Decimal deltas: differences of samples * 10^d, zigzag, LEB128. Raw doubles: all lowest bytes, …, all highest.';
        CREATE TABLE correction (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time timestamptz NOT NULL, participant integer NOT NULL,
            metric integer NOT NULL, source integer NOT NULL, seq integer NOT NULL, value double precision, text text,
            period double precision, count integer, samples bytea, received timestamptz NOT NULL, session integer, origin integer,
            zone smallint, replaced timestamptz NOT NULL);
        CREATE INDEX correction_identity ON correction (participant, metric, source, time, seq);
        COMMENT ON TABLE correction IS 'What was stored before something received later replaced it.';
        COMMENT ON COLUMN correction.replaced IS 'When what replaced it was received.';
        """

    /// Half-full pages at first: a bucket's row is updated in place many times while its minute, hour or day lasts.
    private static let rollups = ["minute", "hour", "day"].map { level in
        """
        CREATE TABLE rollup_\(level) (
            participant integer NOT NULL, metric integer NOT NULL, source integer NOT NULL, time timestamptz NOT NULL,
            count bigint NOT NULL, sum double precision NOT NULL, min double precision NOT NULL, max double precision NOT NULL,
            first double precision NOT NULL, first_time timestamptz NOT NULL, first_seq integer NOT NULL,
            last double precision NOT NULL, last_time timestamptz NOT NULL, last_seq integer NOT NULL,
            PRIMARY KEY (participant, metric, time, source)) WITH (fillfactor = 70);
        COMMENT ON TABLE rollup_\(level) IS 'What the readings of each UTC \(level) come to, kept in the transaction that stores them.';
        """
    }.joined()

    private static let people = """
        CREATE TABLE profile (
            participant integer PRIMARY KEY REFERENCES participant, first text, last text, pseudonym text, birth_date text, sex text,
            time_zone text, height double precision, is_pregnant integer, family text, position bigint, modules text);
        COMMENT ON COLUMN profile.family IS 'The family or ward that displays show together.';
        CREATE TABLE entry (
            participant integer NOT NULL REFERENCES participant, id text NOT NULL, kind text NOT NULL, time timestamptz NOT NULL,
            ends timestamptz, description text NOT NULL, value double precision, text text, unit text, codes text, detail text,
            received timestamptz NOT NULL, origin integer, PRIMARY KEY (participant, id));
        CREATE INDEX entry_time ON entry (participant, time);
        COMMENT ON TABLE entry IS 'What people entered: notes, levels, medications, conditions and the like.';
        CREATE TABLE alert_event (
            participant integer NOT NULL REFERENCES participant, id text NOT NULL, rule text NOT NULL, time timestamptz NOT NULL,
            transition text NOT NULL, state text NOT NULL, severity text NOT NULL, priority text NOT NULL, title text, message text,
            detail text NOT NULL, PRIMARY KEY (participant, id));
        CREATE INDEX alert_event_time ON alert_event (participant, time);
        COMMENT ON TABLE alert_event IS 'Every transition of every alert.';
        COMMENT ON COLUMN alert_event.detail IS 'The whole event as JSON.';
        """

    private static let views = """
        CREATE VIEW readings AS
            SELECT r.time, p.name AS participant, m.name AS metric, r.value, r.text, m.unit, s.name AS source, e.name AS session,
                r.seq, r.received, o.name AS origin
            FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        COMMENT ON VIEW readings IS 'Every number and text: when, of whom, what, in which UCUM unit, by which source.';
        CREATE VIEW waveforms AS
            SELECT r.time, r.ends, p.name AS participant, m.name AS metric, r.period, r.count, r.min, r.max, m.unit,
                s.name AS source, e.name AS session, r.samples, r.received, o.name AS origin
            FROM waveform r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session LEFT JOIN origin o ON o.id = r.origin;
        COMMENT ON VIEW waveforms IS 'Every block of samples: its first sample at time, each next period seconds later.';
        CREATE VIEW daily AS
            SELECT (d.time AT TIME ZONE 'UTC')::date AS day, p.name AS participant, m.name AS metric, m.unit, s.name AS source,
                d.count, d.sum / d.count AS mean, d.sum, d.min, d.max, d.first, d.last
            FROM rollup_day d JOIN participant p ON p.id = d.participant JOIN metric m ON m.id = d.metric
                JOIN source s ON s.id = d.source;
        COMMENT ON VIEW daily IS 'What the numbers of each UTC day come to, a row a participant, metric and source.';
        CREATE VIEW participants AS
            SELECT p.name AS participant, f.first, f.last, f.pseudonym, f.birth_date, f.sex, f.time_zone, f.height,
                f.is_pregnant, f.family, f.position, f.modules
            FROM participant p LEFT JOIN profile f ON f.participant = p.id;
        COMMENT ON VIEW participants IS 'Everybody who was observed, with the profile where one was entered.';
        CREATE VIEW alerts AS
            SELECT a.time, p.name AS participant, a.rule, a.transition, a.state, a.severity, a.priority, a.title, a.message,
                a.detail
            FROM alert_event a JOIN participant p ON p.id = a.participant;
        COMMENT ON VIEW alerts IS 'Every transition of every alert.';
        """

    private static let retention = """
        ALTER TABLE metric ADD COLUMN kept_from timestamptz;
        COMMENT ON COLUMN metric.kept_from IS 'Readings before it are gone, but stand in the rollups.';
        CREATE TABLE retention (kind text NOT NULL, metric text NOT NULL, days integer NOT NULL, PRIMARY KEY (kind, metric));
        COMMENT ON TABLE retention IS 'How long things are kept: raw, waveform, rollup; an empty metric stands for all without a rule.';

        """

    /// A source has a number for each interval that its readings count over, so that a day's steps are no correction of an hour's. Imports know
    /// from when to when they reach, so that one is undone without reading everything.
    private static let intervals =
        PostgresViews.drop + """
            ALTER TABLE source ADD COLUMN period integer NOT NULL DEFAULT 0;
            ALTER TABLE source DROP CONSTRAINT source_name_key, ADD UNIQUE (name, period);
            COMMENT ON COLUMN source.period IS 'Seconds that each of its readings counts over; 0 for moments.';
            ALTER TABLE origin ADD COLUMN first_time timestamptz, ADD COLUMN last_time timestamptz;
            CREATE TABLE wearer_clock (
                participant integer NOT NULL REFERENCES participant, since timestamptz NOT NULL, minutes integer NOT NULL,
                PRIMARY KEY (participant, since));
            COMMENT ON TABLE wearer_clock IS 'From when on a participant''s clock is how many minutes from UTC, by the time zone of the profile.';

            """ + PostgresViews.create

    /// Names stand apart from the lines, so that an erasure leaves the lines as they were hashed.
    private static let audit = """
        CREATE TABLE audit (
            number bigint PRIMARY KEY, time timestamptz NOT NULL, actor text NOT NULL, address text, operation text NOT NULL,
            participant text, detail text, outcome text NOT NULL, hash text NOT NULL);
        CREATE TABLE audit_name (pseudonym text PRIMARY KEY, name text NOT NULL UNIQUE);
        CREATE TABLE audit_head (number bigint NOT NULL, hash text NOT NULL);
        INSERT INTO audit_head VALUES (0, '\(AuditTrail.start)');
        COMMENT ON TABLE audit IS 'Who did what, of whom, and how it ended; read and checked by vigil audit.';
        COMMENT ON COLUMN audit.hash IS 'SHA-256 of the hash of the line before and of this one''s fields.';
        COMMENT ON TABLE audit_name IS 'Whom the pseudonyms of the audit trail stand for; an erased name is gone.';
        CREATE FUNCTION audit_is_only_added_to() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the audit trail is only added to'; END $$;
        CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
            FOR EACH STATEMENT EXECUTE FUNCTION audit_is_only_added_to();

        """

    private static let auditRights = """

        DO $$
        BEGIN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_reader') THEN
                REVOKE ALL ON audit, audit_name, audit_head FROM vigil_reader;
            END IF;
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_writer') THEN
                REVOKE UPDATE, DELETE, TRUNCATE ON audit FROM vigil_writer;
            END IF;
        END $$;
        """

    /// Whoever may write rows could have had the audit trail forget whom its pseudonyms stand for.
    private static let auditNameRights = """
        DO $$
        BEGIN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_writer') THEN
                REVOKE UPDATE, DELETE, TRUNCATE ON audit_name FROM vigil_writer;
            END IF;
        END $$;
        """

    /// Roles belong to the whole server: another database may have made them, at this very moment even, and who migrates may not
    /// have the right to make any; then an administrator does.
    private static let roles = """
        DO $$
        DECLARE wanted text;
        BEGIN
            FOREACH wanted IN ARRAY ARRAY['vigil_writer', 'vigil_reader'] LOOP
                BEGIN
                    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
                        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
                    END IF;
                EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
                END;
            END LOOP;
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_reader') THEN
                GRANT SELECT ON ALL TABLES IN SCHEMA public TO vigil_reader;
            END IF;
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_writer') THEN
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO vigil_writer;
                GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO vigil_writer;
            END IF;
        END $$;
        """

    /// The same in a database in whose schema others have tables too, such as the administrator's list of analysts: those are left alone.
    private static let ownRoles = """
        DO $$
        DECLARE owned text;
        BEGIN
            FOR owned IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
                AND c.relkind IN ('r', 'p', 'v') AND pg_has_role(current_user, c.relowner, 'USAGE')
            LOOP
                IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_reader') THEN
                    EXECUTE format('GRANT SELECT ON %s TO vigil_reader', owned);
                END IF;
                IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_writer') THEN
                    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO vigil_writer', owned);
                END IF;
            END LOOP;
        END $$;
        """
}
