import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Known names")
struct KnownNameTests {
    @Test(
        "are a metric's name, an alias, or one of these with a unit that fits behind it",
        arguments: [
            ("heart-rate", "heart-rate", nil), ("hr", "heart-rate", nil), ("Heart Rate", "heart-rate", nil),
            ("weight_lb", "body-weight", "[lb_av]"),
            ("weightLbs", "body-weight", "[lb_av]"), ("heart_rate_per_min", "heart-rate", "/min"),
            ("Body Temperature (°F)", "body-temperature", "[degF]"),
            ("bodyTemperatureC", "body-temperature", "Cel"), ("body_fat_pct", "body-fat", nil), ("weight_g", "body-weight", "g"),
            ("glucose_mg_dl", "blood-glucose", "mg/dL"), ("glucose_mmol_l", "blood-glucose", "mmol/L"), ("distance_km", "distance", "km"),
            ("height_in", "body-height", "[in_i]"), ("heightFeet", "body-height", "[ft_i]"), ("weight_pounds", "body-weight", "[lb_av]"),
            ("body_temperature_celsius", "body-temperature", "Cel"), ("spo2 %", "oxygen-saturation", nil),
        ] as [(String, String, String?)])
    func known(key: String, metric: String, unit: String?) {
        let name = KnownName(key)
        #expect(name?.metric == metric && name?.unit == unit, "\(String(describing: name))")
    }

    @Test(
        "are none where the unit does not fit, a text or a waveform is meant, or nothing is known",
        arguments: [
            "weight_bpm", "weight_mmhg", "consciousness", "ecg", "kg", "frobs", "", "lb_weight", "temperature",
            "heart-rate" + String(repeating: "-", count: 55),
        ])
    func unknown(key: String) {
        #expect(KnownName(key) == nil)
    }

    @Test(
        "stand for no measurement below targets, limits and the like",
        arguments: [
            ("target", true), ("Targets", true), ("GOAL", true), ("trend", true), ("battery", true), ("profile", true), ("values", false),
            ("data", false), ("desired", true), ("Requested", true), ("setPoint", true), ("set_point", true), ("reported", false),
            ("tar", false),
        ])
    func noMeasurement(key: String, expected: Bool) {
        #expect(KnownName.isNoMeasurement(key) == expected)
    }

    @Test(
        "that may mean two things are refused with advice",
        arguments: [
            ("temperature", "body-temperature or ambient"), ("Temperature (C)", "body-temperature or ambient"),
            ("tempc", "body-temperature"),
            ("hrv", "SDNN or RMSSD"), ("hrv_ms", "SDNN or RMSSD"), ("respiration", "a rate or a signal"),
            ("breathing", "a rate or a signal"),
            ("temperature_room", nil), ("frobs", nil), ("", nil), ("hrv_kind", nil),
        ] as [(String, String?)])
    func objection(key: String, advice: String?) {
        let objection = KnownName.objection(to: key, 37)
        if let advice { #expect(objection?.contains(advice) == true) } else { #expect(objection == nil) }
    }

    private static let line = "a b heart-rate 61.0 /min on arrival"
    private static let pressure = ["a b systolic-pressure 121.0 mm[Hg] on arrival", "a b diastolic-pressure 79.0 mm[Hg] on arrival"]

    private func lines(_ payload: String, _ more: String = "", topic: String = "t") throws -> [String] {
        try MappingSample.lines("knownNames: true\(more)", payload, topics: "[\"#\"]", topic: topic)
    }

    @Test(
        "are read in every form in which devices write them",
        arguments: [
            (#"{"hr":61}"#, [line]), (#"{"hr":"61"}"#, [line]), (#"{"heart_rate":{"value":61,"unit":"bpm"}}"#, [line]),
            (
                #"{"heart_rate":{"avg":61,"min":50,"max":80}}"#,
                [
                    line, "a b heart-rate-minimum 50.0 /min on arrival", "a b heart-rate-maximum 80.0 /min on arrival",
                ]
            ),
            (
                #"{"heart_rate":{"min":50,"max":80}}"#,
                [
                    "a b heart-rate-minimum 50.0 /min on arrival", "a b heart-rate-maximum 80.0 /min on arrival",
                ]
            ),
            (#"{"heart_rate":{"low":50}}"#, ["a b heart-rate-minimum 50.0 /min on arrival"]),
            (#"{"weight_lb":160}"#, ["a b body-weight 72.575 kg on arrival"]),
            (#"{"weight":160,"weight_unit":"[lb_av]"}"#, ["a b body-weight 72.575 kg on arrival"]),
            (#"{"weight":160,"weightUnit":"[lb_av]"}"#, ["a b body-weight 72.575 kg on arrival"]),
            (#"{"weight":{"value":72000,"units":"g"}}"#, ["a b body-weight 72.0 kg on arrival"]),
            (#"{"weight":"72000 g"}"#, ["a b body-weight 72.0 kg on arrival"]),
            (#"{"bp":"121/79"}"#, pressure), (#"{"nibp":" 121 / 79 mmHg "}"#, pressure), (#"{"type":"bp","value":"121/79"}"#, pressure),
            (#"{"type":"heart_rate","value":61}"#, [line]), (#"{"metric":"frobs","name":"hr","val":61}"#, [line]),
            (#"{"type":"weight","value":72000,"unit":"g"}"#, ["a b body-weight 72.0 kg on arrival"]),
            (#"{"data":{"vitals":{"hr":61}}}"#, [line]), (#"{"data":[{"hr":61},{"hr":61}]}"#, [line, line]),
            (#"{"hr":[{"value":61},{"value":61}]}"#, [line, line]), (#"[{"hr":61}]"#, [line]),
            (#"{"hr":61,"target":{"hr":99},"limits":{"hr":98}}"#, [line]),
        ] as [(String, [String])])
    func forms(payload: String, expected: [String]) throws {
        #expect(try lines(payload, ", ignore: [\"*\"]") == expected)
    }

    @Test("are taken from four levels of objects, and not from a fifth")
    func depth() throws {
        #expect(try lines(#"{"a":{"b":{"c":{"hr":61}}}}"#, ", ignore: [\"*\"]") == [Self.line])
        #expect(try lines(#"{"a":{"b":{"c":{"d":{"hr":61}}}}}"#, ", ignore: [\"*\"]").allSatisfy { $0.hasPrefix("no ") })
    }

    @Test("are taken from the topic's last level where the message is only its value")
    func topic() throws {
        #expect(try lines(#"{"value":61}"#, ", ignore: [\"*\"]", topic: "vitals/heart_rate") == [Self.line])
        #expect(try lines(#"{"value":72000,"unit":"g"}"#, ", ignore: [\"*\"]", topic: "x/weight") == ["a b body-weight 72.0 kg on arrival"])
        #expect(try lines(#"{"value":160}"#, ", ignore: [\"*\"]", topic: "x/weight_lb") == ["a b body-weight 72.575 kg on arrival"])
        #expect(try lines(#"{"hr":61}"#, ", ignore: [\"*\"]", topic: "x/weight") == [Self.line])
        #expect(try lines(#"{"value":61}"#, ", ignore: [\"*\"]", topic: "vitals/frobs").allSatisfy { $0.hasPrefix("no ") })
    }

    @Test("take the time of the object at hand, and of the one around it where it brings none")
    func time() throws {
        let payload =
            #"{"t":1769857200,"hr":61,"list":[{"t":1769857260,"hr":62},{"hr":63}],"spo2":{"value":97,"t":1769857320}}"#
        #expect(
            try lines(payload, ", time: \"t\", ignore: [\"*\"]") == [
                "a b heart-rate 61.0 /min 1769857200.0", "a b heart-rate 62.0 /min 1769857260.0",
                "a b heart-rate 63.0 /min 1769857200.0 number 2", "a b oxygen-saturation 97.0 % 1769857320.0",
            ])
    }

    @Test("count steps from midnight of the day of their time")
    func steps() throws {
        let midnight = MappingSample.midnight(1_769_857_200)
        #expect(
            try lines(#"{"t":1769857200,"steps":500}"#, ", time: \"t\"") == ["a b steps 500.0 {steps} \(midnight) for 86400 s"])
        #expect(
            try lines(#"{"t":1769857200,"steps":500,"p":60}"#, ", time: \"t\", period: \"p\"") == [
                "a b steps 500.0 {steps} 1769857200.0 for 60 s"
            ])
    }

    @Test("refuse what may mean two things, what is not finite, and keys that nothing knows")
    func refused() throws {
        #expect(
            try lines(#"{"hr":61,"temperature":37}"#, ", ignore: [\"*\"]").last?.hasPrefix("no the key \"temperature\" may be the person's")
                == true)
        #expect(
            try lines(#"{"hr":61,"frobs":37}"#).last
                == "no the key \"frobs\" is neither mapped nor left out on purpose (mapping m) at $.frobs")
        #expect(
            try lines(#"{"hr":61,"bpm":90}"#)
                == [Self.line, "no another key of the record is the heart-rate too, and says otherwise at $.bpm"])
        #expect(try lines(#"{"hr":61,"bpm":61}"#) == [Self.line])
        #expect(
            try lines(#"{"bp":"1/79","hr":61}"#, ", ignore: [\"*\"]")
                == [Self.line, "no a blood pressure is a text such as \"121/79\", or systolic and diastolic at $.bp"])
    }

    @Test("are read of ten thousand elements, and the others are refused, not left out in silence")
    func elements() throws {
        let element = #"{"hr":61}"#
        let set = try MappingFile.parse(
            #"{mappings: [{name: "m", topics: ["t"], participant: "a", device: "b", knownNames: true, ignore: ["*"]}]}"#)
        func message(_ count: Int) -> MappedMessage {
            let text = "{\"list\":[\(Array(repeating: element, count: count).joined(separator: ","))]}"
            return MappedMessage(Array(text.utf8), topic: "t", by: set)
        }
        let most = message(10_000)
        #expect(most.accepted.count == 10_000 && most.refused.isEmpty)
        let more = message(10_001)
        #expect(more.accepted.count == 10_000)
        #expect(more.refused == ["more than 10000 elements in one array; the others are left out at $.list"])
    }
}
