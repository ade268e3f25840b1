import ServiceKit

/// Lets Ctrl-C end a command's work in order.
enum Interruption {
    /// Runs the work until it returns or a stop signal comes; then the work's task is cancelled, which it takes as its end.
    /// - Returns: nil when a signal came first.
    static func stoppable<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result? {
        let signals = StopSignals(StopSignals.usual)
        defer { signals.restore() }
        return try await withThrowingTaskGroup(of: Result?.self) { tasks in
            tasks.addTask { try await work() }
            tasks.addTask {
                _ = await signals.first()
                return nil
            }
            defer { tasks.cancelAll() }
            return try await tasks.next() ?? nil
        }
    }
}
