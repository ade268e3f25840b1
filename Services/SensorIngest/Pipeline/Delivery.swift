package import MessageBus
package import Observability
import Synchronization
package import VigilSchema

/// Brings what a run of messages became to the bus and, where it is to be confirmed, to the outbox.
package struct Delivery: Sendable {
    /// The batches that stay in the outbox until they are confirmed.
    package enum Keeping: String, Sendable, CaseIterable {
        /// Every batch. It needs a vigil-timeline that confirms.
        case all
        /// Those with readings of a publisher who asked for a receipt.
        case asked
    }

    private let publisher: any MessagePublisher
    private let replies: ReplyPublisher
    private let outbox: Outbox
    private let stamps: ArrivalStamps
    private let keeping: Keeping
    private let limit: Int
    private let confirmations: String
    private let metrics: OutboxMetrics
    private let log: Logger?
    private let clock: any Clock<Duration>
    private let largest = LargestBatch()

    /// - Parameters:
    ///   - replies: Sends receipts and rejects.
    ///   - limit: bytes in the outbox beyond which nothing more is taken until some are confirmed.
    ///   - confirmations: the topic on which confirmations are awaited.
    package init(
        publisher: any MessagePublisher, replies: ReplyPublisher? = nil, outbox: Outbox, stamps: ArrivalStamps = ArrivalStamps(),
        keeping: Keeping = .all, limit: Int = 4 << 30, confirmations: String, metrics: OutboxMetrics, log: Logger? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.publisher = publisher
        self.replies = replies ?? ReplyPublisher(publisher)
        self.outbox = outbox
        self.stamps = stamps
        self.keeping = keeping
        self.limit = limit
        self.confirmations = confirmations
        self.metrics = metrics
        self.log = log
        self.clock = clock
    }

    /// Returns once the broker has everything and the outbox is on disk. Throws when either fails; nothing is kept then.
    ///
    /// What the broker will never take fails nothing but itself: a batch that is too large is divided, and a single observation that is refused in
    /// words; one whose topic the broker does not allow stays in the outbox until an operator has seen to it.
    /// - Returns: what became of the messages in the end.
    @discardableResult
    package func deliver(_ result: IngestResult, at time: Timestamp) async throws -> IngestResult {
        var (result, fate) = (result, Fate())
        result.batches = result.batches.flatMap { parts(of: $0, &fate) }
        if result.batches.contains(where: { isKept($0, fate) }) { try await waitForRoom() }
        while try await !attempt(result, &fate, at: time) {
            for (entry, error) in fate.takeRefused() { note(error, of: entry, in: &result) }
            result.batches = result.batches.flatMap { parts(of: $0, &fate) }
        }
        return result
    }

    /// What has become of the batches of a delivery so far, by their ids.
    private struct Fate {
        /// As they go to the bus and to the outbox.
        var entries: [String: OutboxEntry] = [:]
        /// The broker has them.
        var published: Set<String> = []
        /// The timeline has them.
        var confirmed: Set<String> = []
        /// The broker does not allow their topic: they wait in the outbox.
        var heldBack: Set<String> = []
        /// Those that the broker will never take as they are.
        var refused: [(entry: OutboxEntry, error: BusError)] = []

        mutating func takeRefused() -> [(entry: OutboxEntry, error: BusError)] {
            defer { refused = [] }
            return refused
        }
    }

    /// - Returns: false where batches are to be tried in another form.
    private func attempt(_ result: IngestResult, _ fate: inout Fate, at time: Timestamp) async throws -> Bool {
        let (kept, others) = split(result.batches, fate)
        let ids = Set(kept.map(\.id))
        // What is published is still announced since it was taken back.
        await outbox.announce(ids.subtracting(fate.published).sorted())
        do {
            // What was stamped here must be found again before anything of it can be stored.
            if !result.stamps.isEmpty { try await keep(kept, result, at: time) }
            async let keeping: Void = result.stamps.isEmpty ? keep(kept, result, at: time) : ()
            let outcome = await publish(kept + others, fate)
            fate.published.formUnion(outcome.published)
            if let failure = outcome.refused.first(where: { !$0.error.concernsMessage }) { throw failure.error }
            try await keeping
            fate.refused = outcome.refused.filter { !isHeld($0.error) || !ids.contains($0.entry.id) }
            for (entry, error) in outcome.refused where isHeld(error) {
                fate.heldBack.insert(entry.id)
                // In the outbox it says where it is to be confirmed.
                if !ids.contains(entry.id) { fate.entries[entry.id] = nil }
                report(error, entry, "a batch is kept, as the broker does not allow its topic")
            }
            guard fate.refused.isEmpty else {
                fate.confirmed.formUnion(try await outbox.takeBack(kept.map(\.id), published: fate.published.intersection(ids)))
                return false
            }
            try await replies.publish(result.refusals.map { $0.reply(at: time) } + result.settledReceiptRequests.map { $0.reply() })
            return true
        } catch {
            try await outbox.forget(kept.map(\.id))
            throw error
        }
    }

    /// A Boolean value that indicates whether it is about the batch's topic: for an operator to mend, and no fault of what was measured.
    private func isHeld(_ error: BusError) -> Bool { error.concernsMessage && error.code != .messageTooLarge }

    private func note(_ error: BusError, of entry: OutboxEntry, in result: inout IngestResult) {
        guard error.code == .messageTooLarge else { return }
        if result.divide(entry.id) {
            largest.lower(below: entry.payload.count)
        } else {
            report(error, entry, "a reading is refused, as the broker takes no message as large")
        }
    }

    /// The batch, or parts of it in order, each of no more bytes than the broker has shown to take unless it is a single observation.
    private func parts(of batch: BatchAssembler.Closed, _ fate: inout Fate) -> [BatchAssembler.Closed] {
        let id = batch.batch.id
        let entry = fate.entries[id] ?? batch.entry(confirmations: isKept(batch, fate) ? confirmations : nil)
        let isDone = fate.published.contains(id) || fate.heldBack.contains(id)
        guard !isDone, batch.batch.count > 1, entry.payload.count > largest.bytes else {
            fate.entries[id] = entry
            return [batch]
        }
        return batch.halves.flatMap { parts(of: $0, &fate) }
    }

    private func report(_ error: BusError, _ entry: OutboxEntry, _ what: StaticString) {
        metrics.unpublishable.add()
        log?.error(what, ["topic": entry.topic, "bytes": "\(entry.payload.count)", "error": "\(error)"])
    }

    private func isKept(_ batch: BatchAssembler.Closed, _ fate: Fate) -> Bool {
        keeping == .all || batch.line != nil || !batch.receiptRequests.isEmpty || fate.heldBack.contains(batch.batch.id)
    }

    /// The batches that stay in the outbox, which say so, and the others.
    private func split(_ batches: [BatchAssembler.Closed], _ fate: Fate) -> (kept: [OutboxEntry], others: [OutboxEntry]) {
        var kept: [OutboxEntry] = [], others: [OutboxEntry] = []
        for batch in batches where !fate.confirmed.contains(batch.batch.id) {
            guard let entry = fate.entries[batch.batch.id] else { continue }
            if isKept(batch, fate) { kept.append(entry) } else { others.append(entry) }
        }
        return (kept, others)
    }

    private func keep(_ entries: [OutboxEntry], _ result: IngestResult, at time: Timestamp) async throws {
        guard !entries.isEmpty || !result.stamps.isEmpty else { return }
        stamps.note(result.stamps)
        try await outbox.keep(
            entries, receiptRequests: result.receiptRequests, stamps: result.stamps, stale: stamps.takeStale(), now: time)
        metrics.show(await outbox.load)
    }

    private func waitForRoom() async throws {
        while await outbox.load.bytes > limit { try await clock.sleep(for: .milliseconds(200)) }
    }

    private func publish(_ entries: [OutboxEntry], _ fate: Fate) async -> BatchLanes.Outcome {
        let waiting = entries.filter { $0.line == nil && !fate.published.contains($0.id) && !fate.heldBack.contains($0.id) }
        return await BatchLanes(publisher: publisher).publish(waiting) { isHeld($0) }
    }
}

/// The most bytes of a batch, as the broker has shown it. Threading: from anywhere.
private final class LargestBatch: Sendable {
    private static let least = 16 << 10
    private let state = Mutex(BatchAssembler.Closed.largest)

    var bytes: Int { state.withLock { $0 } }

    /// Notes that one of so many was too large.
    func lower(below bytes: Int) { state.withLock { $0 = max(Self.least, min($0, bytes / 2)) } }
}
