import ServiceKit
package import TimelineStore

/// The tables of accounts, as a file and as PostgreSQL have them.
///
/// Every line of the audit is in `untold` as well until the suite's audit trail has it. The triggers see to that, so that no way to write one passes it by, and
/// no number is needed behind which everything is new: where several write, a smaller number may become visible after a larger one.
package enum AccountSchema {
    /// Lets no line of a file's audit be changed.
    static let auditStays = "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"

    static let ofFile = [
        Migration(1, accounts), Migration(2, passkeys), Migration(3, forReplicas), Migration(4, answers), Migration(5, shareLinks),
        Migration(6, archived),
    ]

    /// The schema in PostgreSQL, whose name is also that of the role with the least rights.
    package static let ofDatabase = PostgresState.Schema(
        name: "vigil_dashboard", migrations: [tables + audit + forgetting, sharedAnswers, links], onlyAddedTo: ["audit"])

    // MARK: A file

    private static let accounts = """
        CREATE TABLE accounts (
            name TEXT PRIMARY KEY, roles TEXT NOT NULL, participants TEXT NOT NULL, kiosk INTEGER NOT NULL, preferences TEXT NOT NULL,
            password TEXT, created REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE sessions (
            digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, created REAL NOT NULL,
            seen REAL NOT NULL, address TEXT NOT NULL, agent TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX sessions_of_account ON sessions (account);
        CREATE TABLE links (
            digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, expires REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE tokens (
            digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, label TEXT NOT NULL,
            created REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            participant TEXT NOT NULL, detail TEXT NOT NULL, address TEXT NOT NULL
        );
        CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
        CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
        """

    private static let passkeys = """
        CREATE TABLE passkeys (
            id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, algorithm INTEGER NOT NULL, key TEXT NOT NULL,
            host TEXT NOT NULL, counter INTEGER NOT NULL, label TEXT NOT NULL, created REAL NOT NULL, used REAL
        ) WITHOUT ROWID;
        CREATE INDEX passkeys_of_account ON passkeys (account);
        """

    private static let forReplicas = """
        CREATE TABLE challenges (
            account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, purpose TEXT NOT NULL, challenge TEXT NOT NULL,
            authority TEXT NOT NULL, expires REAL NOT NULL, PRIMARY KEY (account, purpose)
        ) WITHOUT ROWID;
        CREATE TABLE untold (id INTEGER PRIMARY KEY, claimed REAL);
        INSERT INTO untold SELECT id, NULL FROM audit
            WHERE id > coalesce((SELECT CAST(value AS INTEGER) FROM secrets WHERE name = 'audit-told'), 0);
        DELETE FROM secrets WHERE name = 'audit-told';
        CREATE TRIGGER audit_is_told AFTER INSERT ON audit BEGIN INSERT INTO untold VALUES (new.id, NULL); END;
        """

    private static let answers = "CREATE TABLE answers (digest TEXT PRIMARY KEY, expires REAL NOT NULL) WITHOUT ROWID"

    private static let shareLinks = """
        CREATE TABLE share_links (
            digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, participant TEXT NOT NULL,
            metrics TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL, expires REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX share_links_of_participant ON share_links (participant);
        """

    private static let archived = "CREATE TABLE archived (participant TEXT PRIMARY KEY, since REAL NOT NULL) WITHOUT ROWID"

    // MARK: PostgreSQL

    private static let links = """
        CREATE TABLE share_links (
            digest text PRIMARY KEY, account text NOT NULL REFERENCES accounts ON DELETE CASCADE, participant text NOT NULL,
            metrics text NOT NULL, first double precision NOT NULL, last double precision NOT NULL, expires double precision NOT NULL
        );
        CREATE INDEX share_links_of_participant ON share_links (participant);
        CREATE INDEX share_links_of_account ON share_links (account);
        CREATE TABLE archived (participant text PRIMARY KEY, since double precision NOT NULL);
        COMMENT ON TABLE share_links IS 'What somebody without an account may see of a person, by the digest of the link.';
        COMMENT ON TABLE archived IS 'The participants whom lists leave out.';

        """

    private static let sharedAnswers = """
        CREATE TABLE answers (digest text PRIMARY KEY, expires double precision NOT NULL);
        COMMENT ON TABLE answers IS 'The links in messages that were used, until they would be refused anyway.';

        """

    private static let tables = """
        CREATE TABLE accounts (
            name text PRIMARY KEY, roles text NOT NULL, participants text NOT NULL, kiosk bigint NOT NULL, preferences text NOT NULL,
            password text, created double precision NOT NULL
        );
        CREATE TABLE sessions (
            digest text PRIMARY KEY, account text NOT NULL REFERENCES accounts ON DELETE CASCADE, created double precision NOT NULL,
            seen double precision NOT NULL, address text NOT NULL, agent text NOT NULL
        );
        CREATE INDEX sessions_of_account ON sessions (account);
        CREATE TABLE links (
            digest text PRIMARY KEY, account text NOT NULL REFERENCES accounts ON DELETE CASCADE, expires double precision NOT NULL
        );
        CREATE INDEX links_of_account ON links (account);
        CREATE TABLE tokens (
            digest text PRIMARY KEY, account text NOT NULL REFERENCES accounts ON DELETE CASCADE, label text NOT NULL,
            created double precision NOT NULL
        );
        CREATE INDEX tokens_of_account ON tokens (account);
        CREATE TABLE passkeys (
            id text PRIMARY KEY, account text NOT NULL REFERENCES accounts ON DELETE CASCADE, algorithm bigint NOT NULL, key text NOT NULL,
            host text NOT NULL, counter bigint NOT NULL, label text NOT NULL, created double precision NOT NULL, used double precision
        );
        CREATE INDEX passkeys_of_account ON passkeys (account);
        CREATE TABLE challenges (
            account text NOT NULL REFERENCES accounts ON DELETE CASCADE, purpose text NOT NULL, challenge text NOT NULL,
            authority text NOT NULL, expires double precision NOT NULL, PRIMARY KEY (account, purpose)
        );
        CREATE TABLE secrets (name text PRIMARY KEY, value text NOT NULL);
        CREATE TABLE adopted (file text PRIMARY KEY, audit bigint NOT NULL, left_behind bigint NOT NULL);
        COMMENT ON TABLE accounts IS 'Who may sign in; passwords as Argon2id hashes.';
        COMMENT ON TABLE sessions IS 'Who is signed in, by the digest of what the browser keeps.';
        COMMENT ON TABLE challenges IS 'What passkeys were asked and have not answered yet.';
        COMMENT ON TABLE adopted IS 'The files that were taken over, up to which line of their audit, and how many accounts were not.';

        """

    private static let audit = """
        CREATE TABLE audit (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time double precision NOT NULL, actor text NOT NULL, action text NOT NULL,
            participant text NOT NULL, detail text NOT NULL, address text NOT NULL
        );
        CREATE INDEX audit_of_participant ON audit (participant, id);
        CREATE TABLE untold (id bigint PRIMARY KEY, claimed double precision);
        COMMENT ON TABLE audit IS 'Who saw or changed what of whom; only added to.';
        COMMENT ON TABLE untold IS 'The lines that the suite''s audit trail does not have yet, and when one of the dashboards set about telling them.';
        CREATE FUNCTION audit_is_only_added_to() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$;
        CREATE FUNCTION audit_line_stays() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF current_setting('vigil_dashboard.forgets', true) IS DISTINCT FROM 'a name'
                OR (new.id, new.time, new.action, new.address) IS DISTINCT FROM (old.id, old.time, old.action, old.address)
            THEN RAISE EXCEPTION 'the audit is append-only'; END IF;
            RETURN new;
        END $$;
        CREATE FUNCTION audit_is_to_be_told() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO untold VALUES (new.id, NULL); RETURN NULL; END $$;
        CREATE TRIGGER audit_kept BEFORE DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_is_only_added_to();
        CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_line_stays();
        CREATE TRIGGER audit_is_told AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_to_be_told();

        """

    /// The one way to change lines, with the rights of who made the tables, so that the service's role needs none of its own: it puts a pseudonym, which no
    /// account can be called, in a name's place, and can say nothing of anybody else. A name stands by itself where no letter, digit or `_` is beside it.
    /// Whoever has no right to the schema cannot call it.
    private static let forgetting = """
        CREATE FUNCTION forget_in_audit(name text, pseudonym text) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = vigil_dashboard, pg_temp AS $$
        DECLARE
            pattern text := '(?<![[:alnum:]_])' || replace(replace(name, '.', '\\.'), '-', '\\-') || '(?![[:alnum:]_])';
            changed bigint;
        BEGIN
            IF name !~ '^[A-Za-z0-9_.-]{1,64}$' OR pseudonym !~ '^~[A-Za-z0-9_-]{12}$' THEN
                RAISE EXCEPTION 'only a name is forgotten, and only for a pseudonym';
            END IF;
            PERFORM set_config('vigil_dashboard.forgets', 'a name', true);
            UPDATE audit SET actor = CASE actor WHEN name THEN pseudonym ELSE actor END,
                participant = CASE participant WHEN name THEN pseudonym ELSE participant END,
                detail = regexp_replace(detail, pattern, pseudonym, 'g')
                WHERE name IN (actor, participant) OR replace(detail, name, '') <> detail;
            GET DIAGNOSTICS changed = ROW_COUNT;
            PERFORM set_config('vigil_dashboard.forgets', '', true);
            RETURN changed;
        END $$;

        """
}
