import Foundation
import SQLiteDatabase
import ServiceKit
import VigilSchema

extension ModuleState {
    /// A parameter of a person, by its full name.
    func setting(_ name: String, of participant: String) async throws -> ParameterValue? {
        try await ask(participant) { tables, person in try tables.setting(person, name) } ?? nil
    }

    /// Sets a parameter (nil removes it), and makes modules due.
    func set(_ name: String, _ value: ParameterValue?, of participant: String, due: [String], now: Double) async throws {
        try await state.transaction { database in
            let tables = StateTables(database: database)
            let person = try tables.person(participant, now: now)
            try tables.set(person, name, try value.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) })
            try tables.makeDue(person, due, at: now)
        }
    }

    func profile(of participant: String) async throws -> ParticipantProfile {
        try await ask(participant) { tables, person in try tables.profile(person) } ?? ParticipantProfile()
    }

    func result(of module: String, _ participant: String) async throws -> StoredResult? {
        try await ask(participant) { tables, person in try tables.result(person, module) } ?? nil
    }

    /// The reason why a module was stopped for a person; nil: it works.
    package func failure(of module: String, _ participant: String) async throws -> String? {
        try await ask(participant) { tables, person in
            try tables.first("SELECT reason FROM failure WHERE person = ? AND module = ?", [.integer(person), .text(module)]) { $0.text(0) }
        } ?? nil
    }

    /// Returns whether a module must run before it is asked: it is due, has never run, or ran too long ago. Not after a
    /// failure, while it pauses.
    func isStale(_ module: String, of participant: String, now: Double, freshFor: Double) async throws -> Bool {
        try await ask(participant) { tables, person in
            let values: [SQLiteValue] = [.integer(person), .text(module)]
            if let due = try tables.first("SELECT at FROM due WHERE person = ? AND module = ?", values, { $0.real(0) }), due <= now {
                return true
            }
            if try tables.first("SELECT 1 FROM failure WHERE person = ? AND module = ?", values, { _ in true }) != nil { return false }
            // Work that waits for a pause in an import or a stream is wanted now.
            if let due = try tables.first("SELECT at FROM due WHERE person = ? AND module = ?", values, { $0.real(0) }), due < now + 301 {
                return true
            }
            let evaluated = try tables.first("SELECT evaluated FROM result WHERE person = ? AND module = ?", values) { $0.real(0) }
            return (evaluated ?? -.infinity) < now - freshFor
        } ?? false
    }

    func isRebuilding(_ participant: String) async throws -> Bool {
        try await ask(participant) { tables, person in
            try tables.first("SELECT rebuild IS NOT NULL FROM person WHERE id = ?", [.integer(person)]) { $0.integer(0) == 1 } ?? false
        } ?? false
    }

    /// Requests that everything received before a time is replaced by the timeline's data, from a time on.
    package func rebuild(_ participant: String?, before: Double, at time: Double) async throws {
        try await state.transaction { database in
            try database.run(
                """
                UPDATE person SET rebuild = max(coalesce(rebuild, 0), ?), synced = NULL, refresh = ?, attempts = 0
                WHERE ? IS NULL OR name = ?
                """,
                [
                    .integer(Int64(before * 1_000_000)), .real(time), participant.map { .text($0) } ?? .null,
                    participant.map { .text($0) } ?? .null,
                ])
        }
    }

    /// Requests that a person's profile and entries are read again at a time.
    func refresh(_ participant: String, at time: Double) async throws {
        try await state.transaction { database in
            let person = try StateTables(database: database).person(participant, now: time)
            try database.run(
                "UPDATE person SET refresh = min(coalesce(refresh, ?), ?) WHERE id = ?", [.real(time), .real(time), .integer(person)])
        }
    }

    /// All known persons.
    package func participants() async throws -> [String] {
        try await state.read { try StateTables(database: $0).all("SELECT name FROM person ORDER BY name") { $0.text(0) } }
    }

    private func ask<Value: Sendable>(
        _ participant: String, _ body: @Sendable (StateTables, Int64) throws -> Value
    ) async throws -> Value? {
        try await state.read { database in
            let tables = StateTables(database: database)
            guard let person = try tables.existingPerson(participant) else { return nil }
            return try body(tables, person)
        }
    }
}
