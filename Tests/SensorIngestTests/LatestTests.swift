import MessageBus
import Observability
import SensorIngest
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("Latest readings")
struct LatestTests {
    private func batch(_ value: Double, at seconds: Double, metric: String = "heart-rate") -> ObservationBatch {
        let observation = Observation(metric: metric, time: Timestamp(seconds: seconds), content: .value(value), unit: "/min")
        let group = ObservationGroup(
            participant: "12", source: "A01", received: Timestamp(seconds: seconds), observations: [observation])
        return ObservationBatch(id: "1", groups: [group])
    }

    @Test("publishes each series' newest reading, retained, at most once a second")
    func throttled() async throws {
        let publisher = InMemoryPublisher()
        let cache = LatestValueCache()
        let time = Mutex(Timestamp(seconds: 100))
        let latest = LatestPublisher(
            cache: cache, publisher: publisher, log: Logger(service: "test", level: .error, sink: { _ in }),
            now: { time.withLock { $0 } })
        cache.note([batch(60, at: 1), batch(61, at: 2), batch(50, at: 0), batch(7, at: 1, metric: "pain")])
        try await latest.publishDue()
        #expect(Set(publisher.messages.map(\.topic)) == ["vigil/v1/latest/12/heart-rate", "vigil/v1/latest/12/pain"])
        #expect(publisher.messages.allSatisfy { $0.retained && $0.qos == .atMostOnce })
        cache.note([batch(62, at: 3)])
        time.withLock { $0 = Timestamp(seconds: 100.9) }
        try await latest.publishDue()
        #expect(publisher.messages.count == 2)
        time.withLock { $0 = Timestamp(seconds: 101) }
        try await latest.publishDue()
        #expect(publisher.messages.count == 3)
        let payload = try #require(publisher.messages.last).payload
        let newest = try ReadingDecoder().decode(payload.span)
        #expect(newest.readings.map(\.observation.content) == [.value(62)])
    }
}
