import Foundation
package import TestSupport

/// A broker, a `vigil-timeline` and its store, for `vigil-import` to fill.
package struct ImportTarget: Sendable {
    package let folder: TemporaryFolder
    package let broker: MosquittoServer
    package let timeline: SuiteService
    package let store: StoreUnderTest

    /// Starts them.
    /// - Parameter server: makes a PostgreSQL where that is the kind of store.
    package init(_ kind: StoreUnderTest.Kind, server: @autoclosure () throws -> PostgresServer) async throws {
        folder = try TemporaryFolder("vigil-import")
        broker = try await MosquittoServer.start()
        store = try StoreUnderTest.make(kind, in: folder, server: server())
        timeline = try SuiteService("vigil-timeline", settings: ["--store", store.setting()], brokerPort: broker.port, folder: folder)
        try await timeline.start()
    }

    /// Starts `vigil-import`.
    /// - Parameters:
    ///   - state: the name of its state folder, which holds the ledger.
    ///   - needsBroker: whether it is told of the broker.
    package func importer(_ arguments: [String], state: String = "import", needsBroker: Bool = true) throws -> ChildProcess {
        try ChildProcess(
            try BuiltCommand.path("vigil-import"),
            arguments + (needsBroker ? ["--broker-port", "\(broker.port)"] : []) + ["--state-folder", folder.path(state)],
            output: folder.path("import-\(UUID().uuidString).log"))
    }

    /// Observations that `vigil-timeline` has stored, and not met before, since it was started; a few more than were imported, those that
    /// services tell of themselves.
    package var stored: Int { Int(timeline.metric("vigil_timeline_observations_stored_total") ?? 0) }

    /// How many readings the store holds, without those that services tell of themselves.
    package func count() async throws -> Int {
        let rows = try await store.rows(
            "SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant WHERE \(Self.isImported)")
        return rows.first?.first.flatMap { Int($0) } ?? 0
    }

    private static let isImported = "substr(p.name, 1, 8) <> '_module.'"

    /// Every reading in the store, with all that its file says of it.
    package func readings() async throws -> Set<String> { try await Self.readings(of: store) }

    /// Every reading in a store.
    package static func readings(of store: StoreUnderTest) async throws -> Set<String> {
        let columns = ["p.name", "m.name", "s.name", "time", "seq", "value", "text", "e.name", "zone"]
        let text = columns.map { "coalesce(CAST(\($0) AS text), '-')" }.joined(separator: " || ' ' || ")
        let rows = try await store.rows(
            """
            SELECT \(text) FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric \
            JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session WHERE \(isImported)
            """)
        return Set(rows.map { $0.joined(separator: "|") })
    }

    package func stop() async throws { try await timeline.stop() }
}
