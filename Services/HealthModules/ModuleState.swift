import Foundation
import SQLiteDatabase
package import ServiceKit
import VigilSchema

/// The host's state in its SQLite file: readings, parameters, results, due work and pending messages.
///
/// All effects of a delivery are in one transaction, so a process that is killed at any moment continues where it was.
/// The timeline's data can be read again (`TimelineSync`).
package struct ModuleState: Sendable {
    let state: ServiceState

    package static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE person (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, profile TEXT NOT NULL DEFAULT '{}', entries TEXT NOT NULL DEFAULT '[]',
                synced REAL, refresh REAL, rebuild INTEGER,
                attempts INTEGER NOT NULL DEFAULT 0
            );
            CREATE INDEX person_refresh ON person (refresh) WHERE refresh IS NOT NULL;
            CREATE TABLE metric (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE reading (
                person INTEGER NOT NULL, metric INTEGER NOT NULL, time INTEGER NOT NULL, source TEXT NOT NULL, sequence INTEGER NOT NULL,
                value REAL, text TEXT, zone INTEGER, received INTEGER NOT NULL,
                PRIMARY KEY (person, metric, time, source, sequence)
            ) WITHOUT ROWID;
            CREATE TABLE setting (
                person INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (person, name)
            ) WITHOUT ROWID;
            CREATE TABLE result (
                person INTEGER NOT NULL, module TEXT NOT NULL, evaluated REAL NOT NULL, result TEXT NOT NULL, message TEXT,
                PRIMARY KEY (person, module)
            ) WITHOUT ROWID;
            CREATE TABLE due (
                person INTEGER NOT NULL, module TEXT NOT NULL, at REAL NOT NULL, mark INTEGER NOT NULL, PRIMARY KEY (person, module)
            ) WITHOUT ROWID;
            CREATE INDEX due_at ON due (at);
            CREATE TABLE failure (
                person INTEGER NOT NULL, module TEXT NOT NULL, count INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (person, module)
            ) WITHOUT ROWID;
            CREATE TABLE outbox (id INTEGER PRIMARY KEY, topic TEXT NOT NULL, payload BLOB NOT NULL, retained INTEGER NOT NULL);
            """),
        Migration(2, "ALTER TABLE outbox ADD COLUMN found REAL NOT NULL DEFAULT 0;"),
        // Values over a day and over an hour are separate readings. The timeline says which of them these are.
        Migration(
            3,
            """
            CREATE TABLE timed (
                person INTEGER NOT NULL, metric INTEGER NOT NULL, time INTEGER NOT NULL, source TEXT NOT NULL, sequence INTEGER NOT NULL,
                interval INTEGER NOT NULL, value REAL, text TEXT, zone INTEGER, received INTEGER NOT NULL,
                PRIMARY KEY (person, metric, time, source, sequence, interval)
            ) WITHOUT ROWID;
            INSERT INTO timed SELECT person, metric, time, source, sequence, 0, value, text, zone, received FROM reading;
            DROP TABLE reading;
            ALTER TABLE timed RENAME TO reading;
            UPDATE person SET synced = NULL, refresh = 0;
            """),
    ]

    package init(_ state: ServiceState) { self.state = state }
}

/// A due module of a person.
package struct DueModule: Hashable, Sendable {
    package let module: String
    /// Changes when it becomes due again during its run.
    let mark: Int64
}

/// A person with the due modules.
package struct DuePerson: Hashable, Sendable {
    let id: Int64
    package let name: String
    package let modules: [DueModule]
}

/// Statements on the state's tables, within a transaction or a read.
struct StateTables {
    let database: Database

    /// The person's number; created if missing.
    func person(_ name: String, now: Double) throws -> Int64 {
        if let known = try existingPerson(name) { return known }
        // A new person may have a past in the timeline, so it is read at once.
        try database.run("INSERT INTO person (name, refresh) VALUES (?, ?)", [.text(name), .real(now)])
        return database.lastInsertedRow
    }

    func existingPerson(_ name: String) throws -> Int64? {
        try first("SELECT id FROM person WHERE name = ?", [.text(name)]) { $0.integer(0) }
    }

    func metric(_ name: String) throws -> Int64 {
        if let known = try existingMetric(name) { return known }
        try database.run("INSERT INTO metric (name) VALUES (?)", [.text(name)])
        return database.lastInsertedRow
    }

    func existingMetric(_ name: String) throws -> Int64? {
        try first("SELECT id FROM metric WHERE name = ?", [.text(name)]) { $0.integer(0) }
    }

    /// Makes modules due, at the earliest of the requested times.
    func makeDue(_ person: Int64, _ modules: some Sequence<String>, at time: Double) throws {
        for module in modules {
            try database.run(
                """
                INSERT INTO due VALUES (?, ?, ?, 0)
                ON CONFLICT (person, module) DO UPDATE SET at = min(at, excluded.at), mark = mark + 1
                """, [.integer(person), .text(module), .real(time)])
        }
    }

    func profile(_ person: Int64) throws -> ParticipantProfile {
        let text = try first("SELECT profile FROM person WHERE id = ?", [.integer(person)]) { $0.text(0) }
        return (text.flatMap { try? JSONDecoder().decode(ParticipantProfile.self, from: Data($0.utf8)) }) ?? ParticipantProfile()
    }

    func setting(_ person: Int64, _ name: String) throws -> ParameterValue? {
        let text = try first("SELECT value FROM setting WHERE person = ? AND name = ?", [.integer(person), .text(name)]) { $0.text(0) }
        return text.flatMap { try? JSONDecoder().decode(ParameterValue.self, from: Data($0.utf8)) }
    }

    /// Stores a parameter as JSON; nil removes it.
    func set(_ person: Int64, _ name: String, _ text: String?) throws {
        if let text {
            try database.run("INSERT OR REPLACE INTO setting VALUES (?, ?, ?)", [.integer(person), .text(name), .text(text)])
        } else {
            try database.run("DELETE FROM setting WHERE person = ? AND name = ?", [.integer(person), .text(name)])
        }
    }

    func result(_ person: Int64, _ module: String) throws -> StoredResult? {
        try first(
            "SELECT evaluated, result, message FROM result WHERE person = ? AND module = ?", [.integer(person), .text(module)]
        ) { row in
            guard let result = try? JSONDecoder().decode(ModuleResult.self, from: Data(row.text(1).utf8)) else { return nil }
            let message = row.isNull(2) ? nil : try? JSONDecoder().decode(ModuleMessage.self, from: Data(row.text(2).utf8))
            return StoredResult(evaluated: row.real(0), result: result, message: message)
        } ?? nil
    }

    /// Adds a message that follows from results of a time.
    func enqueue(_ topic: String, _ payload: [UInt8], retained: Bool, now: Double) throws {
        try database.run(
            "INSERT INTO outbox (topic, payload, retained, found) VALUES (?, ?, ?, ?)",
            [.text(topic), .blob(payload), .integer(retained ? 1 : 0), .real(now)])
    }

    /// Returns a query's first row.
    func first<Value>(_ sql: String, _ values: [SQLiteValue] = [], _ read: (Statement) throws -> Value) throws -> Value? {
        let row = try database.statement(sql)
        defer { row.reset() }
        try row.bind(values)
        return try row.step() ? try read(row) : nil
    }

    /// Returns a query's rows.
    func all<Value>(_ sql: String, _ values: [SQLiteValue] = [], _ read: (Statement) throws -> Value) throws -> [Value] {
        let row = try database.statement(sql)
        defer { row.reset() }
        try row.bind(values)
        var list: [Value] = []
        while try row.step() { list.append(try read(row)) }
        return list
    }
}

/// A module's last result.
struct StoredResult: Sendable {
    let evaluated: Double
    let result: ModuleResult
    /// The published message; nil: none.
    let message: ModuleMessage?
}
