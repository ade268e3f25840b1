import Testing
import VigilSchema

@testable import SensorIngest

@Suite("The unit beside known names")
struct UnitsBesideTests {
    private static let pulse = "a b heart-rate 61.0 /min on arrival"
    private static let pounds = "a b body-weight 72.575 kg on arrival"

    private func lines(_ message: String, _ body: String = "knownNames: true, ignore: [\"*\"]") throws -> [String] {
        try MappingSample.lines(body, message)
    }

    @Test(
        "is the value's or the key's own, else the one beside it or around it, whatever its case",
        arguments: [
            #"{"weight":160,"unit":"lb"}"#, #"{"weight":160,"Units":"LB"}"#, #"{"uom":"lbs","weight":160}"#,
            #"{"weight":160,"UOM":"pounds"}"#,
            #"{"weight":160,"unit_of_measurement":"lb"}"#, #"{"weight":160,"weight_unit":"lb"}"#, #"{"weight":160,"weight_units":"lb"}"#,
            #"{"weight":160,"WeightUnits":"lb"}"#, #"{"weight":160,"units":{"weight":"lb"}}"#,
            #"{"unit":{"weight":"lb","x":"kg"},"weight":160}"#,
            #"{"unit":"lb","data":{"weight":160}}"#, #"{"unit":"lb","list":[{"weight":160}]}"#,
            #"{"unit":"kg","data":{"unit":"lb","weight":160}}"#,
            #"{"unit":"lb","units":"kg","weight":160}"#, #"{"unit":"kg","weight_unit":"lb","weight":160}"#,
            #"{"unit":"kg","weight_lb":160}"#,
            #"{"unit":"kg","weight":"160 lb"}"#, #"{"unit":"kg","weight":{"value":160,"unit":"lb"}}"#,
            #"{"weight":{"value":160,"uom":"(lb)"}}"#,
            #"{"unit":"lb","weight":{"value":160,"unit":""}}"#, #"{"type":"weight","value":160,"unit":"lb"}"#,
        ])
    func pounds(message: String) throws {
        #expect(try lines(message) == [Self.pounds])
    }

    @Test(
        "is none where it is empty, a number, or said to be metric",
        arguments: [
            #"{"weight":72,"unit":""}"#, #"{"weight":72,"unit":"5"}"#, #"{"weight":72,"unit":5}"#, #"{"weight":72,"unit":"metric"}"#,
            #"{"weight":72,"unit_system":"SI"}"#, #"{"weight":72,"unit":null}"#, #"{"weight":72,"united":"lb"}"#,
            #"{"weight":72,"run":"lb"}"#,
        ])
    func none(message: String) throws {
        #expect(try lines(message) == ["a b body-weight 72.0 kg on arrival"])
    }

    @Test("may be written with marks around it, and with signs of its own")
    func marks() throws {
        #expect(try lines(#"{"body_temperature":{"value":98.6,"unit":"(°F)"}}"#) == ["a b body-temperature 37.0 Cel on arrival"])
        #expect(try lines(#"{"body_fat":{"value":21,"unit":"(%)"}}"#) == ["a b body-fat 21.0 % on arrival"])
        #expect(try lines(#"{"hr":{"value":61,"unit":"[bpm]"}}"#) == [Self.pulse])
        let strange = try lines(#"{"hr":{"value":61,"unit":"kg"}}"#)
        #expect(strange == ["no the unit does not fit heart-rate, which is kept in /min at $.hr (byte 0)"])
    }

    @Test(
        "called imperial tells neither pounds from stones nor inches from feet, but says nothing against others",
        arguments: ["imperial", "US"])
    func imperial(word: String) throws {
        func refusal(_ metric: String, _ key: String) -> String {
            "no \"imperial\" does not tell the unit of the \(metric): name it, as lb, in or degF at $.\(key)"
        }
        #expect(
            try lines("{\"unit_system\":\"\(word)\",\"weight\":160,\"hr\":61,\"distance\":3,\"height\":6}")
                == [Self.pulse, refusal("body-weight", "weight"), refusal("distance", "distance"), refusal("body-height", "height")])
        #expect(try lines("{\"unit_system\":\"\(word)\",\"weight_lb\":160}") == [Self.pounds])
    }

    @Test(
        "is not said to be imperial by what ends in none",
        arguments: [#""plugged_in":1"#, #""logged_in":5"#, #""opt_in":true"#, #""check_in":"yes""#])
    func notImperial(member: String) throws {
        #expect(try lines("{\"weight\":72,\(member)}") == ["a b body-weight 72.0 kg on arrival"])
        let mixed = try lines(#"{"weight":160,"chest_in":40}"#)
        #expect(mixed.count == 1 && mixed[0].contains("pounds, inches or miles"), "\(mixed)")
    }

    private static let misfit = "no the unit \"lb\" beside the heart-rate fits no metric of the record at $.hr"

    @Test("that fits one metric of a record says nothing of the others, and one that fits none refuses them, however deep it stands")
    func fits() throws {
        #expect(try lines(#"{"unit":"lb","hr":61,"weight":160}"#) == [Self.pulse, Self.pounds])
        #expect(try lines(#"{"unit":"lb","hr":61}"#) == [Self.misfit])
        #expect(try lines(#"{"unit":"lb","hr":61,"a":{"b":{"c":{"weight":160}}}}"#) == [Self.pulse, Self.pounds])
        #expect(try lines(#"{"unit":"lb","hr":61,"a":{"b":{"c":{"d":{"weight":160}}}}}"#) == [Self.misfit])
        #expect(try lines(#"{"unit":"lb","hr":61,"list":[{"a":{"weight":160}}]}"#) == [Self.pulse, Self.pounds])
        #expect(
            try lines(#"{"unit":"kPa","hr":61,"bp":"16/10"}"#) == [
                Self.pulse, "a b systolic-pressure 120.01 mm[Hg] on arrival", "a b diastolic-pressure 75.006 mm[Hg] on arrival",
            ])
        let long = String(repeating: "u", count: 40)
        #expect(
            try lines("{\"unit\":\"\(long)\",\"hr\":61}") == [
                "no the unit \"\(long.prefix(32))\" beside the heart-rate fits no metric of the record at $.hr"
            ])
    }

    @Test("is looked at beside the first sixteen records of a list", arguments: [(15, true), (16, false)])
    func records(before: Int, isFound: Bool) throws {
        let records = Array(repeating: #"{"x":1}"#, count: before) + [#"{"weight":160}"#]
        let found = try lines("{\"unit\":\"lb\",\"hr\":61,\"list\":[\(records.joined(separator: ","))]}")
        #expect(found == (isFound ? [Self.pulse, Self.pounds] : [Self.pounds, Self.misfit]))
    }

    @Test("that the record names and the mapping does not read refuses what is declared in another")
    func conflict() throws {
        let body = #"readings: [{metric: "body-weight", value: "w", unit: "kg"}], ignore: ["*"]"#
        #expect(
            try lines(#"{"w":160,"unit":"lb"}"#, body) == [
                "no the record names the unit \"lb\", and the mapping m takes the body-weight for kg at $"
            ])
        #expect(try lines(#"{"w":72,"unit":"kg"}"#, body) == ["a b body-weight 72.0 kg on arrival"])
        #expect(try lines(#"{"w":72,"unit":"frobs"}"#, body) == ["a b body-weight 72.0 kg on arrival"])
        let read = #"readings: [{metric: "body-weight", value: "w", unit: "kg", when: {unit: "lb"}}], ignore: ["*"]"#
        #expect(try lines(#"{"w":72,"unit":"lb"}"#, read) == ["a b body-weight 72.0 kg on arrival"])
    }

    @Test("of a glucose may be left out where the number is in one unit alone")
    func glucose() throws {
        let refusal =
            "no a glucose between 10 and 36 without its unit may be in mg/dL or in mmol/L: send the unit beside it, or say which in a mapping"
        for (number, isTaken) in [("10", false), ("35.9", false), ("36", true), ("99", true)] {
            let reading = "a b blood-glucose \(Double(number) ?? 0) mg/dL on arrival"
            #expect(try lines("{\"glucose\":\(number)}") == [isTaken ? reading : refusal + " at $.glucose"])
        }
        #expect(try lines(#"{"glucose":12,"unit":"mmol/L"}"#) == ["a b blood-glucose 216.192 mg/dL on arrival"])
        #expect(try lines(#"{"hr":35}"#) == ["a b heart-rate 35.0 /min on arrival"])
    }
}
