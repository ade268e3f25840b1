@testable import Shares

/// A replica in a simulation: the program's own value, and around it what its process would do, one call of the table at a time.
struct SimulatedReplica {
    enum Question: Equatable {
        case beat([LeaseHold])
        case claim([Int])
        case free(LeaseHold)
    }

    enum Answer: Equatable {
        case none
        case view(LeaseView)
        case refused
        case claimed([LeaseHold])
        case freed(Int)
    }

    /// A question on its way to the table, or its answer on the way back.
    struct Call {
        let question: Question
        let arrives: Duration
        var returns: Duration
        var isDone = false
        var answer = Answer.none
    }

    /// The work on a share.
    struct Work {
        let hold: LeaseHold
        var connects: Duration
        var isConnected = false
        /// The time at which it will be drained.
        var drained: Duration?
        var commits = Duration.zero
    }

    let name: ReplicaName
    var isDead = false
    var frozenUntil = Duration.zero
    var cutOffUntil = Duration.zero
    var sent: Call?
    var works: [Int: Work] = [:]
    private var replica: ShareReplica
    private var questions: [Question] = []
    /// By the replica's own clock, which is not quite as fast as the others.
    private var beats: ContinuousClock.Instant
    private let rate: Double
    private let base = ContinuousClock.now

    init(_ name: ReplicaName, rate: Double, started: Duration) {
        (self.name, self.rate) = (name, rate)
        replica = ShareReplica(name: name.name, timing: LeaseTiming())
        beats = base + started * rate
    }

    var isStopping: Bool { replica.isStopping }
    var hasLeft: Bool { replica.hasStopped && questions.isEmpty && sent == nil }

    /// The next call, where it is time for one.
    mutating func next(at time: Duration, latency: Duration) -> Call? {
        guard sent == nil else { return nil }
        if questions.isEmpty, local(time) >= beats { questions = [.beat(replica.held)] }
        guard !questions.isEmpty else { return nil }
        return Call(question: questions.removeFirst(), arrives: time + latency / 2, returns: time + latency)
    }

    /// An answer has come, or none.
    mutating func take(_ call: Call, at time: Duration) {
        let now = local(time)
        switch (call.question, call.answer) {
        case (.beat, .view(let view)): perform(replica.answered(view, at: now), at: time)
        case (.beat, .refused): perform(replica.wasRefused(at: now), at: time)
        case (.beat, _): replica.failed()
        case (.claim, .claimed(let holds)): perform(replica.claimed(holds, at: now), at: time)
        case (.claim, _): break
        case (.free(let hold), _): replica.freed(share: hold.share)
        }
        if questions.isEmpty { beats = now + replica.pause(at: now) }
    }

    /// The work on a share has ended; the table is asked at once.
    mutating func ended(_ share: Int, at time: Duration) {
        works[share] = nil
        perform(replica.ended(share: share, at: local(time)), at: time)
        beats = local(time)
    }

    mutating func stop(at time: Duration) { perform(replica.stop(), at: time) }

    private mutating func perform(_ actions: [ShareReplica.Action], at time: Duration) {
        for action in actions {
            switch action {
            case .work(let hold): works[hold.share] = Work(hold: hold, connects: time + .milliseconds(60))
            case .drain(let share): works[share]?.drained = time + .milliseconds(50)
            case .abandon(let share):
                works[share] = nil
                perform(replica.ended(share: share, at: local(time)), at: time)
            case .free(let hold): questions.append(.free(hold))
            case .claim(let shares): questions.append(.claim(shares))
            }
        }
    }

    private func local(_ time: Duration) -> ContinuousClock.Instant { base + time * rate }
}
