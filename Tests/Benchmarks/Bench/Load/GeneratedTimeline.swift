import SuiteHarness
import TestSupport
import TimelineStore
import VigilSchema

/// Ten years of readings in PostgreSQL, made inside the server: of each participant steps and weight daily, for the last year a minute of heart
/// rate at 1 Hz every six hours, and on the last day three metrics every 40 s; 101,384 readings.
struct GeneratedTimeline: Sendable {
    /// 1 November 2026.
    static let end = Timestamp(seconds: 1_793_491_200)
    private static let readingsEach = 101_384

    let server: PostgresServer
    let store: PostgresStore
    let participants: Int
    let rows: Int

    static func name(_ participant: Int) -> String { "person-\(participant)" }

    /// - Parameter rows: at least so many readings.
    static func make(rows: Int) async throws -> GeneratedTimeline {
        // Nothing else differs from PostgreSQL's default settings.
        let server = try PostgresServer(settings: ["shared_buffers = '2GB'"])
        let connection = try server.makeDatabase()
        let participants = (rows + readingsEach - 1) / readingsEach
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        // For making it, not for the questions.
        try server.psql("ALTER ROLE vigil SET work_mem = '1GB'", in: connection)
        try await seed(store)
        try server.psql(
            "INSERT INTO participant (name) SELECT 'person-' || n FROM generate_series(1, \(participants)) n", in: connection)
        for (from, to) in months {
            try server.psql(Self.sql(from, to), in: connection)
            Output.note("readings up to \(to)")
        }
        let spent = try await ContinuousClock().measure { try await store.recountRollups() }
        Output.note("rollups counted in \(Int(spent.seconds)) s")
        await store.close()
        try server.psql("ALTER ROLE vigil RESET work_mem", in: connection)
        // What autovacuum does within minutes where a timeline grows by and by.
        try server.psql("VACUUM (ANALYZE)", in: connection)
        return GeneratedTimeline(
            server: server, store: store, participants: participants, rows: participants * readingsEach)
    }

    /// A reading of somebody else in every month makes the partitions, the metrics and the source.
    private static func seed(_ store: PostgresStore) async throws {
        let units = [
            "steps": "{steps}", "body-weight": "kg", "heart-rate": "/min", "respiration-rate": "/min", "skin-temperature": "Cel",
        ]
        var observations = units.map { Observation(metric: $0.key, time: end, content: .value(30), unit: $0.value) }
        observations += (0..<120).map { month in
            Observation(
                metric: "steps", time: end.advanced(bySeconds: Double(-month - 1) * 2_629_800), content: .value(1), unit: "{steps}")
        }
        let group = ObservationGroup(participant: "seed", source: "bench/1", received: end, observations: observations)
        _ = try await store.append([ObservationBatch(id: "01HF0000000000000000000000", groups: [group])])
    }

    private static var months: [(from: String, to: String)] {
        (0..<120).map { number in (name(ofMonth: 2016 * 12 + 10 + number), name(ofMonth: 2016 * 12 + 11 + number)) }
    }

    private static func name(ofMonth number: Int) -> String {
        let month = number % 12 + 1
        return "\(number / 12)-\(month < 10 ? "0" : "")\(month)-01 00:00:00+00"
    }

    /// In the key's order, as live readings come.
    private static func sql(_ from: String, _ to: String) -> String {
        """
        SET TimeZone = 'UTC';
        INSERT INTO reading (time, participant, metric, source, seq, value, received)
        SELECT r.time, p.id, m.id, s.id, 0, 50 + (p.id * 7 + extract(epoch FROM r.time)::bigint) % 40, r.time
        FROM (
            SELECT time, unnest(ARRAY['steps', 'body-weight']) AS metric
            FROM generate_series(timestamptz '\(from)' + interval '6 hours', timestamptz '\(to)' - interval '1 second', '1 day') AS time
            UNION ALL
            SELECT hour + second * interval '1 second', 'heart-rate'
            FROM generate_series(
                greatest(timestamptz '\(from)', '2025-11-01 00:00:00+00'), timestamptz '\(to)' - interval '1 second', '6 hours') AS hour,
                generate_series(0, 59) AS second
            UNION ALL
            SELECT time + interval '0.5 seconds', unnest(ARRAY['heart-rate', 'respiration-rate', 'skin-temperature'])
            FROM generate_series(
                greatest(timestamptz '\(from)', '2026-10-31 00:00:00+00'), timestamptz '\(to)' - interval '1 second',
                '40 seconds') AS time
        ) AS r
            JOIN metric m ON m.name = r.metric JOIN source s ON s.name = 'bench/1' JOIN participant p ON p.name LIKE 'person-%'
        ORDER BY 1, 2, 3
        """
    }
}
