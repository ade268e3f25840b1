package import MessageBus
package import Observability
import Settings
package import VigilSchema

/// Tells the bus how much room the disk of a service's state folder has, as `TechnicalMetric.diskStatus` of this instance: `vigil-alert`'s
/// technical rules judge it like any other reading, before the disk is full and nothing can be stored.
package struct DiskWatch: Service {
    private static let interval = Duration.seconds(30)
    /// The interval of repetitions, for new subscribers.
    private static let repetition = 600.0

    private let look: @Sendable () -> DiskSpace?
    private let publisher: any MessagePublisher
    private let service: String
    private let participant: String
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        publisher: any MessagePublisher, service: String, instance: String, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp, look: @escaping @Sendable () -> DiskSpace?
    ) {
        self.look = look
        self.publisher = publisher
        self.service = service
        participant = TechnicalMetric.participant(service: service, instance: instance)
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        var told: (level: DiskSpace.Level, time: Timestamp)?
        var isReadable = true
        while true {
            // Cancelled: nothing is pending.
            do { try await clock.sleep(for: Self.interval) } catch { return }
            guard let space = look() else {
                if isReadable { log.warning("the room on the disk of the state folder cannot be read; nobody would be told that it fills") }
                isReadable = false
                continue
            }
            isReadable = true
            let level = space.level(after: told?.level)
            if isDue(level, told), await publish(level, space) { told = (level, now()) }
        }
    }

    private func isDue(_ level: DiskSpace.Level, _ told: (level: DiskSpace.Level, time: Timestamp)?) -> Bool {
        guard let told, told.level == level else { return true }
        // Also if the clock was set back.
        return level != .ample && abs(now().seconds - told.time.seconds) >= Self.repetition
    }

    private func publish(_ level: DiskSpace.Level, _ space: DiskSpace) async -> Bool {
        if level != .ample { log.warning("the disk of the state folder fills", ["room": space.description]) }
        do {
            try await publisher.publish(
                technical: TechnicalMetric.diskStatus, level.rawValue, of: participant, source: service, at: now())
            return true
        } catch {
            log.warning("the disk's status could not be published", ["error": "\(error)"])
            return false
        }
    }
}

extension ServiceContext {
    /// The member that watches the disk of the service's state folder. For services that may publish readings.
    package func diskWatch() throws -> ServiceGroup.Member {
        let folder = try self[CommonSettings.stateFolder]
        let watch = DiskWatch(
            publisher: publisher, service: service, instance: instance, log: logger, now: { .now }, look: { DiskSpace(folder: folder) })
        return ServiceGroup.Member("disk watch", watch)
    }
}
