import MessageBus
import Observability
import ServiceKit
import Synchronization

/// Receives live readings while nothing can be stored.
///
/// Unacknowledged messages soon fill the session's window, so that the newest readings would not arrive. While commits
/// fail, a second connection without a session receives everything at QoS 0, for unconfirmed alarms. Nothing of it is
/// acknowledged or stored.
struct LiveWatch: Service {
    let coordinator: AlertCoordinator
    /// Makes the connection, one for each outage.
    let connect: @Sendable () -> Consumer
    let log: Logger

    func run() async throws {
        let health = coordinator.core.health
        while !Task.isCancelled {
            guard health.isFailing else {
                await health.changed.wait()
                continue
            }
            log.error("alerts cannot be stored; critical alarms are told unconfirmed until they can")
            try await hear(until: health)
            if !Task.isCancelled { log.notice("alerts are stored again") }
        }
    }

    private func hear(until health: StoreHealth) async throws {
        let consumer = connect()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await consumer.run() }
            tasks.addTask {
                for try await batch in consumer.batches {
                    await coordinator.watch(batch.messages)
                    batch.settle(.committed)
                }
            }
            tasks.addTask {
                while health.isFailing, !Task.isCancelled { await health.changed.wait() }
                consumer.drain()
            }
            do {
                try await tasks.waitForAll()
            } catch {
                tasks.cancelAll()
                throw error
            }
        }
    }
}
