package import MessageBus

/// A broker for tests: a stream of batches that a test sends and whose outcomes it awaits.
package struct BatchSource: AsyncSequence, Sendable {
    package typealias Element = MessageBatch
    package typealias Failure = Never

    private let stream: AsyncStream<MessageBatch>
    private let continuation: AsyncStream<MessageBatch>.Continuation

    package init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Sends a batch and returns what the consumer made of it.
    @discardableResult
    package func send(_ messages: [IncomingMessage]) async -> MessageBatch.Outcome {
        await withCheckedContinuation { outcome in
            continuation.yield(MessageBatch(messages: messages) { outcome.resume(returning: $0) })
        }
    }

    /// Ends the stream, as a draining consumer does.
    package func finish() {
        continuation.finish()
    }

    package func makeAsyncIterator() -> AsyncStream<MessageBatch>.Iterator {
        stream.makeAsyncIterator()
    }
}
