import MessageBus
import ServiceKit
import Settings
import Synchronization
import VigilSchema

/// Sends payloads as a careful device does: kept on disk first, sent until confirmed, forgotten then.
struct DeviceSender: Sendable {
    let topic: String
    let wantsReceipt: Bool
    /// Nil where the first bytes tell the format.
    var contentType: String?
    /// The time a receipt may take before the message is sent again.
    let patience: Duration
    let spool: Spool?

    /// Messages on their way at once: a receipt takes its way through the commit.
    private static let window = 512

    /// Sends what the spool holds from before, then the payloads, of which those that arrived together are kept together.
    ///
    /// Leaves what was to be sent in the spool where the broker cannot be reached; the error says so.
    func send(_ payloads: any Sequence<[[UInt8]]> & Sendable, over session: BrokerSession) async throws -> SendOutcome {
        guard wantsReceipt else { return try await session.publishing { try await publish(payloads, $0) } }
        let feed = PayloadFeed(payloads)
        do {
            return try await session.requesting(answersBelow: topic.replacing("/ingest/", with: "/receipts/")) {
                try await confirm(feed, $0)
            }
        } catch {
            guard let spool, !(error is CancellationError) else { throw error }
            for arrived in feed { _ = try await spool.add(topic: topic, payloads: arrived) }
            let count = try await spool.count()
            let kept = "the spool keeps what was to be sent (waiting: \(count)), and sends it first next time"
            throw CommandError(.unavailable, "\(error); \(kept)")
        }
    }

    private func message(_ topic: String, _ payload: [UInt8]) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: payload, properties: MessageProperties(contentType: contentType))
    }

    private func publish(_ payloads: any Sequence<[[UInt8]]> & Sendable, _ publisher: Publisher) async throws -> SendOutcome {
        var outcome = SendOutcome(wantsReceipt: false)
        for arrived in payloads {
            for payload in arrived { try await publisher.publish(message(topic, payload)) }
            outcome.sent += arrived.count
        }
        return outcome
    }

    private func confirm(_ payloads: PayloadFeed, _ requester: Requester) async throws -> SendOutcome {
        var outcome = SendOutcome(wantsReceipt: true)
        try await withThrowingTaskGroup(of: Receipt?.self) { tasks in
            var running = 0
            func add(_ entry: Spool.Entry) async throws {
                if running == Self.window, let ended = try await tasks.next() { outcome.settle(ended) } else { running += 1 }
                outcome.sent += 1
                tasks.addTask { try await deliver(entry, requester) }
            }
            var last: Int64 = 0
            while let old = try await spool?.waiting(after: last), let newest = old.last {
                last = newest.id
                for entry in old { try await add(entry) }
            }
            for arrived in payloads {
                let entries = try await spool?.add(topic: topic, payloads: arrived)
                for entry in entries ?? arrived.map({ Spool.Entry(id: 0, topic: topic, payload: $0) }) { try await add(entry) }
            }
            while let ended = try await tasks.next() { outcome.settle(ended) }
        }
        return outcome
    }

    /// Sends one message until its receipt comes, or once where there is no spool. Nil: no receipt.
    private func deliver(_ entry: Spool.Entry, _ requester: Requester) async throws -> Receipt? {
        while true {
            do {
                let answer = try await requester.request(timeout: patience) { topic in
                    message(entry.topic, contentType == nil ? ReceiptInPayload.asking(entry.payload, at: topic) : entry.payload)
                }
                let receipt = try Receipt(decoding: answer.payload)
                try await spool?.remove(entry)
                return receipt
            } catch let error as BusError where error.isRetryable {
                if spool == nil { return nil }
            }
        }
    }
}

extension SendOutcome {
    fileprivate mutating func settle(_ receipt: Receipt?) {
        if let receipt { add(receipt) } else { unconfirmed += 1 }
    }
}

/// The outcome for what a device sent.
struct SendOutcome: Sendable, CustomStringConvertible {
    /// Messages that the broker has.
    var sent = 0
    /// Messages that the timeline has committed, or refused in words.
    var confirmed = 0
    /// Messages without a receipt.
    var unconfirmed = 0
    /// The sum of the receipts.
    var stored = 0
    var duplicates = 0
    var corrections = 0
    var rejected = 0
    /// The first reasons for refusals.
    var reasons: [String] = []
    let wantsReceipt: Bool

    var isComplete: Bool { rejected == 0 && unconfirmed == 0 }

    mutating func add(_ receipt: Receipt) {
        confirmed += 1
        stored += receipt.stored
        duplicates += receipt.duplicates
        corrections += receipt.corrections
        rejected += receipt.rejected
        for reason in receipt.reasons where reasons.count < 5 { reasons.append(reason) }
    }

    var description: String {
        guard wantsReceipt else { return "published \(sent) \(sent == 1 ? "message" : "messages")" }
        let counts =
            "stored \(stored), duplicates \(duplicates), corrections \(corrections), rejected \(rejected), unconfirmed \(unconfirmed)"
        return (["published \(sent), confirmed \(confirmed): \(counts)"] + reasons.map { "  refused: \($0)" }).joined(separator: "\n")
    }
}

/// Payloads that are taken once, by one task after the other.
private final class PayloadFeed: Sequence, IteratorProtocol, Sendable {
    private let source: Mutex<AnyIterator<[[UInt8]]>>

    init(_ payloads: any Sequence<[[UInt8]]> & Sendable) { source = Mutex(PayloadFeed.iterator(of: payloads)) }

    func next() -> [[UInt8]]? { source.withLock { $0.next() } }

    private static func iterator(of payloads: some Sequence<[[UInt8]]> & Sendable) -> sending AnyIterator<[[UInt8]]> {
        var iterator = payloads.makeIterator()
        return AnyIterator { iterator.next() }
    }
}
