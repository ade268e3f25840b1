package import MessageBus
import Synchronization

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
