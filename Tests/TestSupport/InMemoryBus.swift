package import MessageBus
import Synchronization

/// A publisher that keeps what it is given, and fails where a test scripts it.
package final class InMemoryPublisher: MessagePublisher {
    private struct State {
        var messages: [OutgoingMessage] = []
        var failures: [BusError] = []
        var decide: (@Sendable (OutgoingMessage) -> BusError?)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Everything published with success, in order.
    package var messages: [OutgoingMessage] { state.withLock { $0.messages } }

    /// Lets the next publishes fail, one for each error.
    package func failNext(_ errors: BusError...) {
        state.withLock { $0.failures += errors }
    }

    /// Lets each publish fail for which the closure returns an error.
    package func fail(where decide: (@Sendable (OutgoingMessage) -> BusError?)?) {
        state.withLock { $0.decide = decide }
    }

    package func publish(_ message: OutgoingMessage) async throws(BusError) {
        let failure = state.withLock { state -> BusError? in
            let scripted = state.failures.isEmpty ? state.decide?(message) : state.failures.removeFirst()
            if scripted == nil { state.messages.append(message) }
            return scripted
        }
        if let failure { throw failure }
    }
}

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
