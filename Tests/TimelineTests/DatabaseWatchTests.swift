import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("Database watch", .timeLimit(.minutes(4)))
struct DatabaseWatchTests {
    private static let log = Logger(service: "test", level: .error, sink: { _ in })

    /// The texts that were published, in order.
    private static func texts(_ publisher: InMemoryPublisher) throws -> [String] {
        try publisher.messages.flatMap { message in
            try BatchDecoder().decode(message.payload.span).groups.flatMap(\.observations).map { observation in
                guard observation.metric == "database-status", case .text(let text) = observation.content else { return "?" }
                return text
            }
        }
    }

    @Test("tells when PostgreSQL goes and when it comes back, as the alerts' rules read it")
    func outage() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = PostgresStore(PostgresConfiguration(connection: try server.makeDatabase()))
        let publisher = InMemoryPublisher()
        let watch = DatabaseWatch(
            store: store, health: StoreHealth(), publisher: publisher, instance: "main", log: Self.log, clock: QuickClock(),
            now: { Timestamp(seconds: 1_700_000_000) })
        let running = Task { try await watch.run() }
        defer { running.cancel() }
        try await eventually("reachable") { try Self.texts(publisher) == ["reachable"] }
        try server.stopImmediately()
        try await eventually("unreachable") { try Self.texts(publisher) == ["reachable", "unreachable"] }
        try server.start()
        try await eventually("reachable again") { try Self.texts(publisher) == ["reachable", "unreachable", "reachable"] }
        running.cancel()
        try await running.value
        await store.close()
        let first = try #require(publisher.messages.first)
        let group = try BatchDecoder().decode(first.payload.span).groups[0]
        #expect(group.participant == "_module.vigil-timeline.main")
        #expect(first.topic == Topic.readings(Partition(participant: "_module.vigil-timeline.main")).path)
    }

    @Test("takes a database that answers but cannot be written for out of reach")
    func full() async throws {
        let (publisher, health) = (InMemoryPublisher(), StoreHealth())
        let watch = DatabaseWatch(
            store: SQLiteStore(path: ":memory:"), health: health, publisher: publisher, instance: "main", log: Self.log,
            clock: QuickClock(), now: { Timestamp(seconds: 1_700_000_000) })
        health.writingFails = true
        let running = Task { try await watch.run() }
        defer { running.cancel() }
        try await eventually("unreachable") { try Self.texts(publisher) == ["unreachable"] }
        health.writingFails = false
        try await eventually("reachable") { try Self.texts(publisher) == ["unreachable", "reachable"] }
    }

    @Test("is told at first, at a change, and every half minute of an outage")
    func repetition() {
        var reports = DatabaseReports()
        func time(_ seconds: Double) -> Timestamp { Timestamp(seconds: 1000 + seconds) }
        #expect(reports.isDue(true, at: time(0)))
        reports.note(true, at: time(0))
        #expect(!reports.isDue(true, at: time(100)))
        #expect(reports.isDue(false, at: time(101)))
        reports.note(false, at: time(101))
        #expect(!reports.isDue(false, at: time(130)))
        #expect(reports.isDue(false, at: time(131)))
        #expect(reports.isDue(true, at: time(102)))
        // The clock was set back: the outage is told at once, and then every half minute.
        #expect(reports.isDue(false, at: time(-3600)))
        reports.note(false, at: time(-3600))
        #expect(!reports.isDue(false, at: time(-3571)) && reports.isDue(false, at: time(-3570)))
    }
}

/// A clock on which every sleep lasts a millisecond.
struct QuickClock: Clock {
    typealias Duration = Swift.Duration

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(for: .milliseconds(1))
    }
}
