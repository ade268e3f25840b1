import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// The things that benchmarks share: a PostgreSQL on a loopback port, and a folder for what they write.
final class Workbench: Sendable {
    let folder: TemporaryFolder
    let timeline: SharedTimeline
    private let server = Mutex<PostgresServer?>(nil)
    private let explanation = Mutex<String?>(nil)

    /// - Parameters:
    ///   - rows: how many readings the generated timeline has.
    ///   - database: libpq's connection string of the database that keeps it; nil: it goes when the benchmark ends.
    init(rows: Int, database: String?) throws {
        timeline = SharedTimeline(rows: rows, database: database)
        folder = try TemporaryFolder("vigil-bench")
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

    /// Lets the machine come to rest: what former benchmarks left to be written and vacuumed would hold up the next one's commits, and the broker,
    /// which waits for the disk once a second.
    func settle() throws {
        try server.withLock { try $0?.settle() }
        sync()
    }

    /// Does the work that a benchmark measures, and keeps what took the processors' time: printed where the goal is missed.
    func watching<Result>(_ count: Int, _ unit: String, _ work: () async throws -> Result) async throws -> Result {
        let before = ProcessorUse.now
        let result = try await work()
        let use = ProcessorUse.now.since(before)
        explanation.withLock { $0 = use.explanation(of: count, unit) }
        return result
    }

    /// Tells what the last measurement's time went into, where the benchmark has looked.
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
