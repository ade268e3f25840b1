package import Observability
import ServiceKit
package import VigilSchema

/// Tells what is wrong with devices to whoever reads the bus: technical rules raise alerts on it, and the timeline keeps it.
package struct DeviceStatusReporter: Service {
    private let tracker: DeviceStatusTracker
    private let delivery: Delivery
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        tracker: DeviceStatusTracker, delivery: Delivery, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.tracker = tracker
        self.delivery = delivery
        self.log = log
        self.clock = clock
        self.now = now
    }

    /// Looks once a second, until it is cancelled.
    package func run() async throws {
        while true {
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
            await tellDue()
        }
    }

    /// Tells what is due now.
    package func tellDue() async {
        let time = now()
        let due = tracker.due(at: time)
        guard !due.isEmpty else { return }
        do {
            try await delivery.deliver(Self.result(due, at: time), at: time)
        } catch {
            tracker.putBack(due)
            log.warning("the status of devices was not published", ["participants": "\(due.count)", "error": "\(error)"])
        }
    }

    private static func result(_ due: [DeviceStatusTracker.Due], at time: Timestamp) -> IngestResult {
        var assembler = BatchAssembler()
        for due in due {
            let observation = Observation(metric: due.aspect.metric, time: time, content: due.content, unit: due.aspect.unit)
            let address = DeviceAddress(participant: due.participant, device: sourceName)
            assembler.add(observation, from: address, session: nil, received: time)
        }
        var result = IngestResult()
        result.batches = assembler.finish(at: time)
        return result
    }

    private static let sourceName = "vigil-ingest"
}
