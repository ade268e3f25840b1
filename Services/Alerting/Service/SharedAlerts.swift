import MessageBus
import Observability
import ServiceKit
import Settings
import Shares
import Synchronization
import TimelineStore
import VigilSchema

/// A replica of `vigil-alert`: judges the participants of the shares that it owns, each share with a core, state and connections of its own.
///
/// What there is once, whoever does it, is the owner of one share's: answers to what is asked of nobody in particular, and the heartbeat.
struct SharedAlerts: Sendable {
    /// Tells all shares that the rule files are to be read again.
    private static let reloads = "\(Topic.prefix)modules/vigil-alert/reload"
    /// The time after which a share that committed nothing counts as not judged.
    private static let silence = "30 seconds"

    private let work: AlertWork
    private let configuration: PostgresConfiguration
    private let state: PostgresState
    private let connections: ShareConnections
    private let coordinators = ShareCoordinators()

    init(_ work: AlertWork, _ configuration: PostgresConfiguration) {
        (self.work, self.configuration) = (work, configuration)
        state = PostgresState(configuration, AlertSchema.schema)
        connections = ShareConnections("observations", work.context)
        ShareAlertMetrics.register(coordinators, work.context.metrics)
    }

    func members(shares: Int) -> [ServiceGroup.Member] {
        [
            ServiceGroup.Member("reload") { [coordinators] in for await _ in Hangups.stream() { coordinators.requestReload() } },
            work.context.sharedWork(state.leases, shares: shares) { try await members(of: $0) },
        ]
    }

    /// Loads the share's state; what it returns connects, which ends the connections of whoever had the share before.
    private func members(of owned: OwnedShare) async throws -> [ServiceGroup.Member] {
        let (share, log) = (owned.share, work.context.logger.with(["share": "\(owned.share)"]))
        let (marker, feed) = (AlertWork.marker("\(share)"), work.feed())
        let store = try await PostgresAlertStore.open(
            PostgresState(configuration, AlertSchema.schema), share: share, hold: owned.hold, log: log)
        guard let commits = store.commits else { return [] }
        let core = try AlertCore(
            store: store, rules: work.files, markerTopic: marker, capacity: work.capacity, feed: feed, share: share, counts: work.counts,
            now: .now)
        let publisher = try connections.publisher(share, "alerts")
        let held = HeldOutputs(commits: commits, log: log)
        let coordinator = work.coordinator(
            core, feed, publisher: share.count == 1 ? publisher.publisher : SharedTopics(publisher.publisher),
            sharing: .init(share: share, held: held, reloads: Self.reloads))
        let consumer = try connections.consumer(
            share, Self.observations(of: share) + work.asked(marker) + [Subscription(Self.reloads, retainHandling: .never)])
        let requests = OwnRequests(batches: consumer.batches) { message in
            guard message.topic == Self.reloads else { return share.takes(message) }
            coordinator.requestReload(Self.cause(message.payload))
            return false
        }
        let pipeline = SharedAlertPipeline(batches: try work.guarded(requests), coordinator: coordinator, held: held)
        return [
            publisher.member,
            ServiceGroup.Member("state", draining: .request { commits.drain() }) { try await commits.run() },
            // Drained after what hands it errands.
            coordinator.questionsMember,
            ServiceGroup.Member("delivery", draining: .request { held.drain() }) { [coordinators] in
                try await coordinators.with(coordinator, commits) { try await coordinator.deliverHeld() }
            },
        ] + work.tellers(core, coordinator, feed, share: share) { await areAllJudged(shares: share.count) } + [
            ServiceGroup.Member("ticker", AlertTicker(coordinator: coordinator, log: log)),
            ServiceGroup.Member("reload") { try await coordinator.runReloads() },
            ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself),
            consumer.member,
        ]
    }

    /// What another share has taken; a replica of the version before does not say it.
    private static func cause(_ payload: [UInt8]) -> RuleAdoption.Cause {
        .found(digest: payload.isEmpty ? nil : String(decoding: payload.prefix(64), as: UTF8.self))
    }

    /// With a single share the publishers may know of none.
    private static func observations(of share: Share) -> [Subscription] {
        let filters = share.count == 1 ? Topic.Filter.readings + Topic.Filter.derived : [share.readings, share.derived]
        return filters.map { Subscription($0, retainHandling: .never) }
    }

    /// Returns whether every share's core, at whichever replica, has said within half a minute that it works.
    private func areAllJudged(shares: Int) async -> Bool {
        // A database that does not answer is a reason for the monitor to be told.
        let count = try? await state.transaction { connection throws(StoreError) in
            try connection.rows("SELECT count(*) FROM share WHERE noted > now() - interval '\(Self.silence)'").first?.integer(0)
        }
        return count.map { $0 >= Int64(shares) } ?? false
    }
}

/// The coordinators of the shares that a replica works on. Threading: from anywhere.
final class ShareCoordinators: Sendable {
    private let present = Mutex<[ObjectIdentifier: (coordinator: AlertCoordinator, commits: CommitQueue)]>([:])

    /// Runs the work of one.
    func with(_ coordinator: AlertCoordinator, _ commits: CommitQueue, _ body: @Sendable () async throws -> Void) async throws {
        present.withLock { $0[ObjectIdentifier(coordinator)] = (coordinator, commits) }
        defer { present.withLock { $0[ObjectIdentifier(coordinator)] = nil } }
        try await body()
    }

    func requestReload() { for one in present.withLock({ Array($0.values) }) { one.coordinator.requestReload() } }

    /// The commits that are not durable yet, and the time in seconds for which the oldest has waited.
    var waiting: (count: Int, seconds: Double) {
        present.withLock { $0.values.map(\.commits) }.reduce((0, 0)) { ($0.0 + $1.count, max($0.1, $1.age / .seconds(1))) }
    }
}
