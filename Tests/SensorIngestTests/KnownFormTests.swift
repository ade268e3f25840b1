import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Forms of known names")
struct KnownFormTests {
    private static let pulse = "a b heart-rate 61.0 /min on arrival"
    private static let pressure = ["a b systolic-pressure 121.0 mm[Hg] on arrival", "a b diastolic-pressure 79.0 mm[Hg] on arrival"]
    private static let noPressure = "no a blood pressure is a text such as \"121/79\", or systolic and diastolic"

    private func lines(_ message: String, _ more: String = "") throws -> [String] {
        try MappingSample.lines("knownNames: true, ignore: [\"*\"]\(more)", message)
    }

    @Test(
        "of a blood pressure are a text of both, or both by themselves",
        arguments: [
            #"{"bp":"121/79"}"#, #"{"blood_pressure":"121/79"}"#, #"{"Blood-Pressure":"121 / 79 mmHg"}"#, #"{"pressure":"121/79"}"#,
            #"{"bp":"121/79 mm Hg (left arm)"}"#, #"{"bp":{"value":"121/79"}}"#, #"{"bp":{"systolic":121,"diastolic":79}}"#,
            #"{"bp":[{"systolic":121,"diastolic":79}]}"#, #"{"type":"bp","value":"121/79"}"#,
            #"{"type":"bp","name":"hr","value":"121/79"}"#,
            #"{"bp":"121/79\#(String(repeating: " ", count: 58))"}"#,
        ])
    func pressures(message: String) throws {
        #expect(try lines(message) == Self.pressure)
    }

    @Test(
        "of a blood pressure that nobody can read are refused, once",
        arguments: [
            (#""bp":"1/79""#, "$.bp"), (#""bp":"high""#, "$.bp"), (#""bp":121"#, "$.bp"), (#""bp":[121,79]"#, "$.bp"),
            (#""pressure":"a/b""#, "$.pressure"), (#""nibp":"120/80/93""#, "$.nibp"), (#""bp":"1211/79""#, "$.bp"),
            (#""bp":"121/79\#(String(repeating: " ", count: 59))""#, "$.bp"), (#""x":{"type":"bp","name":"hr","value":"1/79"}"#, "$.x"),
        ])
    func refused(member: String, path: String) throws {
        #expect(try lines("{\"hr\":61,\(member)}") == [Self.pulse, "\(Self.noPressure) at \(path)"])
    }

    @Test(
        "that only look like a blood pressure, or are empty, say nothing",
        arguments: [
            #""bp":"""#, #""bp":null"#, #""bp":{"value":""}"#, #""bp":{}"#, #""bp":[]"#, #""pressure":1013"#, #""pressure":"high""#,
            #""pressure":[1013]"#, #""air_pressure":"1/2""#,
        ])
    func noPressure(member: String) throws {
        #expect(try lines("{\"hr\":61,\(member)}") == [Self.pulse])
    }

    @Test("of a blood pressure have the unit that the text names, before one beside it")
    func pressureUnits() throws {
        let converted = ["a b systolic-pressure 120.01 mm[Hg] on arrival", "a b diastolic-pressure 75.006 mm[Hg] on arrival"]
        #expect(try lines(#"{"bp":"16/10","bp_unit":"kPa"}"#) == converted)
        #expect(try lines(#"{"bp":{"value":"16/10","unit":"kPa"}}"#) == converted)
        #expect(try lines(#"{"bp":"121/79 mmHg","bp_unit":"kPa"}"#) == Self.pressure)
    }

    @Test(
        "that are no number where one is expected are refused, whatever else the message holds",
        arguments: [
            (#""hr":"n/a""#, "no a number is expected for heart-rate at $.hr"),
            (#""hr":"98,5""#, "no a number is expected for heart-rate at $.hr"),
            (#""hr":"""#, nil), (#""hr":null"#, nil), (#""hr":[]"#, nil), (#""hr":{}"#, nil),
            (#""hr":{"x":"y"}"#, "no a number is expected for heart-rate at $.hr"),
            (#""hr":[61,62]"#, "no values of heart-rate in an array have no times: send objects with a time each at $.hr[0]"),
            (#""hr":[null,61,62]"#, "no values of heart-rate in an array have no times: send objects with a time each at $.hr[1]"),
            (#""x":{"type":"heart_rate","value":"n/a"}"#, "no a number is expected for heart-rate at $.x"),
            (#""x":{"type":"heart_rate","value":""}"#, nil),
        ] as [(String, String?)])
    func noNumbers(member: String, refusal: String?) throws {
        #expect(try lines("{\"weight\":72,\(member)}") == ["a b body-weight 72.0 kg on arrival"] + [refusal].compactMap(\.self))
    }

    @Test(
        "are read behind what is null, an object or beside bounds",
        arguments: [
            #"{"type":"heart_rate","value":null,"avg":61}"#, #"{"type":"heart_rate","value":{"x":1},"reading":"61"}"#,
            #"{"heart_rate":{"value":null,"mean":61}}"#, #"{"heart_rate":{"data":{"hr":61}}}"#, #"{"metric":"hr","measurement":61}"#,
            #"{"metric":"hr","result":61}"#, #"{"hr":61,"state":"on","metadata":{},"version":2}"#,
        ])
    func behind(message: String) throws {
        #expect(try lines(message) == [Self.pulse])
    }

    @Test("of a list's elements are records of their own, and what follows the list is another")
    func lists() throws {
        let other = "a b heart-rate 90.0 /min on arrival"
        #expect(try lines(#"{"list":[{"hr":61},{"hr":61}],"hr":90}"#) == [Self.pulse, Self.pulse, other])
        #expect(try lines(#"{"hr":[{"value":61},{"value":90,"unit":"bpm"}],"bpm":61}"#) == [Self.pulse, other, Self.pulse])
    }

    @Test("of a device shadow are what it reports, and neither its wishes nor its delta")
    func shadows() throws {
        #expect(try lines(#"{"state":{"reported":{"hr":61},"desired":{"hr":90}},"metadata":{},"version":1}"#) == [Self.pulse])
        let delta = "no a shadow's delta holds what was wished for, no measurement at $"
        #expect(try lines(#"{"state":{"hr":90},"metadata":{},"version":1}"#).contains(delta))
        for message in [#"{"state":{"hr":61},"version":1}"#, #"{"state":{"hr":61},"metadata":{}}"#, #"{"state":{"hr":61}}"#] {
            #expect(try lines(message) == [Self.pulse], "\(message)")
        }
    }

    @Test("that the mapping declares are its own: nothing is said against them")
    func declared() throws {
        let temperature = #", readings: [{metric: "body-temperature", value: "temperature", unit: "Cel"}]"#
        #expect(
            try lines(#"{"temperature":37,"hr":61}"#, temperature) == ["a b body-temperature 37.0 Cel on arrival", Self.pulse])
        let sometimes = #", readings: [{metric: "heart-rate", value: "hr", when: {hr: {min: 1}}}]"#
        #expect(try lines(#"{"hr":"n/a","spo2":97}"#, sometimes) == ["a b oxygen-saturation 97.0 % on arrival"])
    }

    @Test("are of 64 bytes at most")
    func long() {
        func key(_ count: Int) -> String { "heart-rate" + String(repeating: "-", count: count - 10) }
        #expect(KnownName(key(64))?.metric == "heart-rate" && KnownName(key(65)) == nil)
    }
}
