import AlertRules
import MessageBus
import Observability
import Synchronization
import VigilSchema

/// The pending outputs of a share: decisions that its database has not confirmed, in order. Each leaves once it is
/// durable.
///
/// The core continues meanwhile. If the database is silent for longer than `patience`, urgent alarms leave marked as
/// unconfirmed, and again once they are stored. Threading: callable from any task; one task runs it.
final class PendingOutputs: Sendable {
    /// One pending decision.
    struct Held: Sendable {
        fileprivate let output: AlertCore.Output
        /// The commit that it waits for.
        fileprivate let commit: Int64
        fileprivate let batch: MessageBatch?
        fileprivate let bytes: Int
        fileprivate var isAnnounced = false
        /// Opens once it has left or never will.
        let left = Latch()
    }

    private enum Step {
        case deliver(Held)
        case announce([AlertMessage])
        case wait(Duration?)
        case end
    }

    private struct State {
        var held: [Held] = []
        var bytes = 0
        var isDraining = false
        var hasFailed = false
        var announced = AnnouncedAlerts()
    }

    /// The silence of the database after which alarms leave unconfirmed.
    static let patience = Duration.seconds(1)
    /// The bound beyond which no more is accepted.
    private static let (mostBytes, mostOutputs) = (64 << 20, 20_000)
    private let state = Mutex(State())
    private let commits: CommitQueue
    private let log: Logger
    /// Signalled when an output has left.
    private let room = Signal()

    init(commits: CommitQueue, log: Logger) { (self.commits, self.log) = (commits, log) }

    /// Whether the bound is reached, so that judging must pause.
    var isFull: Bool { state.withLock { $0.bytes > Self.mostBytes || $0.held.count > Self.mostOutputs } }

    /// Adds the output of a call of the core, in the order of the calls.
    /// - Parameter batch: settled once everything has left.
    @discardableResult
    func add(_ output: AlertCore.Output, of batch: MessageBatch? = nil) -> Held {
        let sizes = [batch?.messages.reduce(0) { $0 + $1.payload.count } ?? 0, output.messages.reduce(0) { $0 + $1.payload.count }]
        let held = Held(output: output, commit: output.isDurable ? 0 : commits.last, batch: batch, bytes: sizes[0] + sizes[1])
        let isTaken = state.withLock { state in
            guard !state.hasFailed else { return false }
            state.held.append(held)
            state.bytes += held.bytes
            return true
        }
        if !isTaken { held.left.open() }
        commits.progress.signal()
        return held
    }

    /// Waits for the output, and returns whether it left in time.
    func hasLeft(_ held: Held, within limit: Duration) async -> Bool {
        // It waits behind the others.
        if !held.left.isOpen, commits.age < limit {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await held.left.wait() }
                tasks.addTask { try? await ContinuousClock().sleep(for: limit) }
                await tasks.next()
                tasks.cancelAll()
            }
        }
        return held.left.isOpen
    }

    /// Returns once there is room.
    func waitForRoom() async {
        while isFull, !Task.isCancelled { await room.wait(atMost: .seconds(1)) }
    }

    /// Returns once the output has left.
    /// - Throws: if it never will.
    func waitUntilLeft(_ held: Held) async throws {
        await held.left.wait()
        try Task.checkCancellation()
        if state.withLock({ $0.hasFailed }) { throw commits.failure ?? CancellationError() }
    }

    /// Makes `run` return once everything has left.
    func drain() {
        state.withLock { $0.isDraining = true }
        commits.progress.signal()
    }

    /// Delivers durable outputs until it is drained.
    /// - Parameters:
    ///   - deliver: publishes an output.
    ///   - announce: publishes alarms that are not durable.
    ///   - deferredCommand: receives deferred commands, and returns at once.
    func run(
        deliver: @Sendable (AlertCore.Output) async throws -> Void,
        announce: @Sendable ([AlertMessage]) async throws -> Void,
        deferredCommand: @Sendable (AlertCore.DeferredCommand) -> Void
    ) async throws {
        defer { fail() }
        while true {
            try Task.checkCancellation()
            // The new owner of the share publishes what is stored.
            if let failure = commits.failure { throw failure }
            switch next() {
            case .deliver(let held):
                try await deliver(held.output)
                leave(held)
                for one in held.output.deferredCommands { deferredCommand(one) }
            case .announce(let alarms): try await announce(alarms)
            case .wait(let pause): await commits.progress.wait(atMost: pause)
            case .end: return
            }
        }
    }

    private func next() -> Step {
        let (confirmed, silence) = (commits.confirmed, commits.age)
        return state.withLock { state in
            guard let first = state.held.first else { return state.isDraining ? .end : .wait(nil) }
            if first.commit <= confirmed { return .deliver(first) }
            guard let index = state.held.firstIndex(where: { !$0.isAnnounced }) else { return .wait(nil) }
            guard silence >= Self.patience else { return .wait(Self.patience - silence) }
            var alarms: [AlertMessage] = []
            for index in index..<state.held.count {
                state.held[index].isAnnounced = true
                alarms += state.held[index].output.changes.filter { state.announced.takes($0) }
            }
            return alarms.isEmpty ? .wait(nil) : .announce(alarms)
        }
    }

    private func leave(_ held: Held) {
        state.withLock { state in
            state.held.removeFirst()
            state.bytes -= held.bytes
        }
        held.batch?.settle(.committed)
        held.left.open()
        room.signal()
    }

    /// Returns the batches whose output has not left.
    private func fail() {
        let held = state.withLock { state in
            defer { (state.held, state.bytes, state.hasFailed) = ([], 0, true) }
            return state.held
        }
        for one in held {
            one.batch?.settle(.rejected)
            one.left.open()
        }
        room.signal()
    }
}

extension AlertCore.Output {
    private static let events = "\(Topic.prefix)alert-events/"

    /// The changes of alerts that were not published before.
    fileprivate var changes: [AlertMessage] {
        messages.dropFirst(repeated).filter { $0.topic.hasPrefix(Self.events) }.compactMap { try? AlertMessage(decoding: $0.payload) }
    }
}

extension AlertMessage {
    private static let beginnings: Set = [
        "raised", "severity-raised", "recurred", "uninhibited", "silence-ended", "clear-ended", "worsened", "reminded",
    ]

    /// Whether people are to hear of it even before it is stored: a new critical alarm, neither acknowledged nor kept quiet.
    var isUrgent: Bool { isPressing && Self.beginnings.contains(transition) }

    /// Whether it is critical, and neither over, acknowledged nor kept quiet.
    var isPressing: Bool { isAudible && !acknowledged && severity == "critical" }

    /// The messages of an alarm that is not durable yet: as an event, and as the present state without the retained
    /// flag. The later confirmed event has the same participant, rule and sequence.
    var unconfirmedMessages: [OutgoingMessage] {
        var message = self
        message.unconfirmed = true
        guard let payload = try? message.encoded() else { return [] }
        return [Topic.alertEvent(participant: participant, rule: rule), .alert(participant: participant, rule: rule)].map {
            AlertCore.message($0.path, payload)
        }
    }
}
