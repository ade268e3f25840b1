import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Proposed mapping files")
struct ProposedFileTests {
    private func proposal(_ messages: [(String, String)], known: MappingSet = MappingSet()) -> MappingProposal {
        var proposal = MappingProposal(known: known)
        for (topic, payload) in messages { proposal.hear(topic: topic, payload: Array(payload.utf8)) }
        return proposal
    }

    private static let head = [
        "{", "  tables: {",
        "    // Whose is which? Fill in: \"identifier, or the part of it with *\": \"participant\". What is not listed is kept for \"unknown\".",
        "    people: {",
    ]

    private func expect(
        _ messages: [(String, String)], taken: Int = 0, people: [String], mappings: [String], idle: String? = nil, _ comment: Comment? = nil
    ) {
        let first =
            "// Proposed by vigil map learn from \(messages.count) messages, of which mappings in force take \(taken) already. Every line that says GUESSED is to be looked at."
        let lines =
            [first] + Self.head + people.map { "      // \"\($0)\": \"anna\"," } + ["    },", "  },", "  mappings: ["] + mappings + [
                "  ],", "}",
            ]
        #expect(proposal(messages).text == (lines + [idle].compactMap(\.self)).joined(separator: "\n") + "\n", comment)
    }

    @Test("take a device's name and time where a message has them, and leave out the rest by its first key")
    func json() {
        expect(
            [("bath/scale", #"{"mac":"A4","ts":1769857200,"weight":72.4,"rssi":-60,"on":true,"more":{"a":{"b":"x"},"hr":61},"who":"x"}"#)],
            people: [],
            mappings: [
                "    {", "      name: \"learned-1\",", "      topics: [\"bath/scale\"],",
                "      participant: {from: \"mac\", table: \"people\", else: \"unknown\"},",
                "      device: {from: \"mac\", else: \"learned\"},",
                "      time: {from: \"ts\", zone: \"local\"},", "      readings: [",
                "        {metric: \"body-weight\", value: \"weight\", unit: \"kg\"},  // GUESSED from the name weight",
                "        {metric: \"heart-rate\", value: \"more.hr\", unit: \"/min\"},  // GUESSED from the name hr", "      ],",
                "      ignore: [\"on\", \"who\", \"rssi\"],", "    },",
            ])
    }

    @Test("of one topic ask whose it is; of several that differ in one level take that for the sensor")
    func plain() {
        func mapping(_ topic: String, _ participant: String, _ device: String, _ metric: String, _ unit: String, _ name: String) -> [String]
        {
            [
                "    {", "      name: \"learned-1\",", "      topics: [\"\(topic)\"],", "      format: \"plain\",",
                "      participant: \(participant)",
                "      device: \(device),", "      readings: [",
                "        {metric: \"\(metric)\", value: \".\", unit: \"\(unit)\"},  // GUESSED from the name \(name)", "      ],",
                "      ignore: [],", "    },",
            ]
        }
        expect(
            [("bed/1/strap/hr", "61")], people: ["strap"],
            mappings: mapping("bed/1/strap/hr", "\"unknown\",  // ASK: whose is it?", "\"strap-hr\"", "heart-rate", "/min", "hr"))
        expect(
            [("bed/1/strap/hr", "61"), ("bed/2/strap/hr", "62"), ("bed/3/strap/hr", "62")], people: ["1", "2", "3"],
            mappings: mapping(
                "bed/{sensor}/strap/hr", "{from: \"@sensor\", table: \"people\", else: \"unknown\"},", "\"@sensor\"", "heart-rate", "/min",
                "hr"))
        expect(
            [("hr", "61")], people: ["hr"],
            mappings: mapping("hr", "\"unknown\",  // ASK: whose is it?", "\"hr\"", "heart-rate", "/min", "hr"))
        expect([("lamp", "ON")], people: [], mappings: [], idle: "// Nothing is known by the names on: \"lamp\"")
    }

    @Test("join topics of one format, keys and metrics that differ in one level that is not the first, and always the same")
    func joins() {
        func topics(_ messages: [(String, String)]) -> [String] {
            proposal(messages).text.split(separator: "\n").filter { $0.contains("topics: ") }.map {
                $0.split(separator: "\"").dropFirst().first.map(String.init) ?? ""
            }
        }
        #expect(topics([("a/1/hr", "61"), ("a/2/hr", "61")]) == ["a/{sensor}/hr"])
        #expect(topics([("a/1/hr", "61"), ("b/1/hr", "61")]) == ["a/1/hr", "b/1/hr"])
        #expect(topics([("a/1/hr", "61"), ("a/2/x/hr", "61")]) == ["a/1/hr", "a/2/x/hr"])
        #expect(topics([("a/1/b/hr", "61"), ("a/2/c/hr", "61")]) == ["a/1/b/hr", "a/2/c/hr"])
        #expect(topics([("a/1/b/hr", "61"), ("a/2/b/hr", "61"), ("a/1/c/hr", "61")]) == ["a/{sensor}/b/hr", "a/1/c/hr"])
        #expect(topics([("a/1/hr", "61"), ("a/1/weight", "61")]) == ["a/1/hr", "a/1/weight"])
        #expect(topics([("a/1/hr", "61"), ("a/2/hr", #"{"hr":61}"#)]) == ["a/1/hr", "a/2/hr"])
        #expect(topics([("a/1/x", #"{"hr":61}"#), ("a/2/x", #"{"hr":61,"spo2":97}"#)]) == ["a/1/x", "a/2/x"])
        #expect(topics([("a/1/x", #"{"spo2":97,"hr":61}"#), ("a/2/x", #"{"hr":61,"spo2":97}"#)]) == ["a/1/x", "a/2/x"])
        #expect(topics([("a/1/x", #"{"hr":61,"n":1}"#), ("a/2/x", #"{"hr":61,"n":1}"#)]) == ["a/{sensor}/x"])
    }

    @Test(
        "know times and devices by their usual names, whatever their case",
        arguments: [
            "timestamp", "time", "ts", "date", "datetime", "measured_at", "created_at", "last_seen", "TS",
        ])
    func times(key: String) {
        let text = proposal([("a/b", "{\"hr\":61,\"\(key)\":1769857200}")]).text
        #expect(text.contains("time: {from: \"\(key)\", zone: \"local\"},"))
        #expect(text.contains("ignore: [],"))
        #expect(!proposal([("a/b", "{\"hr\":61,\"\(key)x\":1769857200}")]).text.contains("zone:"))
    }

    @Test(
        "know devices by their usual names, whatever their case",
        arguments: ["id", "mac", "device", "device_id", "deviceid", "address", "ble_addr", "serial", "MAC"])
    func devices(key: String) {
        for value in ["\"A4\"", "4711"] {
            let text = proposal([("a/b", "{\"hr\":61,\"\(key)\":\(value)}")]).text
            #expect(
                text.contains("device: {from: \"\(key)\", else: \"learned\"},")
                    && text.contains("participant: {from: \"\(key)\", table: \"people\""))
        }
    }

    @Test(
        "ask of numbers that nobody knows, twelve at most, and not of technical ones",
        arguments: [
            "rssi", "battery", "batt", "volt", "voltage", "linkquality", "lqi", "uptime", "packet", "txpower", "signal", "channel",
            "mac_type", "user", "count", "RSSI",
        ])
    func technical(key: String) {
        #expect(proposal([("a/b", "{\"hr\":61,\"\(key)\":1}")]).questions.isEmpty)
        #expect(proposal([("a/b", "{\"hr\":61,\"x\":{\"\(key)\":1}}")]).questions.isEmpty)
    }

    @Test("ask by topic and place")
    func questions() {
        #expect(
            proposal([("a/b", #"{"hr":61,"x":{"frobs":1},"n.o":2}"#)]).questions
                == ["a/b: is one of these a measurement of a person? x.frobs, [\"n.o\"]"])
        let many = (1...13).map { "\"frobs\($0)\":1" }.joined(separator: ",")
        let listed = (1...12).map { "frobs\($0)" }.joined(separator: ", ")
        #expect(proposal([("a/b", "{\"hr\":61,\(many)}")]).questions == ["a/b: is one of these a measurement of a person? \(listed)"])
        #expect(proposal([("a/b", "7")]).questions == ["a/b: what does it measure?"])
        #expect(proposal([("a/b", "{}")]).questions == ["a/b: what does it measure?"])
        #expect(proposal([("a/hr", "61")]).questions.isEmpty)
        let announced = ("homeassistant/sensor/odd/config", #"{"stat_t":"odd/t","name":"n"}"#)
        #expect(proposal([announced]).questions == ["odd/t: what is odd?"])
        let computed = ("homeassistant/sensor/odd/config", #"{"stat_t":"odd/t","name":"n","val_tpl":"{{ value_json.hr + 1 }}"}"#)
        #expect(proposal([computed]).questions == ["odd/t: what is hr? its template {{ value_json.hr + 1 }} computes the value"])
    }

    @Test("collect four levels of objects, 64 keys, and what a path can hold")
    func keys() {
        func ignored(_ payload: String) -> String {
            proposal([("a/b", payload)]).text.split(separator: "\n").first { $0.contains("ignore: ") }.map(String.init) ?? ""
        }
        #expect(proposal([("a/b", #"{"a":{"b":{"c":{"hr":61}}}}"#)]).text.contains("value: \"a.b.c.hr\""))
        #expect(!proposal([("a/b", #"{"a":{"b":{"c":{"d":{"hr":61}}}}}"#)]).text.contains("heart-rate"))
        #expect(ignored(#"{"hr":61,"":1,"a[b":1,"c]":1,"d\"e":1,"f'g":1,"h\\i":1}"#) == "      ignore: [],")
        #expect(proposal([("a/b", #"{"body fat":21,"x.y":{"hr":61}}"#)]).text.contains(#"value: "[\"x.y\"].hr""#))
        #expect(ignored(#"{"hr":61,"x.y":"s"}"#) == "      ignore: [\"x.y\"],")
        #expect(ignored(#"{"hr":61,"o":{"a":"s","b":"t"}}"#) == "      ignore: [\"o\"],")
        #expect(ignored(#"{"hr":61,"l":[1],"n":null}"#) == "      ignore: [\"l\", \"n\"],")
        #expect(ignored(#"{"o":{"hr":61,"a":"s"}}"#) == "      ignore: [],")
        let many = (1...63).map { "\"k\($0)\":true" }.joined(separator: ",")
        #expect(proposal([("a/b", "{\(many),\"hr\":61}")]).text.contains("heart-rate"))
        #expect(!proposal([("a/b", "{\(many),\"k\":true,\"hr\":61}")]).text.contains("heart-rate"))
    }

    @Test("hear of a topic again and again, and of a million bytes at most")
    func heard() {
        let text = proposal([
            ("a/b", #"{"hr":61}"#), ("a/b", #"{"hr":62,"spo2":97}"#), ("a/b", #"{"hr":"no"}"#), ("c/hr", "ON"), ("c/hr", "61"),
            ("c/hr", "62"),
        ]).text
        #expect(text.split(separator: "\n").filter { $0.contains("GUESSED from") }.count == 3)
        let most = "\"" + String(repeating: "x", count: (1 << 20) - 2) + "\""
        #expect(proposal([("a", most), ("a", most + " "), ("a", ""), ("vigil/v1/x", "1"), ("a}", "1"), ("a+", "1")]).messages == 1)
        let long = String(repeating: "x", count: 65_535)
        #expect(proposal([(long, "1"), (long + "x", "1")]).messages == 1)
    }

    @Test("count what mappings in force take, and propose nothing for it")
    func taken() throws {
        let known = try MappingFile.parse(
            #"{mappings: [{topics: ["a/#"], participant: "a", device: "b", readings: [{metric: "heart-rate", value: "hr"}]}]}"#)
        let proposal = proposal([("a/b", #"{"hr":61}"#), ("a/c", #"{"x":61}"#), ("b", #"{"hr":61}"#)], known: known)
        #expect(proposal.taken == 1 && proposal.messages == 3)
        #expect(proposal.text.contains("topics: [\"b\"]") && !proposal.text.contains("topics: [\"a/b\"]"))
    }

    @Test("hold two thousand topics at most")
    func bounded() {
        let messages = (0..<2001).map { ("t\($0)", "ON") }
        let questions = proposal(messages).questions
        #expect(questions.count == 2000 && questions.last == "t1999: what does it measure?")
    }

    @Test(
        "write texts as JSON5 has them",
        arguments: [
            ("a", "\"a\""), ("a\"b\\c", #""a\"b\\c""#), ("\u{1}\u{1F}\u{7F}", #""\u0001\u001f\u007f""#),
            ("\u{2028}\u{2029}", #""\u2028\u2029""#), (" ~\u{80}é", "\" ~\u{80}é\""),
        ])
    func quoted(text: String, expected: String) {
        #expect(ProposedMapping.quoted(text) == expected)
    }

    @Test(
        "keep a line one line, and a terminal as it is",
        arguments: [
            ("a\nb\u{1F}", "a b "), ("\u{7F}\u{80}\u{9F}\u{A0}é", "   \u{A0}é"), ("\u{2027}\u{2028}\u{2029}\u{202A}", "\u{2027}  \u{202A}"),
            (" ~", " ~"),
        ])
    func oneLine(text: String, expected: String) {
        #expect(ProposedMapping.onOneLine(text) == expected)
    }
}
