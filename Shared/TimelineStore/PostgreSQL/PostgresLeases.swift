package import Shares
import VigilSchema

/// The leases of a service's shares in PostgreSQL, by the database's clock.
///
/// A lease ends at a time of that clock. Should it be set back, nobody's lease lasts longer for it than one that is renewed at that moment. A claim
/// locks its rows as for a change of their keys: so it waits for nobody, and no transaction that holds a lease (`hold_lease`) commits beside it.
/// Threading: any number of tasks may call it; the connection has a thread of its own.
package struct PostgresLeases: LeaseTable {
    /// The time for which a replica that has gone is still shown.
    private static let memory = Duration.seconds(3600)

    private let limit: Duration
    private let thread: DatabaseThread<PostgresConnection>

    /// - Parameter limit: The time within which the database has to answer.
    init(limit: Duration, connect: @escaping @Sendable (AnswerDeadline) throws(StoreError) -> PostgresConnection) {
        self.limit = limit
        thread = DatabaseThread(label: "leases", deadline: AnswerDeadline(mostDoublings: 1)) { deadline throws(StoreError) in
            let connection = try connect(deadline)
            try connection.letsGoWhenFrozen()
            return connection
        }
    }

    package func prepare(service: String, shares: Int) async throws(ShareError) {
        let count = try await transaction { connection throws(StoreError) in
            // Two that come first at once make one set of rows.
            try connection.execute("LOCK TABLE lease IN SHARE ROW EXCLUSIVE MODE")
            let sql = "SELECT count(*) FROM lease WHERE service = $1"
            let known = try connection.rows(sql, [.text(service)])[0].integer(0)
            guard known == 0 else { return Int(known) }
            try connection.run(
                "INSERT INTO lease (service, share) SELECT $1, generate_series(0, $2 - 1)", [.text(service), .integer(Int64(shares))])
            return shares
        }
        guard count == shares else {
            throw ShareError(
                .otherCount, "\(service) has \(count) shares in this database, not \(shares): all replicas take the same number")
        }
    }

    package func beat(_ replica: ReplicaName, held: [LeaseHold], lease: Duration) async throws(ShareError) -> LeaseView {
        let view = try await transaction { connection throws(StoreError) -> LeaseView? in
            // First of all: else a name would stay taken for as long as the clock was set back.
            try Self.limit(replica.service, lease, connection)
            guard try Self.join(replica, lease, connection) else { return nil }
            if !held.isEmpty { try Self.renew(held, replica, lease, connection) }
            return try Self.view(of: replica.service, connection)
        }
        if let view { return view }
        throw ShareError(.nameTaken, "another process lives as \(replica.name): every replica needs an --instance of its own")
    }

    package func claim(_ shares: [Int], for replica: ReplicaName, lease: Duration) async throws(ShareError) -> [LeaseHold] {
        try await transaction { connection throws(StoreError) in
            try Self.endWorkOfTheGone(replica.service, shares, connection)
            let values: [SQLValue] = [.text(replica.service), .text(replica.name), Self.list(shares), .integer(lease.microseconds)]
            return try connection.rows(
                """
                WITH free AS (
                    SELECT share FROM lease WHERE service = $1 AND share IN (\(PostgresConnection.elements(of: "$3")))
                        AND (owner IS NULL OR owner = $2 OR expires <= now())
                    ORDER BY share FOR UPDATE SKIP LOCKED)
                UPDATE lease SET owner = $2, epoch = epoch + 1, since = now(), expires = now() + $4 * interval '1 microsecond',
                    wanted = CASE WHEN wanted = $2 THEN wanted END
                FROM free WHERE lease.service = $1 AND lease.share = free.share RETURNING lease.share, lease.epoch
                """, values
            ).map { LeaseHold(service: replica.service, share: Int($0.integer(0)), epoch: $0.integer(1)) }.sorted { $0.share < $1.share }
        }
    }

    /// Ends the connections of replicas that have gone and whose shares are to be claimed: one that was stopped in the middle of a transaction, or while
    /// it sent rows, would keep those rows from whoever takes its place, and what it waits for in silence no time limit of the server ends.
    private static func endWorkOfTheGone(_ service: String, _ shares: [Int], _ connection: PostgresConnection) throws(StoreError) {
        _ = try connection.rows(
            """
            SELECT count(pg_terminate_backend(a.pid)) FROM share_member m JOIN pg_stat_activity a ON a.application_name = 'vigil ' || m.process
            WHERE m.service = $1 AND m.expires <= now() AND a.usename = current_user AND m.name IN (
                SELECT owner FROM lease WHERE service = $1 AND share IN (\(PostgresConnection.elements(of: "$2"))) AND expires <= now())
            """, [.text(service), list(shares)])
    }

    package func free(_ hold: LeaseHold, of replica: ReplicaName) async throws(ShareError) {
        try await transaction { connection throws(StoreError) in
            _ = try connection.run(
                "UPDATE lease SET owner = NULL, expires = now() WHERE service = $1 AND share = $2 AND epoch = $3 AND owner = $4",
                [.text(hold.service), .integer(Int64(hold.share)), .integer(hold.epoch), .text(replica.name)])
        }
    }

    package func leave(_ replica: ReplicaName) async throws(ShareError) {
        try await transaction { connection throws(StoreError) in
            _ = try connection.run(
                "DELETE FROM share_member WHERE service = $1 AND name = $2 AND process = $3",
                [.text(replica.service), .text(replica.name), .text(replica.process)])
        }
    }

    /// Runs `body` in a transaction of its own.
    /// - Parameter longer: the time that it may take where nobody's work waits for it.
    func transaction<Result: Sendable>(
        within longer: Duration? = nil, _ body: @Sendable (PostgresConnection) throws(StoreError) -> Result
    ) async throws(ShareError) -> Result {
        do throws(StoreError) {
            return try await thread.perform(within: longer ?? limit) { connection throws(StoreError) in
                try connection.transaction { () throws(StoreError) in try body(connection) }
            }
        } catch {
            throw ShareError(error.isRetryable ? .unavailable : .misconfigured, error.description)
        }
    }

    /// Says that the replica lives; false while another process does by its name. One that takes part anew is drained no longer.
    private static func join(_ replica: ReplicaName, _ lease: Duration, _ connection: PostgresConnection) throws(StoreError) -> Bool {
        let values: [SQLValue] = [.text(replica.service), .text(replica.name), .text(replica.process), .integer(lease.microseconds)]
        return try connection.run(
            """
            INSERT INTO share_member AS known (service, name, process, since, expires)
                VALUES ($1, $2, $3, now(), now() + $4 * interval '1 microsecond')
            ON CONFLICT (service, name) DO UPDATE SET process = excluded.process, expires = excluded.expires,
                since = CASE WHEN known.process = excluded.process THEN known.since ELSE excluded.since END,
                drains = known.drains AND known.process = excluded.process
                WHERE known.process = excluded.process OR known.expires <= now()
            """, values) > 0
    }

    /// Shortens what ends later than it could if it were renewed now, as after the clock was set back, and forgets who has long gone.
    private static func limit(_ service: String, _ lease: Duration, _ connection: PostgresConnection) throws(StoreError) {
        for table in ["lease", "share_member"] {
            let latest = "now() + $2 * interval '1 microsecond'"
            try connection.run(
                "UPDATE \(table) SET expires = \(latest) WHERE service = $1 AND expires > \(latest)",
                [.text(service), .integer(lease.microseconds)])
        }
        try connection.run(
            "DELETE FROM share_member WHERE service = $1 AND expires < now() - $2 * interval '1 microsecond'",
            [.text(service), .integer(memory.microseconds)])
    }

    private static func renew(
        _ held: [LeaseHold], _ replica: ReplicaName, _ lease: Duration, _ connection: PostgresConnection
    ) throws(StoreError) {
        let pairs = held.map { "{\"share\":\($0.share),\"epoch\":\($0.epoch)}" }.joined(separator: ",")
        try connection.run(
            """
            UPDATE lease SET expires = now() + $4 * interval '1 microsecond'
            FROM json_to_recordset(CAST($3 AS text)::json) AS held(share integer, epoch bigint)
            WHERE lease.service = $1 AND lease.owner = $2 AND lease.share = held.share AND lease.epoch = held.epoch
            """, [.text(replica.service), .text(replica.name), .text("[\(pairs)]"), .integer(lease.microseconds)])
    }

    /// Everything about a service.
    static func view(of service: String, _ connection: PostgresConnection) throws(StoreError) -> LeaseView {
        let remaining = "(extract(epoch FROM greatest(expires, now() - interval '1 day') - now()) * 1000000)::bigint"
        let rows = try connection.rows(
            "SELECT share, owner, epoch, \(remaining), since, wanted FROM lease WHERE service = $1 ORDER BY share", [.text(service)])
        let members = try connection.rows(
            "SELECT name, \(remaining), since, drains FROM share_member WHERE service = $1 ORDER BY name", [.text(service)])
        return LeaseView(
            rows: rows.map { row in
                LeaseView.Row(
                    share: Int(row.integer(0)), owner: row.optionalText(1), epoch: row.integer(2), remaining: .microseconds(row.integer(3)),
                    since: row.optionalTime(4), wanted: row.optionalText(5))
            },
            members: members.map { row in
                LeaseView.Member(
                    name: row.text(0), remaining: .microseconds(row.integer(1)), since: row.optionalTime(2), drains: row.integer(3) != 0)
            })
    }

    private static func list(_ numbers: [Int]) -> SQLValue { .text("[\(numbers.map(String.init).joined(separator: ","))]") }

    /// `hold_lease` keeps a claim from coming before the commit that it stands before, and fails where one has come already.
    package static let schema = """
        CREATE TABLE lease (
            service text NOT NULL, share integer NOT NULL, owner text, epoch bigint NOT NULL DEFAULT 0, since timestamptz,
            expires timestamptz NOT NULL DEFAULT '-infinity', wanted text, PRIMARY KEY (service, share)) WITH (fillfactor = 50);
        COMMENT ON TABLE lease IS 'Which replica of a service owns which share of the participants, until when.';
        COMMENT ON COLUMN lease.epoch IS 'Counts the claims: what is written under an earlier one is refused.';
        COMMENT ON COLUMN lease.wanted IS 'The replica that an operator has moved the share to.';
        CREATE TABLE share_member (
            service text NOT NULL, name text NOT NULL, process text NOT NULL, since timestamptz NOT NULL, expires timestamptz NOT NULL,
            drains boolean NOT NULL DEFAULT false, PRIMARY KEY (service, name)) WITH (fillfactor = 50);
        COMMENT ON TABLE share_member IS 'The replicas that share the work, each until when it counts as alive.';
        CREATE FUNCTION hold_lease(of_service text, of_share bigint, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM FROM lease WHERE service = of_service AND share = of_share AND epoch = of_epoch FOR KEY SHARE;
                IF NOT FOUND THEN RAISE EXCEPTION 'another replica has claimed the share' USING ERRCODE = 'VGL01'; END IF;
            END $$;

        """
}

extension Duration {
    /// Whole microseconds.
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
