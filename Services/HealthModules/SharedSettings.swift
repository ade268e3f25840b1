import Foundation
import SQLiteDatabase
import ServiceKit
import Shares
package import TimelineStore
import VigilSchema

/// Settings of persons in PostgreSQL, shared by several processes; a new or absent one reads them from there.
package struct SharedSettings: Sendable {
    /// A parameter of a person, as JSON.
    struct Entry: Hashable, Sendable {
        let person: String
        let name: String
        let value: String

        fileprivate var row: [SQLValue] { [.text(person), .text(name), .text(value)] }
    }

    /// The name of the schema and of the role with the fewest rights.
    package static let schema = PostgresState.Schema(name: "vigil_modules", migrations: [PostgresLeases.schema + tables])

    private static let tables = """
        CREATE TABLE setting (person text NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (person, name));
        COMMENT ON TABLE setting IS 'What was set for a person, as JSON.';
        CREATE TABLE adopted (replica text PRIMARY KEY);
        COMMENT ON TABLE adopted IS 'Whose settings were taken over: those of a process that had been the only one.';

        """

    private static let insertion = "INSERT INTO setting VALUES ($1, $2, $3) ON CONFLICT (person, name) DO"

    private let state: PostgresState
    private let replica: String

    package init(_ state: PostgresState, replica: String) { (self.state, self.replica) = (state, replica) }

    /// Stores a value; nil removes it.
    func set(_ name: String, _ value: ParameterValue?, of person: String) async throws {
        let text = try value.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        try await state.transaction { connection throws(StoreError) in
            guard let text else {
                return _ = try connection.run("DELETE FROM setting WHERE person = $1 AND name = $2", [.text(person), .text(name)])
            }
            try connection.run("\(Self.insertion) UPDATE SET value = excluded.value", Entry(person: person, name: name, value: text).row)
        }
    }

    /// All settings.
    /// - Parameter own: this replica's settings, which are added to the shared ones when it asks for the first time.
    func all(adopting own: [Entry]) async throws -> [Entry] {
        try await state.transaction { connection throws(StoreError) in
            let isFirst = try connection.run("INSERT INTO adopted VALUES ($1) ON CONFLICT DO NOTHING", [.text(replica)]) == 1
            if isFirst { for entry in own { try connection.run("\(Self.insertion) NOTHING", entry.row) } }
            return try connection.rows("SELECT person, name, value FROM setting", []).map { row in
                Entry(person: row.text(0), name: row.text(1), value: row.text(2))
            }
        }
    }

    /// Removes a person.
    /// - Returns: the number of removed values.
    func erase(_ person: String) async throws -> Int {
        try await state.transaction { connection throws(StoreError) in
            try connection.run("DELETE FROM setting WHERE person = $1", [.text(person)])
        }
    }

    /// Returns whether another replica holds the lease and has renewed it in time.
    func isLeaseElsewhere() async throws -> Bool {
        try await state.read { connection throws(StoreError) in
            try connection.rows("SELECT 1 FROM lease WHERE owner <> $1 AND expires > now() LIMIT 1", [.text(replica)]).count == 1
        }
    }

    /// Returns once the database has confirmed that the lease is still held.
    func confirm(_ lease: LeaseHold) async throws {
        try await state.transaction(holding: lease) { connection throws(StoreError) in _ = try connection.rows("SELECT 1", []) }
    }
}

extension ModuleState {
    /// All local settings.
    func settings() async throws -> [SharedSettings.Entry] {
        try await state.read { database in
            try StateTables(database: database).all("SELECT p.name, s.name, s.value FROM setting s JOIN person p ON p.id = s.person") {
                SharedSettings.Entry(person: $0.text(0), name: $0.text(1), value: $0.text(2))
            }
        }
    }

    /// Adopts the shared settings, removes those that are gone, and makes all modules due of people with differences.
    func adopt(_ entries: [SharedSettings.Entry], modules: [String], now: Double) async throws {
        let (known, wanted) = (Set(try await settings()), Set(entries))
        guard known != wanted else { return }
        try await state.transaction { database in
            let tables = StateTables(database: database)
            func set(_ entry: SharedSettings.Entry, _ value: String?) throws {
                let person = try tables.person(entry.person, now: now)
                try tables.set(person, entry.name, value)
                try tables.makeDue(person, modules, at: now)
            }
            for entry in known.subtracting(wanted) { try set(entry, nil) }
            for entry in wanted.subtracting(known) { try set(entry, entry.value) }
        }
    }
}
