import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Rules of formats")
struct FormatRuleTests {
    private static let received = Timestamp(seconds: 1_700_000_000)

    /// Metrics with their values, and refusals; or the refusal of all of it after `fail`.
    private func lines(_ format: any PayloadFormat, _ text: String) -> [String] {
        let bytes = Array(text.utf8)
        do throws(PayloadError) {
            let decoded = try format.decode(bytes.span, received: Self.received)
            return decoded.readings.map { reading in
                guard case .value(let value) = reading.observation.content else { return "?" }
                return "\(reading.observation.metric) \(value)"
                    + (reading.observation.interval == 0 ? "" : " for \(reading.observation.interval)")
            } + decoded.refusals.map { "no " + Described.refusal($0) }
        } catch {
            return ["fail " + Described.refusal(error)]
        }
    }

    @Test(
        "tell a format by its content type, whatever its case and parameters, or else by the first bytes",
        arguments: [
            ("application/senml+json", "{}", "SenML JSON"), ("Application/SenML+JSON; charset=utf-8", "{}", "SenML JSON"),
            (" application/senml+cbor\t", "x", "SenML CBOR"),
            ("application/json", #"[{"bn":"a"}]"#, "SenML JSON"), (nil, #"[{"n":"a"}]"#, "SenML JSON"),
            ("", #"{"metric":"a"}"#, "native JSON"), ("text/plain", "1#2#", "Libelium e-Health line"),
            (nil, #"{"header":{},"body":{}}"#, "Open mHealth data points"), (nil, #"{"body":{}}"#, "Open mHealth data points"),
            (nil, #"{"SENSORS":{}}"#, "e-Health sensors JSON"),
            (nil, #"{"x":1,"sensors":{}}"#, "e-Health sensors JSON"), (nil, #"{"x":{"a":[1]},"y":"z"}"#, "native JSON"),
            (nil, "[1]", "native JSON"), (nil, "{", "native JSON"),
            (nil, #"{"observations":[],"n":1}"#, "native JSON"), (nil, #"{"sensors_":{}}"#, "native JSON"),
            (nil, #"{"value":1,"n":2}"#, "native JSON"), (nil, #"{"samples":1,"n":2}"#, "native JSON"),
            (nil, #"{"time":1,"n":2}"#, "native JSON"), (nil, #"{"unit":1,"n":2}"#, "native JSON"),
            ("application/octet-stream", "0;", "Libelium e-Health line"),
            (nil, " -1.5e+3 #", "Libelium e-Health line"), (nil, ",", "Libelium e-Health line"),
            (nil, String(repeating: "1", count: 31) + "#", "Libelium e-Health line"),
            ("application/cbor", "\u{80}", nil), ("image/png", "{}", nil), (nil, "hello", nil), (nil, "", nil), (nil, "12", nil),
            (nil, String(repeating: "1", count: 32) + "#", nil),
        ] as [(String?, String, String?)])
    func selects(contentType: String?, text: String, name: String?) {
        let bytes = Array(text.utf8)
        #expect((try? PayloadFormats.standard.select(contentType: contentType, bytes: bytes.span))?.name == name)
    }

    @Test("say which content types and formats there are, where none fits")
    func unsupported() {
        let bytes: [UInt8] = [0x68]
        let type = #expect(throws: PayloadError.self) { try PayloadFormats.standard.select(contentType: "image/png", bytes: bytes.span) }
        #expect(
            type?.reason.hasPrefix("the content type is none of application/vnd.vigil.observations+json, application/senml+json") == true
                && type?.offset == nil)
        let seen = #expect(throws: PayloadError.self) { try PayloadFormats.standard.select(contentType: nil, bytes: bytes.span) }
        #expect(
            seen?.reason.hasPrefix("the first bytes belong to none of the formats native JSON, SenML JSON") == true && seen?.offset == 0)
    }

    @Test(
        "read an e-Health line by its strongest mark, twelve fields of it",
        arguments: [
            ("1#2#0#0#0#0#0#0#-1#-1#0#0#", ["airflow 1.0", "ecg 2.0"]), ("1#2#0#0#0#0#0#0#-1#-1#0#0", ["airflow 1.0", "ecg 2.0"]),
            ("1;2;0;0;0;0;0;0;-1;-1;0;0", ["airflow 1.0", "ecg 2.0"]), ("1,2,0,0,0,0,0,0,-1,-1,0,0", ["airflow 1.0", "ecg 2.0"]),
            ("1#2#0#0#0#36,6#0#0#-1#-1#0#0#", ["airflow 1.0", "ecg 2.0", "no wrong-type 10 $.body-temperature: a number is expected"]),
            ("###########4#", ["body-position 4.0"]), (" \r\n 1#2#0#0#0#0#0#0#-1#-1#0#0#\r\n\n ", ["airflow 1.0", "ecg 2.0"]),
            (
                "1#2#120#0#0#0#0#0#-1#-1#0#0#",
                [
                    "airflow 1.0", "ecg 2.0",
                    "no missing 4 $.systolic-pressure: systolic-pressure is not kept without the other half of the blood pressure",
                ]
            ),
            (
                "1#2#120#80#0#0#0#0#-1#-1#0#0#\n1#2#0#80#0#0#0#0#-1#-1#0#0#",
                [
                    "airflow 1.0", "ecg 2.0", "systolic-pressure 120.0", "diastolic-pressure 80.0", "airflow 1.0", "ecg 2.0",
                    "no missing 36 $.diastolic-pressure: diastolic-pressure is not kept without the other half of the blood pressure",
                ]
            ),
            ("1#2#0#0#0#0#0#0#-1#-1#0", ["fail malformed 0 $: a line has twelve fields, each followed by #, ; or ,"]),
            ("1#2#0#0#0#0#0#0#-1#-1#0#0#9", ["fail malformed 0 $: a line has twelve fields, each followed by #, ; or ,"]),
            ("1#2#0#0#0#0#0#0#-1#-1#0#0#9#", ["fail malformed 27 $: a line has twelve fields, each followed by #, ; or ,"]),
            ("1#2#0#0#0#0#0#0#-1#-1#0#0#\n1#", ["fail malformed 27 $: a line has twelve fields, each followed by #, ; or ,"]),
            (" \n", ["fail missing 0 $: the message holds no line"]),
        ])
    func libelium(text: String, expected: [String]) {
        #expect(lines(LibeliumFormat(), text) == expected)
    }

    @Test("number lines of one message, ten thousand at most")
    func manyLines() throws {
        let line = "###########4#\n"
        let most = Array(String(repeating: line, count: 10_000).utf8)
        #expect(try LibeliumFormat().decode(most.span, received: Self.received).readings.last?.observation.sequence == 9_999)
        #expect(
            lines(LibeliumFormat(), String(repeating: line, count: 10_001)) == [
                "fail too-large 140000 $: more than 10000 lines in one message"
            ])
    }

    @Test(
        "take a value that a missing sensor gives for none, and no other",
        arguments: [
            ("heart-rate", 0, true), ("oxygen-saturation", 0, true), ("systolic-pressure", 0, true), ("diastolic-pressure", 0, true),
            ("blood-glucose", 0, true),
            ("body-temperature", 0, true), ("body-position", 0, true), ("respiration-rate", 0, true), ("body-weight", 0, true),
            ("body-mass-index", 0, true), ("heart-rate", -1, false),
            ("heart-rate", 0.5, false), ("skin-conductance", -1, true), ("skin-resistance", -1, true), ("skin-conductance", 0, false),
            ("airflow", 0, false), ("ecg", 0, false), ("ecg", -1, false),
        ] as [(String, Double, Bool)])
    func absent(metric: String, value: Double, isAbsent: Bool) {
        #expect(SensorAbsence.isAbsent(value, metric: metric) == isAbsent)
    }

    @Test(
        "read an e-Health server's document, whatever the case and punctuation of its names",
        arguments: [
            (
                #"{"Sensors":{"Pulse":72,"Sp O2":"97","GSR":1.5,"Pos.":1}}"#, true,
                ["heart-rate 72.0", "oxygen-saturation 97.0", "skin-conductance 1.5", "Pos. 1.0"]
            ),
            (#"{"sEnSoRs":{"hr":72,"bpm":null,"BMI":0,"Temp":0.0,"GSR":-1}}"#, true, ["heart-rate 72.0"]),
            (#"{"Sensors":{"ecg":true,"airflow":false}}"#, true, ["ecg 1.0", "airflow 0.0"]),
            (
                #"{"Sensors":{"hr":"x","weight":[1],"glucose":{}}}"#, true,
                [
                    "no wrong-type 17 $.Sensors.hr: a number is expected", "no wrong-type 30 $.Sensors.weight: a number is expected",
                    "no wrong-type 44 $.Sensors.glucose: a number is expected",
                ]
            ),
            (#"{"speed":63}"#, false, ["vehicle-speed 63.0"]),
            (#"{"speed":63}"#, true, ["fail missing 0 $: an object with Sensors, itself an object of names and values, is expected"]),
            (#"{"Sensors":[1]}"#, false, ["fail missing 0 $: an object with Sensors, itself an object of names and values, is expected"]),
            ("[]", false, ["fail missing 0 $: an object with Sensors, itself an object of names and values, is expected"]),
            (#"{"x":1,"Sensors":{"hr":61}}"#, false, ["heart-rate 61.0"]),
        ] as [(String, Bool, [String])])
    func sensors(text: String, requiresEnvelope: Bool, expected: [String]) {
        #expect(lines(SensorsFormat(requiresEnvelope: requiresEnvelope), text) == expected)
    }

    @Test("take an operator's names before the usual ones")
    func names() {
        let names = SensorNames(additional: ["Flux": "airflow", "p-ulse": "pulse-rate"])
        #expect(
            names.metric(of: "FLUX") == "airflow" && names.metric(of: "Pulse") == "pulse-rate" && names.metric(of: "bpm") == "heart-rate")
        #expect(names.metric(of: "Heart_Rate") == "heart-rate" && names.metric(of: "frobs") == "frobs")
        #expect(SensorNames(additional: ["a": "b"]) != SensorNames())
    }

    /// A data point of a schema with a body.
    private func point(_ name: String, _ version: String, _ body: String, header: String = "") -> String {
        #"{"header":{"schema_id":{"namespace":"omh","name":"\#(name)","version":"\#(version)"}\#(header)},"body":{\#(body)}}"#
    }

    private func interval(_ members: String) -> String { #""effective_time_frame":{"time_interval":{\#(members)}}"# }

    @Test(
        "speak for the interval of an Open mHealth data point, however it is told",
        arguments: [
            (#""start_date_time":"2023-11-14T22:00:00Z","end_date_time":"2023-11-14T22:01:00Z""#, "steps 5.0 for 60"),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":2,"unit":"min"}"#, "steps 5.0 for 120"),
            (#""end_date_time":"2023-11-14T22:00:00Z","duration":{"value":1,"unit":"h"}"#, "steps 5.0 for 3600"),
            (
                #""start_date_time":"2023-11-14T22:00:00Z","end_date_time":"2023-11-14T22:01:00Z","duration":{"value":7,"unit":"sec"}"#,
                "steps 5.0 for 7"
            ),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1500,"unit":"ms"}"#, "steps 5.0 for 2"),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1400000,"unit":"us"}"#, "steps 5.0 for 1"),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1,"unit":"d"}"#, "steps 5.0 for 86400"),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1,"unit":"wk"}"#, "steps 5.0 for 604800"),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":36600,"unit":"d"}"#, "steps 5.0 for 315576000"),
            (#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":0,"unit":"sec"}"#, "steps 5.0"),
        ])
    func intervals(members: String, expected: String) {
        #expect(
            lines(OpenMHealthFormat(), point("step-count", "2.0", #""step_count":{"value":5,"unit":"steps"},"# + interval(members))) == [
                expected
            ])
    }

    @Test(
        "refuse an interval that is none",
        arguments: [
            (#""start_date_time":"2023-11-14T22:00:00Z""#, "an interval with a start needs an end or a duration"),
            (#""start_date_time":"2023-11-14T22:00:00Z","end_date_time":"2023-11-14T21:00:00Z""#, "the interval ends before it starts"),
            (#""end_date_time":"2023-11-14T22:00:00Z""#, "an interval needs two of start_date_time, end_date_time and duration"),
            (#""start_date_time":"soon","duration":{"value":1,"unit":"h"}"#, "a date-time such as 2013-02-05T07:25:00Z is expected"),
            (
                #""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1,"unit":"y"}"#,
                "a duration has a value and a unit of us to wk"
            ),
            (
                #""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":-1,"unit":"h"}"#,
                "a duration has a value and a unit of us to wk"
            ),
            (
                #""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":36601,"unit":"d"}"#,
                "a duration has a value and a unit of us to wk"
            ),
            (
                #""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":"1","unit":"h"}"#,
                "a duration has a value and a unit of us to wk"
            ),
        ])
    func noIntervals(members: String, reason: String) {
        let found = lines(OpenMHealthFormat(), point("step-count", "2.0", #""step_count":{"value":5,"unit":"steps"},"# + interval(members)))
        #expect(found.count == 1 && found.first?.hasSuffix(": " + reason) == true, "\(found)")
    }

    @Test("need a time frame from the version on in which the schema does, and an interval for what is counted")
    func frames() {
        let steps = #""step_count":{"value":5,"unit":"steps"}"#, made = #","creation_date_time":"2023-11-14T22:00:00Z""#
        let moment = #","effective_time_frame":{"date_time":"2023-11-14T22:00:00Z"}"#
        #expect(lines(OpenMHealthFormat(), point("step-count", "1.9", steps, header: made)) == ["steps 5.0"])
        #expect(lines(OpenMHealthFormat(), point("step-count", "1.0", steps + moment)) == ["steps 5.0"])
        #expect(
            lines(OpenMHealthFormat(), point("step-count", "2.0", steps, header: made)).first?.hasSuffix("effective_time_frame is missing")
                == true)
        #expect(
            lines(OpenMHealthFormat(), point("step-count", "2.0", steps + moment)).first?.hasSuffix("what is counted needs a time_interval")
                == true)
        #expect(
            lines(OpenMHealthFormat(), point("step-count", "0.9", steps, header: made)).first?.hasSuffix(
                "step-count is known in the major versions 1 to 3") == true)
        #expect(
            lines(OpenMHealthFormat(), point("step-count", "4.0", steps, header: made)).first?.hasSuffix(
                "step-count is known in the major versions 1 to 3") == true)
        #expect(
            lines(
                OpenMHealthFormat(),
                point(
                    "step-count", "2.0",
                    #""step_count":5,"# + interval(#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1,"unit":"h"}"#))) == [
                    "steps 5.0 for 3600"
                ])
        #expect(
            lines(
                OpenMHealthFormat(),
                point(
                    "step-count", "3.0",
                    #""step_count":5,"# + interval(#""start_date_time":"2023-11-14T22:00:00Z","duration":{"value":1,"unit":"h"}"#))
            ).first?.hasSuffix("a value and a unit are expected") == true)
        #expect(
            lines(OpenMHealthFormat(), point("heart-rate", "2.0", #""heart_rate":{"value":61,"unit":"bpm"}"# + moment)).first?.hasSuffix(
                "the schema's unit is beats/min") == true)
        #expect(
            lines(OpenMHealthFormat(), point("heart-rate", "2.0", #""heart_rate":{"value":61,"unit":"beats/min"}"# + moment)) == [
                "heart-rate 61.0"
            ])
        for (flow, isOn) in [("0", "0.0"), ("0.1", "1.0"), ("5", "1.0")] {
            let body = #""oxygen_saturation":{"value":97,"unit":"%"},"supplemental_oxygen_flow_rate":{"value":\#(flow),"unit":"L/min"}"#
            #expect(
                lines(OpenMHealthFormat(), point("oxygen-saturation", "2.0", body + moment)) == [
                    "oxygen-saturation 97.0", "supplemental-oxygen \(isOn)",
                ])
        }
    }
}
