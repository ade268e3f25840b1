import MessageBus
import VigilSchema

/// Divides a delivery into canonical batches, alert transitions and unreadable messages.
struct MessageDecoder {
    /// A batch and its message.
    struct Decoded {
        let batch: ObservationBatch
        let message: IncomingMessage
    }

    /// An unreadable message.
    struct Malformed {
        let message: IncomingMessage
        /// The names in the topic, if any.
        let participant: String?
        let error: PayloadError
    }

    /// The contents of a delivery.
    struct Contents {
        var batches: [Decoded] = []
        var alerts: [AlertMessage] = []
        var malformed: [Malformed] = []
    }

    private static let alertPrefix = Topic.prefix + "alert-events/"
    private let decoder = BatchDecoder()

    func decode(_ messages: [IncomingMessage]) -> Contents {
        var contents = Contents()
        contents.batches.reserveCapacity(messages.count)
        for message in messages {
            if message.topic.hasPrefix(Self.alertPrefix) {
                decodeAlert(message, into: &contents)
            } else {
                decodeBatch(message, into: &contents)
            }
        }
        return contents
    }

    private func decodeBatch(_ message: IncomingMessage, into contents: inout Contents) {
        do {
            contents.batches.append(Decoded(batch: try decoder.decode(message.payload.span), message: message))
        } catch {
            contents.malformed.append(Malformed(message: message, participant: nil, error: error))
        }
    }

    private func decodeAlert(_ message: IncomingMessage, into contents: inout Contents) {
        guard case .alertEvent(let participant, let rule)? = try? Topic(parsing: message.topic) else {
            let error = PayloadError(.badTopic, "the topic names no participant and rule")
            return contents.malformed.append(Malformed(message: message, participant: nil, error: error))
        }
        do throws(PayloadError) {
            let alert = try Self.alert(message.payload, participant, rule)
            // An unconfirmed transition is skipped; it comes again once it is stored.
            if alert.unconfirmed != true { contents.alerts.append(alert) }
        } catch {
            contents.malformed.append(Malformed(message: message, participant: participant, error: error))
        }
    }

    private static func alert(_ payload: [UInt8], _ participant: String, _ rule: String) throws(PayloadError) -> AlertMessage {
        guard let alert = try? AlertMessage(decoding: payload) else {
            throw PayloadError(.malformed, "it is not an alert's transition as JSON")
        }
        try alert.validate()
        guard alert.participant == participant, alert.rule == rule else {
            throw PayloadError(.conflicting, "participant and rule are not those of the topic")
        }
        return alert
    }
}
