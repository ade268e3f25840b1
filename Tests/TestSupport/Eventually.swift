/// What a test waited for did not happen in time.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// Waits until a condition holds, looking again every few milliseconds; throws `NeverHappened` after the deadline, which is far off: all
/// tests run at once, on as few as two cores.
package func eventually(
    within limit: Duration = .seconds(60), _ what: String = "the condition", _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "\(what) did not come true within \(limit)") }
        try await Task.sleep(for: .milliseconds(3))
    }
}
