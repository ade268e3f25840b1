import MessageBus
import Observability
import ServiceKit
import Signals
import StressAnalysis
import TestSupport
import Testing
import VigilSchema

@Suite("Stress pipeline")
struct StressPipelineTests {
    private static func messages(_ batches: [ObservationBatch]) -> [IncomingMessage] {
        batches.map { IncomingMessage(topic: WearerFeed.topic($0).path, payload: BatchEncoder.encode($0)) }
    }

    private static func withPipeline(
        _ body: @Sendable @escaping (BatchSource, InMemoryPublisher, SQLiteProfileStore) async throws -> Void
    ) async throws {
        let (source, publisher) = (BatchSource(), InMemoryPublisher())
        let profiles = SQLiteProfileStore(try ServiceState(path: ":memory:", migrations: SQLiteProfileStore.migrations))
        let pipeline = StressPipeline(
            batches: source, publisher: publisher, replies: ReplyPublisher(publisher), engines: LocalEngine(profiles: profiles),
            mode: LiveValue(.enhanced),
            calibration: LiveValue(120),
            metrics: StressMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, sink: { _ in }),
            now: { Timestamp(seconds: WearerFeed.start) })
        try await withRunning({ try await pipeline.run() }, stop: { source.finish() }) {
            try await body(source, publisher, profiles)
        }
    }

    private static func derived(_ publisher: InMemoryPublisher) throws -> [ObservationBatch] {
        try publisher.messages.filter { $0.topic.hasSuffix("/derived") }.map { try BatchDecoder().decode($0.payload.span) }
    }

    @Test("publishes derived batches on the participant's partition, and acknowledges")
    func publishes() async throws {
        try await Self.withPipeline { source, publisher, _ in
            var feed = WearerFeed()
            let outcome = await source.send(Self.messages(feed.seconds(30)))
            #expect(outcome == .committed)
            let batches = try Self.derived(publisher)
            #expect(!batches.isEmpty)
            #expect(batches.allSatisfy { $0.groups.allSatisfy { $0.source == "vigil-stress" && $0.participant == "p1" } })
            #expect(publisher.messages.allSatisfy { $0.topic == Topic.derived(Partition(participant: "p1")).path })
        }
    }

    @Test("gives a delivery back when publishing fails, and publishes its results when it comes again")
    func failure() async throws {
        try await Self.withPipeline { source, publisher, _ in
            var feed = WearerFeed()
            let messages = Self.messages(feed.seconds(30))
            publisher.fail { _ in BusError(.connectionLost, during: .publish) }
            #expect(await source.send(messages) == .rejected)
            publisher.fail(where: nil)
            #expect(await source.send(messages) == .committed)
            let times = try Self.derived(publisher).flatMap(\.groups).flatMap(\.observations).filter { $0.metric == "stress-status" }.map(
                \.time)
            #expect(times.count >= 5)
            #expect(Set(times).count == times.count)
        }
    }

    @Test("acknowledges what is no batch, and goes on")
    func malformed() async throws {
        try await Self.withPipeline { source, publisher, _ in
            let junk = ["", "{}", "[1,2", "\u{0}"].map {
                IncomingMessage(topic: "vigil/v1/observations/00/readings", payload: Array($0.utf8))
            }
            #expect(await source.send(junk) == .committed)
            var feed = WearerFeed()
            #expect(await source.send(Self.messages(feed.seconds(20))) == .committed)
            let batches = try Self.derived(publisher)
            #expect(!batches.isEmpty)
        }
    }

    @Test("obeys commands, answers, and keeps the profile before it acknowledges")
    func commands() async throws {
        try await Self.withPipeline { source, publisher, profiles in
            let command = { (json: String) in
                IncomingMessage(
                    topic: "vigil/v1/requests/carer/stress", payload: Array((#"{"participant": "p1", "# + json.dropFirst()).utf8),
                    properties: MessageProperties(responseTopic: "vigil/v1/responses/carer", correlationData: [7]))
            }
            #expect(await source.send([command(#"{"command": "mode", "mode": "base"}"#)]) == .committed)
            let kept = try await profiles.all()
            #expect(kept["p1"]?.mode == .base)
            #expect(await source.send([command(#"{"command": "dance"}"#)]) == .committed)
            let answers = publisher.messages.filter { $0.topic == "vigil/v1/responses/carer" }
            #expect(answers.map { String(decoding: $0.payload, as: UTF8.self).contains(#""ok":true"#) } == [true, false])
            #expect(answers.allSatisfy { $0.properties.correlationData == [7] })
        }
    }

    @Test("answers to no topic of the suite's own, and survives one that cannot be published to")
    func answers() async throws {
        try await Self.withPipeline { source, publisher, _ in
            publisher.fail { $0.topic == "a/#" ? BusError(.invalidTopic, during: .publish) : nil }
            for topic in ["vigil/v1/observations/00/readings", "a/#"] {
                let command = IncomingMessage(
                    topic: "vigil/v1/requests/carer/stress", payload: Array(#"{"participant": "p1", "command": "cancel"}"#.utf8),
                    properties: MessageProperties(responseTopic: topic))
                #expect(await source.send([command]) == .committed)
            }
            #expect(publisher.messages.isEmpty)
        }
    }

    @Test("makes nobody known by a command that does not say whose analysis it is about, and says so")
    func commandAboutNobody() async throws {
        try await Self.withPipeline { source, publisher, profiles in
            let command = IncomingMessage(
                topic: "vigil/v1/requests/a/stress", payload: Array(#"{"command": "mode", "mode": "base"}"#.utf8),
                properties: MessageProperties(responseTopic: "vigil/v1/responses/a/1"))
            #expect(await source.send([command]) == .committed)
            #expect(publisher.messages.map { String(decoding: $0.payload, as: UTF8.self) }.joined().contains("whose analysis"))
            let kept = try await profiles.all()
            #expect(kept.isEmpty)
        }
    }

    @Test("calibrates on command, and keeps the baseline")
    func guided() async throws {
        try await Self.withPipeline { source, publisher, profiles in
            var feed = WearerFeed()
            await source.send(Self.messages(feed.seconds(30)))
            let calibrate = Array(#"{"participant": "p1", "command": "calibrate"}"#.utf8)
            await source.send([IncomingMessage(topic: "vigil/v1/requests/carer/stress", payload: calibrate)])
            await source.send(Self.messages(feed.seconds(140)))
            let baseline = try #require(try await profiles.all()["p1"]?.baseline)
            #expect(abs((baseline.heartRate ?? 0) - 66) < 3)
            let statuses = try Self.derived(publisher).flatMap(\.groups).flatMap(\.observations).compactMap { observation in
                if case .text(let text) = observation.content { text } else { nil }
            }
            #expect(statuses.contains { $0.contains("calibrating: sit quietly") })
            #expect(statuses.last == "ok")
        }
    }
}
