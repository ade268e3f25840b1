import MessageBus
import Synchronization

/// Decides and publishes, one cause after the other, so that the events of an alert leave in their order.
final class AlertTurn: Sendable {
    private let core: AlertCore
    private let outbox: OutboxPublisher
    private let turns = Turns()
    private let now: @Sendable () -> Int64
    private let rules: [RuleFile]
    private let hasStarted = Atomic(false)

    /// - Parameter rules: what is to be judged by from now on; where it differs from what the core last had, it is read anew.
    /// - Parameter now: wall time in microseconds.
    init(core: AlertCore, rules: [RuleFile], outbox: OutboxPublisher, now: @escaping @Sendable () -> Int64) {
        self.core = core
        self.rules = rules
        self.outbox = outbox
        self.now = now
    }

    /// First of all: what an earlier process decided.
    func publishLeftOver() async throws {
        try await turns.take { [self] in try await deliver(try await core.leftOver()) }
        if await core.files != rules { try await reload(rules) }
        hasStarted.store(true, ordering: .releasing)
    }

    func take(_ messages: [IncomingMessage]) async throws {
        try await turns.take { [self] in try await deliver(try await core.take(messages, now: now())) }
    }

    /// Lets time pass; nothing before the left-over messages are out.
    func tick() async throws {
        guard hasStarted.load(ordering: .acquiring) else { return }
        try await turns.take { [self] in try await deliver(try await core.advance(to: now())) }
    }

    func reload(_ files: [RuleFile]) async throws {
        try await turns.take { [self] in try await deliver(try await core.reload(files, now: now())) }
    }

    /// Writes the state out before the process ends.
    func finish() async throws {
        try await turns.take { [self] in try await core.checkpoint(now: now()) }
    }

    private func deliver(_ output: AlertCore.Output) async throws {
        try await outbox.publish(output.messages)
        for answer in output.answers { try await outbox.publishIfPossible(answer) }
        await core.published(output)
    }
}
