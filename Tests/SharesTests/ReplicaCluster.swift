import Foundation
import MessageBus
import SuiteHarness
import TestSupport

/// A broker that replicas are tested with.
enum TestBroker: Sendable {
    /// The kinds that there are.
    enum Kind: String, Sendable, CaseIterable {
        case mosquitto
        /// Three nodes, each message on all of them.
        case nats

        /// Those that are installed.
        static var installed: [Kind] { NATSServer.Program.recent.path == nil ? [.mosquitto] : allCases }
    }

    case mosquitto(MosquittoServer)
    case nats([NATSServer])

    static func start(_ kind: Kind) async throws -> TestBroker {
        switch kind {
        case .mosquitto: .mosquitto(try await .start())
        case .nats: .nats(try await NATSServer.start(.recent, count: 3, copies: 3))
        }
    }

    /// Of its first node.
    var port: UInt16 {
        switch self {
        case .mosquitto(let server): server.port
        case .nats(let nodes): nodes[0].mqttPort
        }
    }

    /// By which a service finds all of its nodes.
    var settings: [String] {
        switch self {
        case .mosquitto: []
        case .nats(let nodes): ["--broker-host", nodes.map { "127.0.0.1:\($0.mqttPort)" }.joined(separator: ",")]
        }
    }

    func configuration(clientID: String) -> BrokerConfiguration {
        switch self {
        case .mosquitto(let server): return server.configuration(clientID: clientID)
        case .nats(let nodes):
            let hosts = nodes.map { "127.0.0.1:\($0.mqttPort)" }.joined(separator: ",")
            return BrokerConfiguration(host: hosts, port: port, clientID: clientID, protocolVersion: .v311)
        }
    }

    /// Publishes messages in order over a connection of its own, and returns when all are acknowledged.
    func publish(_ messages: [OutgoingMessage]) async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: configuration(clientID: "test-\(UUID().uuidString)")))
        try await withRunning(publisher) { publisher in
            for message in messages { try await publisher.publish(message) }
        }
    }

    func consumer(_ clientID: String, _ filter: String) -> Consumer {
        Consumer(configuration: ConsumerConfiguration(broker: configuration(clientID: clientID), subscriptions: [Subscription(filter)]))
    }
}

/// A broker, a database and replicas of vigil-timeline.
struct Cluster {
    let broker: TestBroker
    let folder: TemporaryFolder
    let store: String
    /// By replica.
    private let folders: [String: TemporaryFolder]
    private let server: PostgresServer
    private let database: String
    private let shares: Int

    init(shares: Int, _ kind: TestBroker.Kind = .mosquitto) async throws {
        self.shares = shares
        broker = try await TestBroker.start(kind)
        folder = try TemporaryFolder("vigil-replicas")
        folders = try ["a", "b", "c"].reduce(into: [:]) { $0[$1] = try TemporaryFolder("vigil-replica-\($1)") }
        // Each row's commit has a time: by it pauses are measured.
        server = try PostgresServer(settings: ["track_commit_timestamp = on"])
        database = try server.makeDatabase()
        store = StoreUnderTest.postgres(server, connection: database).setting()
    }

    func replica(_ name: String) throws -> SuiteService {
        try SuiteService(
            "vigil-timeline", settings: ["--store", store, "--shares", "\(shares)", "--instance", name] + broker.settings,
            brokerPort: broker.port, folder: folders[name] ?? folder)
    }

    /// Asks the timeline, each question to be answered on a topic of its name.
    func ask(_ names: [String]) async throws {
        try await broker.publish(
            names.map { name in
                OutgoingMessage(
                    topic: "vigil/v1/requests/me/timeline", payload: Array(#"{"query":"participants"}"#.utf8),
                    properties: MessageProperties(responseTopic: "vigil/v1/responses/me/\(name)"))
            })
    }

    func psql(_ sql: String) throws -> String { try server.psql(sql, in: database) }

    /// The shares that each replica owns by leases that have not ended.
    func counts() throws -> [String: Int] {
        let rows = try psql("SELECT owner, count(*) FROM lease WHERE owner IS NOT NULL AND expires > now() GROUP BY owner").split(
            separator: "\n")
        return rows.reduce(into: [:]) { counts, row in
            let columns = row.split(separator: "|")
            if columns.count == 2 { counts[String(columns[0])] = Int(columns[1]) }
        }
    }

    func waitUntilOwned(_ wanted: [String: Int]) async throws {
        try await eventually(within: .seconds(90), "shares as \(wanted); they are \((try? counts()) ?? [:])") {
            // Each look starts a program.
            try await Task.sleep(for: .milliseconds(100))
            return try counts() == wanted
        }
    }

    func stored() throws -> Int {
        Int(try psql("SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant WHERE p.name LIKE 'stream-%'")) ?? 0
    }

    /// Seconds from a reading's time to its commit, at the most.
    func longestPause() throws -> String {
        try psql(
            """
            SELECT round(max(extract(epoch FROM pg_xact_commit_timestamp(r.xmin) - r.time)), 1) FROM reading r \
            JOIN participant p ON p.id = r.participant WHERE p.name LIKE 'stream-%'
            """)
    }
}
