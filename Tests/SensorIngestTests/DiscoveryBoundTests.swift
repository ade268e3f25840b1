import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Bounds of discovery")
struct DiscoveryBoundTests {
    private func rules() -> MappingRules { MappingRules(discoveryPrefix: "homeassistant") }

    /// Announces a sensor for heart rates, or several of a device, on topics of their own; none takes the announcement back.
    private func announce(_ name: String, _ topics: [String], to rules: MappingRules) {
        let parts = topics.enumerated().map { "\"c\($0.offset)\":{\"p\":\"sensor\",\"name\":\"heart rate\",\"stat_t\":\"\($0.element)\"}" }
        let payload = topics.isEmpty ? "" : "{\"cmps\":{\(parts.joined(separator: ","))}}"
        rules.announce([("homeassistant/device/\(name)/config", Array(payload.utf8))])
    }

    @Test("is told on the topics of components, with a node between them or not, below the prefix alone")
    func filters() {
        #expect(rules().announcements == ["homeassistant/+/+/config", "homeassistant/+/+/+/config"])
        #expect(MappingRules().announcements == [])
    }

    @Test(
        "listens to topics of 1 to 1024 bytes that name what they are",
        arguments: [
            ("s", true), (String(repeating: "s", count: 1024), true), (String(repeating: "s", count: 1025), false), ("", false),
            ("a/+/b", false), ("a/{b}", false), ("$SYS/a", false), ("a$/b", true), ("vigil/v1/latest/anna/heart-rate", false),
            ("vigil/v2/a", true),
        ])
    func topics(topic: String, isTaken: Bool) {
        let rules = rules()
        announce("x", [topic], to: rules)
        #expect(rules.current.filters == (isTaken ? [topic] : []))
        #expect(rules.remarks.map(\.isUnderstood) == [isTaken])
        #expect(rules.remarks.map { $0.text.contains("none of a bridge's") } == [!isTaken])
    }

    @Test("knows two thousand sensors at once: what is announced anew or taken back makes room, and what finds none is told")
    func most() {
        let rules = rules()
        // An object has a thousand keys at most.
        for half in 0..<2 { announce("half-\(half)", (0..<999).map { "s/\(half)/\($0)" }, to: rules) }
        announce("two", ["t/0", "t/1"], to: rules)
        #expect(rules.current.filters.count == 2_000 && rules.remarks.count == 2_000)
        announce("more", ["m/0"], to: rules)
        #expect(rules.current.filters.count == 2_000 && rules.remarks.last?.text == "more than 2000 sensors are announced")
        announce("two", ["t/2", "t/3"], to: rules)
        #expect(rules.current.filters.contains("t/3") && !rules.current.filters.contains("t/0") && rules.current.filters.count == 2_000)
        announce("two", ["t/4", "t/5", "t/6"], to: rules)
        #expect(rules.current.filters.contains("t/3") && rules.current.filters.count == 2_000, "three do not fit in the place of two")
        announce("two", ["t/7"], to: rules)
        announce("more", ["m/0"], to: rules)
        #expect(rules.current.filters.contains("m/0") && rules.current.filters.count == 2_000)
        announce("more", [], to: rules)
        announce("last", ["l/0"], to: rules)
        #expect(rules.current.filters.contains("l/0") && rules.current.filters.count == 2_000)
    }

    @Test("makes room where a participant is forgotten")
    func forgotten() {
        let rules = rules()
        for half in 0..<2 { announce("half-\(half)", (0..<999).map { "s/\(half)/\($0)" }, to: rules) }
        announce("one", ["s/1"], to: rules)
        announce("anna", ["beds/anna"], to: rules)
        announce("more", ["m/0"], to: rules)
        #expect(!rules.current.filters.contains("m/0"))
        #expect(rules.forget("anna") == ["homeassistant/device/anna/config"] && rules.forget("anna").isEmpty)
        announce("more", ["m/0"], to: rules)
        #expect(rules.current.filters.contains("m/0") && rules.current.filters.count == 2_000)
        announce("again", ["m/1"], to: rules)
        #expect(!rules.current.filters.contains("m/1"))
    }
}
