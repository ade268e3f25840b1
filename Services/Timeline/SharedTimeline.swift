import MessageBus
import ServiceKit
import Settings
import Shares
import TimelineStore
import VigilSchema

/// A replica of `vigil-timeline`: stores the observations of its shares, each share with its own sessions.
///
/// Each session has one filter, because brokers that have a consumer for each filter are slow with many. Single tasks
/// belong to the owner of a certain share: answers, alert transitions, the audit trail, retention. Every commit of bus
/// data holds the share's lease.
struct SharedTimeline: Sendable {
    /// The single tasks, by the share whose owner does them, modulo the number of shares; most have different owners.
    private enum Duty: Int {
        case alertEvents, queries, audit, retention, strays

        /// Whether the owner of the share does it.
        func belongs(to share: Share) -> Bool { share.number == rawValue % share.count }
    }

    private let work: TimelineWork
    private let observations: ShareConnections
    private let history: ShareConnections
    private let alertEvents: ShareConnections
    private let questions: ShareConnections
    private let told: ShareConnections
    private let strays: ShareConnections

    init(_ work: TimelineWork) {
        self.work = work
        let connections = { ShareConnections($0, work.context) }
        (observations, history) = (connections("observations"), connections("history"))
        (alertEvents, questions) = (connections("alert-events"), connections("queries"))
        (told, strays) = (connections("audit"), connections("strays"))
    }

    /// - Throws: `ConfigurationError` for a store that replicas cannot share.
    func members(shares: Int) throws -> [ServiceGroup.Member] {
        guard let store = work.store as? PostgresStore else {
            throw ConfigurationError(
                name: "--shares",
                problem: .malformed(value: "\(shares)", accepts: "1, unless --store is a PostgreSQL URI: replicas share one database"))
        }
        return [
            try work.watch(), try work.context.diskWatch(),
            work.context.sharedWork(store.leases, shares: shares) { try members(of: $0, store) },
        ]
    }

    private func members(of owned: OwnedShare, _ store: PostgresStore) throws -> [ServiceGroup.Member] {
        let (share, held) = (owned.share, store.holding(owned.hold))
        let live = try observations.consumer(share, [Subscription(share.observations)]) {
            TimelineWork.limitLive(&$0)
            $0.formerFilters = share.partitions.map { "\(Topic.prefix)observations/\($0)/#" }
        }
        let imported = try history.consumer(share, [Subscription(share.history)]) {
            TimelineWork.limitFew(&$0)
            $0.formerFilters = share.partitions.map { Topic.history($0).path }
        }
        return try [work.writer(live.batches, .live, to: held), work.writer(imported.batches, .history, to: held)]
            + duties(of: share, held) + [imported.member, live.member]
    }

    private func duties(of share: Share, _ held: PostgresStore) throws -> [ServiceGroup.Member] {
        var members: [ServiceGroup.Member] = []
        if Duty.retention.belongs(to: share) { members.append(try work.retention()) }
        if Duty.audit.belongs(to: share) {
            let consumer = try told.consumer(share, TimelineWork.told, adjust: TimelineWork.limitFew)
            members += try [work.audit(consumer.batches)] + work.accountChanges() + [consumer.member]
        }
        if Duty.queries.belongs(to: share) {
            let consumer = try questions.consumer(share, TimelineWork.questions, adjust: TimelineWork.forget)
            members += [work.queries(consumer.batches), consumer.member]
        }
        if Duty.alertEvents.belongs(to: share) {
            let consumer = try alertEvents.consumer(share, [Subscription(Topic.Filter.alertEvents)], adjust: TimelineWork.limitLive)
            members += [work.writer(consumer.batches, .live, to: held), consumer.member]
        }
        if Duty.strays.belongs(to: share) {
            let plain = Topic.Filter.plainObservations.map { Subscription($0, retainHandling: .never) }
            let consumer = try strays.consumer(share, plain, adjust: TimelineWork.limitLive)
            members += [work.forwarder(consumer.batches), consumer.member]
        }
        return members
    }
}
