import Foundation
import SQLiteDatabase
import Testing

@testable import ServiceKit
@testable import Settings

@Suite("A service's state")
struct ServiceStateTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)/deep")
    private var path: String { folder.appending(path: "state.sqlite").path }
    private let first = Migration(1, "CREATE TABLE t (a INTEGER)")
    private let second = Migration(2, "ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 7")

    private func sum(_ state: ServiceState) async throws -> Int64 {
        try await state.read { database in
            let row = try database.statement("SELECT coalesce(sum(a + b), 0) FROM t")
            defer { row.reset() }
            return try row.step() ? row.integer(0) : -1
        }
    }

    @Test("makes its folder and brings an older file up to date, keeping what it holds")
    func migrate() async throws {
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        do {
            let old = try ServiceState(path: path, migrations: [first])
            try await old.transaction { try $0.run("INSERT INTO t VALUES (1)") }
        }
        #expect(try await sum(ServiceState(path: path, migrations: [first, second])) == 8)
        #expect(try await sum(ServiceState(path: path, migrations: [first, second])) == 8)
        let newer = #expect(throws: StateError.self) { try ServiceState(path: path, migrations: [first]) }
        #expect(newer?.description.contains("has version 2, this program knows up to 1") == true)
    }

    @Test("leaves a file as it was when a migration fails")
    func failing() async throws {
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        let broken = Migration(2, "CREATE TABLE u (a); CREATE TABLE t (a)")
        let error = #expect(throws: StateError.self) { try ServiceState(path: path, migrations: [first, broken]) }
        #expect(error?.description.contains("could not be brought to version 2") == true)
        #expect(try await sum(ServiceState(path: path, migrations: [first, second])) == 0)
    }

    @Test("keeps nothing of a transaction that throws")
    func rollback() async throws {
        let state = try ServiceState(path: ":memory:", migrations: [first, second])
        await #expect(throws: SQLiteError.self) {
            try await state.transaction { database in
                try database.run("INSERT INTO t VALUES (1, 1)")
                try database.run("INSERT INTO missing VALUES (1)")
            }
        }
        #expect(try await sum(state) == 0)
    }

    @Test("says which file cannot be used")
    func unusable() {
        let error = #expect(throws: StateError.self) { try ServiceState(path: "/proc/none/state.sqlite", migrations: []) }
        #expect(error?.description.hasPrefix("the state file /proc/none/state.sqlite cannot be used") == true)
        #expect(error?.exitCode == .unavailable)
    }
}
