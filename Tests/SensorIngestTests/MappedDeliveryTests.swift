import MessageBus
import SensorIngest
import ServiceKit
import TestSupport
import Testing
import TimelineStore
import VigilSchema

/// Messages that bridges publish on topics of their own, through a real broker, ingest and a timeline.
@Suite("Mapped delivery", .timeLimit(.minutes(4)))
struct MappedDeliveryTests {
    private static let scale = "home/gw/BTtoMQTT/A4C138000001"

    private func weight(_ kilograms: Double) -> String {
        #"{"id":"A4:C1:38:00:00:01","type":"SCALE","weighing_mode":"person","unit":"kg","weight":\#(kilograms)}"#
    }

    @Test(
        "stores what a bridge publishes, with a receipt for who asks, a reject in words, and nothing that the broker had kept from before")
    func stored() async throws {
        let rig = try await IngestRig(mappings: try MappingFile.load([MappingTests.shipped]))
        let client = try await HostileClient.connected(port: rig.server.port)
        try await client.acknowledged([client.publish("miscale/anna/weight", #"{"weight":99,"weight_unit":"kg"}"#, isRetained: true)])
        try await rig.run {
            try await client.subscribe("vigil/v1/receipts/#")
            try await client.subscribe("vigil/v1/rejects/#")
            let sent = [
                client.publish(Self.scale, weight(72.4), properties: [.correlation([1])]),
                // Bridges retain what they publish: for whoever listens it is new all the same.
                client.publish(
                    "omron/blood_pressure/anna", #"{"timestamp":"2026-01-31T11:00:00Z","systolic":121,"diastolic":79,"pulse":61}"#,
                    isRetained: true),
                client.publish("bath/sensor/uptime/state", "4711"),
                client.publish(
                    "v1/gateway/telemetry",
                    #"{"a":[{"ts":1769857200000,"values":{"hr":61}}],"b":[{"ts":1769857200000,"values":{"hr":6100}}]}"#,
                    properties: [.correlation([2])]),
            ]
            try await client.acknowledged(sent)
            try await eventually(within: .seconds(30), "two receipts and two rejects") {
                client.messages.count { $0.topic.hasPrefix("vigil/v1/receipts/") && !$0.correlation.isEmpty } >= 2
                    && client.messages.count { $0.topic.hasPrefix("vigil/v1/rejects/") } >= 2
            }
            #expect(try await rig.rows("unknown", "body-weight") == 1)
            try await eventually(within: .seconds(30), "the pressure's row") { try await rig.rows("anna", "systolic-pressure") == 1 }
            #expect(try await rig.rows("anna", "body-weight") == 0)
            let receipts = try client.messages.filter { !$0.correlation.isEmpty }.map {
                ($0.correlation, try Receipt(decoding: $0.payload))
            }
            // One for a message, whatever number of devices it speaks for.
            #expect(receipts.count == 2)
            #expect(receipts.first { $0.0 == [2] }.map { [$0.1.stored, $0.1.rejected] } == [1, 1])
            let rejects = try client.messages.filter { $0.topic.hasPrefix("vigil/v1/rejects/") }.map { try Reject(decoding: $0.payload) }
            #expect(rejects.contains { $0.reason.contains("uptime") }, "\(rejects.map(\.reason))")
        }
    }

    @Test(
        "keeps a sender to its own topic: whoever the payload names, the readings are those of the participant whom the broker let publish")
    func owned() async throws {
        let people = try MappingFile.parse(
            """
            {mappings: [{topics: ["vigil/v1/ingest/{person}/{device}"], when: {who: {exists: true}}, participant: {from: "who"}, device: {from: "with"},
              time: "t", readings: [{metric: "heart-rate", value: "hr"}], ignore: ["*"]}]}
            """)
        let rig = try await IngestRig(mappings: people)
        let client = try await HostileClient.connected(port: rig.server.port)
        try await rig.run {
            let text = #"{"who":"bernd","with":"strap","t":1769857200,"hr":61}"#
            try await client.acknowledged([client.publish("vigil/v1/ingest/anna/phone", text)])
            try await eventually(within: .seconds(30), "anna's row") { try await rig.rows("anna", "heart-rate") == 1 }
            #expect(try await rig.rows("bernd", "heart-rate") == 0)
            let rows = try await rig.store.readings(
                participant: "anna", metric: "heart-rate", from: Timestamp(seconds: 0), to: .now, limit: 10)
            #expect(rows.readings.map(\.source) == ["phone/strap"])
        }
    }

    @Test("stores once what several mappings listen to by filters that overlap, though the broker sends it for each")
    func overlapping() async throws {
        let mappings = try MappingFile.parse(
            """
            {mappings: [
              {topics: ["rooms/+/pulse"], format: "plain", participant: "anna", device: "a", readings: [{metric: "heart-rate", value: "."}]},
              {topics: ["rooms/bath/+", "rooms/#"], format: "plain", participant: "anna", device: "b",
                readings: [{metric: "oxygen-saturation", value: "."}]},
            ]}
            """)
        let rig = try await IngestRig(mappings: mappings)
        let client = try await HostileClient.connected(port: rig.server.port)
        try await rig.run {
            try await client.acknowledged([client.publish("rooms/bath/pulse", "61"), client.publish("rooms/bath/oxygen", "97")])
            try await client.acknowledged([client.publish("rooms/kitchen/oxygen", "96")])
            try await eventually(within: .seconds(30), "the last reading's row") { try await rig.rows("anna", "oxygen-saturation") == 2 }
            #expect(try await rig.rows("anna", "heart-rate") == 1)
        }
    }
}
