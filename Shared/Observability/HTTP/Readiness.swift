import Synchronization

/// Tells whether a process can do its work: every named part must say that it is ready. Threading: from anywhere.
package final class Readiness: Sendable {
    private let parts = Mutex<[String: Bool]>([:])
    private let remarks = Mutex<[String: @Sendable () -> String]>([:])

    package init() {}

    /// Names a part and says whether it is ready.
    package func set(_ part: String, _ isReady: Bool) { parts.withLock { $0[part] = isReady } }

    /// The parts that are not ready, sorted.
    package var missing: [String] { parts.withLock { $0.filter { !$0.value }.keys.sorted() } }

    /// A Boolean value that indicates whether every part is ready.
    package var isReady: Bool { missing.isEmpty }

    /// Adds what operators should know of a part although the process can do its work; an empty text says nothing.
    package func remark(_ part: String, _ text: @escaping @Sendable () -> String) { remarks.withLock { $0[part] = text } }

    /// The remarks that say something, each with its part, sorted.
    package var remarked: [String] {
        remarks.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value()) }.filter { !$0.1.isEmpty }.map { "\($0): \($1)" }
    }
}
