import Observability
import Synchronization
package import VigilSchema

/// Whether decisions can be stored, and the alarms that are published before they are. Threading: callable from any
/// task.
package final class StoreHealth: Sendable {
    private struct State {
        /// The monotonic time of the first failed commit since the last successful one, in microseconds.
        var failingSince: Int64?
        var alarms: [AlertMessage] = []
        /// The alerts of which an alarm was added since then.
        var announced = AnnouncedAlerts()
        var dropped = 0
    }

    /// The most unconfirmed alarms: a bound for an outage, not for a ward.
    private static let mostAlarms = 1000
    private let state = Mutex(State())
    /// Wakes the live watch when commits begin to fail or succeed again.
    let changed = Signal()

    package init() {}

    /// The monotonic time since which nothing could be stored, in microseconds; nil: storing works.
    package var failingSince: Int64? { state.withLock { $0.failingSince } }

    var isFailing: Bool { failingSince != nil }

    /// Notes a failed commit.
    func failed(at now: ClockSample) {
        let isNews = state.withLock { state in
            defer { state.failingSince = state.failingSince ?? now.boot }
            return state.failingSince == nil
        }
        if isNews { changed.signal() }
    }

    /// Notes a successful commit.
    func stored() {
        let isNews = state.withLock { state in
            defer { (state.failingSince, state.announced) = (nil, AnnouncedAlerts()) }
            return state.failingSince != nil
        }
        if isNews { changed.signal() }
    }

    /// Adds alarms to be told although they are not stored, and the ends of those that were added before.
    func add(_ changes: [AlertMessage]) {
        guard !changes.isEmpty else { return }
        state.withLock { state in
            for change in changes {
                // Ends are no more than the alarms before them, and are never left out: they take an alarm back.
                guard !change.isUrgent || state.alarms.count < Self.mostAlarms else {
                    state.dropped += 1
                    continue
                }
                if state.announced.takes(change) { state.alarms.append(change) }
            }
        }
    }

    /// Returns the alarms and ends that nobody has been told of yet, once, and how many were left out.
    package func takeAlarms() -> (alarms: [AlertMessage], dropped: Int) {
        state.withLock { state in
            defer { (state.alarms, state.dropped) = ([], 0) }
            return (state.alarms, state.dropped)
        }
    }
}
