import AlertRules
import Testing

@Suite("Alert engine: clocks, restarts, persons")
struct EngineTimeTests {
    private static let delayed =
        #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "60s", staleAfter: "5m"}]}"#

    @Test("does not let a sensor's clock that leaps ahead run a delay out")
    func sensorAhead() throws {
        var engine = try EngineHarness(Self.delayed)
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("heart-rate", 120, at: 3600, received: 1)
        try engine.read("heart-rate", 120, at: 3601, received: 2)
        #expect(engine.happened() == ["pending warning"])
    }

    @Test("goes on judging a sensor whose clock was set back")
    func sensorBack() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110}]}"#)
        try engine.read("heart-rate", 90, at: 0)
        for second in 1...60 { try engine.read("heart-rate", 120, at: Int64(second) - 600, received: Int64(second)) }
        // What comes late is not the present, until it has come as evenly as it was measured for a minute.
        #expect(engine.happened() == [])
        try engine.read("heart-rate", 120, at: 61 - 600, received: 61)
        #expect(engine.happened() == ["raised warning"])
        // By less than ten minutes: once the value before is too old.
        try engine.read("heart-rate", 90, at: 100)
        for second in 101...400 { try engine.read("heart-rate", 120, at: Int64(second) - 599, received: Int64(second)) }
        #expect(engine.happened() == ["cleared warning"])
        try engine.read("heart-rate", 120, at: 401 - 599, received: 401)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("says that a clock is off, and that it is right again")
    func clockOff() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110},
              {id: "clock", kind: "technical", metric: "clock-offset", severity: "notice", outside: [-300, 300]}]}
            """)
        try engine.read("heart-rate", 90, at: 1000, received: 0)
        try engine.read("heart-rate", 90, at: 1, received: 1)
        #expect(engine.happened() == ["raised notice", "cleared notice"])
    }

    @Test("does not judge readings that are older than the rule allows")
    func oldReadings() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, maximumAge: "10m"}]}"#)
        try engine.read("heart-rate", 150, at: 0, received: 700)
        #expect(engine.happened() == [])
    }

    @Test("does not count a delay over a gap in which nothing is known")
    func gap() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "60s", staleAfter: "20s"}]}"#)
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("heart-rate", 120, at: 61)
        #expect(!engine.happened().contains("raised warning"))
    }

    @Test("keeps delays, latches, silences, escalations and acknowledgements over a restart", arguments: [1, 5, 31, 59, 61, 200])
    func restart(second: Int64) throws {
        let rules = """
            {scores: {news2: {}}, rules: [
              {id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "60s", latch: true, staleAfter: "1h",
               escalate: [{after: "1m", to: "nurse"}, {after: "2m", to: "doctor"}]},
              {id: "rise", metric: "heart-rate", severity: "notice", take: "rise", over: "60s", above: 20, repeat: {count: 2, within: "10s"}}]}
            """
        var plain = try EngineHarness(rules)
        var restarted = try EngineHarness(rules)
        for step in 0...300 as ClosedRange<Int64> {
            let value = step > 150 && step < 180 ? 90.0 : 125.0
            if step == 30 {
                let end = (EngineHarness.start + 130) * 1_000_000
                try plain.command(.silence(until: end, upTo: .warning), rule: "high")
                try restarted.command(.silence(until: end, upTo: .warning), rule: "high")
            }
            if step % 3 == 0 {
                try plain.read("heart-rate", value, at: step)
                try restarted.read("heart-rate", value, at: step)
            } else {
                plain.advance(to: step)
                restarted.advance(to: step)
            }
            if step == second { try restarted.restart() }
        }
        #expect(plain.events == restarted.events)
        #expect(plain.derived == restarted.derived)
        #expect(plain.events.contains { $0.transition == .escalated })
    }

    @Test("uses the age group's threshold and a person's own, and takes them back")
    func thresholds() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: {default: 110, child: 140}}]}"#)
        var profile = PersonFacts()
        profile.born = (EngineHarness.start - 6 * 31_556_952) * 1_000_000
        try engine.command(.setProfile(profile), rule: "high")
        try engine.read("heart-rate", 130, at: 0)
        #expect(engine.happened() == ["profile-changed none"])
        try engine.command(.setThreshold(.warning, 120), rule: "high")
        try engine.command(.setThreshold(.warning, 120), rule: "high")
        try engine.read("heart-rate", 130, at: 1)
        #expect(engine.happened() == ["threshold-changed none", "raised warning"])
        try engine.command(.setThreshold(nil, nil), rule: "high")
        try engine.read("heart-rate", 130, at: 2)
        #expect(engine.happened().last == "cleared warning")
    }

    @Test("judges what is known already by a limit that changes, and waits for no reading")
    func limitsAtOnce() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: {default: 110, child: 140}}]}"#)
        try engine.read("heart-rate", 105, at: 0)
        try engine.command(.setThreshold(.warning, 100), rule: "high")
        #expect(engine.happened() == ["threshold-changed none", "raised warning"])
        try engine.command(.setThreshold(.warning, nil), rule: "high")
        #expect(engine.happened() == ["threshold-changed warning", "cleared warning"])
        try engine.read("heart-rate", 130, at: 1)
        #expect(engine.happened() == ["raised warning"])
        var child = PersonFacts()
        child.born = (EngineHarness.start - 6 * 31_556_952) * 1_000_000
        try engine.command(.setProfile(child), rule: "high")
        #expect(engine.happened() == ["profile-changed warning", "cleared warning"])
        try engine.command(.setProfile(PersonFacts()), rule: "high")
        #expect(engine.happened() == ["profile-changed none", "raised warning"])
    }

    @Test("takes a threshold from the person's own history once there is enough of it")
    func percentile() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "stress", metric: "stress-level", severity: "notice",
              above: {default: 0.9, percentile: 95, minimumReadings: 100, atLeast: 0.5}}]}
            """)
        for second in 0..<200 { try engine.read("stress-level", Double(second % 50) / 100, at: Int64(second)) }
        #expect(engine.happened() == [])
        try engine.read("stress-level", 0.6, at: 200)
        #expect(engine.happened() == ["raised notice"])
    }

    @Test("works NEWS2 out from the newest vital signs, names what is missing, and lets rules compare it")
    func news2() throws {
        var engine = try EngineHarness(
            #"{scores: {news2: {}}, rules: [{id: "news2", metric: "news2-at-least", levels: [{severity: "warning", atLeast: 5}]}]}"#)
        for (index, (metric, value)) in [
            ("respiration-rate", 25.0), ("oxygen-saturation", 93), ("supplemental-oxygen", 1), ("systolic-pressure", 120),
            ("heart-rate", 80),
            ("body-temperature", 37),
        ].enumerated() { try engine.read(metric, value, at: Int64(index)) }
        #expect(engine.happened() == ["raised warning"])
        let before = engine.takeDerived()
        #expect(before.last { $0.metric == "news2-missing" }?.content == .text("consciousness"))
        #expect(!before.contains { $0.metric == "news2-score" })
        try engine.read("consciousness", engine.engine.rules.code(ofText: "alert"), at: 10)
        #expect(engine.takeDerived().last { $0.metric == "news2-score" }?.content == .number(7))
    }

    @Test("works out no NEWS2 for a child or in pregnancy", arguments: [true, false])
    func news2Excluded(isChild: Bool) throws {
        var engine = try EngineHarness(
            #"{scores: {news2: {}}, rules: [{id: "news2", metric: "news2-at-least", severity: "warning", atLeast: 5}]}"#)
        var profile = PersonFacts()
        profile.born = isChild ? (EngineHarness.start - 15 * 31_556_952) * 1_000_000 : nil
        profile.isPregnant = !isChild
        try engine.command(.setProfile(profile), rule: "news2")
        try engine.read("heart-rate", 180, at: 0)
        #expect(engine.takeDerived().isEmpty)
    }

    @Test("clears the alerts of a rule that is gone and keeps those of one that stayed or changed")
    func reload() throws {
        var engine = AlertEngine(rules: try rules("a: 110, b: 110"), now: 0)
        let index = engine.index(of: "1")
        var output = EngineOutput()
        let metric = try #require(engine.rules.metric(named: "heart-rate"))
        engine.take([Reading(metric: metric, time: 1, received: 1, value: 120)], of: index, now: 1, into: &output)
        #expect(output.events.map(\.transition) == [.raised, .raised])
        let next = try rules("a: 115")
        var retired = EngineOutput()
        engine.retire(for: next, now: 2, into: &retired)
        #expect(retired.events.map { engine.rules.rules[$0.rule].id } == ["b"])
        engine.adopt(next)
        var after = EngineOutput()
        engine.take(
            [Reading(metric: try #require(engine.rules.metric(named: "heart-rate")), time: 2, received: 2, value: 112)], of: index, now: 2,
            into: &after)
        #expect(after.events.map(\.transition) == [.cleared])
        #expect(after.events.map(\.sequence) == [2])
    }

    @Test("keeps what is known of a person over a change of the rules")
    func profileOverReload() throws {
        var engine = AlertEngine(rules: try rules("a: 110"), now: 0)
        let index = engine.index(of: "1")
        var output = EngineOutput()
        var facts = PersonFacts()
        facts.isPregnant = true
        try engine.apply(
            AlertRequest(command: .setProfile(facts), actor: "nurse", reason: nil, time: 1), to: index, rule: 0, now: 1, into: &output)
        let text = #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, profile: {pregnant: false}}]}"#
        let next = try RuleSetReader.read([RuleFile(name: "r", text: text)])
        engine.retire(for: next, now: 2, into: &output)
        engine.adopt(next)
        var after = EngineOutput()
        let metric = try #require(engine.rules.metric(named: "heart-rate"))
        engine.take([Reading(metric: metric, time: 2, received: 2, value: 120)], of: index, now: 2, into: &after)
        #expect(after.events.map { engine.rules.rules[$0.rule].id } == ["no-rules-apply"], "the rule is not for who is pregnant")
    }

    private func rules(_ text: String) throws -> RuleSet {
        let rules = text.split(separator: ", ").map { part in
            let name = part.prefix(1)
            return "{id: \"\(name)\", metric: \"heart-rate\", severity: \"warning\", above: \(part.dropFirst(3))}"
        }
        return try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rules.joined(separator: ","))]}")])
    }
}
