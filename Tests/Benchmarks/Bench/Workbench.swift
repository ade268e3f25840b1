import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// What the benchmarks share: a PostgreSQL on a loopback port. Brokers are started afresh: a session that an earlier measurement left
/// would collect what the next one publishes.
final class Workbench: Sendable {
    private let server = Mutex<PostgresServer?>(nil)

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

    /// Stops the servers.
    func close() {
        server.withLock { $0 }?.remove()
    }
}
