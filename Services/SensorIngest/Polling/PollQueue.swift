package import MessageBus
package import ServiceKit

/// What polling has found, waiting to be published. Bounded: while the broker is away the oldest is let go, so that polling never waits
/// for what comes after it.
package struct PollQueue: Service {
    private let messages: AsyncStream<OutgoingMessage>
    private let input: AsyncStream<OutgoingMessage>.Continuation
    private let publisher: any MessagePublisher
    private let dropped: Counter
    private let log: Logger

    package init(publisher: any MessagePublisher, capacity: Int = 1000, metrics: MetricsRegistry, log: Logger) {
        (messages, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(capacity))
        self.publisher = publisher
        self.log = log
        dropped = metrics.counter(
            "vigil_ingest_polled_dropped_total", help: "Polled answers let go because the broker was away for too long")
    }

    /// Adds a message; never waits.
    func add(_ message: OutgoingMessage) {
        if case .dropped = input.yield(message) { dropped.add() }
    }

    /// Publishes one after the other until the task is cancelled.
    package func run() async throws {
        for await message in messages {
            do {
                try await publisher.publish(message)
            } catch {
                dropped.add()
                log.warning("a polled answer was not published", ["error": "\(error)"])
            }
        }
    }
}
