import AlertRules
import MessageBus
import Observability
import Synchronization
import VigilSchema

/// What a share's core has decided and its database has not confirmed yet, in the order of the decisions: each leaves once it is durable.
///
/// The core judges on meanwhile. While the database is silent for longer than `patience`, alarms that cannot wait leave all the same, marked as
/// unconfirmed; they leave again, as they are stored, once they are. Threading: from anywhere; one task runs it.
final class HeldOutputs: Sendable {
    /// One decision on its way.
    struct Held: Sendable {
        fileprivate let output: AlertCore.Output
        /// The commit that it waits for.
        fileprivate let commit: Int64
        fileprivate let batch: MessageBatch?
        fileprivate let bytes: Int
        fileprivate var isAnnounced = false
        /// Opens once it has left, or never will.
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
    }

    /// The silence of the database after which alarms are told unconfirmed.
    static let patience = Duration.seconds(1)
    /// What is held at the most before no more is taken.
    private static let (mostBytes, mostOutputs) = (64 << 20, 20_000)
    private let state = Mutex(State())
    private let commits: CommitQueue
    private let log: Logger
    /// Signalled when something has left.
    private let room = Signal()

    init(commits: CommitQueue, log: Logger) { (self.commits, self.log) = (commits, log) }

    /// A Boolean value that indicates whether so much waits that nothing more is to be judged.
    var isFull: Bool { state.withLock { $0.bytes > Self.mostBytes || $0.held.count > Self.mostOutputs } }

    /// Adds what a call of the core gave. To be called in the order of the calls, before the next.
    /// - Parameter batch: is settled once everything has left.
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

    /// Returns whether it has left before the time is over.
    func hasLeft(_ held: Held, within limit: Duration) async -> Bool {
        // Behind others that wait it waits as they do.
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

    /// Returns when there is room for more.
    func waitForRoom() async {
        while isFull, !Task.isCancelled { await room.wait(atMost: .seconds(1)) }
    }

    /// Returns once it has left.
    /// - Throws: where it never will.
    func waitUntilLeft(_ held: Held) async throws {
        await held.left.wait()
        try Task.checkCancellation()
        if state.withLock({ $0.hasFailed }) { throw commits.failure ?? CancellationError() }
    }

    /// Has `run` return once everything has left.
    func drain() {
        state.withLock { $0.isDraining = true }
        commits.progress.signal()
    }

    /// Lets out what is durable until it is drained.
    /// - Parameters:
    ///   - deliver: publishes.
    ///   - announce: tells alarms that are not durable.
    ///   - errand: takes what a command asks for beside the engine, and returns at once.
    func run(
        deliver: @Sendable (AlertCore.Output) async throws -> Void,
        announce: @Sendable ([AlertMessage]) async throws -> Void,
        errand: @Sendable (AlertCore.Errand) -> Void
    ) async throws {
        defer { fail() }
        while true {
            try Task.checkCancellation()
            // Whoever has the share now tells what is stored.
            if let failure = commits.failure { throw failure }
            switch next() {
            case .deliver(let held):
                try await deliver(held.output)
                leave(held)
                for one in held.output.errands { errand(one) }
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
            guard let place = state.held.firstIndex(where: { !$0.isAnnounced }) else { return .wait(nil) }
            guard silence >= Self.patience else { return .wait(Self.patience - silence) }
            var alarms: [AlertMessage] = []
            for place in place..<state.held.count {
                state.held[place].isAnnounced = true
                alarms += state.held[place].output.urgentAlarms
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

    /// What has not left is given back.
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

    /// The alarms that people are to hear of at once: new, critical, and neither acknowledged nor kept quiet.
    fileprivate var urgentAlarms: [AlertMessage] {
        messages.dropFirst(repeated).filter { $0.topic.hasPrefix(Self.events) }.compactMap { try? AlertMessage(decoding: $0.payload) }
            .filter(\.isUrgent)
    }
}

extension AlertMessage {
    private static let beginnings: Set = [
        "raised", "severity-raised", "recurred", "uninhibited", "silence-ended", "clear-ended", "worsened", "reminded",
    ]

    /// Whether people are to hear of it even before it is stored: a new critical alarm, neither acknowledged nor kept quiet.
    var isUrgent: Bool { isAudible && !acknowledged && severity == "critical" && Self.beginnings.contains(transition) }

    /// The messages that tell an alarm before it is durable: as an event, and to who looks at present states, without the broker keeping it. What it says
    /// is what it will say; participant, rule and sequence tell both to be the same.
    var unconfirmedMessages: [OutgoingMessage] {
        var message = self
        message.unconfirmed = true
        guard let payload = try? message.encoded() else { return [] }
        return [Topic.alertEvent(participant: participant, rule: rule), .alert(participant: participant, rule: rule)].map {
            AlertCore.message($0.path, payload)
        }
    }
}
