import Synchronization

/// An answer, a receipt or a reject: a message to someone who asked, on which nothing else depends.
package struct Reply: Sendable {
    /// The time after which the broker drops a reply that nobody fetched.
    package static let defaultExpiry = Duration.seconds(86_400)

    /// As it goes to the broker; nil where it could not be encoded.
    package let message: OutgoingMessage?

    /// Makes a reply.
    /// - Parameters:
    ///   - topic: The asker's choice, checked by `ReplyTopic`, or a topic of the suite.
    ///   - correlation: What the asker sent along to recognise the answer.
    ///   - expiry: When the broker may drop it; nil for never.
    ///   - payload: Encodes it. What it throws drops the reply, as anything else does that keeps it from being sent.
    package init(
        to topic: String, correlation: [UInt8]? = nil, contentType: String = "application/json", qos: QoS = .atLeastOnce,
        expiry: Duration? = Self.defaultExpiry, _ payload: () throws -> [UInt8]
    ) {
        let properties = MessageProperties(contentType: contentType, correlationData: correlation, expiry: expiry)
        let encoded = try? payload()
        self.init(message: encoded.map { OutgoingMessage(topic: topic, payload: $0, qos: qos, properties: properties) })
    }

    /// Makes a reply of a message as it is.
    package init(_ message: OutgoingMessage) { self.init(message: message) }

    private init(message: OutgoingMessage?) {
        var message = message
        message?.isExpendable = true
        self.message = message
    }
}

/// Publishes answers, receipts and rejects, so that none of them can hold or fail the work that they belong to.
///
/// An asker chooses topic, correlation data and often the content of the answer, and some of what can be chosen no broker takes. A
/// reply that cannot be encoded, that the broker refuses, or that was in flight on two connections in a row that broke is dropped and
/// counted, once and for all; an innocent one beside it gets through. Every service publishes its replies here, after it has
/// checked the asker's topic with `ReplyTopic`, and before it settles what the reply answers:
///
/// ```swift
/// let topic = try ReplyTopic(asked, correlation: message.properties.correlationData, of: .account)
/// try await context.replies.publish([Reply(to: topic.path, correlation: topic.correlation) { try answer.encoded() }])
/// delivery.settle(.committed)
/// ```
///
/// Threading: from anywhere.
package final class ReplyPublisher: Sendable {
    /// The outcome for the replies so far.
    package struct Counters: Sendable, Hashable {
        /// Replies that the broker took.
        package var sent = 0
        /// Replies that were given up.
        package var dropped = 0
    }

    /// The most replies of one call that are on their way at once.
    private static let window = 256
    private let publisher: any MessagePublisher
    private let onDrop: @Sendable (BusError) -> Void
    private let state = Mutex(Counters())

    /// Makes one beside a publisher.
    /// - Parameter onDrop: Called for each reply that is given up, with the reason, which names no topic.
    package init(_ publisher: any MessagePublisher, onDrop: @escaping @Sendable (BusError) -> Void = { _ in }) {
        self.publisher = publisher
        self.onDrop = onDrop
    }

    /// The work done so far.
    package var counters: Counters { state.withLock { $0 } }

    /// Publishes replies and returns once each is acknowledged or given up. Their order is not kept.
    ///
    /// Throws only where this process's publisher has ended or the task is cancelled: then nothing can be said of the others, and what
    /// they answer is to be given back.
    package func publish(_ replies: [Reply]) async throws(BusError) {
        let ended = await withTaskGroup(of: BusError?.self) { tasks in
            var waiting = replies.makeIterator()
            var running = 0
            var ended: BusError?
            while true {
                while running < Self.window, ended == nil, let reply = waiting.next() {
                    tasks.addTask { await self.send(reply) }
                    running += 1
                }
                guard running > 0, let result = await tasks.next() else { return ended }
                running -= 1
                ended = ended ?? result
            }
        }
        if let ended { throw ended }
    }

    /// Sends one. The error that ends all of it, if there is one.
    private func send(_ reply: Reply) async -> BusError? {
        guard let message = reply.message else {
            drop(BusError(.internalFailure, during: .publish, detail: "a reply cannot be encoded"))
            return nil
        }
        do throws(BusError) {
            try await publisher.publish(message)
            state.withLock { $0.sent += 1 }
            return nil
        } catch {
            guard error.operation == .publish, error.code != .cancelled, error.code != .closed else { return error }
            drop(error)
            return nil
        }
    }

    private func drop(_ error: BusError) {
        state.withLock { $0.dropped += 1 }
        onDrop(error)
    }
}
