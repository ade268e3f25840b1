package import MessageBus
package import Observability
import ServiceKit
import Settings
package import VigilSchema

/// Takes what devices send, publishes it in canonical batches, and acknowledges it only once the broker has those and the
/// outbox is on disk.
///
/// A message that is wrong goes to `rejects/…` and is acknowledged, so that it cannot come again and again. When publishing fails
/// the batch is given back, and the broker sends it again. Order of one device is kept between batches, because the next is taken
/// only after the last is settled.
package struct IngestPipeline<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let delivery: Delivery
    private let reader: MessageReader
    private let policy: @Sendable () -> IngestPolicy
    private let latest: LatestValueCache
    private let statuses: DeviceStatusTracker
    private let stamps: ArrivalStamps
    private let metrics: IngestMetrics
    private let log: Logger
    private let now: @Sendable () -> Timestamp

    package init(
        batches: Batches, delivery: Delivery, reader: MessageReader, metrics: IngestMetrics, log: Logger,
        policy: @escaping @Sendable () -> IngestPolicy = { IngestPolicy() }, latest: LatestValueCache = LatestValueCache(),
        statuses: DeviceStatusTracker = DeviceStatusTracker(), stamps: ArrivalStamps = ArrivalStamps(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.batches = batches
        self.delivery = delivery
        self.reader = reader
        self.policy = policy
        self.latest = latest
        self.statuses = statuses
        self.stamps = stamps
        self.metrics = metrics
        self.log = log
        self.now = now
    }

    package func run() async throws {
        var reader = reader
        for try await batch in batches {
            await handle(batch, &reader)
        }
    }

    private func handle(_ batch: MessageBatch, _ reader: inout MessageReader) async {
        let start = ContinuousClock.now
        let received = now()
        metrics.messages.add(batch.messages.count)
        metrics.inFlight.set(Double(batch.messages.count))
        let policy = policy()
        let known = stamps.known
        var result = reader.read(batch.messages, received: received, policy: policy.devices, known: known)
        do {
            result = try await delivery.deliver(result, at: received)
            statuses.note(result.notices, at: received)
            statuses.note(batteries: result.batteries, read: result.readBatteries, at: received)
            if policy.publishesLatest { latest.note(result.batches.map(\.batch)) }
            reader.commit()
            stamps.settled(result.stamps, messages: batch.messages.count, over: known.connection)
            batch.settle(.committed)
            count(result)
            metrics.latency.observe(start.duration(to: .now))
        } catch {
            reader.rollBack()
            batch.settle(.rejected)
            log.error("batch given back", ["messages": "\(batch.messages.count)", "error": "\(error)"])
        }
        metrics.inFlight.set(0)
    }

    private func count(_ result: IngestResult) {
        metrics.accepted.add(result.accepted)
        metrics.refused.add(result.refused)
        metrics.batches.add(result.batches.count)
        metrics.heldBack.add(result.heldBack)
        metrics.tooFast.add(result.tooFast)
        metrics.deferred.add(result.deferred)
        for notice in result.notices {
            log.warning(
                "device noticed",
                ["participant": notice.address.participant, "device": notice.address.device, "what": notice.description])
        }
        guard let first = result.refusals.first else { return }
        log.warning(
            "readings refused",
            [
                "count": "\(result.refused)", "participant": first.address.participant, "device": first.address.device,
                "code": first.error.code.rawValue, "reason": first.error.reason,
            ])
    }
}

extension BatchAssembler.Closed {
    /// As it goes to the bus and to the outbox.
    /// - Parameter confirmations: where the timeline is to confirm it; nil where it need not.
    func entry(confirmations: String?) -> OutboxEntry {
        var batch = batch
        batch.confirmations = confirmations
        return OutboxEntry(
            id: batch.id, topic: topic.path, payload: BatchEncoder.encode(batch), receiptRequests: receiptRequests, line: line)
    }
}

/// The settings that change while ingest runs; looked up for each delivery.
package struct IngestPolicy: Sendable, Hashable {
    package var devices: DevicePolicy
    /// A Boolean value that indicates whether the newest reading of each series is published, retained.
    package var publishesLatest: Bool

    package init(devices: DevicePolicy = DevicePolicy(), publishesLatest: Bool = false) {
        self.devices = devices
        self.publishesLatest = publishesLatest
    }

    /// A running service's policy, as its parameters have it at the moment it is asked for.
    /// - Parameter isOneOfSeveral: Another process may take its place, and knows nothing of which device was bound here: none is, whatever was set before.
    static func live(_ context: ServiceContext, isOneOfSeveral: Bool = false) async throws -> @Sendable () -> IngestPolicy {
        let (exchange, configuration) = (context.exchange, context.configuration)
        let corrects = try await exchange.live(SensorIngestService.correctClocks, configuration)
        let binds = isOneOfSeveral ? nil : try await exchange.live(SensorIngestService.bindDevices, configuration)
        if isOneOfSeveral { exchange.add(unbound) }
        let rate = try await exchange.live(SensorIngestService.rateLimit, configuration)
        let budget = try await exchange.live(SensorIngestService.readingBudget, configuration)
        let latest = try await exchange.live(SensorIngestService.latest, configuration)
        let zone = try wearerZone(configuration)
        return {
            let devices = DevicePolicy(
                correctsClocks: corrects.current, bindsDevices: binds?.current ?? false,
                rate: rate.current == 0 ? nil : Double(rate.current), budget: budget.current == 0 ? nil : Double(budget.current),
                zone: zone)
            return IngestPolicy(devices: devices, publishesLatest: latest.current)
        }
    }

    /// - Throws: `ConfigurationError` where there is no such time zone.
    private static func wearerZone(_ configuration: Configuration) throws -> DayZone {
        guard let name = try configuration[SensorIngestService.zone] else { return .ofMachine }
        guard let zone = DayZone(identifier: name) else {
            throw ConfigurationError(name: "--zone", problem: .malformed(value: name, accepts: "an IANA name such as Europe/Berlin"))
        }
        return zone
    }

    private static let unbound = Parameter(
        name: SensorIngestService.bindDevices.declaration.name, kind: .boolean,
        description: "Off with --state: the next one would bind devices anew. Bind them one by one with bindings.",
        read: { .boolean(false) })
}

/// The counters of ingest. received = accepted + refused + held back, in readings.
package struct IngestMetrics: Sendable {
    package let messages: Counter
    package let accepted: Counter
    package let refused: Counter
    package let heldBack: Counter
    package let tooFast: Counter
    package let deferred: Counter
    package let batches: Counter
    package let inFlight: Gauge
    package let latency: Histogram

    package init(_ registry: MetricsRegistry) {
        messages = registry.counter("vigil_ingest_messages_total", help: "Messages received from devices")
        accepted = registry.counter("vigil_ingest_readings_accepted_total", help: "Readings normalised and published to the bus")
        refused = registry.counter(
            "vigil_ingest_readings_refused_total", help: "Readings refused; a message refused as a whole counts as one")
        heldBack = registry.counter(
            "vigil_ingest_readings_held_back_total", help: "Repeated equal readings of a device that were not published again")
        tooFast = registry.counter(
            "vigil_ingest_too_fast_total", help: "Messages refused because their device exceeded its rate limit")
        deferred = registry.counter(
            "vigil_ingest_readings_deferred_total", help: "Readings beyond their device's budget, which wait in its own queue")
        batches = registry.counter("vigil_ingest_batches_total", help: "Canonical batches published")
        inFlight = registry.gauge("vigil_ingest_messages_in_flight", help: "Messages received and not yet acknowledged")
        latency = registry.histogram(
            "vigil_ingest_settle_seconds", help: "Time from receiving a batch of messages to the broker's acknowledgement of all results")
    }
}
