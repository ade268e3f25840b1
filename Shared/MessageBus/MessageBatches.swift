/// The batches of one consumer, one at a time: the next is read only when it is asked for, and after the last was settled.
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
