import MessageBus
import ServiceKit
import Settings
import Synchronization
import VigilSchema

/// Sends payloads as a careful device does: stored on disk first, repeated until confirmed, then deleted.
struct DeviceSender: Sendable {
    let topic: String
    let wantsReceipt: Bool
    /// Nil if the first bytes show the format.
    var contentType: String?
    /// The time after which a message without a receipt is sent again.
    let patience: Duration
    let spool: Spool?

    /// The most messages in flight; a receipt takes as long as a commit.
    private static let window = 512

    /// Sends the spool's messages, then the payloads; payloads that arrived together are stored together.
    ///
    /// If the broker cannot be reached, pending messages stay in the spool, as the error says.
    func send(_ payloads: any Sequence<[[UInt8]]> & Sendable, over session: BrokerSession) async throws -> SendOutcome {
        guard wantsReceipt else { return try await session.publishing { try await publish(payloads, $0) } }
        let feed = PayloadFeed(payloads)
        do {
            let terms = BrokerTerms()
            return try await session.requesting(answersBelow: topic.replacing("/ingest/", with: "/receipts/"), onEvent: terms.note) {
                try await confirm(feed, $0, terms)
            }
        } catch {
            guard let spool, !(error is CancellationError) else { throw error }
            for arrived in feed { _ = try await spool.add(topic: topic, payloads: arrived, gettingTimes: contentType == nil) }
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

    private func confirm(_ payloads: PayloadFeed, _ requester: Requester, _ terms: BrokerTerms) async throws -> SendOutcome {
        var outcome = SendOutcome(wantsReceipt: true)
        try await withThrowingTaskGroup(of: Fate.self) { tasks in
            var running = 0
            func add(_ entry: Spool.Entry) async throws {
                if running == Self.window, let ended = try await tasks.next() { outcome.settle(ended) } else { running += 1 }
                outcome.sent += 1
                tasks.addTask { try await deliver(entry, requester, terms) }
            }
            var last: Int64 = 0
            while let old = try await spool?.waiting(after: last), let newest = old.last {
                last = newest.id
                for entry in old { try await add(entry) }
            }
            for arrived in payloads {
                let entries = try await spool?.add(topic: topic, payloads: arrived, gettingTimes: contentType == nil)
                for entry in entries ?? arrived.map({ Spool.Entry(id: 0, topic: topic, payload: $0) }) { try await add(entry) }
            }
            while let ended = try await tasks.next() { outcome.settle(ended) }
        }
        return outcome
    }

    /// Sends one message until its receipt comes, or once without a spool. A message that cannot be sent stays in the
    /// spool and delays no other.
    private func deliver(_ entry: Spool.Entry, _ requester: Requester, _ terms: BrokerTerms) async throws -> Fate {
        var breaks = 0
        while true {
            var isAsking = true
            do {
                let answer = try await requester.request(timeout: patience) { topic in
                    let asking = contentType == nil ? ReceiptInPayload.asking(entry.payload, at: topic) : nil
                    isAsking = asking != nil || !terms.isWithoutProperties
                    // Otherwise a message that makes the broker end the connection would be repeated for ever, with all
                    // others.
                    var message = message(entry.topic, asking ?? entry.payload)
                    message.isExpendable = true
                    return message
                }
                let receipt = try Receipt(decoding: answer.payload)
                try await spool?.remove(entry)
                return .told(receipt)
            } catch let error as BusError where error.concernsMessage {
                return .refused("\(error)")
            } catch let error as BusError where error.isRetryable {
                if error.operation == .publish, error.code == .connectionLost { breaks += 1 }
                if breaks == Self.breaks { return .refused("\(error)") }
                // Without a way to ask for a receipt, none will ever come.
                if spool == nil || !isAsking { return .untold }
            }
        }
    }

    /// The number of connections that may break over one message, two at a time, before it counts as the cause.
    private static let breaks = 3

    /// The outcome of one message.
    fileprivate enum Fate: Sendable {
        case told(Receipt)
        /// No receipt came.
        case untold
        /// The broker does not accept it.
        case refused(String)
    }
}

/// The properties of the connection that a sender needs. Threading: callable from any task.
private final class BrokerTerms: Sendable {
    private let version = Mutex(BrokerConfiguration.ProtocolVersion.v5)

    /// Whether a request for a receipt must be in the payload.
    var isWithoutProperties: Bool { version.withLock { $0 } != .v5 }

    @Sendable func note(_ event: BusEvent) {
        if case .connected(let info) = event { version.withLock { $0 = info.version } }
    }
}

extension SendOutcome {
    fileprivate mutating func settle(_ fate: DeviceSender.Fate) {
        switch fate {
        case .told(let receipt): add(receipt)
        case .untold: unconfirmed += 1
        case .refused(let reason):
            refused += 1
            if refusals.count < 5, !refusals.contains(reason) { refusals.append(reason) }
        }
    }
}

/// The outcome of a device's messages.
struct SendOutcome: Sendable, CustomStringConvertible {
    /// Messages that were sent.
    var sent = 0
    /// Messages that the timeline has committed or refused.
    var confirmed = 0
    /// Messages without a receipt.
    var unconfirmed = 0
    /// Messages that the broker does not accept, and the first reasons.
    var refused = 0
    var refusals: [String] = []
    /// The sum of the receipts.
    var stored = 0
    var duplicates = 0
    var corrections = 0
    var rejected = 0
    /// The first reasons for refusals.
    var reasons: [String] = []
    let wantsReceipt: Bool

    var isComplete: Bool { rejected == 0 && unconfirmed == 0 && refused == 0 }

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
        let unsent = refused == 0 ? [] : ["not taken by the broker: \(refused); a spool keeps them"] + refusals.map { "  \($0)" }
        let lines = ["published \(sent - refused), confirmed \(confirmed): \(counts)"] + reasons.map { "  refused: \($0)" } + unsent
        return lines.joined(separator: "\n")
    }
}

/// Payloads that are read once, by one task after the other.
private final class PayloadFeed: Sequence, IteratorProtocol, Sendable {
    private let source: Mutex<AnyIterator<[[UInt8]]>>

    init(_ payloads: any Sequence<[[UInt8]]> & Sendable) { source = Mutex(PayloadFeed.iterator(of: payloads)) }

    func next() -> [[UInt8]]? { source.withLock { $0.next() } }

    private static func iterator(of payloads: some Sequence<[[UInt8]]> & Sendable) -> sending AnyIterator<[[UInt8]]> {
        var iterator = payloads.makeIterator()
        return AnyIterator { iterator.next() }
    }
}
