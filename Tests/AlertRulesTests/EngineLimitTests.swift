import Testing

@testable import AlertRules

/// What the engine lets pass and what it does not, by the second.
@Suite("The engine's limits")
struct EngineLimitTests {
    private static let high = #"{id: "high", metric: "heart-rate", severity: "warning", above: 110}"#

    static let clocks: [Course] = [
        Course(
            "a minute ahead is not off",
            "{rules: [{id: \"clock\", kind: \"technical\", metric: \"clock-offset\", severity: \"notice\", outside: [-1, 1]}, \(high)]}",
            "0 90 60; 1 90 61; 2 90", "1 clock raised notice; 2 clock cleared notice"),
        Course(
            "a reading whose clock is ahead counts as of its receiving", #"severity: "warning", above: 110, for: "10s""#,
            "0 120 30; 9 120 30; 10 120 30", "0 pending warning; 10 raised warning since 0"),
    ]

    @Test("a sensor's clock", arguments: clocks)
    func clock(course: Course) throws { try course.check() }

    private static let child = #"{id: "high", metric: "heart-rate", severity: "warning", above: 110, ages: ["child"]}"#

    @Test(
        "somebody whom no rule judges is told of, whatever place the rule about it has, and not any more once one does",
        arguments: [
            "{rules: [\(child)]}",
            #"{rules: [{id: "no-rules-apply", kind: "technical", severity: "warning", metric: "uncovered-metrics", atLeast: 1}, \#(child)]}"#,
        ])
    func uncovered(rules: String) throws {
        var harness = try EngineHarness(rules)
        try harness.play("0 120")
        #expect(
            harness.events.map { "\(harness.engine.rules.rules[$0.rule].id) \($0.transition) \($0.reason ?? "")" } == [
                "no-rules-apply raised heart-rate"
            ])
        var facts = PersonFacts()
        facts.born = (EngineHarness.start - 6 * 31_556_952) * 1_000_000
        try harness.command(.setProfile(facts), rule: "high")
        try harness.play("1 120")
        let ids = harness.events.dropFirst().map { "\(harness.engine.rules.rules[$0.rule].id) \($0.transition)" }
        #expect(ids == ["high profileChanged", "high raised", "no-rules-apply cleared"])
    }

    @Test("a time in which nobody looked does not count for a sensor's silence")
    func unseen() throws {
        var harness = try EngineHarness(
            #"{rules: [{id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "1m"}]}"#)
        try harness.play("0 70; 10")
        harness.pause(100)
        try harness.play("170")
        #expect(harness.told == ["160 raised notice"])
    }

    @Test("what is too old or too late to be judged is counted")
    func ignored() throws {
        var engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(Self.high)]}")]), now: 0)
        let (index, metric) = (engine.index(of: "a"), try #require(engine.rules.metric(named: "heart-rate")))
        var output = EngineOutput()
        // The newest is of 4000 s; then one of more than an hour before, one of eleven seconds before, and one of ten.
        for time in [4000, 399, 3989, 3990] as [Int64] {
            let reading = Reading(metric: metric, time: time * 1_000_000, received: 4_000_000_000, value: 90)
            engine.take([reading], of: index, now: 4_000_000_000, into: &output)
        }
        #expect(output.ignored == 2)
    }

    @Test("somebody of whom nothing was heard for two seconds is packed")
    func packing() throws {
        var harness = try EngineHarness("{rules: [\(Self.high)]}")
        try harness.play("10 90; 11")
        #expect(harness.engine.participants.isSpread(harness.participant))
        harness.advance(to: 12)
        #expect(!harness.engine.participants.isSpread(harness.participant))
    }

    /// An engine with a place for two, of which one was heard of at 100 s.
    private static func two(_ second: Int64, change: (inout AlertEngine, Int) throws -> Void = { _, _ in }) throws -> (
        engine: AlertEngine, isFree: Bool
    ) {
        var engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(high)]}")]), now: 0)
        let index = engine.index(of: "a")
        var output = EngineOutput()
        engine.advance(to: 100_000_000, now: 100_000_000, into: &output)
        let metric = try #require(engine.rules.metric(named: "heart-rate"))
        engine.take(
            [Reading(metric: metric, time: 100_000_000, received: 100_000_000, value: 90)], of: index, now: 100_000_000, into: &output)
        try change(&engine, index)
        engine.advance(to: second * 1_000_000, now: second * 1_000_000, into: &output)
        let isFree = engine.index(of: "b", capacity: 1) != nil
        return (engine, isFree)
    }

    @Test("who was not heard of for an hour makes room, with the place that was theirs")
    func forgetting() throws {
        #expect(try !Self.two(3699).isFree)
        var (engine, isFree) = try Self.two(3700)
        #expect(isFree && engine.names == ["b"] && engine.knownIndex(of: "a") == nil)
        let (freed, again) = (engine.takeFreed(), engine.takeFreed())
        #expect(freed == [0] && again == [])
    }

    @Test("who is read from a kept state has the place that was theirs, and those that are free go to others")
    func indices() throws {
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(Self.high)]}")])
        var first = AlertEngine(rules: rules, now: 0)
        let index = first.index(of: "a")
        let bytes = first.encoded(participant: index)
        var engine = AlertEngine(rules: rules, now: 0)
        try engine.restore(participant: "c", at: 2, bytes)
        try engine.restore(participant: "b", at: 1, bytes)
        #expect(engine.names == ["", "b", "c"] && engine.knownIndex(of: "c") == 2 && engine.knownIndex(of: "b") == 1)
        let indices = ["d", "e"].map { engine.index(of: $0) }
        #expect(indices == [0, 3] && engine.names == ["d", "b", "c", "e"])
    }

    @Test("it is looked for room once a minute")
    func interval() throws {
        var engine = try Self.two(3641).engine
        for (second, isFree) in [(3700, false), (3701, true)] as [(Int64, Bool)] {
            var output = EngineOutput()
            engine.advance(to: second * 1_000_000, now: second * 1_000_000, into: &output)
            #expect((engine.index(of: "b", capacity: 1) != nil) == isFree)
        }
    }

    @Test("nobody makes room who has an alert, a silence, a threshold or a profile of their own", arguments: 0..<4)
    func kept(what: Int) throws {
        var facts = PersonFacts()
        facts.isPregnant = true
        let commands: [AlertCommand] = [
            .setThreshold(.warning, 80), .silence(until: 600_000_000_000, upTo: nil), .setThreshold(.warning, 120), .setProfile(facts),
        ]
        let (engine, isFree) = try Self.two(3700) { engine, index in
            var output = EngineOutput()
            let request = AlertRequest(command: commands[what], actor: "n", time: 100_000_000)
            try engine.apply(request, to: index, rule: 0, now: 100_000_000, into: &output)
        }
        #expect(!isFree && engine.knownIndex(of: "a") == 0)
    }

    @Test("an alert goes on numbering its events where it was forgotten")
    func sequences() throws {
        var (engine, _) = try Self.two(3700) { engine, index in
            var output = EngineOutput()
            let metric = try #require(engine.rules.metric(named: "heart-rate"))
            for (second, value) in [(101, 120.0), (102, 90)] as [(Int64, Double)] {
                let time = second * 1_000_000
                engine.take([Reading(metric: metric, time: time, received: time, value: value)], of: index, now: time, into: &output)
            }
        }
        #expect(engine.sequenceFloor == 2)
        var output = EngineOutput()
        let metric = try #require(engine.rules.metric(named: "heart-rate"))
        engine.take(
            [Reading(metric: metric, time: 3_700_000_000, received: 3_700_000_000, value: 120)], of: 0, now: 3_700_000_000, into: &output)
        #expect(output.events.map(\.sequence) == [3])
    }
}
