import SQLiteDatabase
import ServiceKit

/// The machine's clock may be wrong for a while, for example by decades in the first minute after a start.
extension ModuleState {
    /// The longest wait until a person is read again, in seconds, and the lead at which readings have been removed too
    /// early.
    private static let day = 86_400.0

    /// Returns whether a result or a due time is later than this time, so that the clock was ahead.
    func isAhead(of now: Double) async throws -> Bool {
        try await state.read { database in
            try StateTables(database: database).first(
                """
                SELECT EXISTS (SELECT 1 FROM result WHERE evaluated > ?1) OR EXISTS (SELECT 1 FROM person WHERE refresh > ?2)
                """, [.real(now + 1), .real(now + 1 + Self.day)]
            ) { $0.integer(0) == 1 } ?? false
        }
    }

    /// Handles a clock that was set back: everything is computed again, and nothing waits for the former time. For
    /// people with results more than a day ahead the readings are read from the timeline, because current ones were
    /// removed as too old.
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
