import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// What the benchmarks share: a broker and a PostgreSQL on loopback ports, and a folder for what they write.
final class Workbench: Sendable {
    let folder: TemporaryFolder
    let broker: MosquittoServer
    let timeline: SharedTimeline
    private let server = Mutex<PostgresServer?>(nil)
    private let databases = Atomic<Int>(0)
    private let explanation = Mutex<String?>(nil)

    /// - Parameters:
    ///   - rows: how many readings the generated timeline has.
    ///   - database: libpq's connection string of the database that keeps it; nil: it goes when the benchmark ends.
    init(rows: Int, database: String?) async throws {
        timeline = SharedTimeline(rows: rows, database: database)
        folder = try TemporaryFolder("vigil-bench")
        broker = try await MosquittoServer.start()
    }

    /// PostgreSQL as a server of its size is set up; durable as always.
    var postgres: PostgresServer {
        get throws {
            try server.withLock { known in
                if let known { return known }
                let made = try PostgresServer(settings: ["shared_buffers = '256MB'", "max_wal_size = '4GB'"])
                known = made
                return made
            }
        }
    }

    /// A folder of its own for one measurement.
    func freshFolder() throws -> TemporaryFolder { try TemporaryFolder("vigil-bench-run") }

    /// A fresh, empty database.
    func store(_ kind: StoreUnderTest.Kind, in folder: TemporaryFolder) throws -> StoreUnderTest {
        try StoreUnderTest.make(kind, in: folder, server: try postgres)
    }

    /// A name that no measurement had before, so that no broker session is met again.
    func freshName(_ base: String) -> String { "\(base)-\(databases.add(1, ordering: .relaxed).newValue)" }

    /// Does the work that a benchmark measures, and keeps what took the processors' time: printed where the goal is missed.
    func watching<Result>(_ count: Int, _ unit: String, _ work: () async throws -> Result) async throws -> Result {
        let before = ProcessorUse.now
        let result = try await work()
        let use = ProcessorUse.now.since(before)
        explanation.withLock { $0 = use.explanation(of: count, unit) }
        return result
    }

    /// What the last measurement's time went into, where the benchmark has looked.
    func takeExplanation() -> String? {
        explanation.withLock { known in
            defer { known = nil }
            return known
        }
    }

    /// Stops the servers, and removes what was written: the process ends by `exit`, which destroys nothing.
    func close() async {
        await timeline.close()
        server.withLock { $0 }?.remove()
        try? FileManager.default.removeItem(at: folder.url)
    }
}
