package import MessageBus
package import Observability
import SQLiteDatabase
import ServiceKit
import Synchronization
package import VigilSchema

/// Publishes what waits in the lines of devices that send more than their budget, in turn, as fast as the store confirms it.
package struct DeferredPublisher: Service {
    private let outbox: Outbox
    private let publisher: any MessagePublisher
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        outbox: Outbox, publisher: any MessagePublisher, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.outbox, self.publisher, self.log, self.clock, self.now) = (outbox, publisher, log, clock, now)
    }

    /// Looks whenever a batch is confirmed or comes, and four times a second, until it is cancelled.
    package func run() async throws {
        while !Task.isCancelled {
            do {
                while try await publishTurn() {}
            } catch {
                log.warning("deferred batches not published", ["error": "\(error)"])
            }
            await outbox.turns.wait(atMost: .milliseconds(250), clock)
        }
    }

    /// Publishes those whose turn it is; true where there were any.
    package func publishTurn() async throws -> Bool {
        let entries = try await outbox.nextDeferred(at: now())
        guard !entries.isEmpty else { return false }
        let outcome = await BatchLanes(publisher: publisher).publish(entries) { $0.concernsMessage }
        let isLost = outcome.refused.contains { !$0.error.concernsMessage }
        // What the broker does not allow is tried again by the repeater, and seen to by an operator; it ends its device's turns until then.
        let done = Set(outcome.published + outcome.refused.filter(\.error.concernsMessage).map(\.entry.id))
        try await outbox.notPublished(entries.map(\.id).filter { !done.contains($0) })
        return !isLost && !outcome.published.isEmpty
    }
}

extension Outbox {
    /// The batches of deferred lines whose turn it is, noted as published now.
    package func nextDeferred(at now: Timestamp) async throws -> [OutboxEntry] {
        let ids = deferred.next()
        guard !ids.isEmpty else { return [] }
        let due = now.microseconds + retryPolicy.deferred.wholeMicroseconds
        do {
            return try await state.transaction { database in
                var entries: [OutboxEntry] = []
                for id in ids {
                    let row = try database.statement("SELECT topic, payload FROM batches WHERE id = ?")
                    defer { row.reset() }
                    try row.bind(id, at: 1)
                    guard try row.step() else { continue }
                    entries.append(OutboxEntry(id: id, topic: row.text(0), payload: row.blob(1)))
                    try database.run(
                        "UPDATE batches SET published = ?, due = ? WHERE id = ?", [.integer(now.microseconds), .integer(due), .text(id)])
                }
                return entries
            }
        } catch {
            deferred.putBack(ids)
            throw error
        }
    }

    /// Has batches wait for their turn again.
    func notPublished(_ ids: [String]) async throws {
        guard !ids.isEmpty else { return }
        deferred.putBack(ids)
        try await state.transaction { database in
            for id in ids {
                try database.run("UPDATE batches SET published = 0, due = ? WHERE id = ?", [.integer(.max), .text(id)])
            }
        }
    }

    /// The batches that a process before this one had not published yet, by their lines.
    static func waitingLines(_ database: Database) throws -> [(id: String, line: String, bytes: Int)] {
        let row = try database.statement(
            "SELECT id, line, length(payload) FROM batches WHERE line IS NOT NULL AND published = 0 ORDER BY serial")
        defer { row.reset() }
        var found: [(id: String, line: String, bytes: Int)] = []
        while try row.step() { found.append((row.text(0), row.text(1), Int(row.integer(2)))) }
        return found
    }
}

/// Wakes the one who publishes deferred batches. Threading: from anywhere; one waits.
package final class TurnSignal: Sendable {
    private struct State {
        var isSet = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Something may have its turn.
    package func notify() {
        let waiter = state.withLock { state in
            state.isSet = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns once notified, or after so long, or when the task is cancelled.
    func wait(atMost limit: Duration, _ clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try? await clock.sleep(for: limit) }
            tasks.addTask { await self.notified() }
            await tasks.next()
            tasks.cancelAll()
            notify()
        }
        state.withLock { $0.isSet = false }
    }

    private func notified() async {
        await withCheckedContinuation { continuation in
            let isSet = state.withLock { state in
                guard !state.isSet else {
                    state.isSet = false
                    return true
                }
                state.waiter = continuation
                return false
            }
            if isSet { continuation.resume() }
        }
    }
}
