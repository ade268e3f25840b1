import SQLiteDatabase
import ServiceKit
package import VigilSchema

extension Outbox {
    /// Batches that are due to be published again, in the order in which they came; few at once, each being up to 256 KiB.
    package func due(at now: Timestamp, limit: Int = 16) async throws -> [OutboxEntry] {
        try await state.read { database in
            let row = try database.statement("SELECT id, topic, payload FROM batches WHERE due <= ? ORDER BY serial LIMIT ?")
            defer { row.reset() }
            try row.bind(now.microseconds, at: 1)
            try row.bind(Int64(limit), at: 2)
            var entries: [OutboxEntry] = []
            while try row.step() { entries.append(OutboxEntry(id: row.text(0), topic: row.text(1), payload: row.blob(2))) }
            return entries
        }
    }

    /// Notes that batches were published again.
    package func repeated(_ ids: [String], at now: Timestamp) async throws {
        let wait = retryPolicy.unconfirmed.wholeMicroseconds
        try await state.transaction { database in
            for id in ids {
                try database.run(
                    """
                    UPDATE batches SET attempts = attempts + 1, published = ?1, due = ?1 + ?2 * (1 << min(attempts + 1, 8)) WHERE id = ?3
                    """, [.integer(now.microseconds), .integer(wait), .text(id)])
            }
        }
    }

    /// After the connection came back: what was published shortly before may be lost, and is published again soon.
    package func connectionReturned(at now: Timestamp) async throws {
        let due = now.microseconds + retryPolicy.reconnected.wholeMicroseconds
        let since = now.microseconds - retryPolicy.forgetful.wholeMicroseconds
        try await state.transaction { database in
            try database.run("UPDATE batches SET due = ?1 WHERE published >= ?2 AND due > ?1", [.integer(due), .integer(since)])
        }
    }

    /// After a start: what was published last by the process before may never have left it.
    package func started(at now: Timestamp) async throws {
        let forgetful = retryPolicy.forgetful.wholeMicroseconds
        try await state.transaction { database in
            try database.run(
                "UPDATE batches SET due = ?1 WHERE published >= (SELECT max(published) FROM batches) - ?2 AND due > ?1",
                [.integer(now.microseconds), .integer(forgetful)])
        }
    }
}
