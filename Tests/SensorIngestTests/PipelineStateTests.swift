import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("What a delivery leaves behind once it is settled", .timeLimit(.minutes(1)))
struct PipelineStateTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let line = "0#0#0#0#0#36.9#0#0#-1#-1#0#0#"

    private let publisher = InMemoryPublisher()
    private let deviceRules = DeviceRules()
    private let statuses = DeviceStatusTracker()
    private let stamps = ArrivalStamps()
    private let registry = MetricsRegistry()

    /// Runs the pipeline over deliveries, five seconds apart, and returns how each was settled.
    private func run(
        _ deliveries: [[IncomingMessage]], keeping: Delivery.Keeping = .all, outbox: Outbox? = nil, rate: Double? = nil,
        from first: Timestamp = Self.start
    ) async throws -> [MessageBatch.Outcome] {
        let source = BatchSource(), received = Mutex(first)
        let fresh = try await Outbox(path: ":memory:")
        let delivery = Delivery(
            publisher: publisher, outbox: outbox ?? fresh, stamps: stamps, keeping: keeping, confirmations: "confirmations",
            metrics: OutboxMetrics(MetricsRegistry()))
        let pipeline = IngestPipeline(
            batches: source, delivery: delivery, reader: MessageReader(deviceRules: deviceRules), metrics: IngestMetrics(registry),
            log: Logger(service: "test", level: .error, sink: { _ in }), policy: { IngestPolicy(devices: DevicePolicy(rate: rate)) },
            statuses: statuses, stamps: stamps,
            now: {
                received.withLock { time in
                    defer { time = time.advanced(bySeconds: 5) }
                    return time
                }
            })
        async let running: Void = pipeline.run()
        var outcomes: [MessageBatch.Outcome] = []
        for messages in deliveries { outcomes.append(await source.send(messages)) }
        source.finish()
        try await running
        return outcomes
    }

    private func message(_ text: String, packet: UInt16 = 0) -> IncomingMessage {
        IncomingMessage(topic: "vigil/v1/ingest/12/A01", payload: Array(text.utf8), packetID: packet)
    }

    private func reading(at seconds: Double = 0) -> String {
        #"{"metric":"heart-rate","time":\#(Self.start.advanced(bySeconds: seconds).seconds),"value":70}"#
    }

    @Test("its devices' messages are counted, and nothing of a delivery that is given back")
    func devices() async throws {
        publisher.failNext(BusError(.closed, during: .publish))
        let message = message(reading())
        #expect(try await run([[message], [message]]) == [.rejected, .committed])
        let changes = deviceRules.takeChanges().devices
        #expect(changes.map(\.messages) == [1] && changes.map(\.accepted) == [1])
    }

    @Test("what it showed of a device's clock is told, and nothing of a delivery that is given back", arguments: [false, true])
    func notices(isGivenBack: Bool) async throws {
        if isGivenBack { publisher.fail { _ in BusError(.closed, during: .publish) } }
        _ = try await run((0..<10).map { [message(reading(at: Double($0) * 5 - 3_600))] })
        let told = statuses.due(at: Self.start).map { "\($0.participant) \($0.aspect) \($0.content)" }
        #expect(told == (isGivenBack ? [] : ["12 clock value(-3600.0)"]))
    }

    @Test("its stamps are none of what comes later over the same connection, but those of one that is given back are")
    func stamped() async throws {
        publisher.failNext(BusError(.closed, during: .publish))
        #expect(try await run([[message(Self.line, packet: 9)]]) == [.rejected])
        stamps.acknowledged()
        #expect(stamps.known.stamps.count == 1 && stamps.pending.count == 1)
        #expect(try await run([[message(Self.line, packet: 9)]], from: Self.start.advanced(bySeconds: 50)) == [.committed])
        stamps.acknowledged()
        #expect(stamps.known.stamps.isEmpty && stamps.pending.count == 1)
        let times = try publisher.messages.map { try BatchDecoder().decode($0.payload.span).groups[0].observations[0].time }
        #expect(times == [Self.start])
    }

    @Test("its messages are shown as in flight while they are being published, and no longer")
    func inFlight() async throws {
        let registry = registry, shown = Mutex<[String]>([])
        publisher.fail { _ in
            let line = registry.render().split(separator: "\n").last { $0.hasPrefix("vigil_ingest_messages_in_flight ") }
            shown.withLock { $0.append(String(line ?? "")) }
            return nil
        }
        _ = try await run([[message(reading()), message(reading(at: 1)), message(reading(at: 2))]])
        #expect(shown.withLock { $0 } == ["vigil_ingest_messages_in_flight 3"])
        #expect(registry.render().contains("\nvigil_ingest_messages_in_flight 0\n"))
    }

    @Test("what was held back and what came too fast is counted, each by itself")
    func counted() async throws {
        let same = message(reading(at: 0))
        _ = try await run([Array(repeating: same, count: 50)])
        #expect(registry.render().contains("\nvigil_ingest_readings_held_back_total 40\n"))
        #expect(registry.render().contains("\nvigil_ingest_too_fast_total 0\n"))
        _ = try await run([(1...12).map { message(reading(at: Double($0))) }], rate: 1)
        #expect(registry.render().contains("\nvigil_ingest_too_fast_total 2\n"))
        #expect(registry.render().contains("\nvigil_ingest_messages_total 62\n"))
        #expect(registry.render().contains("\nvigil_ingest_readings_accepted_total 20\n"))
        #expect(registry.render().contains("\nvigil_ingest_readings_refused_total 2\n"))
    }

    @Test("its stamps are on disk also where its batches need not be")
    func notKept() async throws {
        let outbox = try await Outbox(path: ":memory:")
        #expect(try await run([[message(Self.line, packet: 9)]], keeping: .asked, outbox: outbox) == [.committed])
        #expect(await outbox.load.batches == 0 && publisher.messages.count == 1)
        #expect(try await outbox.stamps().map(\.value) == [Self.start])
    }
}
