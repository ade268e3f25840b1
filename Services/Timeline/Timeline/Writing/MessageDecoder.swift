import MessageBus
import VigilSchema

/// Tells the messages of one delivery apart: canonical batches, and what is none.
struct MessageDecoder {
    /// A batch and the message that it came in.
    struct Decoded {
        let batch: ObservationBatch
        let message: IncomingMessage
    }

    /// A message that is no batch.
    struct Malformed {
        let message: IncomingMessage
        let error: PayloadError
    }

    private let decoder = BatchDecoder()

    func decode(_ messages: [IncomingMessage]) -> (batches: [Decoded], malformed: [Malformed]) {
        var batches: [Decoded] = []
        var malformed: [Malformed] = []
        batches.reserveCapacity(messages.count)
        for message in messages {
            do {
                batches.append(Decoded(batch: try decoder.decode(message.payload.span), message: message))
            } catch {
                malformed.append(Malformed(message: message, error: error))
            }
        }
        return (batches, malformed)
    }
}
