import Foundation
import MessageBus
import SensorIngest
import TestSupport
import Testing
import VigilSchema

@Suite("Mappings")
struct MappingTests {
    static let shipped: String = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/deploy/mappings"

    @Test(
        "refuse in words what is no measurement of a person",
        arguments: [
            ("home/g/BTtoMQTT/A4", #"{"id":"A4","weighing_mode":"object","unit":"kg","weight":3.2}"#, "object was weighed"),
            ("bedroom/sensor/uptime/state", "4711", "finds no reading"), ("nobody/listens", "1", "no mapping"),
            ("withings/anna", "{", "quotes"), ("withings/anna", #"{"status":401}"#, "reading"),
        ])
    func refused(topic: String, payload: String, reason: String) throws {
        let message = MappedMessage(Array(payload.utf8), topic: topic, by: try MappingFile.load([Self.shipped]))
        #expect(message.accepted.isEmpty)
        #expect(message.refused.contains { $0.contains(reason) }, "\(message.refused)")
    }

    @Test("that tell people apart refuse whom nothing fits, and leave it to no shipped one that would take it for the sensor's owner's")
    func nobody() throws {
        let folder = try TemporaryFolder("vigil-mappings")
        try """
        {tables: {people: {"A4:C1:38:*": "anna"}}, mappings: [{
          name: "our scale", topics: ["home/{gateway}/BTtoMQTT/{address}"], when: {weighing_mode: "person"}, device: "scale",
          participant: {choose: [{when: {weight: {min: 40, max: 65}}, is: "anna"}]},
          readings: [{metric: "body-weight", value: "weight", unit: "kg"}], ignore: ["*"]}]}
        """.write(toFile: folder.path("scale.json5"), atomically: true, encoding: .utf8)
        let mappings = try MappingFile.load([Self.shipped, folder.path("scale.json5")])
        func becomes(_ weight: String) -> MappedMessage {
            let text = #"{"id":"A4:C1:38:00:00:01","type":"SCALE","weighing_mode":"person","unit":"kg","weight":\#(weight)}"#
            return MappedMessage(Array(text.utf8), topic: "home/gw/BTtoMQTT/A4C138000001", by: mappings)
        }
        #expect(becomes("58.2").accepted == ["anna scale body-weight 58.2 kg on arrival"])
        let child = becomes("30.1")
        #expect(child.accepted.isEmpty && child.refused.first?.contains("nobody is known") == true, "\(child)")
    }

    @Test("tell two people on one scale apart by weight, name an unknown key, and leave out what is named")
    func own() throws {
        let mappings = try MappingFile.parse(
            """
            {tables: {devices: {"A4:*": "scale-1"}}, mappings: [{
              name: "scale", topics: ["home/{room}/scale"], device: {from: "id", table: "devices"},
              participant: {choose: [{when: {weight: {min: 40, max: 65}}, is: "anna"}, {when: {weight: {min: 65, max: 120}}, is: "bernd"}]},
              when: {mode: "person"}, time: {from: "t", format: "ms"},
              readings: [{metric: "body-weight", value: "weight", unit: "kg"}, {metric: "body-mass-index", value: "= weight / (1.8 * 1.8)", unit: "kg/m2"}],
              ignore: ["rssi", "serv*"]}]}
            """)
        func becomes(_ weight: String, _ more: String = "") -> MappedMessage {
            let text = #"{"id":"A4:C1","mode":"person","weight":\#(weight),"t":1769857200000,"rssi":-1,"service":"x"\#(more)}"#
            return MappedMessage(Array(text.utf8), topic: "home/bath/scale", by: mappings)
        }
        #expect(becomes("60").accepted.first == "anna scale-1 body-weight 60.0 kg 1769857200.0")
        #expect(becomes("81").accepted.last == "bernd scale-1 body-mass-index 25.0 kg/m2 1769857200.0")
        #expect(becomes("30").refused.map { $0.contains("nobody is known") } == [true])
        let unknown = becomes("60", #","surprise":1"#)
        #expect(unknown.accepted.count == 2 && unknown.refused.count == 1)
        #expect(unknown.refused.first?.contains("\"surprise\"") == true)
    }

    @Test(
        "read CSV lines, hexadecimal bytes and CBOR",
        arguments: [
            (
                #"format: "csv", columns: ["t", "hr"], time: "t", readings: [{metric: "heart-rate", value: "hr"}]"#,
                "1769857200,61\n1769857201,62", 2
            ),
            (#"format: "hex", readings: [{metric: "body-weight", value: "= ([1] * 256 + [0]) / 200"}]"#, "8438", 1),
            (#"format: "json", each: "l[*]", readings: [{metric: "heart-rate", value: "hr"}]"#, "{}", -1),
        ])
    func formats(body: String, payload: String, count: Int) throws {
        let file = "{mappings: [{topics: [\"t\"], participant: \"a\", device: \"b\", \(body)}]}"
        guard count >= 0 else {
            let error = #expect(throws: MappingFile.Malformed.self) { try MappingFile.parse(file) }
            return #expect(error?.problems.first?.contains("brackets hold a number") == true)
        }
        let message = MappedMessage(Array(payload.utf8), topic: "t", by: try MappingFile.parse(file))
        #expect(message.accepted.count == count && message.refused.isEmpty, "\(message)")
    }

    @Test("go before those of files that are named earlier, and so do their tables' entries")
    func order() throws {
        let folder = try TemporaryFolder("mappings")
        try folder.write(
            #"{tables: {people: {"A4:*": "bernd"}}, mappings: [{topics: ["home/{gateway}/BTtoMQTT/{address}"], when: {id: "A4:C1:38:00:00:01"}, participant: "anna", device: "scale", readings: [{metric: "body-weight", value: "weight", unit: "kg"}], ignore: ["*"]}]}"#,
            to: "mine.json5")
        let mappings = try MappingFile.load([Self.shipped, folder.path("mine.json5")])
        func becomes(_ id: String) -> [String] {
            let text = #"{"id":"\#(id)","type":"SCALE","weighing_mode":"person","unit":"kg","weight":58.2}"#
            return MappedMessage(Array(text.utf8), topic: "home/gw/BTtoMQTT/x", by: mappings).accepted
        }
        #expect(becomes("A4:C1:38:00:00:01") == ["anna scale body-weight 58.2 kg on arrival"])
        #expect(becomes("A4:C1:38:00:00:02") == ["bernd A4-C1-38-00-00-02 body-weight 58.2 kg on arrival"])
    }

    @Test("tell apart what shares a metric and a time, by the part or by a number, and never as a correction")
    func tellsApart() throws {
        let file = """
            {mappings: [{topics: ["t/{kind}"], participant: "a", device: "b", each: ["*", "."], time: "t", until: "end",
              readings: [{metric: "ambient-temperature", value: "v", unit: "Cel"}]}]}
            """
        func becomes(_ file: String) throws -> [String] {
            let text =
                #"{"in":[{"t":1769857200,"end":1769857260,"v":20},{"t":1769857200,"end":1769857260,"v":20}],"out":{"t":1769857200,"end":1769857260,"v":3}}"#
            return MappedMessage(Array(text.utf8), topic: "t/x", by: try MappingFile.parse(file)).accepted
        }
        let line = "a b ambient-temperature 20.0 Cel 1769857200.0 for 60 s"
        #expect(try becomes(file) == [line, line, "a b ambient-temperature 3.0 Cel 1769857200.0 for 60 s number 2"])
        let parts = try becomes(file.replacing("device: \"b\"", with: "device: \"b\", part: \"@key\""))
        #expect(parts.last == "a b/out ambient-temperature 3.0 Cel 1769857200.0 for 60 s")
    }

    @Test(
        "read times as others write them",
        arguments: [
            ("M/d/yyyy h:mm:ss a", "1/31/2026 12:00:00 PM", 1_769_860_800.0),
            ("M/d/yyyy h:mm:ss a", "1/31/2026 12:00:00 AM", 1_769_817_600),
            ("dd.MM.yyyy HH:mm", "31.01.2026 11:00", 1_769_857_200), ("d/M/yy", "31/1/26", 1_769_817_600),
            ("ns2000", "823172400000000000", 1_769_857_200),
            ("auto", "/Date(1769857200000+0100)/", 1_769_857_200), ("auto", "2026-01-31 11:00", 1_769_857_200),
        ])
    func times(format: String, text: String, seconds: Double) throws {
        let file =
            #"{mappings: [{topics: ["t"], participant: "a", device: "b", time: {from: "t", format: "\#(format)"}, readings: [{metric: "heart-rate", value: "v"}]}]}"#
        let message = MappedMessage(Array(#"{"t":"\#(text)","v":61}"#.utf8), topic: "t", by: try MappingFile.parse(file))
        #expect(message.accepted == ["a b heart-rate 61.0 /min \(seconds)"], "\(message.refused)")
        let strange = MappedMessage(Array(#"{"t":"99/99/9999 ?","v":61}"#.utf8), topic: "t", by: try MappingFile.parse(file))
        #expect(strange.accepted.isEmpty && strange.refused.count == 1)
    }

    @Test("take of two keys for one metric the first, and refuse the second where it says otherwise")
    func twoKeys() throws {
        let mappings = try MappingFile.parse(
            #"{mappings: [{topics: ["t"], participant: "a", device: "b", knownNames: true, ignore: ["*"]}]}"#)
        let message = MappedMessage(Array(#"{"hr":61,"bpm":61,"heart_rate":90}"#.utf8), topic: "t", by: mappings)
        #expect(message.accepted.count == 1 && message.refused.count == 1, "\(message)")
        #expect(message.refused.first?.contains("says otherwise") == true)
    }

    @Test(
        "never start half: each mistake is told with line and column",
        arguments: [
            (#"{mappings: [{topic: ["t"]}]}"#, "1:14"),
            (#"{mappings: [{topics: ["a/#/b"], participant: "a", device: "b", readings: []}]}"#, "1:13"),
            (#"{mappings: [{topics: ["t"], participant: "a", device: "b", readings: [{metric: "hart-rate", value: "x"}]}]}"#, "heart-rate"),
            (
                #"{mappings: [{topics: ["t"], participant: "a", device: "b", readings: [{metric: "heart-rate", value: "= 1 +"}]}]}"#,
                "no place"
            ),
            (
                #"{mappings: [{topics: ["t"], participant: {from: "x", table: "peple"}, device: "b", readings: []}], tables: {people: {}}}"#,
                "people"
            ),
            (
                #"{mappings: [{topics: ["t"], participant: "a", device: "b", readings: [{metric: "heart-rate", value: "x", unit: "kg"}]}]}"#,
                "does not fit"
            ),
            ("{mappings: [", "mapping.json5:1"), ("[]", "must be an object"),
            (#"{mappings: [{topics: ["t"], refuse: "no", readings: []}]}"#, "has no \"readings\""),
            (#"{mappings: [{topics: ["{key}"], refuse: "no"}]}"#, "@key is the name of a member"),
            (#"{mappings: [{topics: ["t"], participant: "a", device: "b", readings: [], time: {from: "t", format: "isso"}}]}"#, "iso"),
        ])
    func mistakes(text: String, sign: String) {
        let error = #expect(throws: MappingFile.Malformed.self) { try MappingFile.parse(text) }
        #expect(error?.description.contains(sign) == true, "\(error?.description ?? "")")
        #expect(error?.problems.allSatisfy { $0.hasPrefix("mapping.json5:") } == true)
    }

    @Test("work in ingest: with receipts, retained messages passed over, and the native path untouched")
    func reader() throws {
        let rules = MappingRules(try MappingFile.load([Self.shipped]))
        var reader = MessageReader(mappings: rules)
        let now = Timestamp(seconds: 1_769_857_300)
        func message(_ topic: String, _ payload: String, retained: Bool = false) -> IncomingMessage {
            IncomingMessage(
                topic: topic, payload: Array(payload.utf8), retained: retained, properties: MessageProperties(correlationData: [1]),
                packetID: 7)
        }
        let taken = reader.read([message("bedroom/sensor/heart_rate/state", "61")], received: now)
        #expect(taken.accepted == 1 && taken.receiptRequests.map(\.accepted) == [1])
        #expect(taken.stamps.count == 1)
        #expect(taken.batches.first?.batch.groups.first?.source == "bedroom")
        #expect(reader.read([message("bedroom/sensor/heart_rate/state", "61", retained: true)], received: now).accepted == 0)
        #expect(reader.read([message("bedroom/sensor/uptime/state", "61")], received: now).refused == 1)
        let phone =
            #"{"data":{"metrics":[{"name":"body_temperature","units":"degF","data":[{"qty":98.6,"date":"2026-01-31 12:00:00 +0100"}]}]}}"#
        #expect(reader.read([message("vigil/v1/ingest/anna/phone", phone)], received: now).accepted == 1)
        let native = #"{"metric":"heart-rate","time":1769857200,"value":61}"#
        #expect(reader.read([message("vigil/v1/ingest/anna/watch", native)], received: now).accepted == 1)
        #expect(reader.read([message("vigil/v1/ingest/anna/watch", "{\"a\":1}")], received: now).refused == 1)
        // A mistake in the suite's own format is told as one, whatever mappings listen there too.
        let mistake = reader.read(
            [message("vigil/v1/ingest/anna/watch", #"{"metric":"hart-rate","time":1769857200,"value":61}"#)], received: now)
        let line = reader.read([message("vigil/v1/ingest/anna/watch", "1#2#3#")], received: now)
        #expect(line.refusals.first?.error.reason.contains("twelve fields") == true, "\(line.refusals.map(\.error.reason))")
        #expect(mistake.refusals.first?.error.reason.contains("heart-rate") == true, "\(mistake.refusals.map(\.error.reason))")
    }
}
