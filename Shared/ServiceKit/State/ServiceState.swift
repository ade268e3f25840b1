import Foundation
package import SQLiteDatabase
package import Settings
package import VigilSchema

/// A service's state, in a SQLite file of its own, created and migrated when it is opened.
///
/// An actor: one caller at a time. What must become durable together belongs in one `transaction`, which has reached the
/// disk when it returns, or the system's cache where the state was opened as `.normal`.
package actor ServiceState {
    private let database: Database

    /// Opens or makes the file and its folder, and applies the migrations that it lacks.
    /// - Parameters:
    ///   - path: a file's path, or `:memory:` in tests.
    ///   - durability: `.normal` survives a killed process, `.full` a power cut as well.
    package init(path: String, migrations: [Migration], durability: Database.Durability = .full) throws(StateError) {
        database = try Self.open(path, durability)
        try Self.migrate(database, migrations, path: path)
    }

    /// Reads; `body` must not write.
    package func read<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        try body(database)
    }

    /// Writes: all of it once `body` returns, nothing of it when it throws.
    package func transaction<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        try database.transaction { try body(database) }
    }

    /// Gives the file system back what the file no longer uses, where that is more than so many bytes. To be called now and then by who
    /// keeps much for a while.
    package func shrink(keeping bytes: Int) throws {
        let free = try Self.number("PRAGMA freelist_count", database) * Self.number("PRAGMA page_size", database)
        guard free > bytes else { return }
        // Without it pages can only be given back by copying the whole file, once.
        if try Self.number("PRAGMA auto_vacuum", database) != 2 { try database.execute("PRAGMA auto_vacuum = 2; VACUUM") }
        try database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Leaves nothing of what was removed in the file, its free pages and its log.
    package func wipe() throws { try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }

    private static func open(_ path: String, _ durability: Database.Durability) throws(StateError) -> Database {
        do {
            if path != ":memory:" {
                let folder = URL(filePath: path).deletingLastPathComponent()
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            return try Database(path: path, durability: durability)
        } catch {
            throw .unusable(path: path, reason: (error as? SQLiteError)?.message ?? error.localizedDescription)
        }
    }

    private static func migrate(_ database: Database, _ migrations: [Migration], path: String) throws(StateError) {
        var next = 0
        do {
            // The lock is taken before the version is read, so that two processes do not both migrate.
            try database.transaction {
                let present = try version(of: database)
                next = present
                let known = migrations.map(\.version).max() ?? 0
                guard present <= known else { throw StateError.newer(path: path, version: present, known: known) }
                for migration in migrations.sorted(by: { $0.version < $1.version }) where migration.version > present {
                    next = migration.version
                    try database.execute(migration.sql)
                    try database.execute("PRAGMA user_version = \(migration.version)")
                }
            }
        } catch let error as SQLiteError {
            throw .migration(path: path, version: next, error)
        } catch {
            throw error as? StateError ?? .unusable(path: path, reason: "\(error)")
        }
    }

    private static func version(of database: Database) throws(SQLiteError) -> Int {
        try number("PRAGMA user_version", database)
    }

    private static func number(_ pragma: String, _ database: Database) throws(SQLiteError) -> Int {
        let row = try database.statement(pragma)
        defer { row.reset() }
        return try row.step() ? Int(row.integer(0)) : 0
    }
}

/// One forward step of a state file's schema. Steps are never changed once released; new ones are appended.
package struct Migration: Sendable {
    /// 1 for the first, and one more for each after it.
    package let version: Int
    /// Statements with semicolons between, run in one transaction.
    package let sql: String

    package init(_ version: Int, _ sql: String) {
        self.version = version
        self.sql = sql
    }
}

/// The reason why a service's state cannot be opened.
package enum StateError: Error, Sendable, CustomStringConvertible, ExitCoded {
    /// The folder or file cannot be made or opened.
    case unusable(path: String, reason: String)
    /// The file was written by a newer version.
    case newer(path: String, version: Int, known: Int)
    /// A migration failed.
    case migration(path: String, version: Int, SQLiteError)

    package var exitCode: ExitCode { .unavailable }

    package var description: String {
        switch self {
        case .unusable(let path, let reason): "the state file \(path) cannot be used: \(reason)"
        case .newer(let path, let version, let known):
            "the state file \(path) has version \(version), this program knows up to \(known): run the newer program"
        case .migration(let path, let version, let error): "the state file \(path) could not be brought to version \(version): \(error)"
        }
    }
}

extension Timestamp {
    /// The system clock's time.
    package static var now: Timestamp { Timestamp(seconds: Date().timeIntervalSince1970) }
}
