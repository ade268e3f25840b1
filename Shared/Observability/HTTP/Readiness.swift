import Synchronization

/// Tells whether a process can do its work: every named part must say that it is ready. Threading: from anywhere.
package final class Readiness: Sendable {
    private let parts = Mutex<[String: Bool]>([:])

    package init() {}

    /// Names a part and says whether it is ready.
    package func set(_ part: String, _ isReady: Bool) { parts.withLock { $0[part] = isReady } }

    /// The parts that are not ready, sorted.
    package var missing: [String] { parts.withLock { $0.filter { !$0.value }.keys.sorted() } }

    /// A Boolean value that indicates whether every part is ready.
    package var isReady: Bool { missing.isEmpty }
}
