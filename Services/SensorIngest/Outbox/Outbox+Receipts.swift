package import MessageBus
import SQLiteDatabase
import ServiceKit

extension Outbox {
    /// A receipt that is due, and its row.
    package struct Finished: Sendable {
        let row: Int64
        /// To be published; then `answered` is to be called.
        package let reply: Reply
    }

    /// Receipts for messages of which every batch is stored, the oldest first.
    package func finished(limit: Int = 1000) async throws -> [Finished] {
        try await state.read { database in
            let row = try database.statement(
                "SELECT ask, topic, correlation, accepted, refused, reason, failure FROM asks WHERE pending <= 0 ORDER BY ask LIMIT ?")
            defer { row.reset() }
            try row.bind(Int64(limit), at: 1)
            var finished: [Finished] = []
            while try row.step() {
                let request = ReceiptRequest(
                    topic: row.text(1), correlation: row.isNull(2) ? nil : row.blob(2), accepted: Int(row.integer(3)),
                    refused: Int(row.integer(4)), reason: row.isNull(5) ? nil : row.text(5))
                finished.append(Finished(row: row.integer(0), reply: request.reply(failure: row.isNull(6) ? nil : row.text(6))))
            }
            return finished
        }
    }

    /// Forgets receipts that were published.
    package func answered(_ finished: [Finished]) async throws {
        try await state.transaction { database in
            for receipt in finished { try database.run("DELETE FROM asks WHERE ask = ?", [.integer(receipt.row)]) }
        }
    }
}
