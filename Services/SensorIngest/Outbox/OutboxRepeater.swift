package import MessageBus
package import ServiceKit
package import VigilSchema

/// Publishes again what the outbox holds unconfirmed for too long.
package struct OutboxRepeater: Service {
    private let outbox: Outbox
    private let link: OutboxLink
    private let publisher: any MessagePublisher
    private let repeats: Counter
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        outbox: Outbox, link: OutboxLink, publisher: any MessagePublisher, repeats: Counter, log: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp
    ) {
        self.outbox = outbox
        self.link = link
        self.publisher = publisher
        self.repeats = repeats
        self.log = log
        self.clock = clock
        self.now = now
    }

    /// Looks once a second, until it is cancelled.
    package func run() async throws {
        try await outbox.started(at: now())
        while !Task.isCancelled {
            if link.takeReturn() { try await outbox.connectionReturned(at: now()) }
            do {
                while try await repeatOnce() {}
            } catch {
                log.warning("batches not published again", ["error": "\(error)"])
            }
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
        }
    }

    /// Publishes some of what is due; true where there may be more.
    package func repeatOnce() async throws -> Bool {
        let entries = try await outbox.due(at: now())
        guard !entries.isEmpty else { return false }
        try await withThrowingTaskGroup { tasks in
            for entry in entries { tasks.addTask { try await publisher.publish(entry.message) } }
            try await tasks.waitForAll()
        }
        try await outbox.repeated(entries.map(\.id), at: now())
        repeats.add(entries.count)
        log.notice("unconfirmed batches published again", ["batches": "\(entries.count)"])
        return true
    }
}
