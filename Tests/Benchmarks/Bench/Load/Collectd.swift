import Foundation
import SuiteHarness
import TestSupport

/// A collectd that subscribes to a broker and writes to PostgreSQL, configured as someone would who knows it: a session that outlives a
/// connection, transactions of a second, no value refused.
struct Collectd {
    private static let program = "/usr/sbin/collectd"
    private static let plugins = "/usr/lib/collectd"

    /// What it subscribes to; `vigil-limits publish --format collectd` publishes there.
    static let topics = "bench/#"
    /// Where it stores, with the columns and the key by which a reading is known, and the function that is called with all nine of a writer's
    /// parameters, as in collectd's own example.
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
