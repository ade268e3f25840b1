package import Observability

/// A share that a replica owns, as its work sees it.
package struct OwnedShare: Sendable {
    /// The share.
    package let share: Share
    /// The right to it, for the transactions that the work commits.
    package let hold: LeaseHold
    /// Opens when the work is to finish what it has, keep its state, disconnect and return.
    package let drain: Latch

    package init(share: Share, hold: LeaseHold, drain: Latch) { (self.share, self.hold, self.drain) = (share, hold, drain) }
}

/// Keeps a replica's leases, and runs the work on the shares that it owns.
///
/// The work on a share is a closure: it begins when the share is claimed, and again, after a look at the lease, when it has ended by itself, as it does
/// with its connection. It is cancelled when the lease is lost. Threading: one task runs it.
package struct ShareKeeper: Sendable {
    private enum Event: Sendable {
        case due(Int)
        case ended(share: Int)
        case stopping
    }

    private let table: any LeaseTable
    private let replica: ReplicaName
    private let count: Int
    private let timing: LeaseTiming
    private let metrics: ShareMetrics
    private let log: Logger
    private let clock = ContinuousClock()
    private let stopping = Latch()
    private let work: @Sendable (OwnedShare) async throws -> Void
    /// Opens once the table has answered for the first time.
    package let joined = Latch()

    /// - Parameters:
    ///   - count: The number of shares, which is the same at all replicas.
    ///   - work: Works on a share until it is drained or cancelled, or cannot go on.
    package init(
        table: any LeaseTable, replica: ReplicaName, count: Int, timing: LeaseTiming = LeaseTiming(), metrics: MetricsRegistry, log: Logger,
        work: @escaping @Sendable (OwnedShare) async throws -> Void
    ) {
        (self.table, self.replica, self.count, self.timing) = (table, replica, count, timing)
        (self.metrics, self.log, self.work) = (ShareMetrics(metrics), log, work)
    }

    /// Gives every share up, each once its work is done; then `run()` returns.
    package func drain() { stopping.open() }

    /// Runs until it is drained, or cancelled: then the work stops at once, and the leases end by themselves.
    /// - Throws: `ShareError` where the settings do not allow it: another number of shares, a name that another process goes on using.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Event.self) { tasks in
            defer { tasks.cancelAll() }
            var run = KeeperRun(replica: ShareReplica(name: replica.name, timing: timing))
            tasks.addTask {
                await stopping.wait()
                return .stopping
            }
            try await beat(&run, &tasks)
            while !run.replica.hasStopped, !Task.isCancelled, let event = try await tasks.next() {
                switch event {
                case .due(let number): if number == run.timer { try await beat(&run, &tasks) }
                case .ended(let share):
                    await perform(run.replica.ended(share: share, at: clock.now), &run, &tasks)
                    try await beat(&run, &tasks)
                case .stopping: if !Task.isCancelled { await stop(&run, &tasks) }
                }
            }
        }
        try? await table.leave(replica)
    }

    private func stop(_ run: inout KeeperRun, _ tasks: inout ThrowingTaskGroup<Event, any Error>) async {
        await perform(run.replica.stop(), &run, &tasks)
    }

    /// Asks the table, does what follows, and sets the time of the next question.
    private func beat(_ run: inout KeeperRun, _ tasks: inout ThrowingTaskGroup<Event, any Error>) async throws {
        await perform(try await ask(&run), &run, &tasks)
        metrics.held.set(Double(run.replica.held.count))
        run.timer += 1
        let (number, pause) = (run.timer, run.replica.pause(at: clock.now))
        tasks.addTask {
            try? await clock.sleep(for: pause)
            return .due(number)
        }
    }

    private func ask(_ run: inout KeeperRun) async throws -> [ShareReplica.Action] {
        do throws(ShareError) {
            if !run.isPrepared { try await table.prepare(service: replica.service, shares: count) }
            run.isPrepared = true
            let view = try await table.beat(replica, held: run.replica.held, lease: timing.lease)
            noteAnswer(view, &run)
            return run.replica.answered(view, at: clock.now)
        } catch {
            if Task.isCancelled { return [] }
            switch error.code {
            case .nameTaken: return try refused(error, &run)
            case .unavailable:
                metrics.failures.add()
                if !run.isAway { log.warning("the leases cannot be renewed; what is owned goes on", ["error": error.detail]) }
                run.isAway = true
                run.replica.failed()
                return []
            case .misconfigured, .otherCount, .unknown, .refused: throw error
            }
        }
    }

    private func noteAnswer(_ view: LeaseView, _ run: inout KeeperRun) {
        joined.open()
        if run.isAway || run.refusedSince != nil { log.notice("the leases are renewed again", ["shares": "\(run.replica.held.count)"]) }
        (run.isAway, run.refusedSince) = (false, nil)
        metrics.replicas.set(Double(view.working.count))
    }

    /// The name's last process may just have died: its lease is waited for. One that goes on is another replica with the same name.
    private func refused(_ error: ShareError, _ run: inout KeeperRun) throws -> [ShareReplica.Action] {
        let since = run.refusedSince ?? clock.now
        if run.refusedSince == nil { log.warning("waiting until the replica's name is free", ["name": replica.name]) }
        run.refusedSince = since
        if clock.now - since > timing.lease * 3 { throw error }
        return run.replica.wasRefused(at: clock.now)
    }

    private func perform(
        _ actions: [ShareReplica.Action], _ run: inout KeeperRun, _ tasks: inout ThrowingTaskGroup<Event, any Error>
    ) async {
        for action in actions {
            switch action {
            case .work(let hold): start(hold, &run, &tasks)
            case .drain(let share): run.signals[share]?.drain.open()
            case .abandon(let share):
                metrics.lost.add()
                log.warning("a share's lease is lost; its work stops", ["share": "\(share)"])
                run.signals[share]?.abandon.open()
            case .free(let hold): await free(hold, &run)
            case .claim(let shares): await claim(shares, &run, &tasks)
            }
        }
    }

    private func claim(_ shares: [Int], _ run: inout KeeperRun, _ tasks: inout ThrowingTaskGroup<Event, any Error>) async {
        do throws(ShareError) {
            let holds = try await table.claim(shares, for: replica, lease: timing.lease)
            metrics.claims.add(holds.count)
            for hold in holds { log.info("share claimed", ["share": "\(hold.share)", "epoch": "\(hold.epoch)"]) }
            await perform(run.replica.claimed(holds, at: clock.now), &run, &tasks)
        } catch {
            log.warning("shares could not be claimed", ["error": error.detail])
        }
    }

    private func free(_ hold: LeaseHold, _ run: inout KeeperRun) async {
        do throws(ShareError) {
            try await table.free(hold, of: replica)
            log.info("share given back", ["share": "\(hold.share)", "epoch": "\(hold.epoch)"])
        } catch {
            log.warning("a share could not be given back; its lease ends by itself", ["share": "\(hold.share)", "error": error.detail])
        }
        run.replica.freed(share: hold.share)
    }

    private func start(_ hold: LeaseHold, _ run: inout KeeperRun, _ tasks: inout ThrowingTaskGroup<Event, any Error>) {
        guard let share = Share(hold.share, of: count) else { return }
        let signals = KeeperRun.Signals()
        run.signals[hold.share] = signals
        tasks.addTask {
            await work(on: OwnedShare(share: share, hold: hold, drain: signals.drain), until: signals.abandon)
            return .ended(share: hold.share)
        }
    }

    /// Runs the work until it ends; the latch cancels it.
    private func work(on share: OwnedShare, until abandon: Latch) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await abandon.wait() }
            tasks.addTask {
                do { try await work(share) } catch {
                    guard !Task.isCancelled else { return }
                    log.warning("the work on a share ended", ["share": "\(share.share)", "error": "\(error)"])
                }
            }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}

/// The state of a keeper while it runs.
private struct KeeperRun {
    /// By which the work on a share is told to end.
    struct Signals: Sendable {
        let drain = Latch()
        let abandon = Latch()
    }

    var replica: ShareReplica
    var signals: [Int: Signals] = [:]
    /// The number of the timer that counts.
    var timer = 0
    var isPrepared = false
    var isAway = false
    var refusedSince: ContinuousClock.Instant?
}

/// What Prometheus sees of a replica's shares.
package struct ShareMetrics: Sendable {
    let held: Gauge
    let replicas: Gauge
    let claims: Counter
    let lost: Counter
    let failures: Counter

    package init(_ registry: MetricsRegistry) {
        held = registry.gauge("vigil_shares_held", help: "Shares that this replica owns.")
        replicas = registry.gauge("vigil_shares_replicas", help: "Replicas among which the shares are divided.")
        claims = registry.counter("vigil_shares_claimed_total", help: "Shares that this replica has claimed.")
        lost = registry.counter("vigil_shares_lost_total", help: "Leases that another replica claimed while this one held them.")
        failures = registry.counter("vigil_shares_renewal_failures_total", help: "Lease renewals that the database did not answer.")
    }
}
