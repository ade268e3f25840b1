import MessageBus
import ServiceKit

/// Batches in, alerts out, for a share whose database may be away. Each batch is judged at once, and acknowledged once
/// its output is durable and has reached the broker. A batch that waits long stays open, so that later ones are judged
/// too.
struct SharedAlertPipeline<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    /// How long a batch is awaited before the next is read.
    private static var usual: Duration { .milliseconds(250) }
    let batches: Batches
    let coordinator: AlertCoordinator
    let held: PendingOutputs

    func run() async throws {
        try await coordinator.publishLeftOver()
        for try await batch in batches {
            let one = try await coordinator.hold(batch)
            if await !held.hasLeft(one, within: Self.usual) { batch.holdOpen() }
            await held.waitForRoom()
        }
        try await coordinator.finish()
    }
}

/// The requests of a share: those about its participants and, at one share, those about nobody in particular.
struct OwnRequests<Batches: AsyncSequence & Sendable>: AsyncSequence, Sendable where Batches.Element == MessageBatch {
    typealias Element = MessageBatch

    let batches: Batches
    /// Returns whether the share processes a message.
    let takes: @Sendable (IncomingMessage) -> Bool

    func makeAsyncIterator() -> Iterator { Iterator(batches: batches.makeAsyncIterator(), takes: takes) }

    /// Processes one batch after the other.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var batches: Batches.AsyncIterator
        fileprivate let takes: @Sendable (IncomingMessage) -> Bool

        mutating func next() async throws -> MessageBatch? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> MessageBatch? {
            while let batch = try await batches.next(isolation: actor) {
                let own = batch.messages.filter(takes)
                if own.count == batch.messages.count { return batch }
                if !own.isEmpty { return batch.with(own) }
                batch.settle(.committed)
            }
            return nil
        }
    }
}
