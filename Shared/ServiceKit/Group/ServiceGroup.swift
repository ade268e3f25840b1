/// Runs services until the first stop signal, the first error, or the first of them that returns; then drains them all.
///
/// Members start in the order given, each after the one before has `started`; so the order is the order of dependency,
/// and what brings the load (a consumer) stands last. Draining goes the other way: the last member is asked to finish,
/// its end is awaited, then the one before it, and so on; those that were not started yet are asked at once. Past the deadline whatever still runs
/// is cancelled.
package struct ServiceGroup: Service {
    let members: [Member]
    let deadline: Duration
    let signals: [Int32]
    let onProgress: @Sendable (Progress) -> Void

    /// Makes a group; nothing runs yet.
    /// - Parameters:
    ///   - members: in order of dependency.
    ///   - deadline: how long draining may take in all before the rest is cancelled.
    ///   - stopOn: the signals that start draining; empty to leave signals alone.
    ///   - onProgress: hears what happens; called from the group's task, must return at once.
    package init(
        _ members: [Member], deadline: Duration = .seconds(20), stopOn signals: [Int32] = StopSignals.usual,
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.members = members
        self.deadline = deadline
        self.signals = signals
        self.onProgress = onProgress
    }

    /// Returns once every member has ended; throws the first member's error that was not a consequence of stopping.
    package func run() async throws {
        let stops = StopSignals(signals)
        defer { stops.restore() }
        var run = GroupRun(group: self)
        try await run.run(stops: stops)
    }
}

/// A part of a process that runs until its work is done, it is drained, or its task is cancelled.
///
/// Draining (finish what is held, then return) is asked for by the `ServiceGroup` the way its member says; cancelling
/// means: stop now and give back what is held.
package protocol Service: Sendable {
    /// Runs; returns when the work is done or was drained. Throws what the service cannot handle by itself.
    func run() async throws
}

extension ServiceGroup {
    /// One service in a group: its name for logs and errors, and how it is drained.
    package struct Member: Sendable {
        /// For logs and errors, for example `consumer`.
        package let name: String
        let draining: Draining
        let run: @Sendable () async throws -> Void
        let started: @Sendable () async throws -> Void

        /// A member from a service.
        /// - Parameters:
        ///   - draining: what happens at its turn while the group drains.
        ///   - started: returns when the next member may start, for example once connected; at once by default.
        package init(
            _ name: String, _ service: any Service, draining: Draining = .cancel,
            started: @escaping @Sendable () async throws -> Void = {}
        ) {
            self.init(name, draining: draining, started: started) { try await service.run() }
        }

        /// A member from a function, for parts that are no `Service` themselves.
        package init(
            _ name: String, draining: Draining = .cancel, started: @escaping @Sendable () async throws -> Void = {},
            run: @escaping @Sendable () async throws -> Void
        ) {
            self.name = name
            self.draining = draining
            self.started = started
            self.run = run
        }
    }

    /// The way a member is asked to finish.
    package enum Draining: Sendable {
        /// Its task is cancelled: it holds nothing that must be finished.
        case cancel
        /// Nothing: it returns by itself once the members after it have ended, as a loop over a consumer's batches does.
        case endsByItself
        /// The closure is called once; it returns at once, and `run` then finishes what is held and returns. Where `run` was not called yet it never is.
        case request(@Sendable () -> Void)
    }

    /// The events in a group, for logs and the module's status.
    package enum Progress: Sendable, Equatable {
        case starting(String)
        case running
        /// Draining began, and why.
        case draining(Reason)
        case ended(String)
        /// The deadline passed: these members were cancelled.
        case cancelled([String])
    }

    /// The reason why a group drains.
    package enum Reason: Sendable, Equatable {
        case signal(Int32)
        case failed(String)
        case returned(String)
        /// The group's own task was cancelled.
        case cancelled
    }
}

/// The state of a group of `count` members, as a value: events go in, actions come out.
struct GroupProgress: Equatable {
    /// The actions of a group.
    enum Action: Equatable {
        /// Ask this member to finish.
        case drain(Int)
        /// Cancel these: they hold the group up.
        case cancel([Int])
        /// Every member has ended.
        case finish
    }

    private(set) var running: [Int] = []
    private(set) var isDraining = false
    private var asked: Set<Int> = []

    /// A member was started. While draining it is asked to finish at its turn.
    mutating func started(_ member: Int) { running.append(member) }

    /// Draining begins; a second request changes nothing.
    mutating func stop() -> [Action] {
        guard !isDraining else { return [] }
        isDraining = true
        return next()
    }

    /// A member's `run` has returned or thrown. The first to end starts the draining of the others.
    mutating func ended(_ member: Int) -> [Action] {
        running.removeAll { $0 == member }
        isDraining = true
        return next()
    }

    /// The deadline passed: all that still run are cancelled.
    mutating func deadlinePassed() -> [Action] { running.isEmpty ? [] : [.cancel(running)] }

    private mutating func next() -> [Action] {
        guard let last = running.last else { return [.finish] }
        guard asked.insert(last).inserted else { return [] }
        return [.drain(last)]
    }
}
