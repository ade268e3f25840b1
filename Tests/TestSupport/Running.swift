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

/// Runs a service beside a test: stopped when the test ends well, cancelled when it throws. Throws what either threw, the test first.
package func withRunning<Value: Sendable>(
    _ run: @Sendable @escaping () async throws -> Void, stop: @Sendable @escaping () -> Void,
    _ body: @Sendable @escaping () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await run() }
        do {
            let value = try await body()
            stop()
            try await group.waitForAll()
            return value
        } catch {
            group.cancelAll()
            throw error
        }
    }
}
