import Synchronization

/// Tells whether a process gets on with its work: a part that has taken work up must finish some of it in time, or it goes round in circles.
///
/// A part with nothing to do is well. One that takes the same work up again and again, as a consumer does that gives a batch back, counts from the
/// first time. Consumers made by `ServiceContext` are watched by themselves; a service says the same of other work by `began` and `finished`.
/// Threading: from anywhere.
package final class Liveness: Sendable {
    private struct Part {
        /// The beginning of the work of which nothing is finished yet.
        var began: ContinuousClock.Instant?
        var finished: ContinuousClock.Instant?
    }

    /// The time a part may be at work without finishing anything.
    package let limit: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let parts = Mutex<[String: Part]>([:])

    package init(limit: Duration = .seconds(300), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.limit = limit
        self.now = now
    }

    /// Notes that a part has taken work up; again, that it still has finished nothing of it.
    package func began(_ part: String) {
        let now = now()
        parts.withLock { parts in
            if parts[part, default: Part()].began == nil { parts[part, default: Part()].began = now }
        }
    }

    /// Notes that a part has finished what it took up.
    package func finished(_ part: String) {
        let now = now()
        parts.withLock { $0[part] = Part(began: nil, finished: now) }
    }

    /// Notes that what a part took up, and did not finish, has been taken from it and does not come again.
    package func relieved(_ part: String) { parts.withLock { $0[part]?.began = nil } }

    /// A part that has finished nothing of its work for so many seconds is not ready: what it was given has no effect yet.
    package static let notReadyAfter = 30.0

    /// The parts that have finished nothing for longer than `notReadyAfter`, with the seconds, sorted.
    package var late: [String] {
        let now = now()
        return parts.withLock { parts in
            parts.compactMap { name, part in
                guard let seconds = part.began.map({ $0.duration(to: now) / .seconds(1) }), seconds > Self.notReadyAfter else { return nil }
                return "\(name) (nothing finished for \(Int(seconds)) s)"
            }.sorted()
        }
    }

    /// The parts that have been at work for too long, sorted.
    package var stalled: [String] {
        let now = now()
        return parts.withLock { parts in
            parts.filter { $0.value.began.map { now - $0 > limit } ?? false }.keys.sorted()
        }
    }

    /// The seconds for which a part has finished nothing of what it has taken up; 0 while it has nothing to do.
    package func secondsAtWork(_ part: String) -> Double {
        let now = now()
        return parts.withLock { parts in parts[part]?.began.map { ($0.duration(to: now)) / .seconds(1) } ?? 0 }
    }

    /// A line for each part: how long it has been at work, and when it last finished something.
    package var report: [String] {
        let now = now()
        return parts.withLock { parts in
            parts.sorted { $0.key < $1.key }.map { name, part in
                let last =
                    part.finished.map { "last finished \(($0.duration(to: now)).components.seconds) s ago" } ?? "nothing finished yet"
                let work = part.began.map { "at work for \(($0.duration(to: now)).components.seconds) s, " } ?? ""
                return "\(name): \(work)\(last)"
            }
        }
    }
}
