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
            defer { state.failingSince = nil }
            return state.failingSince != nil
        }
        if isNews { changed.signal() }
    }

    /// Adds alarms that must be published although they are not stored.
    func add(_ alarms: [AlertMessage]) {
        guard !alarms.isEmpty else { return }
        state.withLock { $0.alarms += alarms.prefix(max(0, Self.mostAlarms - $0.alarms.count)) }
    }

    /// Returns the alarms that were not published yet, once.
    package func takeAlarms() -> [AlertMessage] {
        state.withLock { state in
            defer { state.alarms = [] }
            return state.alarms
        }
    }
}
