import Foundation
import MessageBus
import StressAnalysis
import Synchronization
import TestSupport
import Testing
import VigilSchema

/// `vigil-stress` as a process beside a real Mosquitto.
@Suite("vigil-stress", .serialized, .timeLimit(.minutes(3)))
struct StressServiceTests {
    /// The service ended instead of starting; what it said.
    private struct StartFailure: Error {
        let description: String
    }

    /// Every batch that was on the bus.
    private final class Seen: Sendable {
        let batches = Mutex<[ObservationBatch]>([])
    }

    @Test("derives from what is on the bus, survives kill -9 with its profiles, and never takes its own results in")
    func endToEnd() async throws {
        let server = try await MosquittoServer.start()
        let folder = try TemporaryFolder("vigil-stress")
        let seen = Seen()
        let events = EventLog()
        let watcher = Consumer(
            configuration: ConsumerConfiguration(
                broker: server.configuration(clientID: "watcher"), subscriptions: [Subscription(Topic.Filter.observations)]),
            onEvent: events.note)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "sender")))
        let derived = { @Sendable in seen.batches.withLock { $0.filter { $0.groups[0].source == "vigil-stress" } } }
        try await withRunning(watcher) { watcher in
            try await withRunning(publisher) { publisher in
                try await withRunning({ try await Self.collect(watcher, seen) }, stop: { watcher.drain() }) {
                    try await events.waitUntilReady()
                    try await Self.scenario(server, folder, publisher, derived)
                }
            }
        }
    }

    private static func scenario(
        _ server: MosquittoServer, _ folder: TemporaryFolder, _ publisher: Publisher, _ derived: @Sendable () -> [ObservationBatch]
    ) async throws {
        var feed = WearerFeed()
        let first = try await launch(server, folder)
        try await publisher.publish(
            OutgoingMessage(
                topic: "vigil/v1/requests/carer/stress", payload: Array(#"{"participant": "p1", "command": "mode", "mode": "base"}"#.utf8)))
        try await send(feed.seconds(60), publisher)
        try await eventually("results of the first minute") { statuses(derived()).count >= 9 }
        first.signal(SIGKILL)
        try await first.waitForExit()
        let second = try await launch(server, folder)
        let before = statuses(derived()).count
        try await send(feed.seconds(60), publisher)
        try await eventually("results of the second minute") { statuses(derived()).count >= before + 9 }
        // Two feeds of a minute have 24 five-second marks; a loop would give more without end.
        #expect(Set(statuses(derived()).map(\.time)).count <= 25)
        #expect(components("heart-rate", derived()).allSatisfy { abs($0 - 66) < 6 })
        #expect(!components("stress-breathing-component", derived()).isEmpty)
        second.signal(SIGTERM)
        try await second.waitForExit()
        #expect(second.output.contains("stopped") || second.hasEnded)
        try await expectNothingOfItsOwn(server, derived().first)
    }

    /// The service's session at the broker, with its subscriptions.
    private static let session = "vigil-stress-main-observations"

    /// Takes the service's session over, and looks at what the broker still sends to it: what others measured, and nothing that it derived.
    private static func expectNothingOfItsOwn(_ server: MosquittoServer, _ batch: ObservationBatch?) async throws {
        let payload = BatchEncoder.encode(try #require(batch))
        let partition = Partition(participant: "p1")
        let topics = [Topic.derived(partition), .readings(partition), .waveforms(partition)]
        try await server.publish(topics.map { OutgoingMessage(topic: $0.path, payload: payload) })
        try await withRunning(server.consumer(session, session: .persistent(expiry: .seconds(3_600)))) { consumer in
            var taken: [IncomingMessage] = []
            // Before these may come what the service had not acknowledged.
            for try await delivery in consumer.batches {
                taken += delivery.messages
                delivery.settle(.committed)
                if taken.contains(where: { $0.topic == topics[2].path && $0.payload == payload }) { break }
            }
            #expect(taken.contains { $0.topic == topics[1].path && $0.payload == payload })
            #expect(!taken.contains { $0.topic == topics[0].path })
        }
    }

    private static func collect(_ watcher: Consumer, _ seen: Seen) async throws {
        for try await delivery in watcher.batches {
            let batches = delivery.messages.compactMap { try? BatchDecoder().decode($0.payload.span) }
            seen.batches.withLock { $0 += batches }
            delivery.settle(.committed)
        }
    }

    private static func launch(_ server: MosquittoServer, _ folder: TemporaryFolder) async throws -> ChildProcess {
        let process = try ChildProcess(
            BuiltProgram.path("vigil-stress"), ["--broker-port", "\(server.port)", "--state-folder", folder.path("state")],
            output: folder.path("stress-\(UUID().uuidString).log"), environment: ["PATH": "/usr/bin:/bin"])
        try await eventually("vigil-stress running") {
            guard !process.hasEnded else { throw StartFailure(description: process.output) }
            return process.output.contains("running")
        }
        return process
    }

    private static func send(_ batches: [ObservationBatch], _ publisher: Publisher) async throws {
        for batch in batches {
            try await publisher.publish(OutgoingMessage(topic: WearerFeed.topic(batch).path, payload: BatchEncoder.encode(batch)))
        }
    }

    private static func statuses(_ batches: [ObservationBatch]) -> [Observation] {
        batches.flatMap(\.groups).flatMap(\.observations).filter { $0.metric == "stress-status" }
    }

    private static func components(_ metric: String, _ batches: [ObservationBatch]) -> [Double] {
        batches.flatMap(\.groups).flatMap(\.observations).compactMap { observation in
            guard observation.metric == metric, case .value(let value) = observation.content else { return nil }
            return value
        }
    }
}
