package import MessageBus
import SQLiteDatabase
import ServiceKit
package import VigilSchema

/// A publisher's wish to be told what became of a message, and what is known of it so far.
package struct ReceiptRequest: Sendable, Hashable {
    /// Where the receipt goes.
    package let topic: String
    /// What it repeats, so that the publisher can match it.
    package let correlation: [UInt8]?
    /// Readings that are on their way to the store.
    package var accepted = 0
    /// Readings that were refused; a message refused as a whole counts as one.
    package var refused = 0
    /// Why, for the first of those.
    package var reason: String?

    /// Reads what a message asks for: nil where it has neither a response topic nor correlation data.
    ///
    /// The receipt goes to the response topic, else to `receipts/<participant>/<device>`.
    /// - Throws: `PayloadError` for a response topic that is not the sender's to choose (`ReplyTopic`), or for long correlation data.
    package init?(_ message: IncomingMessage, from address: DeviceAddress) throws(PayloadError) {
        let properties = message.properties
        guard properties.responseTopic != nil || properties.correlationData != nil else { return nil }
        let asker = ReplyTopic.Asker.device(participant: address.participant, device: address.device)
        correlation = properties.correlationData
        if let asked = properties.responseTopic {
            topic = try ReplyTopic(asked, correlation: correlation, of: asker).path
        } else {
            try ReplyTopic.check(correlation: correlation)
            topic = Topic.receipt(participant: address.participant, device: address.device).path
        }
    }

    init(topic: String, correlation: [UInt8]?, accepted: Int, refused: Int, reason: String?) {
        self.topic = topic
        self.correlation = correlation
        self.accepted = accepted
        self.refused = refused
        self.reason = reason
    }

    /// The receipt, once what was accepted is stored.
    /// - Parameter failure: why the store did not keep all of it.
    package func receipt(failure: String? = nil) -> Receipt {
        let isStored = failure == nil && (accepted > 0 || refused == 0)
        return Receipt(
            outcome: isStored ? .stored : .rejected, stored: isStored ? accepted : 0, rejected: isStored ? refused : accepted + refused,
            reasons: [failure ?? reason].compactMap { $0 })
    }

    /// The receipt as it is sent.
    func reply(failure: String? = nil) -> Reply {
        Reply(to: topic, correlation: correlation, contentType: MediaType.json) { try receipt(failure: failure).encoded() }
    }
}

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
