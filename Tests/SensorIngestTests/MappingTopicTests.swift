import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Topics of mappings")
struct MappingTopicTests {
    private static func mapping(_ name: String, _ topics: [String], _ more: String = "") -> String {
        let list = topics.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            "{name: \"\(name)\", topics: [\(list)], participant: \"a\", device: \"\(name)\", format: \"plain\", \(more.isEmpty ? "readings: [{metric: \"heart-rate\", value: \".\"}]" : more)}"
    }

    private static func set(_ mappings: String...) throws -> MappingSet {
        try MappingFile.parse("{mappings: [\(mappings.joined(separator: ",\n"))]}")
    }

    @Test(
        "are subscribed to with a plus for a name, and know their levels",
        arguments: [
            ("home/{room}/scale", "home/+/scale", ["room"]), ("home/#", "home/#", []), ("+/{a}/{b}", "+/+/+", ["a", "b"]),
            ("/x/", "/x/", []),
            ("{a", "{a", []), ("a}", "a}", []), ("{}", "+", [""]),
        ] as [(String, String, [String])])
    func filters(text: String, filter: String, names: [String]) {
        let topic = MappingTopic(text)
        #expect(topic.filter == filter)
        #expect(topic.names == names)
    }

    @Test("find a message's mappings as the filters of MQTT say, in the order of the file, each once")
    func listeners() throws {
        let filters = [
            ["home/bath/scale"], ["home/+/scale"], ["home/#"], ["+/bath/scale", "home/bath/+"], ["#"], ["+/+/weight"],
            ["home/bath/scale/#"], ["+/bath/#"],
            ["home/{room}/scale", "home/{other}/+"], ["+"], ["/home"], ["home/bath/scale", "home/bath/scale"],
        ]
        let mappings = try MappingFile.parse(
            "{mappings: [\(filters.enumerated().map { Self.mapping("m\($0.offset)", $0.element) }.joined(separator: ",\n"))]}"
        ).mappings
        let index = TopicIndex(mappings)
        for topic in [
            "home/bath/scale", "home/bath/weight", "home/kitchen/scale", "home", "bath", "x/bath/weight", "/home", "home/",
            "home/bath/scale/x",
        ] {
            let expected = filters.indices.filter { filters[$0].contains { TopicFilter.matches(MappingTopic($0).filter, topic) } }
            #expect(index.listeners(to: topic).map(\.mapping) == expected, "\(topic)")
            #expect(index.hasListeners(to: topic) == !expected.isEmpty)
        }
        #expect(!TopicIndex(Array(mappings[0...1])).hasListeners(to: "x/y"))
        #expect(TopicIndex([]).listeners(to: "x").isEmpty)
    }

    @Test("name levels by the filter that matches, of several the mapping's first")
    func names() throws {
        let set = try MappingFile.parse(
            "{mappings: [{name: \"m\", topics: [\"{person}/bath/+\", \"home/{person}/#\"], format: \"plain\", participant: \"@person\", device: \"@last\", readings: [{metric: \"heart-rate\", value: \".\"}]}]}"
        )
        func line(_ topic: String) -> String? { MappedMessage(Array("61".utf8), topic: topic, by: set).accepted.first }
        #expect(line("anna/bath/x") == "anna x heart-rate 61.0 /min on arrival")
        #expect(line("home/bernd/y/z") == "bernd z heart-rate 61.0 /min on arrival")
        #expect(line("home/bath/y") == "home y heart-rate 61.0 /min on arrival")
    }

    @Test("of those that take every known name come last, and of these the widest")
    func order() throws {
        let known = "knownNames: true"
        let set = try Self.set(
            Self.mapping("wide", ["+/x"], known), Self.mapping("own", ["a/#"], known), Self.mapping("one", ["+/x"]),
            Self.mapping("two", ["a/x"]))
        #expect(set.mappings.map(\.name) == ["one", "two", "own", "wide"])
        #expect(set.filters == ["+/x", "a/x", "a/#"])
        #expect(set.declares("a/x") && set.declares("b/x") && !set.declares("a/y"))
        #expect(set.listens(to: "a/y") && !set.listens(to: "b/y"))
        #expect(set.with([]).mappings.count == 4)
        #expect(set.with([set.mappings[0]]).mappings.map(\.name) == ["one", "two", "one", "own", "wide"])
    }

    @Test("below ingest's own are not subscribed to anew")
    func ingest() throws {
        let set = try Self.set(Self.mapping("m", ["vigil/v1/ingest/+/+", "x", "vigil/v1/ingests/+"]))
        #expect(set.filters == ["x", "vigil/v1/ingests/+"])
    }

    @Test("are tried one after the other: the first that finds a reading counts, and what the first says is told where none does")
    func fallThrough() throws {
        let set = try Self.set(
            Self.mapping("hex", ["t"], "readings: [{metric: \"heart-rate\", value: \".\"}]").replacing("\"plain\"", with: "\"hex\""),
            Self.mapping("yes", ["t"], "when: {\".\": \"6*\"}, readings: [{metric: \"heart-rate\", value: \".\"}]"),
            Self.mapping("other", ["t"], "readings: [{metric: \"steps\", value: \".\", period: 60}]"))
        func lines(_ text: String) -> [String] { MappingSample.lines(MappedMessage(Array(text.utf8), topic: "t", by: set)) }
        #expect(lines("6.5e1") == ["a yes heart-rate 65.0 /min on arrival"])
        #expect(lines("7.5e1") == ["a other steps 75.0 {steps} on arrival for 60 s"])
        let message = MappedMessage(Array("61".utf8), topic: "u", by: set)
        #expect(message.refused == ["no mapping listens to the topic: vigil map learn --topic 'u/#' proposes one from what comes there"])
        let only = try Self.set(Self.mapping("yes", ["t"], "when: {\".\": \"6*\"}, readings: [{metric: \"heart-rate\", value: \".\"}]"))
        #expect(
            MappedMessage(Array("7".utf8), topic: "t", by: only).refused
                == ["no mapping of those that listen to the topic has conditions that fit; vigil map list names them"])
    }

    @Test("as a fallback of the suite's own formats tell no failure of a format, and leave known names to chance")
    func fallback() throws {
        let set = try Self.set(
            Self.mapping("known", ["t"], "knownNames: true, ignore: [\"*\"]").replacing("\"plain\"", with: "\"json\""))
        let now = Timestamp(seconds: 1_700_000_000)
        func read(_ text: String, _ isFallback: Bool) throws -> Int? {
            try set.read(Array(text.utf8), topic: "t", received: now, isFallback: isFallback)?.map(\.decoded.readings.count).reduce(0, +)
        }
        #expect(try read(#"{"hr":61}"#, true) == 1)
        #expect(try read("{", true) == nil)
        #expect(throws: PayloadError.self) { try read("{", false) }
        #expect(try read(#"{"frobs":1}"#, true) == nil)
        #expect(throws: PayloadError.self) { try read(#"{"frobs":1}"#, false) }
        #expect(try read(#"{"temperature":1}"#, true) != nil)
    }
}
