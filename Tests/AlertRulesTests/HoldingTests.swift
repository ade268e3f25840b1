import AlertRules
import Foundation
import Testing

/// Conditions that must be judged although no reading of their own changes.
@Suite("Conditions that hold")
struct HoldingTests {
    private func set(_ text: String) throws -> RuleSet { try RuleSetReader.read([RuleFile(name: "r.json5", text: text)]) }

    @Test("judges a rule that is new or changed by the value that is known already")
    func reload() throws {
        var engine = AlertEngine(rules: try set(#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 130}]}"#), now: 0)
        let (index, second) = (engine.index(of: "12"), Int64(1_000_000))
        var output = EngineOutput()
        let metric = try #require(engine.rules.metric(named: "heart-rate"))
        engine.take([Reading(metric: metric, time: second, received: second, value: 120)], of: index, now: second, into: &output)
        #expect(output.events.isEmpty)
        engine.adopt(
            try set(
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110}, {id: "b", metric: "heart-rate", severity: "notice", above: 100}]}"#
            ))
        engine.advance(to: 2 * second, now: 2 * second, into: &output)
        #expect(Set(output.events.map { engine.rules.rules[$0.rule].id }) == ["a", "b"])
    }

    @Test("raises noData, and what is no silence, when the schedule opens")
    func schedule() throws {
        // The test begins at 22:13:20 UTC.
        var engine = try EngineHarness(
            #"""
            {rules: [{id: "quiet", kind: "technical", metric: "heart-rate", severity: "notice", noData: "1m", schedule: {zone: "UTC", from: "22:20", to: "23:00"}},
              {id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "1h", schedule: {zone: "UTC", from: "22:20", to: "23:00"}}]}
            """#)
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 399)
        #expect(engine.happened() == [])
        engine.advance(to: 400)
        #expect(Set(engine.happened()) == ["raised notice", "raised warning"])
    }

    @Test("raises where a share of the readings during the delay exceeds the limit, also over a restart, and not where fewer do")
    func share() throws {
        let rules = #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "60s", share: 0.8}]}"#
        var engine = try EngineHarness(rules)
        // Every tenth reading misses.
        for second in Int64(0)..<60 {
            try engine.read("heart-rate", second % 10 == 9 ? 100 : 120, at: second)
            if second == 30 { try engine.restart() }
        }
        #expect(engine.happened() == ["pending warning"])
        try engine.read("heart-rate", 120, at: 60)
        #expect(engine.happened() == ["raised warning"])
        // Every third misses: what began is given up as soon as it cannot be enough any more.
        engine = try EngineHarness(rules)
        for second in Int64(0)..<300 { try engine.read("heart-rate", second % 3 == 2 ? 100 : 120, at: second) }
        let happened = engine.happened()
        #expect(!happened.contains("raised warning") && happened.contains("cancelled none"), "\(happened)")
        // Without a share each reading must exceed it.
        engine = try EngineHarness(rules.replacing(", share: 0.8", with: ""))
        for second in Int64(0)...200 { try engine.read("heart-rate", second % 10 == 9 ? 100 : 120, at: second) }
        #expect(!engine.happened().contains("raised warning"))
    }

    @Test("clears no alert with half of a blood pressure, and counts one reading once in either order", arguments: [true, false])
    func pairs(isSystolicFirst: Bool) throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "crisis", severity: "critical", staleAfter: "12h", repeat: {count: 2, within: "30m"},
              any: [{metric: "systolic-pressure", above: 180}, {metric: "diastolic-pressure", above: 120}]}]}
            """)
        func cuff(_ systolic: Double, _ diastolic: Double, at second: Int64) throws {
            if isSystolicFirst { try engine.read("systolic-pressure", systolic, at: second) }
            try engine.read("diastolic-pressure", diastolic, at: second)
            if !isSystolicFirst { try engine.read("systolic-pressure", systolic, at: second) }
        }
        try cuff(190, 125, at: 0)
        #expect(engine.happened() == [])
        try cuff(190, 100, at: 300)
        #expect(engine.happened() == ["raised critical"])
        try cuff(150, 130, at: 600)
        try cuff(185, 90, at: 900)
        #expect(engine.happened() == [])
        try cuff(150, 90, at: 1200)
        #expect(engine.happened() == ["cleared critical"])
    }

    @Test("ends an alert whose rule a new profile takes away")
    func exclusion() throws {
        var engine = try EngineHarness(#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, ages: ["adult"]}]}"#)
        try engine.read("heart-rate", 120, at: 0)
        var profile = PersonFacts()
        profile.born = (EngineHarness.start - 6 * 31_556_952) * 1_000_000
        try engine.command(.setProfile(profile), rule: "a")
        #expect(engine.happened().prefix(3) == ["raised warning", "profile-changed warning", "cleared warning"])
    }

    @Test(
        "judges a child by the rules for children after a restart too, and after an hour in which nothing came", arguments: [true, false])
    func childAfterRestart(isRestarting: Bool) throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "child", metric: "heart-rate", severity: "warning", above: 150, ages: ["child"]},
              {id: "adult", metric: "heart-rate", severity: "warning", above: 130, ages: ["adult"]}]}
            """)
        var profile = PersonFacts()
        profile.born = (EngineHarness.start - 6 * 31_556_952) * 1_000_000
        try engine.command(.setProfile(profile), rule: "child")
        if isRestarting { try engine.restart() } else { engine.advance(to: 3600) }
        try engine.read("heart-rate", 200, at: 3601)
        #expect(engine.events.map { "\($0.rule) \($0.transition)" } == ["0 profileChanged", "0 raised"])
    }

    @Test("keeps a hundred thousand people of whom nothing is heard in less than a kilobyte each, and takes each up as it was")
    func freezing() throws {
        var engine = AlertEngine(
            rules: try set(#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, for: "1m"}]}"#), now: 0)
        let metric = try #require(engine.rules.metric(named: "heart-rate"))
        var output = EngineOutput()
        for index in 0..<2000 {
            let participant = engine.index(of: "p\(index)")
            engine.take(
                [Reading(metric: metric, time: 1_000_000, received: 1_000_000, value: 100)], of: participant, now: 1_000_000, into: &output)
        }
        engine.advance(to: 60_000_000, now: 60_000_000, into: &output)
        #expect((0..<2000).allSatisfy { engine.encoded(participant: $0).count < 300 })
        engine.take([Reading(metric: metric, time: 61_000_000, received: 61_000_000, value: 120)], of: 7, now: 61_000_000, into: &output)
        engine.take([Reading(metric: metric, time: 121_000_000, received: 121_000_000, value: 120)], of: 7, now: 121_000_000, into: &output)
        #expect(output.events.map(\.transition) == [.pending, .raised])
    }

    @Test("lets a timer raise nothing once what it knew is too old")
    func staleness() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, for: "60s", staleAfter: "30s"}]}"#)
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 300)
        #expect(engine.happened() == ["pending warning", "cancelled none"])
    }

    @Test("refuses a person's threshold that nothing passes, or that puts the levels out of order, and a clear beyond the rule's longest")
    func sanity() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "a", metric: "oxygen-saturation", clearFor: "1h",
              levels: [{severity: "warning", below: 90}, {severity: "critical", below: 85}]}]}
            """)
        for (severity, value) in [(Severity.warning, 0.9), (.warning, 84), (.critical, 91), (.warning, 100.5)] {
            #expect(throws: AlertCommandError.self) { try engine.command(.setThreshold(severity, value), rule: "a", reason: "r") }
        }
        try engine.command(.setThreshold(.warning, 93), rule: "a", reason: "r")
        try engine.read("oxygen-saturation", 92, at: 0)
        #expect(throws: AlertCommandError.tooLong(3_600_000_000)) {
            try engine.command(.clear(until: (EngineHarness.start + 7200) * 1_000_000), rule: "a", reason: "r")
        }
        #expect(engine.happened() == ["threshold-changed none", "raised warning"])
    }

    @Test("keeps quiet only what is no worse than the alert that inhibits it")
    func inhibition() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "one", metric: "x-one", levels: [{severity: "warning", above: 1}, {severity: "critical", above: 5}]},
              {id: "two", metric: "x-two", levels: [{severity: "warning", above: 1}, {severity: "critical", above: 5}], inhibitedBy: ["one"]}]}
            """)
        try engine.read("x-one", 2, at: 0)
        try engine.read("x-two", 2, at: 1)
        #expect(engine.events.last?.alert.isInhibited == true)
        try engine.read("x-two", 6, at: 2)
        #expect(engine.events.last?.alert.isInhibited == false)
        try engine.read("x-one", 6, at: 3)
        #expect(engine.events.last?.alert.isInhibited == true)
        // What kept it quiet is less bad again.
        try engine.read("x-one", 2, at: 4)
        let last = try #require(engine.events.last)
        #expect(engine.engine.rules.rules[last.rule].id == "two" && !last.alert.isInhibited)
    }

    @Test("lets the pulse stand in for a heart rate of a loose lead, or one that is too old, and not for one of a good signal")
    func looseLead() throws {
        let rules = #"""
            {scores: {news2: {}}, rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 150, for: "10s", maximumAge: "1h",
              quality: {metric: "ecg-quality", atLeast: 0.5}}]}
            """#
        func run(quality: Double, age: Int64 = 0) throws -> [String] {
            var engine = try EngineHarness(rules)
            for second in Int64(0)..<200 {
                try engine.read("ecg-quality", second < 10 ? 0.9 : quality, at: second)
                try engine.read("heart-rate", 80, at: second < 10 ? second : second - age, received: second)
                try engine.read("pulse-rate", 165, at: second)
            }
            let scores = engine.takeDerived().filter { $0.metric == "news2-highest-parameter" }.map(\.content)
            #expect(scores.count <= 3, "the pulse and the heart rate do not take turns")
            return engine.log
        }
        #expect(try run(quality: 0.1) == ["pending \(EngineHarness.start + 130)", "raised \(EngineHarness.start + 140)"])
        #expect(try run(quality: 0.9, age: 7200) == ["pending \(EngineHarness.start + 130)", "raised \(EngineHarness.start + 140)"])
        #expect(try run(quality: 0.9).isEmpty)
    }
}
