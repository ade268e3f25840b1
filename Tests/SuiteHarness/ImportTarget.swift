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

    /// The number of readings the store holds, without those that services tell of themselves.
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

/// An import that is killed again and again, and started again after each kill, beside one that nothing disturbs.
package struct InterruptedImport: Sendable {
    /// The file or folder to import, in a way that takes a few thousand readings at least.
    package let file: String
    /// The number of readings the file holds.
    package let readings: Int
    /// The number of kills, at random places of the file.
    package let kills: Int
    /// The kind of store that is written.
    package let store: StoreUnderTest.Kind

    package init(file: String, readings: Int, kills: Int, store: StoreUnderTest.Kind) {
        self.file = file
        self.readings = readings
        self.kills = kills
        self.store = store
    }

    /// The contents of the two stores.
    package struct Outcome: Sendable {
        /// Readings of the interrupted import.
        package let stored: Int
        /// Readings that only one of the two stores has.
        package let different: Int
        /// The number of readings stored at each kill.
        package let killedAt: [Int]
        /// The number of kills that met an import which had not ended.
        package let interrupted: Int
        /// The exit codes of the last import, and of the one without a disturbance.
        package let exitCodes: [Int32]
    }

    /// Carries both out, through a broker and a timeline each.
    /// - Parameter server: makes a PostgreSQL where that is the kind of store.
    package func run(server: @autoclosure () throws -> PostgresServer) async throws -> Outcome {
        let disturbed = try await ImportTarget(store, server: server()), quiet = try await ImportTarget(store, server: server())
        var killedAt: [Int] = [], interrupted = 0
        // The first at once: on a busy machine a whole file may be in between two looks at what is stored.
        let goals = [0] + (1..<max(kills, 1)).map { _ in Int.random(in: 0..<readings) }.sorted()
        for goal in goals {
            let child = try disturbed.importer([file])
            try await eventually(within: .seconds(600), "\(goal) readings stored") { disturbed.stored >= goal || child.hasEnded }
            if !child.hasEnded { interrupted += 1 }
            child.signal(SIGKILL)
            _ = try await child.waitForExit(within: .seconds(120))
            killedAt.append(disturbed.stored)
        }
        let exitCodes = [try await finish(disturbed), try await finish(quiet)]
        let rows = try await disturbed.readings(), expected = try await quiet.readings()
        try await disturbed.stop()
        try await quiet.stop()
        return Outcome(
            stored: rows.count, different: rows.symmetricDifference(expected).count, killedAt: killedAt, interrupted: interrupted,
            exitCodes: exitCodes)
    }

    private func finish(_ target: ImportTarget) async throws -> Int32 {
        try await target.importer([file]).waitForExit(within: .seconds(900))
    }
}
