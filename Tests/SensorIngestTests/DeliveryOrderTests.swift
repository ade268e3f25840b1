import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// What is kept, published, confirmed and repeated, and when, with no broker and no time passing.
@Suite("Batches on their way", .timeLimit(.minutes(1)))
struct DeliveryOrderTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let log = Logger(service: "test", level: .error, sink: { _ in })
    private let publisher = InMemoryPublisher()
    private let registry = MetricsRegistry()

    private func message(_ text: String, asks: Bool = false, device: String = "anna/w") -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/ingest/\(device)", payload: Array(text.utf8), properties: MessageProperties(correlationData: asks ? [7] : nil))
    }

    private func reading(_ value: Int, _ metric: String = "heart-rate") -> String {
        #"{"metric":"\#(metric)","time":1700000000,"value":\#(value)}"#
    }

    private func result(_ messages: IncomingMessage...) -> IngestResult {
        var reader = MessageReader()
        return reader.read(messages, received: Self.start)
    }

    private func delivery(
        _ outbox: Outbox, _ keeping: Delivery.Keeping = .all, limit: Int = 1 << 20, clock: any Clock<Duration> = ImmediateClock()
    ) -> Delivery {
        Delivery(
            publisher: publisher, outbox: outbox, keeping: keeping, limit: limit, confirmations: "confirm/here",
            metrics: OutboxMetrics(registry), clock: clock)
    }

    private func batches() throws -> [ObservationBatch] {
        try publisher.messages.filter { $0.topic.contains("/observations/") }.map { try BatchDecoder().decode($0.payload.span) }
    }

    @Test(
        "are all kept, or those that somebody asked about, and only these are to be confirmed", arguments: [Delivery.Keeping.all, .asked])
    func keeping(keeping: Delivery.Keeping) async throws {
        let outbox = try await Outbox(path: ":memory:")
        let delivery = delivery(outbox, keeping)
        try await delivery.deliver(result(message(reading(61))), at: Self.start)
        #expect(await outbox.load.batches == (keeping == .all ? 1 : 0))
        #expect(try batches().map(\.confirmations) == [keeping == .all ? "confirm/here" : nil])
        try await delivery.deliver(result(message(reading(62), asks: true)), at: Self.start)
        #expect(await outbox.load.batches == (keeping == .all ? 2 : 1))
        #expect(try batches().last?.confirmations == "confirm/here")
        #expect(registry.render().contains("vigil_ingest_outbox_batches \(keeping == .all ? 2 : 1)\n"))
    }

    @Test("that cannot be published are not kept, and thrown, so that their messages come again")
    func fails() async throws {
        let outbox = try await Outbox(path: ":memory:")
        publisher.failNext(BusError(.closed, during: .publish))
        await #expect(throws: BusError.self) { try await delivery(outbox).deliver(result(message(reading(61))), at: Self.start) }
        #expect(await outbox.load == Outbox.Load(batches: 0, bytes: 0))
    }

    @Test("wait for room in the outbox, a fifth of a second from look to look, where it holds more than it may")
    func room() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([OutboxEntry(id: "a", topic: "t", payload: [1, 2, 3])], receiptRequests: [], now: Self.start)
        // Just as much as it may hold.
        let free = SteppingClock(0)
        try await delivery(outbox, limit: 3, clock: free).deliver(result(message(reading(61))), at: Self.start)
        #expect(free.steps.isEmpty)
        let full = SteppingClock(2)
        let delivery = delivery(outbox, limit: 3, clock: full), waiting = result(message(reading(62)))
        async let delivering = delivery.deliver(waiting, at: Self.start)
        try await eventually("the third look") { full.steps.count == 3 }
        #expect(full.steps == Array(repeating: .milliseconds(200), count: 3))
        #expect(try batches().count == 1)
        try await outbox.confirm(Confirmation(stored: try batches().map(\.id)), now: Self.start)
        full.allow(1)
        _ = try await delivering
        #expect(try batches().count == 2)
        // What is kept nowhere needs no room.
        let none = SteppingClock(0)
        let other = Delivery(
            publisher: publisher, outbox: outbox, keeping: .asked, limit: 0, confirmations: "c", metrics: OutboxMetrics(registry),
            clock: none)
        try await other.deliver(result(message(reading(63))), at: Self.start)
        #expect(none.steps.isEmpty)
    }

    @Test("take along what is refused, and receipts of what nothing is on its way")
    func refusals() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await delivery(outbox).deliver(result(message("nonsense", asks: true)), at: Self.start)
        #expect(Set(publisher.messages.map(\.topic)) == ["vigil/v1/rejects/anna/w", "vigil/v1/receipts/anna/w"])
        #expect(await outbox.load.batches == 0)
    }

    // MARK: - Confirmations

    private func confirmation(_ ids: [String]) throws -> IncomingMessage {
        IncomingMessage(topic: "confirm/here", payload: try Confirmation(stored: ids).encoded())
    }

    /// What becomes of batches of confirmations.
    private func outcomes(_ outbox: Outbox, _ batches: [[IncomingMessage]]) async throws -> [MessageBatch.Outcome] {
        let source = BatchSource()
        let reader = ConfirmationReader(
            batches: source, outbox: outbox, replies: ReplyPublisher(publisher), metrics: OutboxMetrics(registry), log: Self.log,
            now: { Self.start })
        async let running: Void = reader.run()
        var outcomes: [MessageBatch.Outcome] = []
        for batch in batches { outcomes.append(await source.send(batch)) }
        source.finish()
        try await running
        return outcomes
    }

    @Test("are let go once the timeline has them, with a receipt to whoever asked; a confirmation that cannot be read is passed over")
    func confirms() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await delivery(outbox).deliver(result(message(reading(61), asks: true)), at: Self.start)
        try await delivery(outbox).deliver(result(message(reading(62))), at: Self.start)
        let ids = try batches().map(\.id)
        let nonsense = IncomingMessage(topic: "confirm/here", payload: [1])
        #expect(
            try await outcomes(outbox, [[nonsense, try confirmation([ids[0]])], [try confirmation(ids)]]) == [.committed, .committed])
        #expect(await outbox.load.batches == 0)
        let receipts = publisher.messages.filter { $0.topic == "vigil/v1/receipts/anna/w" }
        #expect(receipts.count == 1 && receipts[0].properties.correlationData == [7])
        #expect(
            registry.render().contains("vigil_ingest_outbox_batches 0\n") && registry.render().contains("vigil_ingest_outbox_bytes 0\n"))
        #expect(registry.render().contains("vigil_ingest_receipts_total 1\n"))
    }

    @Test("have their confirmation given back where the receipt cannot be sent, which comes again with it")
    func receiptFails() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await delivery(outbox).deliver(result(message(reading(61), asks: true)), at: Self.start)
        let confirmed = try confirmation(try batches().map(\.id))
        publisher.failNext(BusError(.closed, during: .publish))
        #expect(try await outcomes(outbox, [[confirmed], [confirmed]]) == [.rejected, .committed])
        #expect(publisher.messages.filter { $0.topic == "vigil/v1/receipts/anna/w" }.count == 1)
    }

    // MARK: - Repeats and other things that are done now and then

    private func running(_ service: any Service, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await service.run() }
            try await body()
            tasks.cancelAll()
            while (await tasks.nextResult()) != nil {}
        }
    }

    @Test("are published again by the next process, and after the connection came back, looked for four times a second")
    func repeats() async throws {
        let outbox = try await Outbox(path: ":memory:")
        let link = OutboxLink(), clock = SteppingClock(0), time = Mutex(Self.start), publisher = publisher
        let entries = (0..<17).map { OutboxEntry(id: "\($0)", topic: "t/\($0)", payload: [1]) }
        try await outbox.keep(entries, receiptRequests: [], now: Self.start)
        let metrics = OutboxMetrics(registry)
        let repeater = OutboxRepeater(
            outbox: outbox, link: link, publisher: publisher, metrics: metrics, log: Self.log, clock: clock, now: { time.withLock { $0 } })
        try await running(repeater) {
            try await eventually("the first look") { clock.steps.count == 1 }
            // More than are looked for at once.
            #expect(Set(publisher.messages.map(\.topic)) == Set(entries.map(\.topic)) && publisher.messages.count == 17)
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 2 }
            #expect(publisher.messages.count == 17)
            link.connected()
            link.connected()
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 3 }
            #expect(publisher.messages.count == 17, "two seconds after the return")
            time.withLock { $0 = Self.start.advanced(bySeconds: 2) }
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 4 }
            #expect(publisher.messages.count == 34)
            #expect(clock.steps == Array(repeating: .milliseconds(250), count: 4))
        }
        #expect(registry.render().contains("vigil_ingest_outbox_repeats_total 34\n"))
    }

    @Test("that could not be published again are tried at the next look")
    func repeatFails() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([OutboxEntry(id: "a", topic: "t", payload: [1])], receiptRequests: [], now: Self.start)
        publisher.failNext(BusError(.closed, during: .publish))
        let clock = SteppingClock(0), publisher = publisher
        let repeater = OutboxRepeater(
            outbox: outbox, link: OutboxLink(), publisher: publisher, metrics: OutboxMetrics(registry), log: Self.log, clock: clock,
            now: { Self.start })
        try await running(repeater) {
            try await eventually("the first look") { clock.steps.count == 1 }
            #expect(publisher.messages.isEmpty)
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 2 }
            #expect(publisher.messages.map(\.topic) == ["t"])
        }
    }

    @Test("leave the newest reading, looked for ten times a second, and published whatever became of the one before")
    func latest() async throws {
        let cache = LatestValueCache(), clock = SteppingClock(0), publisher = publisher
        let latest = LatestPublisher(cache: cache, publisher: publisher, log: Self.log, clock: clock, now: { Self.start })
        try await running(latest) {
            try await eventually("the first look") { clock.steps.count == 1 }
            cache.note(result(message(reading(61))).batches.map(\.batch))
            publisher.failNext(BusError(.closed, during: .publish))
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 2 }
            cache.note(result(message(reading(97, "oxygen-saturation"))).batches.map(\.batch))
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 3 }
            #expect(publisher.messages.map(\.topic) == ["vigil/v1/latest/anna/oxygen-saturation"])
            #expect(clock.steps == Array(repeating: .milliseconds(100), count: 3))
        }
    }

    @Test("leave devices in the registry, written once a second and once more at the end")
    func registryWriter() async throws {
        let folder = try TemporaryFolder(), clock = SteppingClock(0), deviceRules = DeviceRules()
        let devices = try DeviceRegistry(path: folder.path("devices.sqlite"))
        @Sendable func hear(_ device: String) {
            deviceRules.record([DeviceChange(address: DeviceAddress(participant: "anna", device: device), at: Self.start)])
        }
        try await running(RegistryWriter(registry: devices, deviceRules: deviceRules, log: Self.log, clock: clock)) {
            try await eventually("the first look") { clock.steps.count == 1 }
            hear("one")
            #expect(try await devices.list().isEmpty)
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 2 }
            #expect(try await devices.list().map(\.device) == ["one"])
            hear("two")
            #expect(clock.steps == [.seconds(1), .seconds(1)])
        }
        #expect(Set(try await devices.list().map(\.device)) == ["one", "two"])
    }

    @Test("leave what is wrong with devices told, looked for four times a second")
    func reporter() async throws {
        let tracker = DeviceStatusTracker(), clock = SteppingClock(0), publisher = publisher
        let delivery = delivery(try await Outbox(path: ":memory:"))
        let reporter = DeviceStatusReporter(tracker: tracker, delivery: delivery, log: Self.log, clock: clock, now: { Self.start })
        try await running(reporter) {
            try await eventually("the first look") { clock.steps.count == 1 }
            tracker.set(.admission, of: DeviceAddress(participant: "anna", device: "w"), 1, at: Self.start)
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 2 }
            #expect(publisher.messages.count == 1 && clock.steps == [.seconds(1), .seconds(1)])
        }
    }

    @Test("are counted by what became of them, once it is settled")
    func counts() async throws {
        let source = BatchSource()
        let pipeline = IngestPipeline(
            batches: source, delivery: delivery(try await Outbox(path: ":memory:")), reader: MessageReader(),
            metrics: IngestMetrics(registry), log: Self.log, now: { Self.start })
        async let running: Void = pipeline.run()
        func number(_ name: String) -> String? {
            registry.render().split(separator: "\n").first { $0.hasPrefix("vigil_ingest_\(name) ") }?.split(separator: " ").last.map(
                String.init)
        }
        #expect(await source.send([message(reading(61)), message("nonsense"), message(reading(6_100))]) == .committed)
        publisher.fail { $0.topic.contains("/observations/") ? BusError(.closed, during: .publish) : nil }
        #expect(await source.send([message(reading(62))]) == .rejected)
        source.finish()
        try await running
        #expect(number("messages_total") == "4" && number("readings_accepted_total") == "1" && number("readings_refused_total") == "2")
        #expect(number("batches_total") == "1" && number("messages_in_flight") == "0" && number("settle_seconds_count") == "1")
        #expect(number("readings_held_back_total") == "0" && number("too_fast_total") == "0")
    }

    @Test("are read by rules that may change at any time")
    func policy() async throws {
        let folder = try TemporaryFolder()
        let context = try IngestContext.make(["rate-limit": "5"], in: folder)
        let policy = try await IngestPolicy.live(context)
        #expect(policy() == IngestPolicy(devices: DevicePolicy(rate: 5, budget: 2000)))
        try await context.exchange.set("rate-limit", .text("0"))
        #expect(policy() == IngestPolicy(devices: DevicePolicy(budget: 2000)))
        try await context.exchange.set("correct-clocks", .text("true"))
        try await context.exchange.set("bind-devices", .text("true"))
        try await context.exchange.set("latest", .text("true"))
        try await context.exchange.set("reading-budget", .text("0"))
        #expect(policy() == IngestPolicy(devices: DevicePolicy(correctsClocks: true, bindsDevices: true), publishesLatest: true))
    }
}
