import Synchronization

/// The subscriptions of a running consumer: those of its configuration, and others that come and go.
///
/// Threading: changed from anywhere; the connection's thread looks at it before each step.
final class SubscriptionList: Sendable {
    /// The subscriptions at a moment.
    struct State {
        /// Grows with each change.
        var version = 0
        /// The configuration's own first: without them a consumer is of no use.
        var wanted: [Subscription]
        /// Filters that are subscribed to no more. A persistent session may still have them, so that they are given up at each connection.
        var former: Set<String>
    }

    private let own: [Subscription]
    private let state: Mutex<State>

    init(_ configuration: ConsumerConfiguration) {
        own = configuration.subscriptions
        state = Mutex(State(wanted: own, former: Set(configuration.formerFilters)))
    }

    var current: State { state.withLock { $0 } }

    /// Increases with each change.
    var version: Int { state.withLock { $0.version } }

    /// Replaces what is subscribed to beside the configuration's own filters.
    func replace(others: [Subscription]) {
        state.withLock { state in
            var known = Set(own.map(\.filter))
            let wanted = own + others.filter { known.insert($0.filter).inserted }
            guard wanted != state.wanted else { return }
            state.former.formUnion(state.wanted.map(\.filter))
            state.former.subtract(known)
            state.wanted = wanted
            state.version += 1
        }
    }

    /// Returns whether the consumer is of no use without the subscription.
    func isRequired(_ subscription: Subscription) -> Bool { own.contains(subscription) }
}
