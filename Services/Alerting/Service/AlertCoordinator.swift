import AlertRules
import MessageBus
import Observability
import ServiceKit
import Settings
import Synchronization

/// Decides and publishes, one cause after the other, so that the events of an alert leave in their order.
final class AlertCoordinator: Sendable {
    private let core: AlertCore
    private let outbox: OutboxPublisher
    private let turns = AsyncMutex()
    private let now: @Sendable () -> ClockSample
    private let rules: [RuleFile]
    /// Where the rules are read again from.
    private let path: String
    private let log: Logger
    /// Readings of strangers that were warned of.
    private let warned = Atomic(0)
    private let hasStarted = Atomic(false)
    /// The machine's time, in microseconds since its start, at which a turn ended last.
    private let lastTurn = Atomic<Int64>(0)
    private let hasReturned = Atomic(false)

    /// - Parameter rules: what is to be judged by from now on; where it differs from what the core last had, it is read anew.
    init(
        core: AlertCore, rules: [RuleFile], path: String, outbox: OutboxPublisher, log: Logger,
        now: @escaping @Sendable () -> ClockSample = { ClockSample.now }
    ) {
        self.core = core
        self.rules = rules
        self.path = path
        self.outbox = outbox
        self.now = now
        self.log = log
    }

    /// First of all: what an earlier process decided.
    func publishLeftOver() async throws {
        try await turns.take { [self] in try await deliver(try await core.leftOver()) }
        if await core.files != rules { try await reload(rules) }
        hasStarted.store(true, ordering: .releasing)
    }

    func take(_ messages: [IncomingMessage]) async throws {
        let reloads = try await turns.take { [self] in
            let output = try await core.take(messages, now: now())
            try await deliver(output)
            return output.reloads
        }
        for asked in reloads {
            let problem = try await reload()
            let answers = problem.map(asked.refuse) ?? asked.reply(#"{"ok":true}"#)
            for answer in answers { try await outbox.publishIfPossible(answer) }
        }
    }

    /// The connection came back: the broker may have forgotten what it had acknowledged. Called on the connection's thread.
    func connectionReturned() { hasReturned.store(true, ordering: .releasing) }

    /// Lets time pass; nothing before the left-over messages are out.
    func tick() async throws {
        guard hasStarted.load(ordering: .acquiring) else { return }
        try await turns.take { [self] in
            if hasReturned.exchange(false, ordering: .acquiring) { try await deliver(try await core.repeated()) }
            try await deliver(try await core.advance(to: now()))
        }
    }

    /// Reads the rules again. Rules that are wrong are told and left: the former stay in force.
    /// - Returns: what is wrong with them; nil: nothing.
    func reload() async throws -> String? {
        do {
            let files = try RuleFolder.read(path)
            try await reload(files)
            log.notice("rules read again", ["files": "\(files.count)"])
            return nil
        } catch let error as RuleError {
            log.error("rules are wrong; the former stay in force", ["problems": error.description])
            return "rules are wrong; the former stay in force\n\(error.description)"
        } catch let error as CommandError {
            log.error("rules cannot be read; the former stay in force", ["error": error.description])
            return "rules cannot be read; the former stay in force: \(error.description)"
        }
    }

    private func reload(_ files: [RuleFile]) async throws {
        try await turns.take { [self] in try await deliver(try await core.reload(files, now: now())) }
    }

    /// Once when it begins, and whenever ten times as many were turned away.
    private func warnOfStrangers() {
        let (count, known) = (core.counts.strangers.load(ordering: .relaxed), warned.load(ordering: .relaxed))
        guard count > known * 10 else { return }
        warned.store(count, ordering: .relaxed)
        log.warning("readings not judged: too many participants, see --participant-limit", ["readings": "\(count)"])
    }

    /// Whether a turn ended within half a minute: nothing is stuck, such as at a broker that does not answer.
    var isAlive: Bool { now().boot - lastTurn.load(ordering: .relaxed) < 30_000_000 }

    /// Writes the state out before the process ends.
    func finish() async throws {
        try await turns.take { [self] in try await core.checkpoint(now: now().wall) }
    }

    private func deliver(_ output: AlertCore.Output) async throws {
        try await outbox.publish(output.messages)
        for answer in output.answers { try await outbox.publishIfPossible(answer) }
        let now = now()
        await core.published(output, at: now.wall)
        lastTurn.store(now.boot, ordering: .relaxed)
        warnOfStrangers()
    }
}
