package import MessageBus
package import ServiceKit
package import VigilSchema

/// Publishes the newest reading of each series on `latest/<participant>/<metric>`, retained, at most once a second.
package struct LatestPublisher: Service {
    private let board: LatestValueCache
    private let publisher: any MessagePublisher
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        board: LatestValueCache, publisher: any MessagePublisher, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.board = board
        self.publisher = publisher
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        while true {
            do { try await clock.sleep(for: .milliseconds(100)) } catch { return }
            do {
                try await publishDue()
            } catch {
                // A display that misses a reading gets the next one.
                log.debug("latest readings not published", ["error": "\(error)"])
            }
        }
    }

    /// Publishes what is due now.
    package func publishDue() async throws {
        for (topic, observation) in board.due(at: now()) {
            try await publisher.publish(
                OutgoingMessage(
                    topic: topic.path, payload: BatchEncoder.encode(observation), qos: .atMostOnce, retained: true,
                    properties: MessageProperties(contentType: MediaType.json)))
        }
    }
}
