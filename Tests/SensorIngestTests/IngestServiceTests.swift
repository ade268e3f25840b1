import Foundation
import HTTPClient
import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest
@testable import ServiceKit

/// The service as its process runs it: all of its parts, wired together, at a real broker.
@Suite("The ingest service", .timeLimit(.minutes(3)))
struct IngestServiceTests {
    /// What was published, by a consumer that listens to everything of the suite.
    private final class Heard: Sendable {
        private let all = Mutex<[IncomingMessage]>([])

        func follow(_ consumer: Consumer) async throws {
            for try await batch in consumer.batches {
                all.withLock { $0 += batch.messages }
                batch.settle(.committed)
            }
        }

        func wait(_ what: String, _ topic: String, _ words: String...) async throws {
            try await eventually(what) {
                all.withLock { $0 }.contains { message in message.topic.hasPrefix(topic) && words.allSatisfy { message.text.contains($0) } }
            }
        }
    }

    /// Runs the whole service beside a body.
    private func running(
        _ flags: [String: String], in folder: TemporaryFolder, at server: MosquittoServer,
        _ body: @escaping @Sendable (Heard, ServiceContext) async throws -> Void
    ) async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "ingest-publisher")))
        let context = try IngestContext.make(
            flags.merging(["broker-port": String(server.port)]) { $1 }, in: folder, publisher: publisher)
        let members = try await SensorIngestService.command.build(context)
        let isRunning = Mutex(false), heard = Heard(), events = EventLog()
        let group = ServiceGroup(members, stopOn: []) { progress in if progress == .running { isRunning.withLock { $0 = true } } }
        let listener = server.consumer("listener", "vigil/v1/#", onEvent: events.note)
        try await withRunning(listener) { listener in
            try await events.waitUntilReady()
            try await withRunning(publisher) { _ in
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    defer { tasks.cancelAll() }
                    tasks.addTask { try await heard.follow(listener) }
                    tasks.addTask { try await group.run() }
                    try await eventually("the service runs") { isRunning.withLock { $0 } }
                    try await body(heard, context)
                }
            }
        }
    }

    @Test(
        "takes devices' messages and those of mappings, tells the newest reading, what it refuses, and what it knew of devices and batches")
    func runs() async throws {
        // A broker that sends packets of any size.
        let server = try await MosquittoServer.start(settings: "max_inflight_messages 1000\n", extra: "log_type all\n")
        let folder = try TemporaryFolder("vigil-ingest")
        let mapping = try folder.write(
            """
            {mappings: [{topics: ["rooms/+/pulse"], format: "plain", participant: "bernd", device: "bed",
            readings: [{metric: "heart-rate", value: "."}]}]}
            """, to: "m.json5")
        try await prepare(folder)
        let flags = ["latest": "true", "mappings": mapping, "maximum-payload": "5242880"]
        try await running(flags, in: folder, at: server) { heard, context in
            let publish = { (topic: String, payload: [UInt8]) in try await server.publish([OutgoingMessage(topic: topic, payload: payload)])
            }
            try await publish("vigil/v1/ingest/anna/watch", Array(#"{"metric":"heart-rate","value":61}"#.utf8))
            try await heard.wait("the batch", "vigil/v1/observations/", "anna", "watch", "heart-rate")
            try await heard.wait("the newest reading", "vigil/v1/latest/anna/heart-rate", "61")
            try await publish("rooms/bath/pulse", Array("62".utf8))
            try await heard.wait("the mapped batch", "vigil/v1/observations/", "bernd", "bed", "62")
            // What was known of a device before the restart is told once more.
            try await heard.wait("the status", "vigil/v1/observations/", "carl", "quarantined")
            // Larger than it takes, also than any batch of the bus: refused in words.
            try await publish("vigil/v1/ingest/anna/watch", [UInt8](repeating: UInt8(ascii: " "), count: 6 << 20))
            try await heard.wait("the refusal", "vigil/v1/rejects/anna/watch", "5242880")
            // No timeline confirms anything: what waited before the start, the two readings and the status.
            try await eventually("all that waits is counted") { context.metrics.render().contains("vigil_ingest_outbox_batches 4\n") }
        }
        #expect(server.log.contains("former/topic"), "what an earlier process listened to is given up")
    }

    /// Leaves what an earlier process has left: a quarantined device, a batch on its way, a topic of a mapping.
    private func prepare(_ folder: TemporaryFolder) async throws {
        let registry = try DeviceRegistry(path: folder.path("vigil-ingest-main.devices.sqlite"))
        try await registry.setQuarantined(DeviceAddress(participant: "carl", device: "strap"), true, now: .now)
        let outbox = try await Outbox(path: folder.path("vigil-ingest-main.outbox.sqlite"))
        try await outbox.keep([OutboxEntry(id: "x", topic: "t", payload: [1])], receiptRequests: [], now: .now)
        try folder.write("former/topic\n", to: "vigil-ingest-main.mapped-topics")
    }

    @Test("answers over HTTP, within the time that is set, as the timeline confirms")
    func http() async throws {
        let server = try await MosquittoServer.start()
        let folder = try TemporaryFolder("vigil-ingest")
        var tokens = IngestTokens()
        let token = tokens.add(participant: "anna", device: "phone")
        let port = try LoopbackPort.free()
        let flags = [
            "ingest-http-port": String(port), "ingest-http-tokens": try folder.write(tokens.text, to: "tokens"), "ingest-http-within": "1s",
        ]
        try await running(flags, in: folder, at: server) { heard, context in
            let reading = Array(#"{"metric":"heart-rate","value":61}"#.utf8)
            func post(_ token: String) async throws -> Int {
                try await HTTPClient().post(
                    "http://127.0.0.1:\(port)/ingest/anna/phone", body: reading, contentType: "application/json",
                    headers: [HTTPHeader("Authorization", "Bearer \(token)")], timeout: .seconds(60)
                ).status
            }
            #expect(try await post("wrong") == 401)
            // There is no timeline: it is on the bus, and not confirmed.
            #expect(try await post(token) == 504)
            try await heard.wait("the batch", "vigil/v1/observations/", "anna", "phone", "heart-rate")
            #expect(context.metrics.render().contains("vigil_ingest_http_requests_total 2\n"))
        }
    }
}
