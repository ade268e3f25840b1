import Foundation
import MessageBus
import SensorIngest
import Testing
import VigilSchema

@Suite("Mappings")
struct MappingTests {
    static let shipped: String = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/deploy/mappings"

    /// A message as a project publishes it, and what it becomes by the shipped mappings.
    struct Sample: Sendable, CustomTestStringConvertible {
        let topic: String
        let payload: String
        let readings: [String]
        var testDescription: String { "\(topic) \(payload.prefix(60))" }

        init(_ topic: String, _ payload: String, _ readings: String...) {
            (self.topic, self.payload, self.readings) = (topic, payload, readings)
        }
    }

    static let samples: [Sample] = [
        Sample(
            "home/OpenMQTTGateway/BTtoMQTT/A4C138000001",
            #"{"id":"A4:C1:38:00:00:01","mac_type":0,"name":"MIBFS","servicedatauuid":"0x181b","rssi":-60,"brand":"Xiaomi","model":"Mi_Body_Composition_Scale","model_id":"XMTZC02HM/XMTZC05HM","weighing_mode":"person","unit":"kg","weight":72.35,"impedance":503}"#,
            "unknown A4-C1-38-00-00-01 body-weight 72.35 kg on arrival", "unknown A4-C1-38-00-00-01 body-impedance 503.0 Ohm on arrival"),
        Sample(
            "home/OpenMQTTGateway/BTtoMQTT/A4C138000001",
            #"{"id":"A4:C1:38:00:00:01","model":"Mi_Smart_Scale","weighing_mode":"person","unit":"lb","weight":159.5,"rssi":-60}"#,
            "unknown A4-C1-38-00-00-01 body-weight 72.348 kg on arrival"),
        Sample(
            "home/TheengsGateway/BTtoMQTT/C8478C000001",
            #"{"name":"Mi Smart Band 4","id":"C8:47:8C:00:00:01","rssi":-80,"brand":"Xiaomi","model":"MiBand","model_id":"MB/SB","steps":4321,"act_bpm":71}"#,
            "unknown C8-47-8C-00-00-01 heart-rate 71.0 /min on arrival", "unknown C8-47-8C-00-00-01 steps 4321.0 {steps} on arrival"),
        Sample(
            "home/TheengsGateway/BTtoMQTT/F35285",
            #"{"name":"F35285","id":"F3:52:85","rssi":-82,"brand":"BlueMaestro","model":"TempoDisc","model_id":"BM_V23","tempc":24.1,"tempf":75.38,"hum":100,"dp":24.8,"volt":2.56}"#,
            "unknown F3-52-85 ambient-temperature 24.1 Cel on arrival", "unknown F3-52-85 relative-humidity 100.0 % on arrival"),
        Sample("bedroom/sensor/heart_rate/state", "61", "unknown bedroom heart-rate 61.0 /min on arrival"),
        Sample("bedroom/sensor/body_temperature/state", "36.60", "unknown bedroom body-temperature 36.6 Cel on arrival"),
        Sample("xiaomi-miscale/sensor/weight/state", "72.35", "unknown xiaomi-miscale body-weight 72.35 kg on arrival"),
        Sample(
            "tele/tasmota_1/SENSOR", #"{"Time":"2026-01-31T12:00:00+01:00","MLX90614":{"OBJTMP":33.8,"AMBTMP":22.8},"TempUnit":"C"}"#,
            "unknown tasmota_1 skin-temperature 33.8 Cel 1769857200.0"),
        Sample("homeassistant/sensor/anna_watch_heart_rate/state", "58", "unknown anna_watch_heart_rate heart-rate 58.0 /min on arrival"),
        Sample("homeassistant/sensor/oxygen_spo2/state", "97", "unknown oxygen_spo2 oxygen-saturation 97.0 % on arrival"),
        Sample(
            "zigbee2mqtt/living room", #"{"battery":97,"humidity":41.2,"linkquality":120,"temperature":21.4,"voltage":3000}"#,
            "unknown living-room ambient-temperature 21.4 Cel on arrival", "unknown living-room relative-humidity 41.2 % on arrival"),
        Sample(
            "vigil/v1/ingest/anna/phone",
            #"{"data":{"metrics":[{"name":"heart_rate","units":"count/min","data":[{"date":"2026-01-31 12:00:00 +0100","Min":55,"Avg":61.5,"Max":70,"source":"Watch"}]},{"name":"step_count","units":"count","data":[{"qty":812,"date":"2026-01-31 12:00:00 +0100"}]},{"name":"blood_pressure","units":"mmHg","data":[{"date":"2026-01-31 12:00:00 +0100","systolic":121,"diastolic":79}]},{"name":"weight_body_mass","units":"lb","data":[{"qty":160,"date":"2026-01-31 12:00:00 +0100"}]}],"workouts":[]}}"#,
            "anna phone heart-rate 61.5 /min 1769857200.0", "anna phone heart-rate-minimum 55.0 /min 1769857200.0",
            "anna phone heart-rate-maximum 70.0 /min 1769857200.0", "anna phone steps 812.0 {steps} 1769857200.0",
            "anna phone systolic-pressure 121.0 mm[Hg] 1769857200.0", "anna phone diastolic-pressure 79.0 mm[Hg] 1769857200.0",
            "anna phone body-weight 72.575 kg 1769857200.0"),
        Sample(
            "nightscout/anna/entries",
            #"[{"_id":"65b","type":"sgv","sgv":112,"date":1769857200000,"dateString":"2026-01-31T11:00:00.000Z","trend":4,"direction":"Flat","device":"xDrip-DexcomG6","utcOffset":0}]"#,
            "anna xDrip-DexcomG6 blood-glucose 112.0 mg/dL 1769857200.0"),
        Sample(
            "nightscout/anna/treatments",
            #"{"eventType":"Meal Bolus","created_at":"2026-01-31T11:00:00Z","carbs":45,"insulin":3.5,"glucose":6.2,"units":"mmol","enteredBy":"loop"}"#,
            "anna loop blood-glucose 111.699 mg/dL 1769857200.0", "anna loop insulin 3.5 [iU] 1769857200.0",
            "anna loop carbohydrates 45.0 g 1769857200.0"),
        Sample(
            "withings/anna",
            #"{"status":0,"body":{"updatetime":1769857300,"measuregrps":[{"grpid":1,"attrib":0,"date":1769857200,"category":1,"deviceid":"892","measures":[{"value":72500,"type":1,"unit":-3},{"value":2210,"type":6,"unit":-2}]}]}}"#,
            "anna 892 body-weight 72.5 kg 1769857200.0", "anna 892 body-fat 22.1 % 1769857200.0"),
        Sample(
            "polar/anna", #"{"polar_user":"x","date":"2026-01-31","heart_rate_samples":[{"heart_rate":63,"sample_time":"11:00:00"}]}"#,
            "anna polar heart-rate 63.0 /min 1769857200.0"),
        Sample(
            "garmin/push",
            #"{"dailies":[{"userId":"u1","summaryId":"s","startTimeInSeconds":1769857200,"durationInSeconds":86400,"steps":9000,"restingHeartRateInBeatsPerMinute":52}]}"#,
            "unknown garmin steps 9000.0 {steps} 1769857200.0 for 86400 s",
            "unknown garmin resting-heart-rate 52.0 /min 1769857200.0 for 86400 s"),
        Sample(
            "gadgetbridge/export",
            #"[{"TIMESTAMP":1769857200,"DEVICE_ID":1,"USER_ID":1,"RAW_INTENSITY":20,"STEPS":12,"RAW_KIND":1,"HEART_RATE":66},{"TIMESTAMP":1769857260,"DEVICE_ID":1,"USER_ID":1,"STEPS":0,"HEART_RATE":255}]"#,
            "unknown 1 heart-rate 66.0 /min 1769857200.0", "unknown 1 steps 12.0 {steps} 1769857200.0 for 60 s",
            "unknown 1 steps 0.0 {steps} 1769857260.0 for 60 s"),
        Sample(
            "omron/blood_pressure",
            #"{"timestamp":"2026-01-31T11:00:00","systolic":121,"diastolic":79,"pulse":61,"irregular_heartbeat":false,"device":"HEM-7361T"}"#,
            "unknown HEM-7361T systolic-pressure 121.0 mm[Hg] 1769857200.0",
            "unknown HEM-7361T diastolic-pressure 79.0 mm[Hg] 1769857200.0",
            "unknown HEM-7361T heart-rate 61.0 /min 1769857200.0"),
        Sample(
            "miscale/anna/weight",
            #"{"user":"anna","weight":72.35,"weight_unit":"kg","impedance":503,"bmi":22.3,"body_fat":21.5,"muscle_mass":53.4,"bone_mass":2.9,"water":56.1,"visceral_fat":7,"timestamp":"2026-01-31T11:00:00Z"}"#,
            "anna bridge body-weight 72.35 kg 1769857200.0", "anna bridge body-impedance 503.0 Ohm 1769857200.0",
            "anna bridge body-mass-index 22.3 kg/m2 1769857200.0", "anna bridge body-fat 21.5 % 1769857200.0",
            "anna bridge muscle-mass 53.4 kg 1769857200.0", "anna bridge bone-mass 2.9 kg 1769857200.0",
            "anna bridge body-water 56.1 % 1769857200.0", "anna bridge visceral-fat 7.0 1 1769857200.0"),
    ]

    @Test("take what bridges and hubs publish, without a line of code", arguments: samples)
    func published(sample: Sample) throws {
        let mappings = try MappingFile.load([Self.shipped])
        let message = MappedMessage(Array(sample.payload.utf8), topic: sample.topic, by: mappings)
        #expect(message.refused.isEmpty)
        #expect(message.accepted == sample.readings)
    }

    @Test(
        "refuse in words what is no measurement of a person",
        arguments: [
            ("home/g/BTtoMQTT/A4", #"{"id":"A4","weighing_mode":"object","unit":"kg","weight":3.2}"#, "finds no reading"),
            ("bedroom/sensor/uptime/state", "4711", "finds no reading"), ("nobody/listens", "1", "no mapping"),
            ("withings/anna", "{", "quotes"), ("withings/anna", #"{"status":401}"#, "reading"),
        ])
    func refused(topic: String, payload: String, reason: String) throws {
        let message = MappedMessage(Array(payload.utf8), topic: topic, by: try MappingFile.load([Self.shipped]))
        #expect(message.accepted.isEmpty)
        #expect(message.refused.contains { $0.contains(reason) }, "\(message.refused)")
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
        #expect(becomes("30").refused.map { $0.contains("no participant is known") } == [true])
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
    }
}
