import SQLiteDatabase
import ServiceKit

/// The clock of the machine may be ahead for a while, as for the first minute after a start, and be set right then: by decades, perhaps.
extension ModuleState {
    /// The longest wait until somebody is read from the timeline again, in seconds, and the lead from which on readings are removed as too old too soon.
    private static let day = 86_400.0

    /// Returns whether anything was worked out, or is to be asked for, by a clock that was ahead of this time.
    func isAhead(of now: Double) async throws -> Bool {
        try await state.read { database in
            try StateTables(database: database).first(
                """
                SELECT EXISTS (SELECT 1 FROM result WHERE evaluated > ?1) OR EXISTS (SELECT 1 FROM person WHERE refresh > ?2)
                """, [.real(now + 1), .real(now + 1 + Self.day)]
            ) { $0.integer(0) == 1 } ?? false
        }
    }

    /// After the clock was set back: everything is worked out once more, and nobody waits until the time before is there again. Of whom something was
    /// worked out more than a day ahead, the readings are read from the timeline, as those of the present went as too old.
    func clockSetBack(to now: Double) async throws {
        try await state.transaction { database in
            let time = SQLiteValue.real(now), ahead = SQLiteValue.real(now + Self.day)
            try database.run("UPDATE due SET at = ?1, mark = mark + 1 WHERE at > ?1", [time])
            try database.run(
                """
                INSERT INTO due SELECT person, module, ?1, 0 FROM result WHERE evaluated > ?1
                ON CONFLICT (person, module) DO UPDATE SET at = min(at, excluded.at), mark = mark + 1
                """, [time])
            try database.run("UPDATE person SET refresh = ?1 WHERE refresh > ?1", [time])
            try database.run("UPDATE outbox SET found = ?1 WHERE found > ?1", [time])
            try database.run("DELETE FROM reading WHERE time > ?", [.integer(Int64((now + Self.day) * 1_000_000))])
            try database.run(
                """
                UPDATE person SET rebuild = max(coalesce(rebuild, 0), ?3), synced = NULL, refresh = ?1, attempts = 0
                WHERE id IN (SELECT person FROM result WHERE evaluated > ?2)
                """, [time, ahead, .integer(Int64(now * 1_000_000))])
        }
    }
}
