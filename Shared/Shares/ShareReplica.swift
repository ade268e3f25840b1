/// A replica's part in the division of its service's shares, as a value without I/O: what the table answered goes in, what is to be done comes out.
///
/// While the database is away owners go on, since nobody can claim anything either. Who has not heard the database answer for one whole lease
/// claims nothing that another let expire: the owners may only have been cut off together with it.
struct ShareReplica {
    enum Action: Equatable {
        /// Begin the work on a share.
        case work(LeaseHold)
        /// Let the work finish.
        case drain(share: Int)
        /// Stop the work at once.
        case abandon(share: Int)
        /// Give the share back in the table.
        case free(LeaseHold)
        /// Claim shares in the table.
        case claim([Int])
    }

    let name: String
    let timing: LeaseTiming
    private(set) var machines: [Int: ShareMachine] = [:]
    private(set) var isStopping = false
    /// Since when the database has answered without a break.
    private var answersSince: ContinuousClock.Instant?
    private var lastAnswer: ContinuousClock.Instant?
    private var hasFailed = false
    private var isSettled = false
    private var nextExpiry: Duration?

    init(name: String, timing: LeaseTiming) { (self.name, self.timing) = (name, timing) }

    /// What is held, for the next renewal.
    var held: [LeaseHold] { machines.values.filter { $0.state != .gone }.map(\.hold).sorted { $0.share < $1.share } }

    /// A Boolean value that indicates whether everything was given back after a stop.
    var hasStopped: Bool { isStopping && machines.isEmpty }

    /// The table was asked, and answered.
    mutating func answered(_ view: LeaseView, at now: ContinuousClock.Instant) -> [Action] {
        heard(at: now)
        var actions: [Action] = []
        for share in machines.keys.sorted() {
            let isMine = machines[share].map { view.holds($0.hold, name) } ?? false
            actions += act(on: share) { isMine ? $0.confirmed(at: now) : $0.lost() }
        }
        guard !isStopping else { return actions }
        let plan = SharePlan(
            view, for: name, held: Set(machines.keys), releasing: Set(machines.filter(\.value.isLeaving).keys),
            mayTakeOver: answersSince.map { now - $0 >= timing.lease } ?? false)
        isSettled = plan.isSettled
        nextExpiry = view.rows.filter { $0.isHeld && $0.owner != name }.map(\.remaining).min()
        for share in plan.releases { actions += act(on: share) { $0.release() } }
        return plan.claims.isEmpty ? actions : actions + [.claim(plan.claims)]
    }

    /// The table answered that the name is another process's: nothing here is this one's.
    mutating func wasRefused(at now: ContinuousClock.Instant) -> [Action] {
        heard(at: now)
        isSettled = false
        return machines.keys.sorted().flatMap { share in act(on: share) { $0.lost() } }
    }

    /// The table did not answer.
    mutating func failed() { hasFailed = true }

    /// Shares were claimed.
    mutating func claimed(_ holds: [LeaseHold], at now: ContinuousClock.Instant) -> [Action] {
        holds.map { hold in
            machines[hold.share] = ShareMachine(hold, at: now)
            return .work(hold)
        }
    }

    /// The work on a share has ended.
    mutating func ended(share: Int, at now: ContinuousClock.Instant) -> [Action] { act(on: share) { $0.ended(at: now) } }

    /// A share was given back.
    mutating func freed(share: Int) {
        _ = act(on: share) { machine -> ShareMachine.Action? in
            machine.freed()
            return nil
        }
    }

    /// The process is to end: everything is given up in good order, all at once.
    mutating func stop() -> [Action] {
        isStopping = true
        return machines.keys.sorted().flatMap { share in act(on: share) { $0.release() } }
    }

    /// The time until the table is to be asked again.
    func pause(at now: ContinuousClock.Instant) -> Duration {
        if hasFailed { return timing.retry }
        var pause = isSettled ? timing.renewal : timing.haste
        if let nextExpiry { pause = min(pause, max(nextExpiry, timing.haste)) }
        for resumes in machines.values.compactMap(\.resumes) { pause = min(pause, max(resumes - now, .milliseconds(1))) }
        return pause
    }

    private mutating func heard(at now: ContinuousClock.Instant) {
        if lastAnswer.map({ now - $0 > timing.unbroken }) ?? true { answersSince = now }
        (lastAnswer, hasFailed) = (now, false)
    }

    private mutating func act(on share: Int, _ change: (inout ShareMachine) -> ShareMachine.Action?) -> [Action] {
        guard var machine = machines[share] else { return [] }
        let action = change(&machine)
        machines[share] = machine.state == .gone ? nil : machine
        return switch action {
        case .work: [.work(machine.hold)]
        case .drain: [.drain(share: share)]
        case .abandon: [.abandon(share: share)]
        case .free: [.free(machine.hold)]
        case nil: []
        }
    }
}
