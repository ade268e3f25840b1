import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// The host's clock was ahead, and is set right: nothing waits until it is there again.
@Suite("After the clock was set back by an hour, or by thirty years", .timeLimit(.minutes(4)))
struct ClockSetBackTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let address = DeviceAddress(participant: "12", device: "A")

    private func at(_ seconds: Double) -> Timestamp { Self.start.advanced(bySeconds: seconds) }

    @Test("excess is told a minute later, once, and again a minute after that", arguments: [3600.0, 1e9])
    func rate(lead: Double) {
        var rate = RateGuard()
        for _ in 0..<10 { _ = rate.take(rate: 0.0001, at: at(lead)) }
        let before = (0...60).filter { rate.take(rate: 0.0001, at: at(lead + Double($0))).isSustained }
        let told = (0...125).filter { rate.take(rate: 0.0001, at: at(Double($0))).isSustained }
        #expect(before == [60] && told == [60, 120])
    }

    @Test("an excess that was noted before ends, and what is wrong is told again", arguments: [3600.0, 1e9])
    func status(lead: Double) {
        let tracker = DeviceStatusTracker()
        tracker.set(.admission, of: DeviceAddress(participant: "13", device: "B"), 1, at: at(lead))
        tracker.note([.excess(Self.address)], at: at(lead))
        #expect(tracker.due(at: at(lead)).map(\.participant) == ["13", "12"])
        #expect(tracker.due(at: at(lead + 1)).isEmpty)
        #expect(tracker.due(at: at(0)).map(\.participant) == ["13", "12"])
        #expect(tracker.due(at: at(90)).isEmpty)
        #expect(tracker.due(at: at(90.1)).map(\.content) == [.text("within-limit")])
        #expect(tracker.due(at: at(1799)).isEmpty)
        #expect(tracker.due(at: at(1800)).map(\.participant) == ["13"])
    }

    @Test("a device's clock is judged after half a minute by what came since", arguments: [3600.0, 1e9])
    func skew(lead: Double) {
        var estimator = ClockSkewEstimator()
        // The host's clock is ahead, so that the device seems to be behind by as much, and then right again.
        for second in 0..<9 { _ = estimator.observe(newest: at(Double(second)), received: at(lead + Double(second))) }
        var changes: [Int] = []
        for second in 10...70 where estimator.observe(newest: at(Double(second) - 120), received: at(Double(second))) {
            changes.append(second)
        }
        #expect(changes == [40] && estimator.offset == 120_000_000)
    }

    @Test("newest readings are told at once, in place of those with times that are still to come", arguments: [3600.0, 1e9])
    func latest(lead: Double) {
        let cache = LatestValueCache()
        func note(_ value: Double, time: Double, received: Double) {
            let reading = Observation(metric: "heart-rate", time: at(time), content: .value(value), unit: "/min")
            let group = ObservationGroup(participant: "12", source: "A", received: at(received), observations: [reading])
            cache.note([ObservationBatch(id: "1", groups: [group])])
        }
        func due(_ second: Double) -> [Observation.Content] { cache.due(at: at(second)).map(\.observation.content) }
        note(60, time: lead, received: lead)
        #expect(due(lead) == [.value(60)])
        note(61, time: 0, received: 0)
        #expect(due(0) == [.value(61)])
        note(62, time: -1, received: 1)
        #expect(due(2).isEmpty)
        // A minute ahead is as right as a device's clock need be, and no older one is news.
        note(63, time: 61.9, received: 2)
        note(64, time: 2, received: 2)
        #expect(due(2) == [.value(63)])
    }

    @Test("batches are published again that were published before", arguments: [3600.0, 1e9])
    func outbox(lead: Double) async throws {
        let outbox = try await Outbox(path: ":memory:")
        let clock = SteppingClock(0), publisher = InMemoryPublisher(), time = Mutex(at(lead))
        let repeater = OutboxRepeater(
            outbox: outbox, link: OutboxLink(), publisher: publisher, metrics: OutboxMetrics(MetricsRegistry()),
            log: Logger(service: "test", level: .error, sink: { _ in }), clock: clock, now: { time.withLock { $0 } })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await repeater.run() }
            try await eventually("the first look") { clock.steps.count == 1 }
            try await outbox.keep([OutboxEntry(id: "a", topic: "t", payload: [1])], receiptRequests: [], now: at(lead))
            time.withLock { $0 = at(lead - 1) }
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 2 }
            #expect(publisher.messages.isEmpty, "a second is no matter")
            time.withLock { $0 = at(0) }
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 3 }
            #expect(publisher.messages.map(\.topic) == ["t"])
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == 4 }
            #expect(publisher.messages.count == 1)
            tasks.cancelAll()
            while (await tasks.nextResult()) != nil {}
        }
    }

    @Test(
        "a process that starts then publishes again what the one before had published since the clock was wrong", arguments: [3600.0, 1e9])
    func started(lead: Double) async throws {
        let outbox = try await Outbox(path: ":memory:")
        func keep(_ id: String, _ second: Double) async throws {
            try await outbox.keep([OutboxEntry(id: id, topic: id, payload: [1])], receiptRequests: [], now: at(second))
        }
        try await keep("right", -100)
        try await keep("ahead", lead)
        try await keep("later", lead + 100)
        try await outbox.started(at: at(0))
        #expect(try await outbox.due(at: at(0)).map(\.id) == ["ahead", "later"])
    }
}
