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

    /// Nil where it lies in a database that is somebody else's.
    let server: PostgresServer?
    let store: PostgresStore
    let participants: Int
    let rows: Int

    static func name(_ participant: Int) -> String { "person-\(participant)" }

    /// - Parameters:
    ///   - rows: at least so many readings.
    ///   - database: libpq's connection string of a database that is filled if it is empty, and taken as it is if it was filled before; nil: of a
    ///     server that is started for it.
    static func make(rows: Int, database: String?) async throws -> GeneratedTimeline {
        // A quarter of the memory, as PostgreSQL's manual has it; nothing else differs from its default settings.
        let buffers = "shared_buffers = '\(Machine.memory / 4 / 1_048_576)MB'"
        let server = database == nil ? try PostgresServer(settings: [buffers]) : nil
        guard let connection = try database ?? server?.makeDatabase() else { throw HarnessError("no database") }
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        try await seed(store)
        var participants = try known(connection)
        if participants == 0 {
            participants = (rows + readingsEach - 1) / readingsEach
            try await fill(participants, connection)
        }
        return GeneratedTimeline(server: server, store: store, participants: participants, rows: participants * readingsEach)
    }

    /// The number of participants it was filled for; throws where that was cut off.
    private static func known(_ connection: String) throws -> Int {
        let count = Int(try PostgresServer.psql("SELECT count(*) FROM participant WHERE name LIKE 'person-%'", in: connection)) ?? 0
        let filled = try PostgresServer.psql("SELECT 1 FROM setting WHERE name = 'bench-filled'", in: connection)
        guard count == 0 || filled == "1" else { throw HarnessError("the database was not filled to the end: drop it and make it anew") }
        return count
    }

    /// The memory for sorting is for making it, not for the questions.
    private static func fill(_ participants: Int, _ connection: String) async throws {
        let connection = "\(connection) options='-c work_mem=1GB'"
        func run(_ sql: String) throws { try PostgresServer.psql(sql, in: connection, within: .seconds(7200)) }
        try run("INSERT INTO participant (name) SELECT 'person-' || n FROM generate_series(1, \(participants)) n")
        for (from, to) in months {
            try run(sql(from, to))
            for (level, finer) in [("minute", nil), ("hour", "minute"), ("day", "hour")] { try run(rollups(level, of: finer, from, to)) }
            Output.note("readings and rollups up to \(to)")
        }
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        _ = try await store.indexMonths()
        await store.close()
        // What autovacuum does within minutes where a timeline grows by and by.
        try run("VACUUM (ANALYZE)")
        try run("INSERT INTO setting VALUES ('bench-filled', '\(participants)')")
    }

    /// The sums of a month, in the server, where counting them anew from outside takes ten times as long; in the order of time, as live readings
    /// leave them: everybody's of one time together.
    private static func rollups(_ level: String, of finer: String?, _ from: String, _ to: String) -> String {
        let sums = finer == nil ? "count(*), sum(value), min(value), max(value)" : "sum(count), sum(sum), min(min), max(max)"
        let (first, last) = finer == nil ? ("min(time)", "max(time)") : ("min(first_time)", "max(last_time)")
        return """
            SET TimeZone = 'UTC';
            INSERT INTO rollup_\(level) (participant, metric, source, time, count, sum, min, max, first, first_time, first_seq, last, last_time, last_seq)
            SELECT participant, metric, source, date_trunc('\(level)', time), \(sums),
                \(value("participant", first)), \(first), 0, \(value("participant", last)), \(last), 0
            FROM \(finer.map { "rollup_\($0)" } ?? "reading")
            WHERE time >= '\(from)' AND time < '\(to)' AND participant IN (SELECT id FROM participant WHERE name LIKE 'person-%')
            GROUP BY 4, 1, 2, 3 ORDER BY 4, 1, 2, 3
            """
    }

    /// The number that somebody's reading of a moment has.
    private static func value(_ participant: String, _ time: String) -> String {
        "50 + (\(participant) * 7 + extract(epoch FROM \(time))::bigint) % 40"
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
        SELECT r.time, p.id, m.id, s.id, 0, \(value("p.id", "r.time")), r.time
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

/// The generated timeline that several questions are asked of, made when the first is.
actor SharedTimeline {
    private let rows: Int
    private let database: String?
    private var known: GeneratedTimeline?

    /// - Parameter database: where it shall be kept for another time; nil: in a server of its own that goes with it.
    init(rows: Int, database: String?) {
        self.rows = rows
        self.database = database
    }

    func made() async throws -> GeneratedTimeline {
        if let known { return known }
        let timeline = try await GeneratedTimeline.make(rows: rows, database: database)
        known = timeline
        return timeline
    }

    /// Stops its server and removes its files, where it has one of its own.
    func close() async {
        await known?.store.close()
        known?.server?.remove()
    }
}
