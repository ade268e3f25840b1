package import MessageBus
import Synchronization

/// Keeps a connection's events for a test to look at or wait for.
package final class EventLog: Sendable {
    private let log = Mutex<[BusEvent]>([])

    package init() {}

    package var events: [BusEvent] { log.withLock { $0 } }

    /// For `onEvent`.
    package func note(_ event: BusEvent) {
        log.withLock { $0.append(event) }
    }

    package func count(where matches: (BusEvent) -> Bool) -> Int { events.count(where: matches) }

    /// Waits for an event that has come or will come.
    package func wait(for what: String, count: Int = 1, _ matches: @Sendable (BusEvent) -> Bool) async throws {
        try await eventually(what) { self.count(where: matches) >= count }
    }

    /// Waits until everything that was asked for is granted.
    package func waitUntilReady(count: Int = 1) async throws {
        try await wait(for: "ready", count: count) { $0 == .ready }
    }
}
