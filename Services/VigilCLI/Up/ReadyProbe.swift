import Foundation
import HTTPClient
import ServiceKit

/// Waits until something is ready.
struct ReadyProbe: Sendable {
    let deadline: Duration

    /// Looks again every 50 ms until the condition holds.
    /// - Throws: `CommandError` when it does not within the deadline.
    func wait(_ what: String, until condition: @Sendable () async -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + deadline
        while await !condition() {
            guard clock.now < end else { throw CommandError(.unavailable, "\(what) was not ready within \(deadline)") }
            try await clock.sleep(for: .milliseconds(50))
        }
    }

    /// Whether the service with that health port says that it is ready.
    static func isReady(_ port: Int) async -> Bool {
        guard LoopbackSocket.answers(port) else { return false }
        let client = HTTPClient()
        return (try? await client.get("http://127.0.0.1:\(port)/readyz"))?.isSuccess ?? false
    }
}
