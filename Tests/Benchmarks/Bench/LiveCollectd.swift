import Foundation
import SuiteHarness
import TestSupport

/// Single readings, live, each durable in PostgreSQL: messages a second by the side of Debian's collectd with its plugins mqtt and postgresql. It
/// acknowledges what it has not stored yet; what it lost is told, not judged.
struct LiveCollectd: Benchmark {
    let name = "live-against-collectd"
    let unit = "messages/s"
    let goal = Goal.ratio(1)
    let yardstick: String? = "collectd"
    private let load = Publication(format: .collectd, messages: 100_000)

    func product(_ bench: Workbench) async throws -> Double {
        try await LiveTimeline(name: name, store: .postgres).product(bench)
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let broker = try await MosquittoServer.start(extra: "log_type subscribe")
        let store = try bench.store(.postgres, in: folder)
        guard case .postgres(let server, let connection) = store else { return nil }
        try server.psql(Collectd.schema, in: connection)
        let peer = try Collectd(brokerPort: broker.port, connection: connection, folder: folder)
        try await eventually("collectd is subscribed") {
            guard !peer.process.hasEnded else { throw HarnessError("collectd ended: \(peer.process.output)") }
            return broker.log.contains("peer 1 \(Collectd.topics)")
        }
        let publisher = try load.start(port: broker.port, in: folder)
        let (stored, end) = try await settled(store)
        let start = try await publisher.result()["start"] ?? 0
        peer.process.signal(SIGTERM)
        try await peer.process.waitForExit()
        guard stored > 0 else { throw HarnessError("collectd stored nothing: \(peer.process.output)") }
        try await tellLoss(store)
        return Double(stored) * 1e9 / Double(end - start)
    }

    /// Waits until everything is stored, or nothing more comes; gives how much there is, and since when.
    private func settled(_ store: StoreUnderTest) async throws -> (stored: Int, since: Int64) {
        var (stored, since) = (0, MonotonicTime.now)
        try await eventually(within: .seconds(300), "collectd has stored what it will") {
            let count = try await store.lines("SELECT count(*) FROM collectd_reading").first.flatMap { Int($0) } ?? 0
            if count > stored { (stored, since) = (count, MonotonicTime.now) }
            // It commits every second.
            return stored == load.count || MonotonicTime.now - since > 10_000_000_000
        }
        return (stored, since)
    }

    private func tellLoss(_ store: StoreUnderTest) async throws {
        var census = Census(load.readings, expected: load.count)
        let columns = "participant, metric, extract(epoch FROM time)::bigint, value"
        for row in try await store.rows("SELECT \(columns) FROM collectd_reading") where row.count == 4 {
            census.add(participant: row[0], metric: row[1], second: Int64(row[2]) ?? -1, value: Double(row[3]) ?? .nan)
        }
        Output.note("collectd: \(census)")
    }
}

/// A collectd that subscribes to a broker and writes to PostgreSQL, configured as someone would who knows it: a session that outlives a
/// connection, transactions of a second, no value refused.
struct Collectd {
    private static let program = "/usr/sbin/collectd"
    private static let plugins = "/usr/lib/collectd"

    /// The filter that it subscribes to; `vigil-limits publish --format collectd` publishes there.
    static let topics = "bench/#"
    /// The table that it stores in, with the columns and the key by which a reading is known, and the function that is called with all nine of a
    /// writer's parameters, as in collectd's own example.
    static let schema = """
        CREATE TABLE collectd_reading (
            time timestamptz NOT NULL, participant text NOT NULL, metric text NOT NULL, value double precision,
            PRIMARY KEY (time, participant, metric));
        CREATE FUNCTION store(timestamptz, text, text, text, text, text, text[], text[], double precision[]) RETURNS void
        LANGUAGE plpgsql AS 'BEGIN INSERT INTO collectd_reading VALUES ($1, $2, $6, $9[1]) ON CONFLICT DO NOTHING; END';
        """

    let process: ChildProcess

    /// - Parameter connection: libpq's, to a database that has the schema.
    init(brokerPort: UInt16, connection: String, folder: TemporaryFolder) throws {
        for file in [Self.program, "\(Self.plugins)/mqtt.so", "\(Self.plugins)/postgresql.so"]
        where !FileManager.default.fileExists(atPath: file) {
            throw HarnessError("\(file) is missing: the peer is Debian's collectd-core, which could not be installed")
        }
        let text = Self.configuration(brokerPort: brokerPort, database: Self.words(of: connection), folder: folder)
        let file = try folder.write(text, to: "collectd.conf")
        process = try ChildProcess(Self.program, ["-f", "-C", file], output: folder.path("collectd.log"))
    }

    /// The `name=value` pairs of a connection string.
    private static func words(of connection: String) -> [String: String] {
        let pairs = connection.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }

    private static func configuration(brokerPort: UInt16, database: [String: String], folder: TemporaryFolder) -> String {
        """
        Hostname "bench"
        BaseDir "\(folder.url.path)"
        PIDFile "\(folder.path("collectd.pid"))"
        PluginDir "\(plugins)"
        TypesDB "/usr/share/collectd/types.db"
        Interval 10
        LoadPlugin logfile
        <Plugin logfile>
          LogLevel info
          File stdout
        </Plugin>
        LoadPlugin mqtt
        <Plugin mqtt>
          <Subscribe "bench">
            Host "127.0.0.1"
            Port \(brokerPort)
            ClientId "peer"
            QoS 1
            Topic "\(topics)"
            CleanSession false
          </Subscribe>
        </Plugin>
        LoadPlugin postgresql
        <Plugin postgresql>
          <Writer readings>
            Statement "SELECT store($1, $2, $3, $4, $5, $6, $7, $8, $9)"
            StoreRates false
          </Writer>
          <Database "\(database["dbname"] ?? "postgres")">
            Host "\(database["host"] ?? "127.0.0.1")"
            Port "\(database["port"] ?? "5432")"
            User "\(database["user"] ?? "vigil")"
            SSLMode "disable"
            Writer readings
            CommitInterval 1
          </Database>
        </Plugin>

        """
    }
}
