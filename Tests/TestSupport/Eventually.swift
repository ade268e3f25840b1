package import MessageBus
import Synchronization

/// An event that a test waited for did not happen in time.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// Waits until a condition holds, looking again every few milliseconds; throws `NeverHappened` after the limit.
///
/// The limit is of time in which the test had its turn: all tests run at once, on as few as two cores, and while those that compute have both,
/// what is tested gets no further either. Of each round counts a twentieth of a second at the most. A suite's time limit ends what never comes.
package func eventually(
    within limit: Duration = .seconds(60), _ what: String = "the condition", _ condition: () async throws -> Bool
) async throws {
    var (left, last) = (limit, ContinuousClock.now)
    while try await !condition() {
        guard left > .zero else { throw NeverHappened(description: "\(what) did not come true within \(limit)") }
        try await Task.sleep(for: .milliseconds(3))
        let now = ContinuousClock.now
        left -= min(now - last, .milliseconds(50))
        last = now
    }
}

/// Runs a consumer beside a test and stops it with the test, whatever happens in it.
package func withRunning<Value: Sendable>(
    _ consumer: Consumer, _ body: @Sendable @escaping (Consumer) async throws -> Value
) async throws -> Value {
    try await withRunning({ try await consumer.run() }, stop: { consumer.drain() }, { try await body(consumer) })
}

/// Runs a publisher beside a test and stops it with the test, whatever happens in it.
package func withRunning<Value: Sendable>(
    _ publisher: Publisher, _ body: @Sendable @escaping (Publisher) async throws -> Value
) async throws -> Value {
    try await withRunning({ try await publisher.run() }, stop: { publisher.drain() }, { try await body(publisher) })
}

/// Runs a service beside a test: stopped when the test ends well, cancelled when it throws. Throws what either threw first.
package func withRunning<Value: Sendable>(
    _ run: @Sendable @escaping () async throws -> Void, stop: @Sendable @escaping () -> Void,
    _ body: @Sendable @escaping () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask {
            try await run()
            return nil
        }
        group.addTask {
            let value = try await body()
            stop()
            return value
        }
        var value: Value?
        for try await finished in group { value = finished ?? value }
        guard let value else { throw NeverHappened(description: "the test's body returned nothing") }
        return value
    }
}

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

/// A clock on which every sleep ends at once, its time moved to the sleep's end.
package final class ImmediateClock: Clock {
    package typealias Duration = Swift.Duration
    package typealias Instant = ContinuousClock.Instant

    private let time = Mutex(ContinuousClock.now)

    package init() {}

    package var now: Instant { time.withLock { $0 } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
