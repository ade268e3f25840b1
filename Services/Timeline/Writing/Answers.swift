import MessageBus
import TimelineStore
import VigilSchema

/// What the writer says about a delivery: receipts to those who asked, and rejects for what could not be kept.
struct Answers {
    private var messages: [OutgoingMessage] = []
    /// By response topic: the confirmations of those who want one message for many batches.
    private var merged: [String: Confirmation] = [:]

    /// Everything to publish.
    func finished() throws -> [OutgoingMessage] {
        try messages
            + merged.map { topic, confirmation in
                OutgoingMessage(
                    topic: topic, payload: try confirmation.encoded(), properties: MessageProperties(contentType: MediaType.json))
            }
    }

    /// A receipt for a batch whose sender asked by a response topic, and a reject for each observation that was not kept.
    mutating func add(_ counts: AppendCounts, for decoded: MessageDecoder.Decoded, at time: Timestamp) throws {
        for rejection in counts.rejections {
            let error = PayloadError(
                .unsupported, rejection.reason, path: "$.groups[\(rejection.group)].observations[\(rejection.observation)]")
            try add(
                error, decoded.message, participant: decoded.batch.groups[rejection.group].participant, count: counts.rejected, at: time)
        }
        if let topic = decoded.batch.confirmations {
            return merged[topic, default: Confirmation()].add(decoded.batch.id, failure: counts.rejections.first?.reason)
        }
        let isStored = counts.rejected < counts.total || counts.total == 0
        let receipt = Receipt(
            outcome: isStored ? .stored : .rejected, batch: decoded.batch.id, stored: counts.stored, duplicates: counts.duplicates,
            corrections: counts.corrections, rejected: counts.rejected, reasons: counts.rejections.prefix(1).map(\.reason))
        try add(receipt, for: decoded.message)
    }

    /// A reject for a message that cannot be read, and a receipt that says so.
    mutating func add(_ malformed: MessageDecoder.Malformed, at time: Timestamp) throws {
        try add(malformed.error, malformed.message, participant: malformed.participant ?? "unknown", count: 0, at: time)
        try add(Receipt(outcome: .rejected, reasons: [malformed.error.description]), for: malformed.message)
    }

    private mutating func add(_ receipt: Receipt, for message: IncomingMessage) throws {
        guard let topic = message.properties.responseTopic else { return }
        messages.append(
            OutgoingMessage(
                topic: topic, payload: try receipt.encoded(),
                properties: MessageProperties(contentType: MediaType.json, correlationData: message.properties.correlationData)))
    }

    private mutating func add(
        _ error: PayloadError, _ message: IncomingMessage, participant: String, count: Int, at time: Timestamp
    ) throws {
        let reject = Reject(
            participant: participant, device: "vigil-timeline", time: time, error: error, count: count, topic: message.topic,
            payload: message.payload)
        messages.append(
            OutgoingMessage(
                topic: Topic.reject(participant: participant, device: "vigil-timeline").path, payload: try reject.encoded(),
                properties: MessageProperties(contentType: MediaType.json)))
    }
}

extension Confirmation {
    fileprivate mutating func add(_ batch: String, failure: String?) {
        if let failure { refused.append(Refused(batch: batch, reason: failure)) } else { stored.append(batch) }
    }
}
