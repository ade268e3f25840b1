import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("What the writer tells of its work")
struct WriterMetricsTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// A clock on which no time passes, that calls back with each pause it is asked for.
    private final class Pauses: Clock {
        typealias Duration = Swift.Duration
        typealias Instant = ContinuousClock.Instant

        private let time = Mutex(ContinuousClock.now)
        private let pauses = Mutex<[Duration]>([])
        private let meanwhile: @Sendable () -> Void

        init(_ meanwhile: @escaping @Sendable () -> Void = {}) { self.meanwhile = meanwhile }

        var all: [Duration] { pauses.withLock { $0 } }
        var now: Instant { time.withLock { $0 } }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            let pause = time.withLock { time in
                defer { time = max(time, deadline) }
                return deadline - time
            }
            pauses.withLock { $0.append(pause) }
            meanwhile()
        }
    }

    /// A writer over a store, with all that it tells.
    private struct Told {
        let registry = MetricsRegistry()
        let health = StoreHealth()
        let lines = Lines()

        final class Lines: Sendable {
            private let lines = Mutex<[String]>([])
            var all: [String] { lines.withLock { $0 } }
            func add(_ line: String) { lines.withLock { $0.append(line) } }
        }

        func value(_ name: String) -> String? {
            registry.render().split(separator: "\n").first { $0.hasPrefix("vigil_timeline_\(name) ") }
                .map { String($0.split(separator: " ")[1]) }
        }
    }

    private func run(
        _ told: Told, _ store: any SQLTimelineStore, clock: any Clock<Duration> = ImmediateClock(), _ deliveries: [[IncomingMessage]]
    ) async throws -> [MessageBatch.Outcome] {
        let source = BatchSource(), lines = told.lines
        let writer = TimelineWriter(
            batches: source, store: store, replies: ReplyPublisher(InMemoryPublisher()), metrics: TimelineMetrics(told.registry),
            health: told.health, log: Logger(service: "test", level: .info, sink: { lines.add("\($0)") }), clock: clock,
            now: { Self.now })
        async let running: Void = writer.run()
        var outcomes: [MessageBatch.Outcome] = []
        for messages in deliveries { outcomes.append(await source.send(messages)) }
        source.finish()
        try await running
        return outcomes
    }

    private func message(_ values: [Double], received age: Double = 0, unit: String = "/min") -> IncomingMessage {
        let observations = values.map {
            Observation(metric: "heart-rate", time: Timestamp(seconds: 1_600_000_000), content: .value($0), unit: unit)
        }
        let group = ObservationGroup(
            participant: "12", source: "A01", received: Self.now.advanced(bySeconds: -age), observations: observations)
        return IncomingMessage(
            topic: Topic.readings(Partition(participant: "12")).path,
            payload: BatchEncoder.encode(ObservationBatch(id: "a", groups: [group])))
    }

    private func alert() throws -> IncomingMessage {
        let alert = AlertMessage(
            participant: "12", rule: "tachycardia", sequence: 1, transition: "raised", cause: "reading", time: Self.now.seconds,
            decided: Self.now.seconds, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
            since: Self.now.seconds)
        return IncomingMessage(topic: "vigil/v1/alert-events/12/tachycardia", payload: try alert.encoded())
    }

    @Test("every observation is counted once as what became of it, and every transition and unreadable message too")
    func counters() async throws {
        let told = Told()
        let broken = IncomingMessage(topic: "vigil/v1/readings/0", payload: [0])
        let outcomes = try await run(
            told, SQLiteStore(path: ":memory:"),
            [
                [message([60, 60], received: 9), message([61], received: 4), broken], [message([62], unit: "Hz"), try alert()],
                [try alert(), broken, message([61], received: -3)],
            ])
        #expect(outcomes == [.committed, .committed, .committed])
        let counts = [
            "observations_received_total": "5", "observations_stored_total": "1", "observations_duplicate_total": "2",
            "observations_corrected_total": "1", "observations_rejected_total": "1", "messages_malformed_total": "2",
            "alert_events_stored_total": "1", "alert_events_duplicate_total": "1", "observations_in_flight": "0",
            "store_failures_total": "0", "batch_observations_count": "3", "batch_observations_sum": "5", "commit_seconds_count": "3",
        ]
        for (name, count) in counts { #expect(told.value(name) == count, "\(name)") }
        // What was received after "now", by a clock that was set back, is not late by less than nothing.
        #expect(told.value("lag_seconds") == "0")
        #expect(!told.health.writingFails)
        let said = told.lines.all
        #expect(said.filter { $0.contains("message cannot be read") }.count == 2)
        #expect(said.filter { $0.contains("observations not kept") && $0.contains("the unit is not /min") }.count == 1)
        #expect(!said.contains { $0.contains("works again") })
    }

    @Test("the lag is that of the observation that was received first")
    func lag() async throws {
        let told = Told()
        let messages = [message([60], received: 2), message([61], received: 9), message([62], received: 4)]
        #expect(try await run(told, SQLiteStore(path: ":memory:"), [messages]) == [.committed])
        #expect(told.value("lag_seconds") == "9")
    }

    @Test("while the store is away the observations are in flight and the service is not well, until it is back")
    func outage() async throws {
        let told = Told()
        let seen = Mutex<[String]>([])
        let clock = Pauses { seen.withLock { $0.append("\(told.value("observations_in_flight") ?? "") \(told.health.writingFails)") } }
        let failure = StoreError(.unavailable, operation: "append", detail: "test")
        let flaky = FlakyStore(SQLiteStore(path: ":memory:"), failures: [failure])
        #expect(try await run(told, flaky, clock: clock, [[message([60, 61])], [message([62])]]) == [.committed, .committed])
        #expect(seen.withLock { $0 } == ["2 true"])
        #expect(told.value("observations_in_flight") == "0" && !told.health.writingFails)
        #expect(told.value("store_failures_total") == "1" && told.value("observations_received_total") == "3")
        let said = told.lines.all
        #expect(said.filter { $0.contains("the store failed; trying again") }.count == 1)
        #expect(said.filter { $0.contains("the store works again") }.count == 1)
    }

    @Test("it asks again within a fifth of a second at first, ever more seldom, and at least every five seconds")
    func pauses() async throws {
        let failure = StoreError(.unavailable, operation: "append", detail: "test")
        let first = Pauses()
        for _ in 0..<60 {
            let flaky = FlakyStore(SQLiteStore(path: ":memory:"), failures: [failure])
            _ = try await run(Told(), flaky, clock: first, [[message([60])]])
        }
        #expect(first.all.count == 60 && first.all.allSatisfy { $0 <= .milliseconds(200) })
        let long = Pauses()
        let flaky = FlakyStore(SQLiteStore(path: ":memory:"), failures: Array(repeating: failure, count: 120))
        _ = try await run(Told(), flaky, clock: long, [[message([60])]])
        #expect(long.all.count == 120 && long.all.allSatisfy { $0 <= .seconds(5) })
        #expect(long.all.contains { $0 > .seconds(2) })
    }
}
