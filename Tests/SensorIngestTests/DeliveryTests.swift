import Foundation
import MessageBus
import SensorIngest
import ServiceKit
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

/// Devices that are unlucky or hostile, at a real broker.
@Suite("Delivery from devices", .timeLimit(.minutes(4)))
struct DeliveryTests {
    private static let line = "0#0#0#0#0#36.9#0#0#-1#-1#0#0#"
    private static let topic = "vigil/v1/ingest/anna/watch"

    private func reading(_ value: Int, at time: Int = 1_484_840_182) -> String {
        #"{"metric":"heart-rate","time":\#(time),"value":\#(value)}"#
    }

    /// The receipts for one correlation each.
    private func receipts(_ client: HostileClient, _ count: Int) async throws -> [Receipt] {
        try await eventually("\(count) receipts") { client.messages.count { !$0.correlation.isEmpty } >= count }
        return try client.messages.filter { !$0.correlation.isEmpty }.map { try Receipt(decoding: $0.payload) }
    }

    @Test("stores each of many readings without a time, sent in a burst or while ingest was stopped: as many rows as receipts")
    func stamps() async throws {
        let rig = try await IngestRig()
        try await rig.run {}
        let client = try await HostileClient.connected(port: rig.server.port)
        try await client.subscribe("vigil/v1/receipts/anna/#")
        @Sendable func send(_ count: Int) async throws {
            let sent = (0..<count).map { number in
                client.publish(Self.topic, Self.line, properties: [.correlation([UInt8(number & 0xFF)])])
            }
            try await client.acknowledged(sent)
        }
        try await send(8)
        try await rig.run {
            try await send(300)
            let receipts = try await receipts(client, 308)
            #expect(receipts.allSatisfy { $0.outcome == .stored })
            #expect(try await rig.rows("anna", "body-temperature") == 308)
        }
    }

    @Test("stores a reading without a time once though its batch was published before the process died", arguments: [true, false])
    func killed(dies: Bool) async throws {
        let rig = try await IngestRig()
        try await rig.run {}
        let client = try await HostileClient.connected(port: rig.server.port)
        try await client.acknowledged((0..<40).map { _ in client.publish(Self.topic, Self.line) })
        let dying = Mutex<DyingPublisher?>(nil)
        try await rig.run(
            publisher: { publisher in
                let mortal = DyingPublisher(publisher, error: dies ? nil : BusError(.closed, during: .publish))
                dying.withLock { $0 = mortal }
                return mortal
            }, waitsUntilReady: false
        ) {
            // What was published is stored, and nothing of it acknowledged to the devices' broker.
            try await eventually("rows") { try await rig.rows("anna", "body-temperature") > 0 }
            if !dies { try await eventually("repeats") { dying.withLock { $0?.count ?? 0 } >= 3 } }
        }
        try await client.acknowledged([client.publish(Self.topic, Self.line, properties: [.correlation([1])])])
        try await client.subscribe("vigil/v1/receipts/anna/#")
        try await rig.run {
            _ = try await receipts(client, 1)
            try await eventually("41 rows") { try await rig.rows("anna", "body-temperature") >= 41 }
            #expect(try await rig.rows("anna", "body-temperature") == 41)
        }
    }

    @Test("lets no response topic of a stranger hold anybody up", arguments: ["x", String(repeating: "/", count: 300)])
    func hostileTopic(topic: String) async throws {
        let rig = try await IngestRig()
        try await rig.run {
            let stranger = try await HostileClient.connected(port: rig.server.port)
            for payload in ["{}", reading(60)] {
                stranger.publish(Self.topic, payload, properties: [.responseTopic(topic)])
            }
            let neighbour = try await HostileClient.connected(port: rig.server.port)
            try await neighbour.subscribe("vigil/v1/receipts/bea/#", "vigil/v1/rejects/anna/#")
            neighbour.publish("vigil/v1/ingest/bea/watch", reading(70), properties: [.correlation([1])])
            _ = try await receipts(neighbour, 1)
            try await eventually("both readings") { try await rig.rows("anna", "heart-rate") == 1 }
        }
    }

    @Test("is told by the broker that a message is too large for anybody, and by ingest that one is too large for it")
    func large() async throws {
        let rig = try await IngestRig()
        try await rig.run {
            let stranger = try await HostileClient.connected(port: rig.server.port)
            stranger.publish(Self.topic, String(repeating: "1", count: 5_000_000))
            try await eventually("the end of the connection") { !stranger.isOpen }
            #expect(stranger.disconnectReason == 0x95)
            let device = try await HostileClient.connected(port: rig.server.port)
            try await device.subscribe("vigil/v1/receipts/anna/#")
            device.publish(Self.topic, String(repeating: "1", count: 3_000_000), properties: [.correlation([1])])
            #expect(try await receipts(device, 1).first?.stored == 0)
        }
    }

    @Test(
        "gives an honest device its receipt at a broker of small packets, behind a stranger's sessions of nothing but control characters",
        arguments: [1_048_576, 60_000])
    func smallPackets(limit: Int) async throws {
        let settings = try MosquittoServer.shippedSettings().split(separator: "\n").filter { !$0.hasPrefix("max_packet_size") }
        let server = try await MosquittoServer.start(settings: settings.joined(separator: "\n"), extra: "max_packet_size \(limit)\n")
        let rig = try await IngestRig(server)
        // What waits at a start is taken together.
        try await rig.run {}
        let stranger = try await HostileClient.connected(port: server.port)
        let name = String(repeating: #"\b\f"#, count: 126)
        for second in 0..<1400 {
            stranger.publish(
                "vigil/v1/ingest/mallory/watch",
                #"{"session":"\#(name)\#(1000 + second)","observations":[\#(reading(60, at: 1_484_840_182 + second))]}"#)
        }
        let device = try await HostileClient.connected(port: server.port)
        try await device.subscribe("vigil/v1/receipts/anna/#")
        device.publish(Self.topic, reading(60), properties: [.correlation([1])])
        try await rig.run {
            #expect(try await receipts(device, 1).first?.stored == 1)
            try await eventually("the stranger's") { try await rig.rows("mallory", "heart-rate") == 1400 }
        }
    }

    @Test("passes over a retained message at each start, and never takes it for a measurement")
    func retained() async throws {
        let rig = try await IngestRig()
        let client = try await HostileClient.connected(port: rig.server.port)
        try await client.acknowledged([client.publish(Self.topic, Self.line, isRetained: true)])
        try await client.subscribe("vigil/v1/receipts/anna/#")
        for round in 1...3 {
            try await rig.run {
                client.publish(Self.topic, reading(60 + round, at: 1_484_840_182 + round), properties: [.correlation([1])])
                _ = try await receipts(client, round)
            }
        }
        #expect(try await rig.rows("anna", "body-temperature") == 0)
        #expect(try await rig.rows("anna", "heart-rate") == 3)
    }

    @Test("holds to its rate only the device that exceeds it")
    func rate() async throws {
        let rig = try await IngestRig(settings: { $0.rate = 5 })
        try await rig.run {
            let loud = try await HostileClient.connected(port: rig.server.port)
            let quiet = try await HostileClient.connected(port: rig.server.port)
            try await quiet.subscribe("vigil/v1/receipts/bea/#")
            // Without the loud one, beside whatever else this machine does.
            let usual: Duration = try await ContinuousClock().measure {
                quiet.publish("vigil/v1/ingest/bea/watch", reading(69, at: 1_484_840_100), properties: [.correlation([0])])
                _ = try await receipts(quiet, 1)
            }
            for second in 0..<2000 { loud.publish(Self.topic, reading(60, at: 1_484_840_182 + second)) }
            quiet.publish("vigil/v1/ingest/bea/watch", reading(70), properties: [.correlation([1])])
            let start = ContinuousClock.now
            #expect(try await receipts(quiet, 2).last?.stored == 1)
            // Half of what a single pause was before.
            let (waited, limit): (Duration, Duration) = (ContinuousClock.now - start, .seconds(15) + usual * 4)
            #expect(waited < limit)
            try await eventually("the rest of the burst") { try await rig.rows("anna", "heart-rate") >= 50 }
            #expect(try await rig.rows("anna", "heart-rate") < 500)
        }
    }

    @Test("tells a refusal of the store to the one concerned, and the others that they are stored")
    func refusedByStore() async throws {
        let rig = try await IngestRig()
        // A metric of the store's that has another unit there.
        _ = try await rig.store.append([
            ObservationBatch(
                id: "x",
                groups: [
                    ObservationGroup(
                        participant: "carl", source: "x", received: .now,
                        observations: [Observation(metric: "grip", time: .now, content: .value(1), unit: "kg")])
                ])
        ])
        try await rig.run {
            let client = try await HostileClient.connected(port: rig.server.port)
            try await client.subscribe("vigil/v1/receipts/#", "vigil/v1/rejects/#")
            let weight = #"{"metric":"body-weight","time":1484840182,"value":70}"#
            let grip = #"{"metric":"grip","time":1484840182,"value":300,"unit":"N"}"#
            client.publish(Self.topic, grip, properties: [.correlation([1])])
            client.publish("vigil/v1/ingest/bea/watch", weight, properties: [.correlation([2])])
            client.publish(Self.topic, "[\(weight),\(grip)]", properties: [.correlation([3])])
            _ = try await receipts(client, 3)
            let answers = try client.messages.filter { !$0.correlation.isEmpty }
                .reduce(into: [UInt8: Receipt]()) { $0[$1.correlation.first ?? 0] = try Receipt(decoding: $1.payload) }
            #expect(answers[1]?.outcome == .rejected)
            #expect(answers[2] == Receipt(outcome: .stored, stored: 1))
            #expect(answers[3]?.stored == 1 && answers[3]?.rejected == 1)
            try await eventually("the rejects") { client.messages.count { $0.topic == "vigil/v1/rejects/anna/watch" } == 2 }
            let reject = try Reject(decoding: #require(client.messages.first { $0.topic == "vigil/v1/rejects/anna/watch" }).payload)
            #expect(reject.reason.contains("unit"))
        }
    }

    @Test("keeps two sensors of one SenML pack apart, as in the sixth example of RFC 8428")
    func senml() async throws {
        let rig = try await IngestRig()
        try await rig.run {
            let client = try await HostileClient.connected(port: rig.server.port)
            try await client.subscribe("vigil/v1/receipts/#")
            let pack = """
                [{"bn":"urn:dev:ow:10e2073a01080063:","bt":1.320067464e+09,"n":"body-temperature","u":"Cel","v":36.5},
                 {"n":"body-temperature","t":60,"u":"Cel","v":36.6},
                 {"bn":"urn:dev:ow:10e2073a01080064:","n":"body-temperature","u":"Cel","v":37.5},
                 {"n":"body-temperature","t":60,"u":"Cel","v":37.6}]
                """
            client.publish(Self.topic, pack, properties: [.correlation([1]), .contentType("application/senml+json")])
            #expect(try await receipts(client, 1).first?.stored == 4)
            #expect(try await rig.rows("anna", "body-temperature") == 4)
        }
    }

    @Test("publishes what it polls under the shipped access list")
    func accessList() async throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let list = try String(contentsOfFile: "/\(root)/deploy/mosquitto/acl", encoding: .utf8)
        let server = try await MosquittoServer.start(access: .password(user: "ingest", password: "secret", accessList: list))
        let events = EventLog()
        try await withRunning(server.consumer("reader", Topic.Filter.ingest, onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            async let message = consumer.takeBatch()
            try await server.publish([OutgoingMessage(topic: "vigil/v1/ingest/anna/ehealth", payload: [1])])
            let batch = try await message
            #expect(batch.messages.count == 1)
            batch.settle(.committed)
        }
    }
}
