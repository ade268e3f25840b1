import MessageBus
import Observability
import SensorIngest
import TestSupport
import Testing
import VigilSchema

@Suite("What is told of devices")
struct DeviceStatusTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private let publisher = InMemoryPublisher()
    private let tracker = DeviceStatusTracker()
    private var time = DeviceStatusTests.start

    @Test("is in the unit in which its metric is stored", arguments: DeviceAspect.allCases)
    func units(aspect: DeviceAspect) throws {
        #expect(aspect.unit == (aspect == .clock ? "s" : aspect == .battery ? "%" : "1"))
        if case .value = aspect.content(3) { #expect(aspect == .clock || aspect == .battery) }
    }

    /// Lets so many seconds pass, tells what is due, and returns it: `participant metric content`.
    private mutating func told(after seconds: Double = 1) async throws -> [String] {
        time = time.advanced(bySeconds: seconds)
        let now = time
        let delivery = Delivery(
            publisher: publisher, outbox: try await Outbox(path: ":memory:"), confirmations: "confirmations",
            metrics: OutboxMetrics(MetricsRegistry()))
        let before = publisher.messages.count
        await DeviceStatusReporter(
            tracker: tracker, delivery: delivery, log: Logger(service: "test", level: .error, sink: { _ in }), now: { now }
        ).tellDue()
        return try publisher.messages[before...].flatMap { message in
            try BatchDecoder().decode(message.payload.span).groups.flatMap { group in
                group.observations.map { "\(group.participant) \($0.metric) \($0.content)" }
            }
        }
    }

    private func set(_ aspect: DeviceAspect, _ device: String, _ worth: Double?) {
        tracker.set(aspect, of: DeviceAddress(participant: "12", device: device), worth, at: time)
    }

    @Test("tells once what is wrong, and once that it is well again")
    mutating func changes() async throws {
        #expect(try await told().isEmpty)
        set(.admission, "A", 1)
        #expect(try await told() == [#"12 device-status text("quarantined")"#])
        #expect(try await told().isEmpty)
        set(.admission, "A", nil)
        #expect(try await told() == [#"12 device-status text("active")"#])
        #expect(try await told().isEmpty)
    }

    @Test("tells of a participant what is worst with any of the devices, each aspect by itself")
    mutating func several() async throws {
        set(.admission, "A", 1)
        set(.admission, "B", 1)
        set(.clock, "A", 100)
        set(.clock, "B", -400)
        #expect(try await told() == [#"12 device-status text("quarantined")"#, "12 clock-offset value(-400.0)"])
        set(.admission, "B", nil)
        set(.clock, "B", nil)
        #expect(try await told() == [#"12 device-status text("quarantined")"#, "12 clock-offset value(100.0)"])
        set(.admission, "A", nil)
        set(.clock, "A", nil)
        #expect(try await told() == [#"12 device-status text("active")"#, "12 clock-offset value(0.0)"])
    }

    @Test("takes what the reading of messages noticed; excess is over when it is noticed no longer")
    mutating func notices() async throws {
        let address = DeviceAddress(participant: "12", device: "A")
        let now = time
        tracker.note([.clock(address, seconds: 120, isCorrected: false), .excess(address), .flood(address)], at: now)
        #expect(try await told() == ["12 clock-offset value(-120.0)", #"12 device-rate text("exceeded")"#])
        tracker.note([.clock(address, seconds: nil, isCorrected: false)], at: now)
        #expect(try await told(after: 60) == ["12 clock-offset value(0.0)"])
        #expect(try await told(after: 60) == [#"12 device-rate text("within-limit")"#])
    }

    @Test("tells again what could not be published, what was known before a restart, and every half hour what is still wrong")
    mutating func again() async throws {
        var rules = DeviceRuleSet()
        rules.quarantined = [DeviceAddress(participant: "12", device: "A")]
        tracker.restore(rules, correctsClocks: false, at: Self.start)
        publisher.failNext(BusError(.closed, during: .publish))
        #expect(try await told().isEmpty)
        let wrong = [#"12 device-status text("quarantined")"#]
        #expect(try await told() == wrong)
        #expect(try await told(after: 1790).isEmpty)
        #expect(try await told(after: 10) == wrong)
    }
}
