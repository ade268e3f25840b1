import MessageBus
import TimelineStore
import VigilSchema

/// The answers to a delivery: requested receipts, and rejects to the devices concerned.
struct Answers {
    /// The most rejects for one group of a batch; they count the others.
    private static let listed = 20
    private static let service = "vigil-timeline"
    private var replies: [Reply] = []
    /// By response topic: the confirmations of publishers that want one message for many batches.
    private var merged: [String: Confirmation] = [:]

    /// Everything to publish.
    func finished() -> [Reply] {
        // A publisher without a confirmation publishes again, so the confirmation need not be stored.
        replies + merged.map { topic, confirmation in Reply(to: topic, contentType: MediaType.json) { try confirmation.encoded() } }
    }

    /// A receipt for a batch with a response topic, and a reject for each refused observation.
    mutating func add(_ counts: AppendCounts, for decoded: MessageDecoder.Decoded, at time: Timestamp) {
        addRejects(for: counts.rejections, of: decoded, at: time)
        if let asked = decoded.batch.confirmations {
            guard let topic = try? ReplyTopic(asked, of: .service) else { return }
            return merged[topic.path, default: Confirmation()].add(decoded.batch.id, counts)
        }
        let isStored = counts.rejected < counts.total || counts.total == 0
        let receipt = Receipt(
            outcome: isStored ? .stored : .rejected, batch: decoded.batch.id, stored: counts.stored, duplicates: counts.duplicates,
            corrections: counts.corrections, rejected: counts.rejected, reasons: counts.rejections.prefix(1).map(\.reason))
        add(receipt, for: decoded.message, wished: decoded.batch.responseTopic)
    }

    /// A reject for an unreadable message, and a receipt that says so.
    mutating func add(_ malformed: MessageDecoder.Malformed, at time: Timestamp) {
        let reject = Reject(
            participant: malformed.participant ?? "unknown", device: Self.service, time: time, error: malformed.error, count: 0,
            topic: malformed.message.topic, payload: malformed.message.payload)
        add(reject)
        add(Receipt(outcome: .rejected, reasons: [malformed.error.description]), for: malformed.message)
    }

    /// Each observation's reject goes to its own device and contains nothing of others.
    private mutating func addRejects(for rejections: [AppendRejection], of decoded: MessageDecoder.Decoded, at time: Timestamp) {
        for (place, rejections) in Dictionary(grouping: rejections, by: \.group) {
            guard decoded.batch.groups.indices.contains(place) else { continue }
            let group = decoded.batch.groups[place]
            let device = group.source.split(separator: "/").first.map(String.init) ?? group.source
            for rejection in rejections.prefix(Self.listed) where group.observations.indices.contains(rejection.observation) {
                let error = PayloadError(.unsupported, rejection.reason)
                add(
                    Reject(
                        participant: group.participant, device: Name.isValid(device) ? device : Self.service, time: time, error: error,
                        count: rejections.count, topic: decoded.message.topic,
                        payload: BatchEncoder.encode(group.observations[rejection.observation])))
            }
        }
    }

    private mutating func add(_ reject: Reject) {
        guard Name.isValid(reject.participant), Name.isValid(reject.device) else { return }
        let topic = Topic.reject(participant: reject.participant, device: reject.device)
        replies.append(Reply(to: topic.path, contentType: MediaType.json, expiry: .seconds(3600)) { try reject.encoded() })
    }

    /// - Parameter wished: the response topic in the payload, for brokers without properties.
    private mutating func add(_ receipt: Receipt, for message: IncomingMessage, wished: String? = nil) {
        guard let asked = message.properties.responseTopic ?? wished,
            let topic = try? ReplyTopic(asked, correlation: message.properties.correlationData, of: .service)
        else { return }
        replies.append(
            Reply(to: topic.path, correlation: topic.correlation, contentType: MediaType.json) { try receipt.encoded() })
    }
}

extension Confirmation {
    fileprivate mutating func add(_ batch: String, _ counts: AppendCounts) {
        if !counts.corrected.isEmpty {
            var own = Corrected(batch: batch)
            for place in counts.corrected { own.add(group: place.group, observation: place.observation) }
            corrected = (corrected ?? []) + [own]
        }
        guard let first = counts.rejections.first else { return stored.append(batch) }
        let unkept = counts.rejections.map { Unkept(group: $0.group, observation: $0.observation, reason: $0.reason) }
        refused.append(Refused(batch: batch, reason: first.reason, observations: unkept))
    }
}
