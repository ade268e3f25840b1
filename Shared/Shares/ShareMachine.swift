/// The life of one share at one replica: claimed → at work → drained → freed, and beside it what goes wrong.
///
/// The work itself loads what it needs, connects, and when it is drained keeps its state and disconnects before it ends. After a lost connection it
/// ends too, and is begun again only once the lease was looked at. A value without I/O: events go in, actions come out.
struct ShareMachine: Equatable {
    enum State: Equatable {
        /// The work runs.
        case working
        /// The work has ended by itself, at that moment; before it begins again the lease is to be confirmed.
        case checking(since: ContinuousClock.Instant)
        /// The work was asked to finish.
        case draining
        /// The lease is lost: the work was told to stop at once.
        case abandoning
        /// The work has ended, and the share is to be given back.
        case freeing
        /// Nothing is left to do.
        case gone
    }

    enum Action: Equatable {
        case work, drain, abandon, free
    }

    /// The pause before work that ended by itself begins again, doubled with each time in a row.
    private static let (firstPause, longestPause) = (Duration.milliseconds(100), Duration.seconds(5))
    /// Work that went on for so long has worked.
    private static let steady = Duration.seconds(10)

    let hold: LeaseHold
    private(set) var state = State.working
    private var began: ContinuousClock.Instant
    private var failures = 0

    /// The share was just claimed; its work begins.
    init(_ hold: LeaseHold, at now: ContinuousClock.Instant) { (self.hold, began) = (hold, now) }

    /// A Boolean value that indicates whether it is being given up, or already was.
    var isLeaving: Bool {
        switch state {
        case .working, .checking: false
        case .draining, .abandoning, .freeing, .gone: true
        }
    }

    /// The lease was looked at, and is still the replica's.
    mutating func confirmed(at now: ContinuousClock.Instant) -> Action? {
        switch state {
        case .checking(let since) where now - since >= pause:
            (state, began) = (.working, now)
            return .work
        case .freeing: return .free
        default: return nil
        }
    }

    /// The lease was looked at, and is somebody else's.
    mutating func lost() -> Action? {
        switch state {
        case .working, .draining:
            state = .abandoning
            return .abandon
        case .checking, .freeing: state = .gone
        case .abandoning, .gone: break
        }
        return nil
    }

    /// The share is to be given up in good order.
    mutating func release() -> Action? {
        switch state {
        case .working:
            state = .draining
            return .drain
        case .checking:
            state = .freeing
            return .free
        case .draining, .abandoning, .freeing, .gone: return nil
        }
    }

    /// The work has ended, by itself or because it was told to.
    mutating func ended(at now: ContinuousClock.Instant) -> Action? {
        switch state {
        case .working:
            failures = now - began >= Self.steady ? 1 : failures + 1
            state = .checking(since: now)
        case .draining:
            state = .freeing
            return .free
        case .abandoning: state = .gone
        case .checking, .freeing, .gone: break
        }
        return nil
    }

    /// The share was given back.
    mutating func freed() { state = .gone }

    /// The time at which work that has ended may begin again; nil where there is none such.
    var resumes: ContinuousClock.Instant? {
        if case .checking(let since) = state { since + pause } else { nil }
    }

    private var pause: Duration { min(Self.firstPause * (1 << min(failures - 1, 10)), Self.longestPause) }
}
