import Synchronization

/// Tells whether a process can do its work: every named part must say that it is ready. Threading: from anywhere.
package final class Readiness: Sendable {
    /// A part that is asked whenever somebody wants to know.
    private struct Watched {
        let problem: String
        let isReady: @Sendable () -> Bool
    }

    /// What operators should know of a part, asked whenever somebody wants to know.
    private struct Remark {
        let text: @Sendable () -> String
    }

    private let parts = Mutex<[String: Bool]>([:])
    private let remarks = Mutex<[String: Remark]>([:])
    private let watched = Mutex<[String: Watched]>([:])

    package init() {}

    /// Names a part and says whether it is ready.
    package func set(_ part: String, _ isReady: Bool) { parts.withLock { $0[part] = isReady } }

    /// Names a part that is asked whether it is ready, and what is wrong where it is not.
    package func watch(_ part: String, _ problem: String, _ isReady: @escaping @Sendable () -> Bool) {
        watched.withLock { $0[part] = Watched(problem: problem, isReady: isReady) }
    }

    /// The parts that are not ready, sorted.
    package var missing: [String] {
        let set = parts.withLock { $0.filter { !$0.value }.keys.map(\.self) }
        let asked = watched.withLock { $0 }.filter { !$0.value.isReady() }.map { "\($0.key) (\($0.value.problem))" }
        return (set + asked).sorted()
    }

    /// A Boolean value that indicates whether every part is ready.
    package var isReady: Bool { missing.isEmpty }

    /// Adds what operators should know of a part although the process can do its work; an empty text says nothing.
    package func remark(_ part: String, _ text: @escaping @Sendable () -> String) { remarks.withLock { $0[part] = Remark(text: text) } }

    /// The remarks that say something, each with its part, sorted.
    package var remarked: [String] {
        remarks.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.text()) }.filter { !$0.1.isEmpty }.map { "\($0): \($1)" }
    }
}
