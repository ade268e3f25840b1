package import MessageBus
package import Observability
import ServiceKit
import Synchronization
package import TimelineStore
package import VigilSchema

/// Publishes whether the database can be reached and written, as `TechnicalMetric.databaseStatus` of this instance. The
/// technical rules of `vigil-alert` judge it like any other reading.
package struct DatabaseWatch: Service {
    /// The interval of checks of the database.
    private static let interval = Duration.seconds(5)

    private let store: any TimelineStore
    private let health: StoreHealth
    private let publisher: any MessagePublisher
    private let participant: String
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        store: any TimelineStore, health: StoreHealth, publisher: any MessagePublisher, instance: String, log: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.health = health
        self.publisher = publisher
        participant = TechnicalMetric.participant(service: "vigil-timeline", instance: instance)
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        var reports = DatabaseReports()
        repeat {
            let isReachable = await isReachable()
            let time = now()
            if reports.isDue(isReachable, at: time), await publish(isReachable, at: time) { reports.note(isReachable, at: time) }
            // Cancelled: nothing is pending.
            do { try await clock.sleep(for: Self.interval) } catch { return }
        } while true
    }

    private func isReachable() async -> Bool {
        do {
            try await store.ping()
            return !health.writingFails
        } catch {
            return false
        }
    }

    private func publish(_ isReachable: Bool, at time: Timestamp) async -> Bool {
        do {
            try await publisher.publish(
                technical: TechnicalMetric.databaseStatus, isReachable ? "reachable" : "unreachable", of: participant,
                source: "vigil-timeline",
                at: time)
            return true
        } catch {
            log.warning("the database's status could not be published", ["error": "\(error)"])
            return false
        }
    }
}

/// Decides when the state of the database is published: at first, after a change, and every half minute while it is
/// unreachable, for new subscribers.
package struct DatabaseReports: Sendable {
    private static let repetition = 30.0

    private var told: (isReachable: Bool, time: Timestamp)?

    package init() {}

    /// Returns whether the state must be published now.
    package func isDue(_ isReachable: Bool, at time: Timestamp) -> Bool {
        guard let told, told.isReachable == isReachable else { return true }
        // Also if the clock was set back.
        return !isReachable && (time < told.time || time.seconds - told.time.seconds >= Self.repetition)
    }

    /// Notes the publication.
    package mutating func note(_ isReachable: Bool, at time: Timestamp) { told = (isReachable, time) }
}

/// Whether the writer's last transaction failed: a database that answers may have no space to write.
package final class StoreHealth: Sendable {
    private let fails = Atomic<Bool>(false)

    package init() {}

    package var writingFails: Bool {
        get { fails.load(ordering: .relaxed) }
        set { fails.store(newValue, ordering: .relaxed) }
    }
}
