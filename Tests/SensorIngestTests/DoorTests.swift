import MessageBus
import Observability
import Testing
import VigilSchema

@testable import SensorIngest

/// One value as a sensor gives it, on its way through every format, topic and mapping: plausibility and units belong to the normaliser, so that
/// each of them comes to the same verdict.
@Suite("A rule of plausibility or units, through every door")
struct DoorTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// A value in the notation of JSON.
    struct Given: Sendable, CustomTestStringConvertible {
        let metric: String
        let value: String
        /// In UCUM; nil where the sensor names none.
        let unit: String?
        let verdict: String

        init(_ metric: String, _ value: String, _ unit: String?, _ verdict: String) {
            (self.metric, self.value, self.unit, self.verdict) = (metric, value, unit, verdict)
        }

        var testDescription: String { "\(metric) \(value) \(unit ?? "without a unit")" }
        var unitMember: String { unit.map { #","unit":"\#($0)""# } ?? "" }
    }

    /// A way in, and the message that it makes of a value; nil where its format cannot say it.
    struct Door: Sendable {
        let name: String
        var topic = "vigil/v1/ingest/anna/watch"
        var mapping: @Sendable (Given) -> String? = { _ in nil }
        let payload: @Sendable (Given) -> [UInt8]?
    }

    private static let doors = [
        Door(name: "native") { Array(#"{"metric":"\#($0.metric)","value":\#($0.value)\#($0.unitMember)}"#.utf8) },
        Door(name: "native, in an array") { Array(#"[{"metric":"\#($0.metric)","value":\#($0.value)\#($0.unitMember)}]"#.utf8) },
        Door(name: "native, in an envelope") {
            Array(#"{"session":"s","observations":[{"metric":"\#($0.metric)","value":\#($0.value)\#($0.unitMember)}]}"#.utf8)
        },
        Door(name: "native, with a time") {
            Array(#"{"metric":"\#($0.metric)","time":1699999999,"value":\#($0.value)\#($0.unitMember)}"#.utf8)
        },
        Door(name: "by hand", topic: "vigil/v1/ingest/anna/manual/nurse") {
            Array(#"{"metric":"\#($0.metric)","value":\#($0.value)\#($0.unitMember)}"#.utf8)
        },
        Door(name: "SenML JSON") { given in
            let unit = senml(given.unit).map { #","u":"\#($0)""# } ?? ""
            return Array(#"[{"n":"\#(given.metric)","v":\#(given.value)\#(unit)}]"#.utf8)
        },
        Door(name: "SenML CBOR") { cbor($0) },
        Door(name: "e-Health") { given in
            given.unit == nil && given.value != "0" ? Array(#"{"Sensors":{"\#(given.metric)":\#(given.value)}}"#.utf8) : nil
        },
        Door(
            name: "mapping with a declared unit", topic: "t",
            mapping: { #"readings: [{metric: "\#($0.metric)", value: "v"\#($0.unit.map { ", unit: \"\($0)\"" } ?? "")}]"# },
            payload: { Array(#"{"v":\#($0.value)}"#.utf8) }),
        Door(
            name: "mapping with the record's unit", topic: "t",
            mapping: { #"readings: [{metric: "\#($0.metric)", value: "v", unit: {from: "unit", else: ""}}]"# },
            payload: { Array(#"{"v":\#($0.value)\#($0.unitMember)}"#.utf8) }),
        Door(
            name: "mapping with a formula", topic: "t",
            mapping: { #"readings: [{metric: "\#($0.metric)", value: "= v * 1"\#($0.unit.map { ", unit: \"\($0)\"" } ?? "")}]"# },
            payload: { Array(#"{"v":\#($0.value)}"#.utf8) }),
        Door(
            name: "mapping by known names", topic: "t", mapping: { _ in "knownNames: true" },
            payload: { Array(#"{"type":"\#($0.metric)","value":\#($0.value)\#($0.unitMember)}"#.utf8) }),
        Door(
            name: "mapping by known keys", topic: "t", mapping: { _ in "knownNames: true" },
            payload: { Array(#"{"\#($0.metric)":\#($0.value)\#($0.unitMember)}"#.utf8) }),
        Door(
            name: "mapping of CBOR", topic: "t",
            mapping: { #"format: "cbor", readings: [{metric: "\#($0.metric)", value: "v"\#($0.unit.map { ", unit: \"\($0)\"" } ?? "")}]"# },
            payload: { given in Double(given.value).map { [0xA1, 0x61, 0x76] + double($0) } }),
        Door(
            name: "plain value", topic: "t",
            mapping: {
                #"format: "plain", readings: [{metric: "\#($0.metric)", value: "."\#($0.unit.map { ", unit: \"\($0)\"" } ?? "")}]"#
            },
            payload: { Array($0.value.utf8) }),
        Door(
            name: "line protocol", topic: "t",
            mapping: {
                #"format: "influx", each: ".", readings: [{metric: "\#($0.metric)", value: "fields.v"\#($0.unit.map { ", unit: \"\($0)\"" } ?? "")}]"#
            },
            payload: { Array("m v=\($0.value)".utf8) }),
    ]

    /// SenML's symbols, where they are not UCUM's: its `%` is a ratio.
    private static func senml(_ unit: String?) -> String? { unit == "%" ? "/100" : unit == "1" ? "/" : unit }

    private static func double(_ value: Double) -> [UInt8] {
        [0xFB] + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(56 - 8 * $0)) }
    }

    private static func cbor(_ given: Given) -> [UInt8]? {
        func text(_ text: String) -> [UInt8] {
            (text.utf8.count < 24 ? [0x60 + UInt8(text.utf8.count)] : [0x78, UInt8(text.utf8.count)]) + Array(text.utf8)
        }
        guard let value = Double(given.value) else { return nil }
        let unit = senml(given.unit).map { [0x01] + text($0) } ?? []
        return [0x81, unit.isEmpty ? 0xA2 : 0xA3, 0x00] + text(given.metric) + [0x02] + double(value) + unit
    }

    private func verdict(_ door: Door, _ given: Given) -> String? {
        guard let payload = door.payload(given) else { return nil }
        let body = door.mapping(given)
        guard let body else { return Self.verdict(IncomingMessage(topic: door.topic, payload: payload)) }
        let file = #"{mappings: [{name: "m", topics: ["t"], participant: "anna", device: "watch", ignore: ["*"], \#(body)}]}"#
        // A unit that fits nothing is refused when the file is read.
        guard let mappings = try? MappingFile.parse(file) else { return "unknown-unit" }
        return Self.verdict(IncomingMessage(topic: door.topic, payload: payload), mappings)
    }

    private static func verdict(_ message: IncomingMessage, _ mappings: MappingSet = MappingSet()) -> String {
        var reader = MessageReader(mappings: MappingRules(mappings))
        let result = reader.read([message], received: now)
        let stored = result.batches.flatMap(\.batch.groups).flatMap(\.observations).map { observation in
            guard case .value(let value) = observation.content else { return "text" }
            return "\((value * 1000).rounded() / 1000) \(observation.unit)"
        }
        return (stored + result.refusals.map(\.error.code.rawValue)).joined(separator: "; ")
    }

    private static let rules = [
        Given("heart-rate", "61", "/min", "61.0 /min"), Given("heart-rate", "61", nil, "61.0 /min"),
        Given("heart-rate", "61", "kg", "unknown-unit"), Given("heart-rate", "1.02", "Hz", "61.2 /min"),
        Given("heart-rate", "0", nil, "implausible"), Given("heart-rate", "400", nil, "implausible"),
        Given("oxygen-saturation", "97", "%", "97.0 %"), Given("oxygen-saturation", "101", "%", "implausible"),
        Given("oxygen-saturation", "0.97", nil, "implausible"),
        Given("blood-glucose", "110", nil, "110.0 mg/dL"), Given("blood-glucose", "5.5", nil, "implausible"),
        Given("blood-glucose", "10", nil, "unknown-unit"), Given("blood-glucose", "12.5", nil, "unknown-unit"),
        Given("blood-glucose", "35.9", nil, "unknown-unit"), Given("blood-glucose", "36", nil, "36.0 mg/dL"),
        Given("blood-glucose", "12.5", "mmol/L", "225.2 mg/dL"), Given("blood-glucose", "12.5", "mg/dL", "12.5 mg/dL"),
        Given("blood-glucose", "50", "mmol/L", "implausible"), Given("blood-glucose", "110", "mmHg", "unknown-unit"),
        Given("body-temperature", "36.6", nil, "36.6 Cel"), Given("body-temperature", "98.6", "[degF]", "37.0 Cel"),
        Given("body-temperature", "98.6", nil, "implausible"), Given("body-temperature", "22.4", "Cel", "implausible"),
        Given("body-temperature", "310", "K", "36.85 Cel"), Given("body-weight", "150", "[lb_av]", "68.039 kg"),
        Given("body-weight", "72", nil, "72.0 kg"), Given("body-weight", "0.1", "kg", "implausible"),
        Given("respiration-rate", "16", "/min", "16.0 /min"), Given("respiration-rate", "200", "/min", "implausible"),
        Given("ambient-temperature", "-5", nil, "-5.0 Cel"), Given("energy", "100", "kJ", "23.901 kcal"),
        Given("sleep-minutes", "1e200", nil, "implausible"),
    ]

    @Test("comes to the same verdict", arguments: rules)
    func same(given: Given) {
        for door in Self.doors {
            guard let verdict = verdict(door, given) else { continue }
            #expect(verdict == given.verdict, "\(door.name): \(verdict)")
        }
    }

    @Test("comes to the same verdict over HTTP, which hands the body on as it is", arguments: rules)
    func http(given: Given) async throws {
        var tokens = IngestTokens()
        let token = tokens.add(participant: "anna", device: "watch")
        let ingest = HTTPIngest(tokens: { [tokens] in tokens }, metrics: HTTPIngestMetrics(MetricsRegistry())) {
            message throws(BusError) in
            let verdict = Self.verdict(IncomingMessage(topic: message.topic, payload: message.payload))
            let receipt = Receipt(outcome: .stored, stored: 1, reasons: [verdict])
            return IncomingMessage(topic: "r", payload: (try? receipt.encoded()) ?? [])
        }
        let request = HTTPRequest(
            method: "POST", path: "/", headers: ["x-vigil-token": token],
            body: Array(#"{"metric":"\#(given.metric)","value":\#(given.value)\#(given.unitMember)}"#.utf8),
            parameters: ["participant": "anna", "device": "watch"])
        guard case .bytes(let body) = await ingest.routes[0].handler(request).body else {
            Issue.record("no answer")
            return
        }
        #expect(try Receipt(decoding: body).reasons == [given.verdict])
    }

    @Test("has one meaning of a time, too", arguments: [("37", "implausible-time"), ("4102444800", "implausible-time")])
    func times(time: String, verdict: String) throws {
        let native = #"{"metric":"heart-rate","value":61,"time":\#(time)}"#
        for topic in ["vigil/v1/ingest/anna/watch", "vigil/v1/ingest/anna/manual/nurse"] {
            #expect(Self.verdict(IncomingMessage(topic: topic, payload: Array(native.utf8))) == verdict)
        }
        for body in [
            #"time: "time", readings: [{metric: "heart-rate", value: "value"}], ignore: ["*"]"#, "knownNames: true, ignore: [\"*\"]",
        ] {
            let set = try MappingFile.parse(#"{mappings: [{name: "m", topics: ["t"], participant: "anna", device: "watch", \#(body)}]}"#)
            let payload = #"{"type":"heart-rate","metric":"heart-rate","value":61,"time":\#(time)}"#
            #expect(Self.verdict(IncomingMessage(topic: "t", payload: Array(payload.utf8)), set) == verdict, "\(body)")
        }
    }
}
