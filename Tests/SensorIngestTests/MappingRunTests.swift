import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Declared readings")
struct MappingRunTests {
    private static let pulse = #"{metric: "heart-rate", value: "hr"}"#

    @Test(
        "are taken, left out or refused as the declaration says",
        arguments: [
            (#"readings: [{metric: "heart-rate", value: "hr"}]"#, #"{"hr":61}"#, ["a b heart-rate 61.0 /min on arrival"]),
            (#"readings: [{metric: "heart-rate", value: "hr"}]"#, #"{"hr":"61"}"#, ["a b heart-rate 61.0 /min on arrival"]),
            (
                #"readings: [{metric: "heart-rate", value: "hr"}]"#, #"{"hr":"much"}"#,
                ["no a number is expected for heart-rate at $"]
            ),
            (
                #"readings: [{metric: "heart-rate", value: "hr"}]"#, #"{"hr":[61]}"#,
                ["no a number is expected for heart-rate at $"]
            ),
            (
                #"readings: [{metric: "heart-rate", value: "hr", required: true}, {metric: "oxygen-saturation", value: "o"}]"#,
                #"{"o":97}"#,
                ["a b oxygen-saturation 97.0 % on arrival", "no heart-rate is missing at $"]
            ),
            (
                #"readings: [{metric: "heart-rate", value: "hr"}, {metric: "oxygen-saturation", value: "o"}]"#, #"{"o":97,"hr":null}"#,
                ["a b oxygen-saturation 97.0 % on arrival"]
            ),
            (#"readings: [{metric: "heart-rate", value: "hr", required: true}]"#, "{}", ["no heart-rate is missing at $"]),
            (
                #"readings: [{metric: "body-weight", value: "w", unit: "g"}]"#, #"{"w":"72000 kg"}"#,
                ["a b body-weight 72.0 kg on arrival"]
            ),
            (#"readings: [{metric: "body-weight", value: "w"}]"#, #"{"w":"72000 g"}"#, ["a b body-weight 72.0 kg on arrival"]),
            (
                #"readings: [{metric: "body-weight", value: "w", unit: {from: "u"}}], ignore: ["*"]"#, #"{"w":72000,"u":"g"}"#,
                ["a b body-weight 72.0 kg on arrival"]
            ),
            (
                #"readings: [{metric: "heart-rate", value: "hr", when: {ok: "yes"}}, {metric: "steps", value: "hr", when: {ok: "no"}, period: 60}], ignore: ["ok"]"#,
                #"{"hr":61,"ok":"yes"}"#, ["a b heart-rate 61.0 /min on arrival"]
            ),
            (
                #"readings: [{metric: {from: "k", table: {HR: "heart-rate"}}, value: "v"}]"#, #"{"k":"hr","v":61}"#,
                ["a b heart-rate 61.0 /min on arrival"]
            ),
            (
                #"readings: [{metric: {from: "k", table: {HR: "heart-rate"}}, value: "v"}]"#, #"{"k":"XX","v":61}"#,
                ["no the mapping m finds no reading in the message: no metric is known for \"XX\" at $ (byte 0)"]
            ),
            (
                #"readings: [{metric: {from: "k", table: {HR: "heart-rate"}}, value: "v"}, {metric: "steps", value: "s", period: 60}]"#,
                #"{"k":"XX","v":61,"s":5}"#, ["a b steps 5.0 {steps} on arrival for 60 s"]
            ),
            (
                #"readings: [{metric: {from: "k", table: {HR: "heart-rate"}}, value: "v", required: true}, {metric: "steps", value: "s", period: 60}]"#,
                #"{"k":"XX","v":61,"s":5}"#,
                ["a b steps 5.0 {steps} on arrival for 60 s", "no left out, as no metric is known for it: \"XX\" at $"]
            ),
            (
                #"readings: [{metric: {from: "k", table: {HR: "heart-rate"}}, value: "v", required: true}, {metric: "steps", value: "s", period: 60}]"#,
                #"{"k":"XX","s":5}"#, ["a b steps 5.0 {steps} on arrival for 60 s"]
            ),
            (
                #"readings: [{metric: {from: "k", table: {HR: "heart-rate"}, else: "steps"}, value: "v", period: 9}]"#,
                #"{"k":"XX","v":61}"#,
                ["a b steps 61.0 {steps} on arrival for 9 s"]
            ),
        ] as [(String, String, [String])])
    func readings(body: String, payload: String, expected: [String]) throws {
        #expect(try MappingSample.lines(body, payload) == expected)
    }

    @Test("are texts where a text is declared, and nothing where it is empty")
    func texts() throws {
        let body = #"readings: [{metric: "consciousness", text: "c"}]"#
        let lines = try MappingSample.lines(body, #"{"c":"voice"}"#)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("a b consciousness voice ") == true && lines.first?.hasSuffix(" on arrival") == true, "\(lines)")
        #expect(
            try MappingSample.lines(body, #"{"c":""}"#)
                == ["no the mapping m finds no reading in the message, which has c at $ (byte 0)"])
    }

    @Test(
        "speak for a period in whole seconds, for the time until another, or for a moment",
        arguments: [
            ("90", #""t":1769857200"#, "1769857200.0 for 90 s"), ("90.4", #""t":1769857200"#, "1769857200.0 for 90 s"),
            ("90.5", #""t":1769857200"#, "1769857200.0 for 91 s"), ("-5", #""t":1769857200"#, "1769857200.0"),
            ("0", #""t":1769857200,"e":1769857260"#, "1769857200.0"), ("400000000", #""t":1769857200"#, "1769857200.0 for 315576000 s"),
            ("7", "\"x\":1", "on arrival for 7 s"), ("\"p\"", #""t":1769857200,"e":1769857260"#, "1769857200.0 for 60 s"),
            ("\"p\"", #""t":1769857200,"e":1769857260,"p":30"#, "1769857200.0 for 30 s"), ("\"p\"", #""e":1769857260"#, "on arrival"),
            ("\"p\"", #""t":1769857200"#, "1769857200.0"),
        ])
    func period(period: String, times: String, expected: String) throws {
        let body = "readings: [{metric: \"floors\", value: \"f\", period: \(period)}], time: \"t\", until: \"e\", ignore: [\"x\"]"
        let lines = try MappingSample.lines(body.replacing("floors", with: "heart-rate"), "{\"f\":61,\(times)}")
        #expect(lines == ["a b heart-rate 61.0 /min \(expected)"])
    }

    @Test("of a period that CBOR says is no number speak for a moment, or are refused, and end nothing")
    func noPeriod() throws {
        let set = try MappingFile.parse(
            #"{mappings: [{name: "m", topics: ["t"], participant: "a", device: "b", format: "cbor", readings: [{metric: "heart-rate", value: "f", period: "p"}]}]}"#
        )
        for bits: [UInt8] in [[0xF9, 0x7E, 0x00], [0xFB, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0xFA, 0xFF, 0xC0, 0, 0]] {
            let payload: [UInt8] = [0xA2, 0x61, 0x66, 0x18, 0x3D, 0x61, 0x70] + bits
            let lines = MappingSample.lines(MappedMessage(payload, topic: "t", by: set, received: Timestamp(seconds: 1_700_000_000)))
            #expect(lines.count == 1)
        }
    }

    @Test("count from midnight where a day's counter brings neither time nor period, and from no other")
    func dayCounters() throws {
        let midnight = MappingSample.midnight()
        func lines(_ metric: String, _ more: String, _ payload: String) throws -> [String] {
            try MappingSample.lines("readings: [{metric: \"\(metric)\", value: \"v\"\(more)}], time: \"t\"", payload)
                .map { $0.split(separator: " ").dropFirst(5).joined(separator: " ") }
        }
        for metric in ["steps", "distance", "floors", "energy", "active-energy", "basal-energy", "active-minutes"] {
            #expect(try lines(metric, "", #"{"v":50}"#) == ["\(midnight) for 86400 s"], "\(metric)")
            #expect(try lines(metric, "", #"{"v":50,"t":1769857200}"#) == ["1769857200.0"], "\(metric)")
            #expect(try lines(metric, ", period: 0", #"{"v":50}"#) == ["on arrival"], "\(metric)")
            #expect(try lines(metric, ", period: 30", #"{"v":50}"#) == ["on arrival for 30 s"], "\(metric)")
        }
        #expect(try lines("heart-rate", "", #"{"v":61}"#) == ["on arrival"])
    }

    @Test("take the reading's own time and period before the mapping's, and refuse a time that cannot be read")
    func ownTime() throws {
        let body = #"readings: [{metric: "heart-rate", value: "hr", time: "u", period: 5}], time: "t", period: 9, ignore: ["*"]"#
        #expect(
            try MappingSample.lines(body, #"{"hr":61,"t":1769857200,"u":1769857300}"#) == ["a b heart-rate 61.0 /min 1769857300.0 for 5 s"])
        #expect(try MappingSample.lines(body, #"{"hr":61,"u":"soon"}"#) == ["no the time cannot be read at $"])
        let plain = #"readings: [{metric: "heart-rate", value: "hr"}], time: ["t", "u"], period: 9"#
        #expect(try MappingSample.lines(plain, #"{"hr":61,"u":1769857300}"#) == ["a b heart-rate 61.0 /min 1769857300.0 for 9 s"])
        #expect(
            try MappingSample.lines(plain, #"{"hr":61,"t":1769857200,"u":1769857300}"#) == ["a b heart-rate 61.0 /min 1769857200.0 for 9 s"]
        )
        let clock = #"readings: [{metric: "heart-rate", value: "hr"}], time: {from: "d", clock: "c"}"#
        #expect(
            try MappingSample.lines(clock, #"{"hr":61,"d":"2026-01-31T00:00:00","c":"11:00:00"}"#)
                == ["a b heart-rate 61.0 /min 1769857200.0"])
    }

    @Test("of one identity are numbered where they differ, in order, and the same is the same again")
    func numbers() throws {
        let body = #"each: ["l"], time: "t", readings: [{metric: "heart-rate", value: "v"}]"#
        let payload =
            #"{"l":[{"t":1769857200,"v":61},{"t":1769857200,"v":62},{"t":1769857200,"v":63},{"t":1769857200,"v":62},{"t":1769857201,"v":62}]}"#
        let line = "a b heart-rate"
        #expect(
            try MappingSample.lines(body, payload) == [
                "\(line) 61.0 /min 1769857200.0", "\(line) 62.0 /min 1769857200.0 number 2", "\(line) 63.0 /min 1769857200.0 number 3",
                "\(line) 62.0 /min 1769857200.0 number 2", "\(line) 62.0 /min 1769857201.0",
            ])
        let arrival = body.replacing("time: \"t\", ", with: "ignore: [\"t\"], ")
        #expect(try MappingSample.lines(arrival, payload).allSatisfy { $0.hasSuffix("on arrival") })
    }

    @Test("come from records, each refused at its place, of each device apart")
    func records() throws {
        let people = #"participant: {from: "p", table: {A: "anna", B: "bernd"}}, device: {from: "d"}"#
        let body = #"each: ["l"], readings: [{metric: "heart-rate", value: "v"}]"#
        let payload =
            #"{"l":[{"p":"A","d":"w","v":61},{"p":"B","d":"w","v":62},{"p":"A","d":"w","v":63,"x":1},{"p":"C","d":"w","v":64},{"p":"A","v":65}]}"#
        #expect(
            try MappingSample.lines(body, payload, people: people) == [
                "anna w heart-rate 61.0 /min on arrival", "anna w heart-rate 63.0 /min on arrival",
                "bernd w heart-rate 62.0 /min on arrival",
                "no the key \"x\" is neither mapped nor left out on purpose (mapping m) at $[2].x",
                "no nobody is known whose it is: none of what the mapping m says of participants fits at $",
                "no the device is not named where the mapping m looks for it at $",
            ])
    }

    @Test("name five keys at most that nothing reads, of the record and of the message around it")
    func unknownKeys() throws {
        func refusal(_ key: String, _ path: String) -> String {
            "no the key \"\(key)\" is neither mapped nor left out on purpose (mapping m) at \(path).\(key)"
        }
        let body = #"readings: [\#(Self.pulse)], ignore: ["skip*"]"#
        #expect(
            try MappingSample.lines(body, #"{"hr":61,"k1":1,"skipped":1,"k2":1,"k3":1,"k4":1,"k5":1,"k6":1}"#)
                == ["a b heart-rate 61.0 /min on arrival"] + ["k1", "k2", "k3", "k4", "k5"].map { refusal($0, "$") })
        let each = #"each: ["l[0].m", "*"], readings: [\#(Self.pulse)]"#
        #expect(
            try MappingSample.lines(each, #"{"l":[{"m":{"one":{"hr":61,"y":2}}}],"x":1}"#)
                == ["a b heart-rate 61.0 /min on arrival", refusal("y", "$.one"), refusal("x", "$")])
        #expect(
            try MappingSample.lines(#"readings: [\#(Self.pulse)], ignore: ["*"]"#, #"{"hr":61,"k1":1}"#)
                == ["a b heart-rate 61.0 /min on arrival"])
        let long = String(repeating: "k", count: 70)
        #expect(
            try MappingSample.lines(body, "{\"hr\":61,\"\(long)\":1}").last == refusal(String(long.prefix(64)), "$"))
    }

    @Test("say what a message has in which none is found, eight keys at most")
    func remark() throws {
        let start = "no the mapping m finds no reading in the message"
        func lines(_ keys: Int) throws -> [String] {
            let members = (1...keys).map { "\"k\($0)\":1" }.joined(separator: ",")
            return try MappingSample.lines(#"readings: [\#(Self.pulse)], ignore: ["*"]"#, "{\(members)}")
        }
        #expect(try lines(8) == ["\(start), which has k1, k2, k3, k4, k5, k6, k7, k8 at $ (byte 0)"])
        #expect(try lines(9) == ["\(start), which has k1, k2, k3, k4, k5, k6, k7, k8 and others at $ (byte 0)"])
        #expect(try MappingSample.lines(#"readings: [\#(Self.pulse)]"#, "{}") == ["\(start) at $ (byte 0)"])
        #expect(try MappingSample.lines(#"readings: [\#(Self.pulse)]"#, "[]") == ["\(start) at $ (byte 0)"])
        let long = String(repeating: "k", count: 33)
        #expect(
            try MappingSample.lines(#"readings: [\#(Self.pulse)], ignore: ["*"]"#, "{\"\(long)\":1}")
                == ["\(start), which has \(long.dropLast()) at $ (byte 0)"])
    }

    @Test("name five unknown metrics at most, each once and 64 characters of it")
    func unknownMetrics() throws {
        let body = #"each: ["l"], readings: [{metric: {from: "k", table: {HR: "heart-rate"}}, value: "v"}]"#
        let long = String(repeating: "n", count: 70)
        let names = ["n1", "n1", long, "n3", "n4", "n5", "n6"].map { "{\"k\":\"\($0)\",\"v\":1}" }.joined(separator: ",")
        #expect(
            try MappingSample.lines(body, "{\"l\":[\(names)]}") == [
                "no the mapping m finds no reading in the message: no metric is known for \"n1\", \"\(long.prefix(64))\", \"n3\", \"n4\", \"n5\" at $ (byte 0)"
            ])
    }

    @Test("are a hundred thousand records at most")
    func bounded() throws {
        let body = #"format: "binary", each: ["."], readings: [{metric: "heart-rate", value: "hr"}]"#
        #expect(
            try MappingSample.lines(body, String(repeating: "x", count: 100_001)) == ["no more than 100000 records in one message at $"])
    }

    @Test("keep the record around an element as its parent, through every step")
    func parent() throws {
        let body = #"each: ["l", "m"], ignore: ["t"], time: "parent.parent.t", readings: [{metric: "heart-rate", value: "= v + parent.w"}]"#
        #expect(
            try MappingSample.lines(body, #"{"t":1769857200,"l":[{"w":1,"m":[{"v":60},{"v":61}]},{"w":2,"m":{"v":70}}]}"#)
                == [
                    "a b heart-rate 61.0 /min 1769857200.0", "a b heart-rate 62.0 /min 1769857200.0",
                    "a b heart-rate 72.0 /min 1769857200.0",
                ].enumerated().map { $0.offset == 0 ? $0.element : "\($0.element) number \($0.offset + 1)" })
    }

    @Test(
        "are of names that may stand in a topic, made of any text",
        arguments: [
            ("anna", "anna"), ("anna b", "anna-b"), ("ä", "-"), ("a😀b", "a-b"), ("", "unknown"), ("@[`{/:", "------"),
            ("A.Z_a-z09", "A.Z_a-z09"),
            (String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
            (String(repeating: "x", count: 65), String(repeating: "x", count: 64)),
            (String(repeating: "ä", count: 65), String(repeating: "-", count: 64)),
        ])
    func names(text: String, expected: String) {
        #expect(Name.valid(text) == expected)
    }
}
