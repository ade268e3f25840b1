import Shares
package import TimelineStore

/// The tables of alert cores in PostgreSQL; the first column is the share.
package enum AlertSchema {
    /// The name of the schema and of the role with the fewest rights.
    package static let schema = PostgresState.Schema(name: "vigil_alert", migrations: [PostgresLeases.schema + tables])

    /// `advance_share` numbers the commits of a share, so that a commit with a lost answer is never repeated.
    private static let tables = """
        CREATE TABLE share (
            share integer PRIMARY KEY, position bigint NOT NULL DEFAULT 0, published bigint NOT NULL DEFAULT 0,
            noted timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50);
        COMMENT ON COLUMN share.position IS 'Counts the commits.';
        COMMENT ON COLUMN share.published IS 'The number of the last event that the broker has for certain.';
        COMMENT ON COLUMN share.noted IS 'When its core last said that it works.';
        CREATE TABLE meta (share integer NOT NULL, name text NOT NULL, value bytea NOT NULL, PRIMARY KEY (share, name));
        CREATE TABLE rule_file (
            share integer NOT NULL, place integer NOT NULL, name text NOT NULL, text text NOT NULL, PRIMARY KEY (share, place));
        CREATE TABLE participant (
            share integer NOT NULL, place integer NOT NULL, name text NOT NULL, state bytea NOT NULL, PRIMARY KEY (share, place));
        CREATE TABLE journal (share integer NOT NULL, id bigint NOT NULL, record bytea NOT NULL, PRIMARY KEY (share, id));
        CREATE TABLE event (
            share integer NOT NULL, id bigint NOT NULL, kind smallint NOT NULL, participant text NOT NULL, rule text NOT NULL,
            topic text NOT NULL, content bytea NOT NULL, PRIMARY KEY (share, id));
        CREATE INDEX event_of ON event (share, participant, rule, id) WHERE kind < 2;
        COMMENT ON TABLE event IS 'The event log: transitions of alerts, which notifiers and history read, and what else is to be published.';
        CREATE TABLE notifier (share integer NOT NULL, name text NOT NULL, covered bigint NOT NULL, PRIMARY KEY (share, name));
        CREATE TABLE notifier_group (
            share integer NOT NULL, notifier text NOT NULL, name text NOT NULL, state bytea NOT NULL, PRIMARY KEY (share, notifier, name));
        CREATE FUNCTION advance_share(of_share bigint, former bigint, next bigint) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE share SET position = next, noted = now() WHERE share = of_share AND position = former;
                IF NOT FOUND THEN RAISE EXCEPTION 'the share is at another commit' USING ERRCODE = 'VGL02'; END IF;
            END $$;

        """
    /// The code of `advance_share`.
    static let otherPosition = "VGL02"
}
