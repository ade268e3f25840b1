import Synchronization

/// Messages that were read together and are acknowledged together.
///
/// Only the first settling counts. A batch that is let go without one counts as rejected, so an error thrown past it loses nothing.
package struct MessageBatch: Sendable {
    /// The outcome for a batch.
    package enum Outcome: Sendable, Hashable {
        /// The effects of the messages are durable: they are acknowledged.
        case committed
        /// Given back: the broker sends them again, after a pause that grows while this repeats.
        case rejected
    }

    /// In the order of their arrival; never empty when they come from a consumer.
    package let messages: [IncomingMessage]
    private let settlement: Settlement

    /// - Parameters:
    ///   - holdOpen: Called when the next batch may follow before this one is settled, from any thread.
    ///   - settle: Called once, from any thread.
    package init(
        messages: [IncomingMessage], holdOpen: @escaping @Sendable () -> Void = {}, settle: @escaping @Sendable (Outcome) -> Void
    ) {
        self.messages = messages
        settlement = Settlement(settle, holdOpen)
    }

    private init(messages: [IncomingMessage], settlement: Settlement) { (self.messages, self.settlement) = (messages, settlement) }

    /// The same batch with other messages: to settle it settles this one.
    package func with(_ messages: [IncomingMessage]) -> MessageBatch { MessageBatch(messages: messages, settlement: settlement) }

    /// Lets the next batch be read and handed over before this one is settled. Nothing is acknowledged until all of them are, so the broker's limit of
    /// unacknowledged messages bounds what follows.
    package func holdOpen() { settlement.holdOpen() }

    /// Acknowledges the batch or gives it back. Returns at once; calling it again does nothing.
    package func settle(_ outcome: Outcome) {
        settlement.settle(outcome)
    }
}

/// Settles once, at the latest when nobody holds the batch any more.
private final class Settlement: Sendable {
    let holdOpen: @Sendable () -> Void
    private let action: @Sendable (MessageBatch.Outcome) -> Void
    private let isDone = Atomic(false)

    init(_ action: @escaping @Sendable (MessageBatch.Outcome) -> Void, _ holdOpen: @escaping @Sendable () -> Void) {
        self.action = action
        self.holdOpen = holdOpen
    }

    deinit {
        settle(.rejected)
    }

    func settle(_ outcome: MessageBatch.Outcome) {
        guard !isDone.exchange(true, ordering: .acquiringAndReleasing) else { return }
        action(outcome)
    }
}

/// The batches of one consumer, one at a time: the next is read only when it is asked for, and after the last was settled or held open.
///
/// Ends when the consumer drains or is cancelled, throws what ended its `run()`. One task iterates.
package struct MessageBatches: AsyncSequence, Sendable {
    package typealias Element = MessageBatch
    package typealias Failure = BusError

    let gate: BatchGate

    package func makeAsyncIterator() -> Iterator { Iterator(gate: gate) }

    /// Asks the consumer's connection for one batch after the other.
    package struct Iterator: AsyncIteratorProtocol {
        let gate: BatchGate

        /// The next batch, as soon as there is a message. Nil once the consumer drains, or when the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(BusError) -> MessageBatch? {
            try await gate.next()
        }

        /// The same, for callers without isolation.
        package mutating func next() async throws(BusError) -> MessageBatch? {
            try await gate.next()
        }
    }
}
