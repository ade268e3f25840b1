import AlertRules
import Foundation
import Observability
import SQLiteDatabase
import Shares
import TestSupport
import Testing
import TimelineStore

@testable import Alerting

/// The stores that an alert core can have: each shows the same behaviour.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgres

    var testDescription: String { rawValue }

    /// An empty one.
    func stores() async throws -> any CoreStores {
        switch self {
        case .sqlite: try FileStores()
        case .postgres: try await ShareStores()
        }
    }
}

/// Makes one core after the other on the same state.
protocol CoreStores {
    /// The store itself, opened as after a start.
    func store() async throws -> any AlertStore
    func core(rules: [RuleFile], markerTopic: String, capacity: Int, now: ClockSample, bootID: String) async throws -> AlertCore
    /// Lets rows be inserted, or not.
    func refuseWrites(_ refuses: Bool) throws
}

/// A state file.
private struct FileStores: CoreStores {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("alert-core") }

    func store() throws -> any AlertStore { try SQLiteAlertStore(path: folder.path("state.sqlite")) }

    func core(rules: [RuleFile], markerTopic: String, capacity: Int, now: ClockSample, bootID: String) throws -> AlertCore {
        try AlertCore(
            path: folder.path("state.sqlite"), rules: rules, markerTopic: markerTopic, capacity: capacity, now: now, bootID: bootID)
    }

    func refuseWrites(_ refuses: Bool) throws {
        let file = try Database(path: folder.path("state.sqlite"))
        for table in ["journal", "events", "meta", "rules", "participants"] {
            try file.execute(
                refuses
                    ? "CREATE TRIGGER full_\(table) BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
                    : "DROP TRIGGER full_\(table)")
        }
    }
}

/// A share in PostgreSQL, claimed anew for each core.
struct ShareStores: CoreStores {
    private static let replica = ReplicaName(service: "vigil-alert", name: "a", process: "a")
    let connection: String
    let state: PostgresState
    private let share: Share

    init(shares: Int = 1, number: Int = 0) async throws {
        connection = try PostgresServer.shared().makeDatabase()
        state = Self.state(connection)
        share = try #require(Share(number, of: shares))
        try await state.leases.prepare(service: Self.replica.service, shares: shares)
    }

    /// The same share by another login, or another share.
    init(on connection: String, share: Share? = nil, of other: ShareStores) throws {
        (self.connection, state) = (connection, Self.state(connection))
        self.share = share ?? other.share
    }

    func owns(_ participant: String) -> Bool { share.owns(participant) }

    /// One whose database has so much time for its answers that a slow machine decides nothing.
    static func state(_ connection: String) -> PostgresState {
        PostgresState(PostgresConfiguration(connection: connection), AlertSchema.schema, limit: .seconds(60), leases: .seconds(60))
    }

    /// The state of a share that was claimed anew, over a connection of its own.
    func store() async throws -> any AlertStore { try await share() }

    private func share() async throws -> PostgresAlertStore {
        let holds = try await state.leases.claim([share.number], for: Self.replica, lease: .seconds(6))
        let hold = try #require(holds.first)
        return try await PostgresAlertStore.open(
            Self.state(connection), share: share, hold: hold, log: Logger(service: "test", level: .error))
    }

    func core(rules: [RuleFile], markerTopic: String, capacity: Int, now: ClockSample, bootID: String) async throws -> AlertCore {
        try AlertCore(
            store: try await share(), rules: rules, markerTopic: markerTopic, capacity: capacity, share: share, now: now, bootID: bootID)
    }

    func refuseWrites(_ refuses: Bool) throws {
        let tables = ["journal", "event", "meta", "rule_file", "participant"].map { "vigil_alert.\($0)" }
        let sql = tables.map { table in
            refuses
                ? "CREATE TRIGGER refused BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION refuse()"
                : "DROP TRIGGER refused ON \(table)"
        }
        let refusal = """
            CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by a trigger'; END $$;
            """
        try PostgresServer.psql(refusal + sql.joined(separator: ";"), in: connection)
    }
}
