import Foundation
import SQLiteDatabase
import ServiceKit
import VigilSchema

/// A person who must be read from the timeline.
struct RefreshedPerson: Sendable {
    let id: Int64
    let name: String
    /// Whether the past has been read.
    let isSynced: Bool
    /// Readings that were received up to this time in microseconds must be replaced by the timeline's.
    let rebuild: Int64?
}

extension ModuleState {
    /// Adds persons, to be read one after the other.
    func know(_ participants: [String], now: Double) async throws {
        try await state.transaction { database in
            for name in participants where Name.isValid(name) {
                try database.run("INSERT OR IGNORE INTO person (name, refresh) VALUES (?, ?)", [.text(name), .real(now)])
            }
        }
    }

    /// The next person to read from the timeline.
    func nextRefresh(before now: Double) async throws -> RefreshedPerson? {
        try await state.read { database in
            try StateTables(database: database).first(
                "SELECT id, name, synced, rebuild FROM person WHERE refresh <= ? ORDER BY refresh LIMIT 1", [.real(now)]
            ) {
                RefreshedPerson(id: $0.integer(0), name: $0.text(1), isSynced: !$0.isNull(2), rebuild: $0.isNull(3) ? nil : $0.integer(3))
            }
        }
    }

    /// Removes the readings to be replaced.
    func forgetReadings(of person: RefreshedPerson) async throws {
        guard let limit = person.rebuild else { return }
        try await state.transaction { database in
            try database.run("DELETE FROM reading WHERE person = ? AND received <= ?", [.integer(person.id), .integer(limit)])
        }
    }

    /// Stores what was read, makes the affected modules due, and schedules the next reading in a day. A person without
    /// any data after a replacement, such as after an erasure, is removed with the messages.
    func finish(
        _ person: RefreshedPerson, _ profile: ParticipantProfile, _ entries: [TimelineEntry], _ registry: ModuleRegistry, now: Double
    ) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let profileText = String(decoding: try encoder.encode(profile), as: UTF8.self)
        let entriesText = String(decoding: try encoder.encode(entries), as: UTF8.self)
        try await state.transaction { database in
            let tables = StateTables(database: database)
            if person.rebuild != nil, try isGone(person, profile, entries, tables) {
                return try forget(person, registry, tables, now: now)
            }
            let known = try tables.first("SELECT profile, entries FROM person WHERE id = ?", [.integer(person.id)]) {
                ($0.text(0), $0.text(1))
            }
            try database.run(
                """
                UPDATE person SET profile = ?, entries = ?, synced = ?, rebuild = NULL, attempts = 0,
                    refresh = CASE WHEN refresh > ? THEN refresh ELSE ? END WHERE id = ?
                """,
                [.text(profileText), .text(entriesText), .real(now), .real(now), .real(now + 86_400), .integer(person.id)])
            let isNew = !person.isSynced || known?.0 != profileText
            let due = registry.modules.filter { isNew || known?.1 != entriesText && !$0.entryKinds.isEmpty }.map(\.id)
            // Including modules that the profile has switched off, whose results are removed.
            try tables.makeDue(person.id, due, at: now)
        }
    }

    private func isGone(
        _ person: RefreshedPerson, _ profile: ParticipantProfile, _ entries: [TimelineEntry], _ tables: StateTables
    ) throws -> Bool {
        guard profile == ParticipantProfile(), entries.isEmpty else { return false }
        return try tables.first("SELECT 1 FROM reading WHERE person = ? LIMIT 1", [.integer(person.id)]) { _ in true } == nil
    }

    private func forget(_ person: RefreshedPerson, _ registry: ModuleRegistry, _ tables: StateTables, now: Double) throws {
        let due = DuePerson(id: person.id, name: person.name, modules: [])
        let writer = ResultWriter(registry: registry, tables: tables, now: now)
        for module in registry.modules { try writer.remove(module.id, for: due) }
        for table in ["setting", "result", "due", "failure", "reading"] {
            try tables.database.run("DELETE FROM \(table) WHERE person = ?", [.integer(person.id)])
        }
        try tables.database.run("DELETE FROM person WHERE id = ?", [.integer(person.id)])
    }

    /// Schedules another attempt: after a minute, doubled after each failure, at most an hour.
    func postpone(_ person: RefreshedPerson, now: Double) async throws {
        try await state.transaction { database in
            try database.run(
                "UPDATE person SET attempts = attempts + 1, refresh = ? + min(3600, 15 << min(attempts, 8)) WHERE id = ?",
                [.real(now), .integer(person.id)])
        }
    }
}
