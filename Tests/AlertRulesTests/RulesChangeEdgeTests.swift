import Testing

@testable import AlertRules

/// What is carried over to other rules, by whatever order and number they have.
@Suite("What is known, under other rules")
struct RulesChangeEdgeTests {
    private static let high = #"{id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2h"}"#
    private static let other = #"{id: "other", metric: "x-other", severity: "warning", above: 1, staleAfter: "2h"}"#

    private static func set(_ rules: String...) -> String { "{rules: [\(rules.joined(separator: ", "))]}" }

    @Test("a heart rate that came lately keeps the pulse from standing in, also over a change of the rules")
    func heartRate() throws {
        var engine = try EngineHarness(Self.set(Self.high))
        try engine.read("heart-rate", 90, at: 0)
        try engine.adopt(Self.set(Self.other, Self.high))
        try engine.read("pulse-rate", 120, at: 60)
        #expect(engine.causes() == [])
        try engine.read("pulse-rate", 120, at: 121)
        #expect(engine.causes() == ["high raised reading"])
    }

    private static func own(_ metric: String) -> String {
        #"{id: "\#(metric)", metric: "\#(metric)", severity: "notice", above: {default: 0.9, percentile: 50, minimumReadings: 32}}"#
    }

    @Test("each limit from a history follows that of its own metric, though ranges and half-lives are alike")
    func histories() throws {
        var engine = try EngineHarness(Self.set(Self.own("stress-level"), Self.own("ecg-quality")))
        for second in Int64(0)..<32 {
            try engine.read("stress-level", 0.2, at: second)
            try engine.read("ecg-quality", 0.6, at: second)
        }
        func limits() -> [String: Double?] {
            engine.engine.limits(participant: engine.participant).reduce(into: [:]) { $0[$1.metric] = $1.high }
        }
        let before = limits()
        #expect(before.count == 2 && before["stress-level"] != before["ecg-quality"])
        try engine.adopt(Self.set(Self.own("ecg-quality"), Self.own("stress-level")))
        #expect(limits() == before)
    }

    @Test("of several rules that are gone, the one that counted furthest says where those that come go on")
    func numbers() throws {
        var engine = try EngineHarness(Self.set(Self.high, Self.other))
        for second in Int64(0)..<4 { try engine.read("heart-rate", second % 2 == 0 ? 120 : 90, at: second) }
        try engine.read("x-other", 2, at: 4)
        try engine.read("x-other", 0, at: 5)
        let third = Self.other.replacing("other", with: "third")
        for (rules, floor) in [(Self.set(third), 4), (Self.set(Self.high), 4), (Self.set(third), 4)] as [(String, UInt32)] {
            try engine.adopt(rules)
            #expect(engine.engine.sequenceFloor == floor)
        }
        try engine.adopt(Self.set(Self.other))
        try engine.read("x-other", 2, at: 6)
        #expect(engine.events.last?.sequence == 5)
    }

    @Test(
        "an alert whose rule changed stays as bad as it was where the rule still has that severity",
        arguments: ["notice", "warning", "critical"])
    func severity(name: String) throws {
        func rule(_ clear: Int) -> String {
            let levels = [("notice", 100), ("warning", 110), ("critical", 130)].map { #"{severity: "\#($0)", above: \#($1)}"# }
            return #"{id: "a", metric: "heart-rate", staleAfter: "\#(clear)h", levels: [\#(levels.joined(separator: ", "))]}"#
        }
        var engine = try EngineHarness(Self.set(rule(1)))
        try engine.read("heart-rate", ["notice": 105.0, "warning": 120, "critical": 140][name] ?? 0, at: 0)
        try engine.adopt(Self.set(rule(2)))
        let severity = try #require(Severity(name: name))
        #expect(engine.engine.snapshot(participant: engine.participant, rule: 0).alert.severity == severity)
        engine.advance(to: 2)
        #expect(engine.causes() == ["a raised reading"])
    }

    @Test("a machine whose clock is behind makes nobody younger when rules are read, whichever reading is the newest")
    func clockBehind() throws {
        let (hour, year): (Int64, Int64) = (3600, 31_556_952)
        let rules = [
            #"{id: "young", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2d", ages: ["adolescent"]}"#,
            #"{id: "grown", metric: "heart-rate", severity: "critical", above: 130, staleAfter: "2d", ages: ["adult"]}"#,
        ]
        var engine = try EngineHarness(Self.set(rules[0], rules[1], Self.other))
        var profile = PersonFacts()
        profile.born = (EngineHarness.start - 18 * year - hour / 2) * 1_000_000
        try engine.command(.setProfile(profile), rule: "grown")
        // One of before the birthday stands beside the newest.
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("x-other", 0, at: -3000, received: 1)
        engine.leap = -2 * hour
        engine.advance(to: 2)
        _ = engine.causes()
        try engine.adopt(Self.set(Self.other, rules[0], rules[1]))
        engine.advance(to: 4)
        #expect(engine.causes() == [])
    }

    @Test("as many are spread out as the new rules leave room for")
    func room() throws {
        var engine = try EngineHarness(Self.set(Self.high))
        let before = engine.engine.spreadLimit
        let many = (0..<40).map { Self.high.replacing("\"high\"", with: "\"high-\($0)\"") }.joined(separator: ", ")
        try engine.adopt("{rules: [\(many)]}")
        #expect(engine.engine.spreadLimit == ParticipantState.spreadLimit(engine.engine.rules) && engine.engine.spreadLimit < before)
    }

    private static let expected = """
        {rules: [{id: "e", kind: "technical", metric: "x-e", severity: "notice", noData: "1m", expected: true, participants: ["12", "13", "14"]}]}
        """

    @Test("of those whom a rule expects an engine knows its own, from the beginning and under other rules", arguments: [false, true])
    func own(isAdopting: Bool) throws {
        func set(_ text: String) throws -> RuleSet { try RuleSetReader.read([RuleFile(name: "r", text: text)]) }
        var engine = AlertEngine(
            rules: try set(isAdopting ? Self.set(Self.other) : Self.expected), now: 0, owns: { ["13", "14"].contains($0) })
        if isAdopting { engine.adopt(try set(Self.expected)) }
        #expect(engine.names == ["13", "14"])
        var output = EngineOutput()
        engine.advance(to: 60_000_001, now: 60_000_001, into: &output)
        let missed = output.events.map { "\(engine.names[$0.participant]) \($0.transition)" }
        #expect(missed.sorted() == ["13 raised", "14 raised"])
    }

    @Test("a module is not missed by a rule that expects a sensor of everybody")
    func module() throws {
        let text = #"{rules: [{id: "e", kind: "technical", metric: "heart-rate", severity: "notice", noData: "1m", expected: true}]}"#
        var engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: text)]), now: 0)
        let indices = ["_module.vigil-stress.main", "12"].map { engine.index(of: $0) }
        var output = EngineOutput()
        engine.advance(to: 120_000_000, now: 120_000_000, into: &output)
        #expect(output.events.map(\.participant) == [indices[1]])
    }
}
