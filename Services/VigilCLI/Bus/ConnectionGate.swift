import MessageBus
import ServiceKit
import Synchronization

/// Opens once a connection is made and its subscriptions are granted, so that nothing published from then on is missed; knows what kept it
/// from being made.
final class ConnectionGate: Sendable {
    private let isReady = Latch()
    private let failure = Mutex<BusError?>(nil)

    /// Takes the connection's events.
    @Sendable func handle(_ event: BusEvent) {
        switch event {
        case .ready: isReady.open()
        case .disconnected(let error): failure.withLock { $0 = error }
        case .subscriptionRefused(let filter, let reason):
            failure.withLock { $0 = BusError(.notAuthorized, during: .subscribe, reason: reason, detail: filter) }
        default: break
        }
    }

    /// Returns once it is open.
    /// - Throws: `CommandError` when that takes longer, with what went wrong last.
    func wait(_ patience: Duration, address: String) async throws {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.isReady.wait() }
            tasks.addTask { try? await ContinuousClock().sleep(for: patience) }
            await tasks.next()
            tasks.cancelAll()
        }
        try Task.checkCancellation()
        guard !isReady.isOpen else { return }
        let reason = failure.withLock { $0 }.map { ": \($0)" } ?? ""
        throw CommandError(.unavailable, "the broker at \(address) does not answer\(reason)")
    }
}
