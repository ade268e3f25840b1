package import MessageBus
package import Observability
package import ServiceKit
package import VigilSchema

/// Publishes the free space of the state folder's disk, as `TechnicalMetric.diskStatus` of this instance. The technical
/// rules of `vigil-alert` judge it like any other reading, before the disk is full and nothing can be stored.
package struct DiskWatch: Service {
    private static let interval = Duration.seconds(30)
    /// The interval of repetitions, for new subscribers.
    private static let repetition = 600.0

    private let look: @Sendable () -> DiskSpace?
    private let publisher: any MessagePublisher
    private let participant: String
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        publisher: any MessagePublisher, instance: String, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp, look: @escaping @Sendable () -> DiskSpace?
    ) {
        self.look = look
        self.publisher = publisher
        participant = TechnicalMetric.participant(service: "vigil-timeline", instance: instance)
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        var told: (level: DiskSpace.Level, time: Timestamp)?
        while true {
            // Cancelled: nothing is pending.
            do { try await clock.sleep(for: Self.interval) } catch { return }
            if let space = look(), isDue(space.level, told), await publish(space) { told = (space.level, now()) }
        }
    }

    private func isDue(_ level: DiskSpace.Level, _ told: (level: DiskSpace.Level, time: Timestamp)?) -> Bool {
        guard let told, told.level == level else { return true }
        // Also if the clock was set back.
        return level != .ample && abs(now().seconds - told.time.seconds) >= Self.repetition
    }

    private func publish(_ space: DiskSpace) async -> Bool {
        if space.level != .ample { log.warning("the disk of the state folder fills", ["room": space.remark]) }
        let time = now()
        let status = Observation(metric: TechnicalMetric.diskStatus, time: time, content: .text(space.level.rawValue), unit: "1")
        let group = ObservationGroup(participant: participant, source: "vigil-timeline", received: time, observations: [status])
        do {
            try await publisher.publish(
                OutgoingMessage(
                    topic: Topic.readings(Partition(participant: participant)).path,
                    payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: time), groups: [group])),
                    properties: MessageProperties(contentType: MediaType.json)))
            return true
        } catch {
            log.warning("the disk's status could not be published", ["error": "\(error)"])
            return false
        }
    }
}
