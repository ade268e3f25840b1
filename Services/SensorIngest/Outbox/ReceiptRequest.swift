package import MessageBus
import SQLiteDatabase
import ServiceKit
package import VigilSchema

/// A publisher's wish to be told what became of a message, and what is known of it so far.
package struct ReceiptRequest: Sendable, Hashable {
    /// The topic of the receipt.
    package let topic: String
    /// The correlation data, so that the publisher can match it.
    package let correlation: [UInt8]?
    /// A Boolean value that indicates whether the correlation came in the payload, and goes back in it.
    package let isInPayload: Bool
    /// Readings that are on their way to the store.
    package var accepted = 0
    /// Readings that were refused; a message refused as a whole counts as one.
    package var refused = 0
    /// The reason for the first of those.
    package var reason: String?
    /// Readings that were accepted and that the store refused.
    var unstored = 0
    /// Readings among the accepted that replaced an earlier content.
    var corrected = 0

    /// Reads what a message asks for: nil where it has neither a response topic nor correlation data, nor a wish in its payload.
    ///
    /// The receipt goes to the response topic, else to `receipts/<participant>/<device>`. What stands in MQTT's own place counts first.
    /// - Throws: `PayloadError` for a response topic that is not the sender's to choose (`ReplyTopic`), or for long correlation data.
    package init?(_ message: IncomingMessage, wish: ReceiptWish?, from address: DeviceAddress) throws(PayloadError) {
        let properties = message.properties
        isInPayload = properties.responseTopic == nil && properties.correlationData == nil
        guard !isInPayload || wish != nil else { return nil }
        let asker = ReplyTopic.Asker.device(participant: address.participant, device: address.device)
        correlation = isInPayload ? wish?.id.map { Array($0.utf8) } : properties.correlationData
        if let asked = isInPayload ? wish?.responseTopic : properties.responseTopic {
            topic = try ReplyTopic(asked, correlation: correlation, of: asker).path
        } else {
            try ReplyTopic.check(correlation: correlation)
            topic = Topic.receipt(participant: address.participant, device: address.device).path
        }
    }

    init(
        topic: String, correlation: [UInt8]?, isInPayload: Bool, accepted: Int, refused: Int, unstored: Int, corrected: Int = 0,
        reason: String?
    ) {
        self.topic = topic
        self.correlation = correlation
        self.isInPayload = isInPayload
        self.accepted = accepted
        self.refused = refused
        self.unstored = unstored
        self.corrected = corrected
        self.reason = reason
    }

    /// The account below whose answers the receipt goes; nil where it goes to the device's own receipts.
    var account: String? {
        let start = "\(Topic.prefix)responses/"
        guard topic.hasPrefix(start) else { return nil }
        return topic.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// The receipt, once what was accepted is stored.
    /// - Parameter failure: Why the store kept nothing of a batch.
    package func receipt(failure: String? = nil) -> Receipt {
        let kept = failure == nil ? max(0, accepted - unstored) : 0
        let rejected = accepted + refused - kept, corrections = min(corrected, kept)
        var receipt = Receipt(
            outcome: kept > 0 || rejected == 0 ? .stored : .rejected, stored: kept - corrections, corrections: corrections,
            rejected: rejected,
            reasons: [failure ?? reason].compactMap { $0 })
        if isInPayload { receipt.receipt = correlation.map { String(decoding: $0, as: UTF8.self) } }
        return receipt
    }

    /// The receipt as it is sent.
    func reply(failure: String? = nil) -> Reply {
        Reply(to: topic, correlation: isInPayload ? nil : correlation, contentType: MediaType.json) {
            try receipt(failure: failure).encoded()
        }
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
                "SELECT ask, topic, correlation, accepted, refused, reason, failure, unstored, in_payload, corrected FROM asks WHERE pending <= 0 ORDER BY ask LIMIT ?"
            )
            defer { row.reset() }
            try row.bind(Int64(limit), at: 1)
            var finished: [Finished] = []
            while try row.step() {
                let request = ReceiptRequest(
                    topic: row.text(1), correlation: row.isNull(2) ? nil : row.blob(2), isInPayload: row.integer(8) != 0,
                    accepted: Int(row.integer(3)), refused: Int(row.integer(4)), unstored: Int(row.integer(7)),
                    corrected: Int(row.integer(9)),
                    reason: row.isNull(5) ? nil : row.text(5))
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

/// The observations of one batch that a receipt is to speak of, by their places; none listed: all of them.
package struct ReceiptCoverage: Sendable, Hashable {
    /// The place of the request in the list that is given along.
    package let request: Int
    private var runs: [Run] = []
    /// Those among them that are the rest of one that was divided: the publisher sent, and counts, the whole.
    private var continuations: Set<Place> = []

    private struct Run: Sendable, Hashable {
        let group: Int
        var observations: Range<Int>
    }

    private struct Place: Sendable, Hashable {
        let group: Int
        let observation: Int
    }

    package init(request: Int) { self.request = request }

    /// Adds an observation, mostly the one behind the last.
    mutating func add(group: Int, observation: Int, continues: Bool = false) {
        if continues { continuations.insert(Place(group: group, observation: observation)) }
        if let last = runs.last, last.group == group, last.observations.upperBound == observation {
            runs[runs.count - 1].observations = last.observations.lowerBound..<observation + 1
        } else {
            runs.append(Run(group: group, observations: observation..<observation + 1))
        }
    }

    /// What it covers before and from an observation on, whose group becomes the first and which becomes the first of that; nil where there is nothing.
    func divided(atGroup cut: Int, observation: Int) -> (before: ReceiptCoverage?, after: ReceiptCoverage?) {
        var (before, after) = (ReceiptCoverage(request: request), ReceiptCoverage(request: request))
        for run in runs {
            for place in run.observations {
                let continues = isContinuation(group: run.group, observation: place)
                if run.group < cut || run.group == cut && place < observation {
                    before.add(group: run.group, observation: place, continues: continues)
                } else {
                    after.add(group: run.group - cut, observation: run.group == cut ? place - observation : place, continues: continues)
                }
            }
        }
        return (before.runs.isEmpty ? nil : before, after.runs.isEmpty ? nil : after)
    }

    /// As it is kept on disk: `group:first-end`, and `group+observation` for what continues another, separated by blanks.
    var text: String {
        let whole = runs.map { "\($0.group):\($0.observations.lowerBound)-\($0.observations.upperBound)" }
        return (whole + continuations.map { "\($0.group)+\($0.observation)" }.sorted()).joined(separator: " ")
    }

    /// Reads what `text` wrote; what is no such text covers everything.
    init(request: Int, text: String) {
        self.request = request
        for word in text.split(separator: " ") {
            let numbers = word.split { $0 == ":" || $0 == "-" || $0 == "+" }.compactMap { Int($0) }
            if numbers.count == 2, word.contains("+") {
                continuations.insert(Place(group: numbers[0], observation: numbers[1]))
            } else if numbers.count == 3, numbers[1] < numbers[2] {
                runs.append(Run(group: numbers[0], observations: numbers[1]..<numbers[2]))
            }
        }
    }

    /// Returns whether an observation is the rest of another, which is counted.
    func isContinuation(group: Int, observation: Int) -> Bool {
        continuations.contains(Place(group: group, observation: observation))
    }

    /// Returns whether it covers an observation.
    func contains(group: Int, observation: Int) -> Bool {
        runs.isEmpty || runs.contains { $0.group == group && $0.observations.contains(observation) }
    }
}
