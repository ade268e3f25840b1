import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("Imports beside live data")
struct HistoryThrottleTests {
    private let messages = (0..<3).map { IncomingMessage(topic: "history/\($0)", payload: []) }

    /// Returns the number of messages that the next transaction takes, and the pause after it.
    private func step(_ throttle: HistoryThrottle, spending spent: Duration) -> (count: Int, pause: Duration) {
        var rest = messages[...]
        let count = throttle.take(from: &rest).count
        #expect(rest.count == messages.count - count)
        return (count, throttle.pause(after: spent))
    }

    @Test("takes an import's messages together while nothing is live, and few with pauses for two seconds after live data")
    func parts() {
        let clock = Mutex(ContinuousClock.now)
        let throttle = HistoryThrottle { clock.withLock { $0 } }
        #expect(step(throttle, spending: .seconds(1)) == (3, .zero))
        throttle.liveArrived()
        #expect(step(throttle, spending: .milliseconds(8)) == (1, .milliseconds(8)))
        clock.withLock { $0 += .seconds(2) }
        #expect(step(throttle, spending: .seconds(1)) == (3, .zero))
    }

    @Test("takes more where a transaction is short, fewer where it is long, and never none")
    func size() {
        let now = ContinuousClock.now
        let throttle = HistoryThrottle { now }
        throttle.liveArrived()
        #expect(step(throttle, spending: .milliseconds(2)).count == 1)
        #expect(step(throttle, spending: .milliseconds(2)).count == 2)
        #expect(step(throttle, spending: .milliseconds(4)).count == 3)
        #expect(step(throttle, spending: .milliseconds(20)).count == 3)
        #expect(step(throttle, spending: .milliseconds(20)).count == 1)
        #expect(step(throttle, spending: .milliseconds(20)).count == 1)
    }

    @Test("takes one more below two and a half milliseconds, and half as many above five, but not at these")
    func bounds() {
        let now = ContinuousClock.now
        let throttle = HistoryThrottle { now }
        throttle.liveArrived()
        let many = (0..<40).map { IncomingMessage(topic: "history/\($0)", payload: []) }
        func size(spending microseconds: Int) -> Int {
            var rest = many[...]
            let count = throttle.take(from: &rest).count
            #expect(rest.first?.topic == "history/\(count)")
            #expect(throttle.pause(after: .microseconds(microseconds)) == .microseconds(microseconds))
            return count
        }
        let spent = Array(repeating: 2499, count: 8) + [2500, 5000, 5001, 5001, 5001, 5001, 2499]
        #expect(spent.map { size(spending: $0) } == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 4, 2, 1, 1])
        #expect(size(spending: 0) == 2)
    }

    @Test("an import is handed to the store as one, and live data holds imports back", arguments: [Lane.live, .history])
    func lanes(lane: Lane) async throws {
        let now = ContinuousClock.now, source = BatchSource(), throttle = HistoryThrottle { now }
        let folder = try TemporaryFolder("vigil-lanes")
        let store = FlakyStore(SQLiteStore(path: folder.path("timeline.sqlite")), failures: [])
        let writer = TimelineWriter(
            batches: source, lane: lane, throttle: throttle, store: store, replies: ReplyPublisher(InMemoryPublisher()),
            metrics: TimelineMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, sink: { _ in }),
            clock: ImmediateClock(), now: { Timestamp(seconds: 1_700_000_000) })
        async let running: Void = writer.run()
        #expect(await source.send((0..<3).map(history)) == .committed)
        source.finish()
        try await running
        #expect(store.historyAppends == (lane == .history ? 1 : 0))
        let page = try await store.readings(
            participant: "12", from: Timestamp(seconds: 1_600_000_000), to: Timestamp(seconds: 1_600_000_009))
        #expect(page.readings.count == 3)
        await store.close()
        var rest = messages[...]
        #expect(throttle.take(from: &rest).count == (lane == .live ? 1 : 3))
    }

    @Test("stores an import in more and shorter transactions while live data comes, and answers each message", arguments: [false, true])
    func transactions(isLive: Bool) async throws {
        let now = ContinuousClock.now, source = BatchSource(), publisher = InMemoryPublisher(), registry = MetricsRegistry()
        let throttle = HistoryThrottle { now }
        let writer = TimelineWriter(
            batches: source, lane: .history, throttle: throttle, store: SQLiteStore(path: ":memory:"),
            replies: ReplyPublisher(publisher),
            metrics: TimelineMetrics(registry), log: Logger(service: "test", level: .error, sink: { _ in }), clock: ImmediateClock(),
            now: { Timestamp(seconds: 1_700_000_000) })
        async let running: Void = writer.run()
        if isLive { throttle.liveArrived() }
        #expect(await source.send((0..<3).map(history)) == .committed)
        source.finish()
        try await running
        #expect(publisher.messages.map(\.topic).sorted() == ["vigil/v1/responses/0", "vigil/v1/responses/1", "vigil/v1/responses/2"])
        let transactions = registry.render().split(separator: "\n").first { $0.hasPrefix("vigil_timeline_batch_observations_count") }
        #expect(isLive == (transactions?.hasSuffix(" 1") == false))
    }

    private func history(_ number: Int) -> IncomingMessage {
        let observation = Observation(
            metric: "heart-rate", time: Timestamp(seconds: 1_600_000_000 + Double(number)), content: .value(60), unit: "/min")
        let group = ObservationGroup(
            participant: "12", source: "A01", received: Timestamp(seconds: 1_700_000_000), observations: [observation])
        return IncomingMessage(
            topic: Topic.history(Partition(participant: "12")).path,
            payload: BatchEncoder.encode(ObservationBatch(id: "\(number)", groups: [group])),
            properties: MessageProperties(responseTopic: "vigil/v1/responses/\(number)", correlationData: [1]))
    }
}
