import MessageBus
import Observability
import ServiceKit
import Settings
import Shares
import Synchronization
import TimelineStore
import VigilSchema

/// A replica of `vigil-alert`: judges the participants of its shares, each share with its own core, state and
/// connections.
///
/// The owner of one share does the single tasks: answers about nobody in particular, and the heartbeat.
struct SharedAlerts: Sendable {
    /// The topic on which all shares are asked to read the rule files again.
    private static let reloads = "\(Topic.prefix)modules/vigil-alert/reload"
    /// The time without a commit after which a share counts as not judged.
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
            ServiceGroup.Member("reload") { [coordinators] in for await _ in ReloadSignals.stream() { coordinators.requestReload() } },
            work.context.sharedWork(state.leases, shares: shares) { try await members(of: $0) },
        ]
    }

    /// Loads the share's state. What it returns then connects, which ends the connections of the former owner.
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
        let held = PendingOutputs(commits: commits, log: log)
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
            // Drained after its sources.
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

    /// What another share has adopted; a replica of the previous version does not say it.
    private static func cause(_ payload: [UInt8]) -> RuleAdoption.Cause {
        .found(digest: payload.isEmpty ? nil : String(decoding: payload.prefix(64), as: UTF8.self))
    }

    /// With a single share, publishers may not use shares.
    private static func observations(of share: Share) -> [Subscription] {
        let filters = share.count == 1 ? Topic.Filter.readings + Topic.Filter.derived : [share.readings, share.derived]
        return filters.map { Subscription($0, retainHandling: .never) }
    }

    /// Returns whether every share's core, at any replica, has reported within half a minute that it works.
    private func areAllJudged(shares: Int) async -> Bool {
        // If the database does not answer, the heartbeat must stop.
        let count = try? await state.transaction { connection throws(StoreError) in
            try connection.rows("SELECT count(*) FROM share WHERE noted > now() - interval '\(Self.silence)'").first?.integer(0)
        }
        return count.map { $0 >= Int64(shares) } ?? false
    }
}

/// The coordinators of a replica's shares. Threading: callable from any task.
final class ShareCoordinators: Sendable {
    private let present = Mutex<[ObjectIdentifier: (coordinator: AlertCoordinator, commits: CommitQueue)]>([:])

    /// Runs one of them.
    func with(_ coordinator: AlertCoordinator, _ commits: CommitQueue, _ body: @Sendable () async throws -> Void) async throws {
        present.withLock { $0[ObjectIdentifier(coordinator)] = (coordinator, commits) }
        defer { present.withLock { $0[ObjectIdentifier(coordinator)] = nil } }
        try await body()
    }

    func requestReload() { for one in present.withLock({ Array($0.values) }) { one.coordinator.requestReload() } }

    /// The number of commits that are not durable yet, and the age of the oldest in seconds.
    var waiting: (count: Int, seconds: Double) {
        present.withLock { $0.values.map(\.commits) }.reduce((0, 0)) { ($0.0 + $1.count, max($0.1, $1.age / .seconds(1))) }
    }
}
