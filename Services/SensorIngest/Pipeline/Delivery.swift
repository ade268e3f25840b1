package import MessageBus
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
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - replies: Sends receipts and rejects.
    ///   - limit: bytes in the outbox beyond which nothing more is taken until some are confirmed.
    ///   - confirmations: the topic on which confirmations are awaited.
    package init(
        publisher: any MessagePublisher, replies: ReplyPublisher? = nil, outbox: Outbox, stamps: ArrivalStamps = ArrivalStamps(),
        keeping: Keeping = .all, limit: Int = 4 << 30, confirmations: String, metrics: OutboxMetrics,
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
        self.clock = clock
    }

    /// Returns once the broker has everything and the outbox is on disk. Throws when either fails; nothing is kept then.
    package func deliver(_ result: IngestResult, at time: Timestamp) async throws {
        let (kept, others) = split(result.batches)
        if !kept.isEmpty { try await waitForRoom() }
        await outbox.announce(kept.map(\.id))
        do {
            // What was stamped here must be found again before anything of it can be stored.
            if !result.stamps.isEmpty { try await keep(kept, result, at: time) }
            async let keeping: Void = result.stamps.isEmpty ? keep(kept, result, at: time) : ()
            try await publish(kept + others)
            try await keeping
            try await replies.publish(result.refusals.map { $0.reply(at: time) } + result.settledReceiptRequests.map { $0.reply() })
        } catch {
            try await outbox.forget(kept.map(\.id))
            throw error
        }
    }

    /// The batches that stay in the outbox, which say so, and the others.
    private func split(_ batches: [BatchAssembler.Closed]) -> (kept: [OutboxEntry], others: [OutboxEntry]) {
        var kept: [OutboxEntry] = [], others: [OutboxEntry] = []
        for batch in batches {
            if keeping == .all || !batch.receiptRequests.isEmpty {
                kept.append(batch.entry(confirmations: confirmations))
            } else {
                others.append(batch.entry(confirmations: nil))
            }
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

    private func publish(_ entries: [OutboxEntry]) async throws {
        try await withThrowingTaskGroup { tasks in
            for entry in entries { tasks.addTask { try await publisher.publish(entry.message) } }
            try await tasks.waitForAll()
        }
    }
}
