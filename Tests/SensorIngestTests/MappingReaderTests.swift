import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Mapping files")
struct MappingReaderTests {
    /// A mapping with these members beside topics, participant and device, on a line of its own.
    private static func mapping(_ body: String) -> String {
        "{mappings: [\n{topics: [\"t\"], participant: \"a\", device: \"b\", \(body)}]}"
    }

    @Test(
        "tell each mistake where it stands, and all of them",
        arguments: [
            (mapping("readings: [{metric: \"heart-rate\", value: \"x\", text: \"y\"}]"), ["a reading has either \"value\" or \"text\""]),
            (mapping("readings: [{metric: \"heart-rate\"}]"), ["a reading has either \"value\" or \"text\""]),
            (mapping("readings: [{value: \"x\"}]"), ["\"metric\""]),
            (mapping("readings: [{metric: \"heart-rate\", value: \"x\", unti: \"kg\"}]"), ["unti"]),
            (
                mapping("readings: [{metric: {from: \"m\", table: {X: \"hart-rate\"}}, value: \"x\"}]"),
                ["the metric \"hart-rate\" is not in the catalogue"]
            ),
            (
                mapping("readings: [{metric: {from: \"m\", else: \"hart-rate\"}, value: \"x\"}]"),
                ["the metric \"hart-rate\" is not in the catalogue"]
            ),
            (mapping("readings: [{metric: \"hart-rate\", value: \"x\"}]"), ["the metric \"hart-rate\" is not in the catalogue"]),
            (
                mapping("readings: [{metric: \"heart-rate\", value: [1]}]"),
                ["a text or an object with \"from\", \"is\" or \"choose\" is expected"]
            ),
            (
                mapping("readings: [{metric: \"heart-rate\", value: {from: \"x\", is: \"y\"}}]"),
                ["exactly one of \"from\", \"is\" or \"choose\" is needed"]
            ),
            (
                mapping("readings: [{metric: \"heart-rate\", value: {table: {}}}]"),
                ["exactly one of \"from\", \"is\" or \"choose\" is needed"]
            ),
            (mapping("readings: [{metric: \"heart-rate\", value: {from: \"x\", elze: 1}}]"), ["elze"]),
            (mapping("readings: [{metric: \"heart-rate\", value: {from: \"x\", else: {form: \"y\"}}}]"), ["\"from\"", "form"]),
            (mapping("readings: [{metric: \"heart-rate\", value: {from: \"x\", else: [1]}}]"), ["a text or a number is expected"]),
            (mapping("readings: [{metric: \"heart-rate\", value: {choose: [{is: \"y\"}]}}]"), ["\"when\""]),
            (mapping("readings: [{metric: \"heart-rate\", value: {from: [1]}}]"), ["a place in the message is a text"]),
            (mapping("readings: [{metric: \"heart-rate\", value: {from: \"x\", table: {A: [1]}}}]"), ["a text or a number is expected"]),
            (mapping("readings: [{metric: \"heart-rate\", value: {from: \"x\", table: \"nowhere\"}}]"), ["there is no table \"nowhere\""]),
            (mapping("readings: [], when: {x: {}}"), ["a test has \"min\", \"max\", \"exists\" or \"not\""]),
            (mapping("readings: [], when: {x: {mim: 1, max: 2}}"), ["mim"]),
            (mapping("readings: [], when: {\"a..b\": 1}"), ["\"a..b\" is no place in the message: a key is expected"]),
            (mapping("readings: [], separator: \"ab\""), ["\"separator\" is one character"]),
            (mapping("readings: [], separator: \"\""), ["\"separator\" is one character"]),
            (mapping("readings: [], format: \"xml\""), ["xml"]),
            (mapping("readings: [], each: {anny: []}"), ["\"any\"", "anny"]),
            (mapping("readings: [], time: {form: \"x\"}"), ["\"from\"", "form"]),
            (mapping("readings: [], time: {from: \"x\", zone: \"Europe/Bärlin\"}"), ["\"Europe/Bärlin\" is no time zone"]),
            (
                mapping("readings: [], time: {from: \"x\", format: \"sec\"}"),
                ["\"sec\" is none of auto, iso, s, ms, us, ns2000, and no pattern"]
            ),
            (mapping("readings: [], time: {from: \"x\", clock: [1]}"), ["a place in the message is a text"]),
            (mapping("readings: [], colour: 1"), ["colour"]),
            (mapping("name: \"m\""), ["a mapping needs \"readings\", \"knownNames\": true, or \"refuse\": why"]),
            ("{mappings: [\n{readings: []}]}", ["\"topics\"", "\"participant\"", "\"device\""]),
            (
                "{mappings: [\n{topics: [\"t\"], refuse: \"why\", participant: \"a\", device: \"b\", knownNames: true}]}",
                [
                    "a mapping that refuses has no \"knownNames\"", "a mapping that refuses has no \"participant\"",
                    "a mapping that refuses has no \"device\"",
                ]
            ),
            ("{mappings: [\n{topics: [\"\"], refuse: \"no\"}]}", ["\"\": a topic has 1 to 1024 bytes"]),
            ("{mappings: [\n{topics: [\"a+/b\"], refuse: \"no\"}]}", ["\"a+/b\": + stands for a whole level, and # for all the last ones"]),
            ("{mappings: [\n{topics: [\"a/#b\"], refuse: \"no\"}]}", ["\"a/#b\": + stands for a whole level, and # for all the last ones"]),
            ("{mappings: [\n{topics: [\"#/a\"], refuse: \"no\"}]}", ["\"#/a\": # stands for all the last levels"]),
            ("{mappings: [],\ntables: {people: {x: [1]}}}", ["a text or a number is expected"]),
            ("{mappings: [],\nmapings: []}", ["mapings"]),
        ] as [(String, [String])])
    func mistakes(text: String, expected: [String]) throws {
        let problems = try #require(throws: MappingFile.Malformed.self) { try MappingFile.parse(text) }.problems
        #expect(problems.allSatisfy { $0.hasPrefix("mapping.json5:2:") }, "\(problems)")
        for sign in expected { #expect(problems.contains { $0.contains(sign) }, "\(sign): \(problems)") }
        #expect(problems.count == expected.count, "\(problems)")
    }

    @Test(
        "take what is right without a word",
        arguments: [
            "readings: [{metric: \"heart-rate\", value: \"x\", unit: \"/min\"}]",
            "readings: [{metric: \"consciousness\", text: \"x\", unit: \"kg\"}]",
            "readings: [{metric: \"body-weight\", value: \"x\", unit: {from: \"u\", table: {a: \"heart\"}}}]",
            "knownNames: true", "readings: [], when: {x: {min: 1}, y: {max: 2}, z: {exists: false}, v: {not: \"a\"}, w: [\"a\", 1, true]}",
            "readings: [], time: {from: [\"x\", \"y\"], zone: \"local\", format: \"dd.MM.yyyy\"}",
            "readings: [], separator: \";\", format: \"csv\"",
            "description: \"words\", readings: []", "readings: [], each: [\"a\", {any: [\"b\", \"c\"]}]",
        ])
    func right(body: String) throws {
        let set = try MappingFile.parse(Self.mapping(body))
        #expect(set.mappings.count == 1)
        #expect(set.mappings.first?.name == "of mapping.json5:2")
    }

    @Test("refuse topics of more than 1024 bytes, and no shorter ones")
    func longTopics() throws {
        func objection(_ count: Int) -> String? { MappingTopic(String(repeating: "x", count: count)).objection }
        #expect(objection(1024) == nil && objection(1) == nil)
        #expect(objection(1025) == "a topic has 1 to 1024 bytes" && objection(0) == "a topic has 1 to 1024 bytes")
        #expect(MappingTopic("a/+/{b}/#").objection == nil)
        #expect(MappingTopic("a\0").objection == "a topic holds no NUL")
    }

    private static let value = "readings: [{metric: \"heart-rate\", value: "

    @Test(
        "let a value, a name and a condition be put together",
        arguments: [
            ("{choose: [{when: {k: 1}, from: \"x\"}, {when: {k: 2}, is: \"70\"}]}", #"{"k":1,"x":61}"#, "61.0"),
            ("{choose: [{when: {k: 1}, from: \"x\"}, {when: {k: 2}, is: \"70\"}]}", #"{"k":2,"x":61}"#, "70.0"),
            ("{choose: [{when: {k: 1}, from: \"x\"}, {when: {k: 2}, is: \"70\"}], else: 80}", #"{"k":3,"x":61}"#, "80.0"),
            ("{choose: [{when: {k: 1}, from: \"x\"}, {when: {k: 1}, is: \"70\"}]}", #"{"k":1}"#, "70.0"),
            ("{choose: [{when: {k: 1}, is: \"60\"}, {when: {k: 1}, is: \"70\"}]}", #"{"k":1}"#, "60.0"),
            ("{from: \"x\", table: {low: 50, high: 90}}", #"{"k":0,"x":"HIGH"}"#, "90.0"),
            ("{from: \"x\", table: {low: 50}, else: \"$.y\"}", #"{"k":0,"x":"HIGH","y":77}"#, "77.0"),
            ("{from: \"x\", table: {low: 50}, else: {from: \"y\"}}", #"{"k":0,"x":"HIGH","y":77}"#, "77.0"),
            ("{from: \"x\", else: {from: \"y\"}}", #"{"k":0,"y":77}"#, "77.0"),
            ("{from: \"x\", else: 66}", #"{"k":0}"#, "66.0"), ("{is: \"66\"}", #"{"k":0}"#, "66.0"), ("66", #"{"k":0}"#, "66.0"),
            (
                "{choose: [{when: {k: {min: 1, max: 2}}, is: \"60\"}, {when: {k: {min: 2}}, is: \"70\"}, {when: {k: {max: 1}}, is: \"50\"}]}",
                #"{"k":1}"#, "60.0"
            ),
            (
                "{choose: [{when: {k: {min: 1, max: 2}}, is: \"60\"}, {when: {k: {min: 2}}, is: \"70\"}, {when: {k: {max: 1}}, is: \"50\"}]}",
                #"{"k":1.99}"#, "60.0"
            ),
            (
                "{choose: [{when: {k: {min: 1, max: 2}}, is: \"60\"}, {when: {k: {min: 2}}, is: \"70\"}, {when: {k: {max: 1}}, is: \"50\"}]}",
                #"{"k":2}"#, "70.0"
            ),
            (
                "{choose: [{when: {k: {min: 1, max: 2}}, is: \"60\"}, {when: {k: {min: 2}}, is: \"70\"}, {when: {k: {max: 1}}, is: \"50\"}]}",
                #"{"k":0.99}"#, "50.0"
            ),
            ("{choose: [{when: {k: {min: 1}}, is: \"60\"}], else: 50}", #"{"k":"x"}"#, "50.0"),
            ("{choose: [{when: {k: {exists: true}}, is: \"60\"}], else: 50}", #"{"k":0}"#, "60.0"),
            ("{choose: [{when: {k: {exists: true}}, is: \"60\"}], else: 50}", #"{"k":null}"#, "50.0"),
            ("{choose: [{when: {k: {exists: false}}, is: \"60\"}], else: 50}", #"{"k":0}"#, "50.0"),
            ("{choose: [{when: {k: {exists: false}}, is: \"60\"}], else: 50}", #"{}"#, "60.0"),
            ("{choose: [{when: {k: {not: \"a*\"}}, is: \"60\"}], else: 50}", #"{"k":"ab"}"#, "50.0"),
            ("{choose: [{when: {k: {not: \"a*\"}}, is: \"60\"}], else: 50}", #"{"k":"b"}"#, "60.0"),
            ("{choose: [{when: {k: {not: [\"a\", \"b\"]}}, is: \"60\"}], else: 50}", #"{"k":"b"}"#, "50.0"),
            ("{choose: [{when: {k: {not: \"a\"}}, is: \"60\"}], else: 50}", #"{}"#, "60.0"),
            ("{choose: [{when: {k: [\"a\", \"b\"]}, is: \"60\"}], else: 50}", #"{"k":"b"}"#, "60.0"),
            ("{choose: [{when: {k: [\"a\", \"b\"]}, is: \"60\"}], else: 50}", #"{"k":"c"}"#, "50.0"),
            ("{choose: [{when: {k: \"a\"}, is: \"60\"}], else: 50}", #"{}"#, "50.0"),
            ("{choose: [{when: {k: true}, is: \"60\"}], else: 50}", #"{"k":true}"#, "60.0"),
            ("{choose: [{when: {k: 1, x: 2}, is: \"60\"}], else: 50}", #"{"k":1,"x":3}"#, "50.0"),
            ("{choose: [{when: {k: 1, x: 2}, is: \"60\"}], else: 50}", #"{"k":1,"x":2}"#, "60.0"),
        ])
    func composed(value: String, payload: String, expected: String) throws {
        let lines = try MappingSample.lines("\(Self.value)\(value)}], ignore: [\"*\"]", payload)
        #expect(lines == ["a b heart-rate \(expected) /min on arrival"])
    }

    @Test(
        "take a text that begins with @, $, = or a dot for a place, and any other in a name for itself",
        arguments: [
            ("\"@1\"", "bath"), ("\"$.who\"", "anna"), ("\"= n + 1\"", "8"), ("\"who\"", "who"), ("7", "7"), ("{from: \"who\"}", "anna"),
        ])
    func origins(device: String, expected: String) throws {
        let lines = try MappingSample.lines(
            "\(Self.value)\"hr\"}], ignore: [\"*\"]", #"{"who":"anna","n":7,"hr":61}"#, people: "participant: \"a\", device: \(device)",
            topics: "[\"#\"]", topic: "home/bath")
        #expect(lines == ["a \(expected) heart-rate 61.0 /min on arrival"])
    }

    @Test("name the part of a device, and read lines as records unless said otherwise")
    func partAndLines() throws {
        #expect(
            try MappingSample.lines("\(Self.value)\"hr\"}], part: \"= side\", ignore: [\"*\"]", #"{"hr":61,"side":2}"#)
                == ["a b/2 heart-rate 61.0 /min on arrival"])
        let csv = "format: \"csv\", columns: [\"hr\", \"x\"], separator: \";\", \(Self.value)\"hr\"}]"
        #expect(
            try MappingSample.lines("\(csv), ignore: [\"x\"]", "61;1\n62;2")
                == ["a b heart-rate 61.0 /min on arrival", "a b heart-rate 62.0 /min on arrival"])
        #expect(try MappingSample.lines("\(csv)", "61;1").count == 2)
        #expect(
            try MappingSample.lines(
                "format: \"influx\", \(Self.value)\"fields.hr\"}], time: \"time\", ignore: [\"*\"]", "v hr=61 1769857200000000000")
                == ["a b heart-rate 61.0 /min 1769857200.0"])
        #expect(
            try MappingSample.lines("each: [{any: [\"l\", \"m\"]}], \(Self.value)\"hr\"}]", #"{"l":[{"hr":61}],"m":{"hr":62}}"#)
                == ["a b heart-rate 61.0 /min on arrival", "a b heart-rate 62.0 /min on arrival"])
    }
}
