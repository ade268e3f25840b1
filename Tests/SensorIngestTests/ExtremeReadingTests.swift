import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("An extreme value that is refused")
struct ExtremeReadingTests {
    private static let start = Timestamp(seconds: 1_700_000_000)

    /// What is told of the devices of `anna` after each of the messages, ten seconds apart: the metric's name, or none.
    private func told(_ payloads: [String], topic: String = "vigil/v1/ingest/anna/watch", mappings: MappingSet = MappingSet()) -> [String] {
        var reader = MessageReader(mappings: MappingRules(mappings))
        let tracker = DeviceStatusTracker()
        var (last, on) = ("nothing", Set<String>())
        return payloads.enumerated().map { number, payload in
            let time = Self.start.advanced(bySeconds: Double(number) * 10)
            let result = reader.read([IncomingMessage(topic: topic, payload: Array(payload.utf8))], received: time)
            reader.commit()
            tracker.note(result.notices, at: time)
            for due in tracker.due(at: time) {
                guard case .extreme(let metric) = due.aspect else { continue }
                if due.content == .text("refused") { on.insert(metric) } else { on.remove(metric) }
                last = "\(due.participant) \(on.isEmpty ? "none" : on.sorted().joined(separator: " "))"
            }
            return last
        }
    }

    @Test(
        "is told of by its metric, whatever its unit",
        arguments: [
            (#"[{"metric":"blood-glucose","text":"HI"}]"#, "blood-glucose"),
            (#"{"metric":"blood-glucose","value":"HI","unit":"mg/dL"}"#, "blood-glucose"),
            (#"[{"value":"lo","time":1699999000,"metric":"blood-glucose"},{"metric":"heart-rate","value":61}]"#, "blood-glucose"),
            (#"{"Sensors":{"Glucose":"HI","Pulse":61}}"#, "blood-glucose"),
            (#"[{"metric":"blood-glucose","value":50,"unit":"mmol/L"}]"#, "blood-glucose"),
            (#"[{"metric":"oxygen-saturation","value":41}]"#, "oxygen-saturation"),
            (#"[{"metric":"spo2","value":41}]"#, "oxygen-saturation"),
            (#"[{"metric":"heart-rate","value":12}]"#, "heart-rate"),
            (#"[{"metric":"systolic-pressure","value":35}]"#, "systolic-pressure"),
            (#"[{"metric":"blood-ketones","text":"HI"}]"#, "blood-ketones"),
            (#"[{"metric":"blood-ketones","value":24,"unit":"mmol/L"}]"#, "blood-ketones"),
            (#"[{"metric":"oxygen-saturation","value":41},{"metric":"heart-rate","value":12}]"#, "heart-rate oxygen-saturation"),
        ])
    func extremes(payload: String, metric: String) { #expect(told([payload]) == ["anna \(metric)"]) }

    @Test(
        "is none where it is a sensor's code for no measurement, impossible, or no vital sign",
        arguments: [
            #"[{"metric":"oxygen-saturation","value":0},{"metric":"pulse-rate","value":61}]"#, #"[{"metric":"blood-glucose","value":5.5}]"#,
            #"[{"metric":"blood-glucose","text":"HI","time":1699990000}]"#, #"[{"metric":"body-temperature","value":22.4}]"#,
            #"[{"metric":"oxygen-saturation","value":127}]"#, #"[{"metric":"heart-rate","value":255000}]"#,
            #"[{"metric":"blood-glucose","value":"HI","time":1699990000}]"#, #"[{"metric":"blood-glucose","value":"HI","time":"today"}]"#,
            #"[{"metric":"blood-ketones","text":"LO"}]"#,
            #"[{"metric":"heart-rate","value":"HI"}]"#, #"[{"metric":"heart-rate","text":"HI"}]"#,
            #"[{"metric":"body-temperature","value":382.18}]"#,
            #"[{"metric":"body-weight","value":2}]"#, #"[{"metric":"blood-glucose","text":"pending"}]"#,
        ])
    func others(payload: String) { #expect(told([payload]) == ["nothing"]) }

    @Test("is a saturation of nothing beside a pulse for a minute, and not while neither is there, nor once there is one")
    func lostSaturation() {
        let lost = #"[{"metric":"oxygen-saturation","value":0},{"metric":"pulse-rate","value":61}]"#
        let off = #"[{"metric":"oxygen-saturation","value":0},{"metric":"pulse-rate","value":0}]"#
        let good = #"[{"metric":"oxygen-saturation","value":97},{"metric":"pulse-rate","value":61}]"#
        #expect(told(Array(repeating: lost, count: 6)).last == "nothing")
        #expect(told(Array(repeating: lost, count: 7)).last == "anna oxygen-saturation")
        #expect(told(Array(repeating: off, count: 20)).last == "nothing")
        #expect(told([lost, lost, good] + Array(repeating: lost, count: 6)).last == "nothing")
        #expect(told(Array(repeating: lost, count: 7) + Array(repeating: good, count: 19)).last == "anna none")
    }

    @Test("of one metric hides that of another neither at once nor later")
    func several() {
        let saturation = #"[{"metric":"oxygen-saturation","value":41}]"#, pulse = #"[{"metric":"heart-rate","value":12}]"#
        #expect(told([saturation, pulse]) == ["anna oxygen-saturation", "anna heart-rate oxygen-saturation"])
    }

    @Test("is over once the device has sent others of its metric for half a minute, and not by those of another")
    func over() {
        let high = #"[{"metric":"blood-glucose","text":"HI"}]"#
        let pulse = #"[{"metric":"heart-rate","value":61}]"#, value = #"[{"metric":"blood-glucose","value":300,"unit":"mg/dL"}]"#
        let first = told([high, value, high] + Array(repeating: value, count: 2))
        #expect(Set(first) == ["anna blood-glucose"], "once, however often it goes to and fro")
        #expect(told([high] + Array(repeating: value, count: 3)).last == "anna none")
        #expect(told([high] + Array(repeating: pulse, count: 18)).last == "anna blood-glucose")
        #expect(told([high, value, value, value, high]).suffix(2) == ["anna none", "anna blood-glucose"], "and a new one is told at once")
    }

    @Test("has a metric of its own for each that is looked at, so that none is found and told nobody")
    func metrics() { #expect(ExtremeReading.extremes.keys.sorted() == TechnicalMetric.extremes) }

    @Test("is seen in messages of other makers, by a declared key and by a known name")
    func mapped() throws {
        for body in [#"readings: [{metric: "blood-glucose", value: "sgv", unit: "mg/dL"}]"#, "knownNames: true"] {
            let set = try MappingFile.parse(#"{mappings: [{name: "m", topics: ["cgm"], participant: "anna", device: "b", \#(body)}]}"#)
            let key = body.contains("sgv") ? "sgv" : "blood_glucose"
            #expect(told([#"{"\#(key)":"LO"}"#], topic: "cgm", mappings: set) == ["anna blood-glucose"], "\(body)")
        }
    }

    @Test("is over after half an hour without another")
    func ends() {
        let tracker = DeviceStatusTracker(), address = DeviceAddress(participant: "anna", device: "cgm")
        tracker.note([.extreme(address, metric: "blood-glucose", isOn: true)], at: Self.start)
        #expect(tracker.due(at: Self.start).map(\.content) == [.text("refused")])
        #expect(tracker.due(at: Self.start.advanced(bySeconds: 1700)).isEmpty)
        #expect(tracker.due(at: Self.start.advanced(bySeconds: 1801)).map(\.content) == [.text("none")])
    }
}
