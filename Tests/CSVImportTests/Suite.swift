import Foundation
import SQLiteDatabase
import SuiteHarness
import TestSupport

/// A broker, a timeline with a SQLite store, and the importer, as processes.
struct Suite {
    let folder: TemporaryFolder
    let broker: MosquittoServer
    private let timeline: ChildProcess
    let database: String

    static func start() async throws -> Suite {
        let folder = try TemporaryFolder("vigil-import")
        let broker = try await MosquittoServer.start()
        let database = folder.path("timeline.sqlite")
        let timeline = try ChildProcess(
            try BuiltCommand.path("vigil-timeline"),
            ["--broker-port", "\(broker.port)", "--state-folder", folder.path("timeline"), "--store", "sqlite:\(database)"],
            output: folder.path("timeline.log"))
        try await eventually(within: .seconds(30)) { timeline.output.contains("running") }
        return Suite(folder: folder, broker: broker, timeline: timeline, database: database)
    }

    /// Starts the importer.
    /// - Parameter state: its state folder's name.
    func importer(_ arguments: [String], state: String = "import", needsBroker: Bool = true) throws -> ChildProcess {
        let log = folder.path("import-\(UUID().uuidString).log")
        return try ChildProcess(
            try BuiltCommand.path("vigil-import"),
            arguments + (needsBroker ? ["--broker-port", "\(broker.port)"] : []) + ["--state-folder", folder.path(state)], output: log)
    }

    /// How many readings are stored; 0 before there is a table.
    var count: Int {
        guard let database = try? Database(path: database, readOnly: true),
            let statement = try? database.statement("SELECT count(*) FROM reading"), (try? statement.step()) == true
        else { return 0 }
        defer { statement.reset() }
        return Int(statement.integer(0))
    }

    /// Everything that is stored, in the order of the identities.
    func rows() throws -> [String] { try Suite.rows(database) }

    static func rows(_ path: String) throws -> [String] {
        let database = try Database(path: path, readOnly: true)
        let statement = try database.statement(
            """
            SELECT p.name || '|' || m.name || '|' || s.name || '|' || time || '|' || seq || '|' || coalesce(value, '') || '|' || coalesce(text, '')
            FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
            ORDER BY 1
            """)
        defer { statement.reset() }
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0)) }
        return rows
    }

    func stop() { timeline.signal(SIGTERM) }
}
