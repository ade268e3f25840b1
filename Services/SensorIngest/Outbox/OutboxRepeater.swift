package import MessageBus
package import Observability
import SQLiteDatabase
import ServiceKit
import Synchronization
package import VigilSchema

/// Publishes again what the outbox holds unconfirmed for too long.
package struct OutboxRepeater: Service {
    private let outbox: Outbox
    private let link: OutboxLink
    private let stamps: ArrivalStamps
    private let publisher: any MessagePublisher
    private let (repeats, unpublishable): (Counter, Counter)
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        outbox: Outbox, link: OutboxLink, stamps: ArrivalStamps = ArrivalStamps(), publisher: any MessagePublisher,
        metrics: OutboxMetrics, log: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp
    ) {
        self.outbox = outbox
        self.link = link
        self.stamps = stamps
        self.publisher = publisher
        (repeats, unpublishable) = (metrics.repeats, metrics.unpublishable)
        self.log = log
        self.clock = clock
        self.now = now
    }

    /// Looks four times a second, until it is cancelled.
    package func run() async throws {
        var last = now()
        try await outbox.started(at: last)
        while !Task.isCancelled {
            if link.takeReturn() { try await outbox.connectionReturned(at: now()) }
            do {
                let time = now()
                if time < last.advanced(bySeconds: -1) { try await outbox.clockSetBack(to: time) }
                last = time
                try await outbox.forget(stamps: stamps.takeStale())
                while try await repeatOnce() {}
            } catch {
                log.warning("batches not published again", ["error": "\(error)"])
            }
            do { try await clock.sleep(for: .milliseconds(250)) } catch { return }
        }
    }

    /// Publishes some of what is due; true where there may be more.
    package func repeatOnce() async throws -> Bool {
        let entries = try await outbox.due(at: now())
        guard !entries.isEmpty else { return false }
        let outcome = await BatchLanes(publisher: publisher).publish(entries) { $0.concernsMessage || $0.isTemporaryRefusal }
        try await outbox.repeated(outcome.published, at: now())
        repeats.add(outcome.published.count)
        if !outcome.published.isEmpty { log.notice("unconfirmed batches published again", ["batches": "\(outcome.published.count)"]) }
        try await passOver(outcome.refused)
        return true
    }

    /// What the broker does not take waits, and what stands behind it goes on. It stays in the outbox whatever the reason: an operator may see to it.
    private func passOver(_ refused: [(entry: OutboxEntry, error: BusError)]) async throws {
        if let failure = refused.first(where: { !$0.error.concernsMessage && !$0.error.isTemporaryRefusal }) { throw failure.error }
        for (entry, error) in refused {
            if error.concernsMessage { unpublishable.add() }
            log.error(
                "a batch that the broker does not take is kept",
                ["topic": entry.topic, "bytes": "\(entry.payload.count)", "error": "\(error)"])
        }
        try await outbox.repeated(refused.filter(\.error.concernsMessage).map(\.entry.id), at: now())
        try await outbox.repeated(refused.filter(\.error.isTemporaryRefusal).map(\.entry.id), at: now(), isRefused: true)
    }
}

extension Outbox {
    /// Batches that are due to be published again, in the order in which they came; few at once, each being up to 256 KiB.
    package func due(at now: Timestamp, limit: Int = 16) async throws -> [OutboxEntry] {
        try await state.read { database in
            let row = try database.statement("SELECT id, topic, payload FROM batches WHERE due <= ? ORDER BY serial LIMIT ?")
            defer { row.reset() }
            try row.bind(now.microseconds, at: 1)
            try row.bind(Int64(limit), at: 2)
            var entries: [OutboxEntry] = []
            while try row.step() { entries.append(OutboxEntry(id: row.text(0), topic: row.text(1), payload: row.blob(2))) }
            return entries
        }
    }

    /// Notes that batches were published again.
    /// - Parameter isRefused: true where the broker did not take them for the moment: they are tried again sooner.
    package func repeated(_ ids: [String], at now: Timestamp, isRefused: Bool = false) async throws {
        guard !ids.isEmpty else { return }
        let wait = (isRefused ? retryPolicy.overtaken : retryPolicy.unconfirmed).wholeMicroseconds
        try await state.transaction { database in
            for id in ids {
                try database.run(
                    """
                    UPDATE batches SET attempts = attempts + 1, published = ?1, due = ?1 + ?2 * (1 << min(attempts + 1, 8)) WHERE id = ?3
                    """, [.integer(now.microseconds), .integer(wait), .text(id)])
            }
        }
    }

    /// After the connection came back: what was published shortly before may be lost, and is published again soon.
    package func connectionReturned(at now: Timestamp) async throws {
        let due = now.microseconds + retryPolicy.reconnected.wholeMicroseconds
        let since = now.microseconds - retryPolicy.forgetful.wholeMicroseconds
        try await state.transaction { database in
            try database.run("UPDATE batches SET due = ?1 WHERE published >= ?2 AND due > ?1", [.integer(due), .integer(since)])
        }
    }

    /// After a start: what was published last by the process before may never have left it. So for what was published ahead of the clock.
    package func started(at now: Timestamp) async throws {
        let forgetful = retryPolicy.forgetful.wholeMicroseconds
        try await state.transaction { database in
            try database.run(
                "UPDATE batches SET due = ?1 WHERE published > 0 AND published >= min(?1, (SELECT max(published) FROM batches) - ?2) AND due > ?1",
                [.integer(now.microseconds), .integer(forgetful)])
        }
    }

    /// After the clock was set back: what was published by the time before would wait until the clock is there again.
    package func clockSetBack(to now: Timestamp) async throws {
        try await state.transaction { database in
            try database.run("UPDATE batches SET due = ?1 WHERE due > ?1 AND published > ?1", [.integer(now.microseconds)])
        }
    }
}

/// The state of the connection on which confirmations come, for the outbox. Threading: from anywhere.
package final class OutboxLink: Sendable {
    private struct State {
        var hasConnected = false
        var hasReturned = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes note of a connection; called on its thread.
    package func connected() {
        state.withLock { state in
            state.hasReturned = state.hasReturned || state.hasConnected
            state.hasConnected = true
        }
    }

    /// Returns whether the connection was lost and came back since this was asked last.
    func takeReturn() -> Bool {
        state.withLock { state in
            defer { state.hasReturned = false }
            return state.hasReturned
        }
    }
}

extension Outbox {
    /// The members that serve the outbox of a running service: one publishes again, one reads confirmations.
    /// - Parameter confirmations: the topic on which they are awaited.
    nonisolated func members(
        _ context: ServiceContext, stamps: ArrivalStamps, confirmations: String, metrics: OutboxMetrics
    ) throws -> [ServiceGroup.Member] {
        let (link, log) = (OutboxLink(), context.logger)
        let consumer = try context.consumer("confirmations", [Subscription(confirmations)])
        consumer.onConnected { info in
            link.connected()
            if info.version != .v5 { log.notice("the broker speaks MQTT 3.1.1: publishers cannot ask for receipts; the outbox works") }
        }
        let repeater = OutboxRepeater(
            outbox: self, link: link, stamps: stamps, publisher: context.publisher, metrics: metrics, log: log, now: { .now })
        let deferring = DeferredPublisher(outbox: self, publisher: context.publisher, log: log, now: { .now })
        let reader = ConfirmationReader(
            batches: consumer.batches, outbox: self, replies: context.replies, metrics: metrics, log: log, now: { .now })
        return [
            ServiceGroup.Member("repeater", repeater), ServiceGroup.Member("deferred", deferring),
            ServiceGroup.Member("confirmations", reader, draining: .endsByItself),
            consumer.member,
        ]
    }
}
