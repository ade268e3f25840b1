import Access
import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest
@testable import ServiceKit

/// What ingest forgets of a person, and in what order, without a broker.
@Suite("Erasure in ingest", .timeLimit(.minutes(1)))
struct ErasureRuleTests {
    /// Acts in place of each sleep, and counts them.
    private final class ActingClock: Clock {
        private let slept = Mutex<[Swift.Duration]>([])
        private let act: @Sendable (Int) async throws -> Void

        init(_ act: @escaping @Sendable (Int) async throws -> Void = { _ in }) { self.act = act }

        var sleeps: [Swift.Duration] { slept.withLock { $0 } }
        var now: ContinuousClock.Instant { start }
        var minimumResolution: Swift.Duration { .nanoseconds(1) }
        private let start = ContinuousClock.now

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Swift.Duration?) async throws {
            let count = slept.withLock { slept in
                slept.append(deadline - start)
                return slept.count
            }
            try await act(count)
        }
    }

    private final class Fixture: Sendable {
        let registry: DeviceRegistry
        let deviceRules = DeviceRules()
        let statuses = DeviceStatusTracker()
        let outbox: Outbox
        let latest = LatestValueCache()
        let publisher = InMemoryPublisher()
        let rules: MappingRules

        init(mappings: String = "{mappings: []}") async throws {
            registry = try DeviceRegistry(path: ":memory:")
            outbox = try await Outbox(path: ":memory:")
            rules = MappingRules(try MappingFile.parse(mappings), discoveryPrefix: "homeassistant")
            for name in ["anna", "bernd"] { try await fill(name) }
        }

        private func fill(_ name: String) async throws {
            let address = DeviceAddress(participant: name, device: "\(name)-watch"), now = Timestamp(seconds: 1_700_000_000)
            try await registry.setQuarantined(address, true, now: now)
            try await registry.bind(address.device, to: name)
            deviceRules.change { $0.quarantined.insert(address) }
            statuses.set(.admission, of: address, 1, at: now)
            let observation = Observation(metric: "heart-rate", time: now, content: .value(61), unit: "/min")
            latest.note([
                ObservationBatch(
                    id: name,
                    groups: [ObservationGroup(participant: name, source: "w", session: nil, received: now, observations: [observation])])
            ])
            let request = ReceiptRequest(
                topic: "vigil/v1/receipts/\(name)/w", correlation: nil, isInPayload: false, accepted: 1, refused: 0, unstored: 0,
                reason: nil)
            let entry = OutboxEntry(
                id: name, topic: Topic.readings(Partition(participant: name)).path, payload: Array(#"{"participant":"\#(name)"}"#.utf8),
                receiptRequests: [ReceiptCoverage(request: 0)])
            try await outbox.keep([entry], receiptRequests: [request], now: now)
            let config = #"{"name":"\#(name) Weight","stat_t":"\#(name)/weight","unit_of_meas":"kg","uniq_id":"\#(name)_weight"}"#
            rules.announce([("homeassistant/sensor/\(name)/config", Array(config.utf8))])
        }

        func confirm(_ id: String) async throws {
            try await outbox.confirm(Confirmation(stored: [id]), now: Timestamp(seconds: 1_700_000_001))
        }

        func erasure(_ clock: any Clock<Duration>) -> ParticipantErasure {
            ParticipantErasure(
                registry: registry, shared: nil, deviceRules: deviceRules, statuses: statuses, outbox: outbox, latest: latest,
                publisher: publisher, mappings: MappingErasure(rules: rules), clock: clock)
        }
    }

    @Test("removes everything of the person, tells how much of what there was, and leaves the others theirs")
    func erases() async throws {
        let fixture = try await Fixture()
        try await fixture.confirm("anna")
        let clock = ActingClock()
        let erasure = fixture.erasure(clock)
        #expect(
            try await erasure.export("anna").names == ["devices", "mapped topics", "newest readings", "wishes for receipts"])
        let removed = try await erasure.erase("anna")
        #expect(removed == ["devices": 2, "newest readings": 1, "wishes for receipts": 1, "mapped topics": 1])
        #expect(clock.sleeps.isEmpty, "nothing had to be waited for")
        let topic = Topic.latest(participant: "anna", metric: "heart-rate").path
        #expect(fixture.publisher.messages == [OutgoingMessage(topic: topic, payload: [], retained: true)])
        #expect(try await erasure.export("anna").names.isEmpty)
        #expect(try await erasure.export("bernd").names == ["devices", "mapped topics", "newest readings", "wishes for receipts"])
        #expect(fixture.deviceRules.rules(newerThan: -1)?.rules.quarantined.map(\.participant) == ["bernd"])
        #expect(fixture.statuses.due(at: .now).map(\.participant) == ["bernd"])
        #expect(try await erasure.erase("anna") == ["devices": 0, "newest readings": 0, "wishes for receipts": 0, "mapped topics": 0])
    }

    @Test("waits for readings that the timeline has not confirmed yet, a quarter of a second from look to look")
    func waits() async throws {
        let fixture = try await Fixture()
        let clock = ActingClock { count in if count == 3 { try await fixture.confirm("anna") } }
        let removed = try await fixture.erasure(clock).erase("anna")
        #expect(clock.sleeps == Array(repeating: .milliseconds(250), count: 3))
        #expect(removed["wishes for receipts"] == 1)
    }

    @Test("fails where the timeline confirms nothing within five seconds, and says that it is to be asked again")
    func unconfirmed() async throws {
        let fixture = try await Fixture()
        let clock = ActingClock()
        do {
            _ = try await fixture.erasure(clock).erase("anna")
            Issue.record("erased")
        } catch {
            #expect("\(error)".hasPrefix("1 batches with readings of the participant wait") && !"\(error)".contains("anna"))
        }
        #expect(clock.sleeps.count == 19)
        #expect(await fixture.outbox.load.batches == 2, "nothing of them is thrown away")
        try await fixture.confirm("anna")
        #expect(try await fixture.erasure(clock).erase("anna")["mapped topics"] == 1)
    }

    @Test("fails while a server is asked for the person's readings")
    func asked() async throws {
        let fixture = try await Fixture()
        for name in ["anna", "bernd"] { try await fixture.confirm(name) }
        var asking = fixture.erasure(ActingClock())
        asking.polled = ["https://a.example/", ""].map { url in
            PolledSource(
                name: "ehealth", url: LiveValue(url), interval: LiveValue(.seconds(1)),
                participant: LiveValue(url.isEmpty ? "bernd" : "anna"),
                device: LiveValue("d"), names: LiveValue([:]))
        }
        let erasure = asking
        let error = await #expect(throws: (any Error).self) { _ = try await erasure.erase("anna") }
        #expect(error.map { "\($0)" }?.contains("set ehealth-url to nothing") == true)
        _ = try await erasure.erase("bernd")
    }

    @Test("fails while a mapping's file names the person, once everything else is gone")
    func named() async throws {
        let fixture = try await Fixture(
            mappings:
                #"{mappings: [{name: "m", topics: ["a"], participant: "anna", device: "d", readings: [{metric: "heart-rate", value: "hr"}]}]}"#
        )
        try await fixture.confirm("anna")
        let erasure = fixture.erasure(ActingClock())
        let error = await #expect(throws: MappingErasure.Named.self) { _ = try await erasure.erase("anna") }
        #expect(error?.places.count == 1 && error?.description.contains("take the name out") == true)
        #expect(try await erasure.export("anna").names.isEmpty)
        fixture.rules.replace(with: MappingSet())
        #expect(try await erasure.erase("anna")["devices"] == 0)
    }
}
