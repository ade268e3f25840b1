import Observability
import Synchronization
package import VigilSchema

/// Whether decisions can be stored, and the alarms that are told before they are. Threading: from anywhere.
package final class StoreHealth: Sendable {
    private struct State {
        /// The machine's even clock at the first commit that failed since the last one that did not, in microseconds.
        var failingSince: Int64?
        var alarms: [AlertMessage] = []
    }

    /// More than these are not told before they are stored: a bound for an outage, not for a ward.
    private static let mostAlarms = 1000
    private let state = Mutex(State())
    /// Wakes the live watch when commits begin to fail, and when they succeed again.
    let changed = Signal()

    package init() {}

    /// The moment since which nothing could be stored, by the machine's even clock, in microseconds; nil while it can.
    package var failingSince: Int64? { state.withLock { $0.failingSince } }

    var isFailing: Bool { failingSince != nil }

    /// Notes that a commit failed.
    func failed(at now: ClockSample) {
        let isNews = state.withLock { state in
            defer { state.failingSince = state.failingSince ?? now.boot }
            return state.failingSince == nil
        }
        if isNews { changed.signal() }
    }

    /// Notes that a commit succeeded.
    func stored() {
        let isNews = state.withLock { state in
            defer { state.failingSince = nil }
            return state.failingSince != nil
        }
        if isNews { changed.signal() }
    }

    /// Adds alarms to be told although they are not stored.
    func add(_ alarms: [AlertMessage]) {
        guard !alarms.isEmpty else { return }
        state.withLock { $0.alarms += alarms.prefix(max(0, Self.mostAlarms - $0.alarms.count)) }
    }

    /// Returns the alarms that nobody has been told of yet, once.
    package func takeAlarms() -> [AlertMessage] {
        state.withLock { state in
            defer { state.alarms = [] }
            return state.alarms
        }
    }
}
