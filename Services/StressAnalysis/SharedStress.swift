import Access
import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import Shares
import TimelineStore
import VigilSchema

/// A replica of `vigil-stress`: analyses the participants of the shares that it owns, each share with an engine and a session of its own.
struct SharedStress: Sendable {
    private let work: StressWork
    private let state: PostgresState
    private let connections: ShareConnections
    private let kept = KeptEngines()

    init(_ work: StressWork, _ state: PostgresState) {
        (self.work, self.state) = (work, state)
        connections = ShareConnections("observations", work.context)
    }

    func members(shares: Int) async throws -> [ServiceGroup.Member] {
        try await adopt(shares: shares)
        return [work.context.sharedWork(state.leases, shares: shares) { try members(of: $0) }]
    }

    private func members(of owned: OwnedShare) throws -> [ServiceGroup.Member] {
        let share = owned.share
        // One filter takes readings and waveforms, and also what is derived: it is passed over by its source.
        let filters = [share.observations, Topic.Filter.requests(to: "stress")]
        let consumer = try connections.consumer(share, filters.map { Subscription($0, retainHandling: .never) })
        let source = ShareEngine(
            state: PostgresStressState(state, share: share, hold: owned.hold), kept: kept,
            log: work.context.logger.with(["share": "\(share)"]))
        return [work.pipeline(OwnStressRequests(batches: consumer.batches, share: share), source), consumer.member]
    }

    /// What one process without replicas has kept here goes to the database, once.
    private func adopt(shares: Int) async throws {
        guard FileManager.default.fileExists(atPath: try work.context.stateFile("state.sqlite")) else { return }
        let former = SQLiteProfileStore(try work.context.state(SQLiteProfileStore.migrations))
        let profiles = try await former.all()
        guard !profiles.isEmpty else { return }
        try await PostgresStressState.adopt(profiles, shares: shares, into: state)
        try await former.remove(Set(profiles.keys))
        work.context.logger.notice("the profiles of the state file are in the database now", ["profiles": "\(profiles.count)"])
    }
}

/// A share's messages without the requests about other shares' participants: those reach every share, and one answers.
///
/// Of a request that names nobody, or cannot be read, it is the first. Batches are settled as before.
struct OwnStressRequests<Batches: AsyncSequence & Sendable>: AsyncSequence, Sendable where Batches.Element == MessageBatch {
    typealias Element = MessageBatch

    let batches: Batches
    let share: Share

    func makeAsyncIterator() -> Iterator { Iterator(batches: batches.makeAsyncIterator(), share: share) }

    /// Looks through one batch after the other.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var batches: Batches.AsyncIterator
        fileprivate let share: Share

        mutating func next() async throws -> MessageBatch? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> MessageBatch? {
            while let batch = try await batches.next(isolation: actor) {
                let own = batch.messages.filter(isOwn)
                if own.count == batch.messages.count { return batch }
                if !own.isEmpty { return MessageBatch(messages: own) { batch.settle($0) } }
                batch.settle(.committed)
            }
            return nil
        }

        private func isOwn(_ message: IncomingMessage) -> Bool {
            guard case .request? = try? Topic(parsing: message.topic) else { return !message.topic.hasSuffix("/derived") }
            let fields = (try? JSONSerialization.jsonObject(with: Data(message.payload))) as? [String: Any]
            guard let participant = fields?["participant"] as? String else { return share.number == 0 }
            return Int(Partition(participant: participant).number) % share.count == share.number
        }
    }
}
