import Testing

@testable import AlertRules

/// What other rules mean for people and for what is active: nobody is told of something that is not any more, and nothing stays quiet for ever.
@Suite("People under other rules")
struct RulesChangeTests {
    private static let one = #"{id: "one", metric: "x-one", severity: "warning", above: 1, staleAfter: "2h"}"#
    private static let two = #"{id: "two", metric: "x-two", severity: "warning", above: 1, staleAfter: "2h"}"#
    private static let quiet = two.replacing("}", with: #", inhibitedBy: ["one"]}"#)

    private static func set(_ rules: String...) -> String { "{rules: [\(rules.joined(separator: ", "))]}" }

    @Test("an alert that no rule keeps quiet any more is told, and is not quiet when it comes back")
    func uninhibited() throws {
        var engine = try EngineHarness(Self.set(Self.one, Self.quiet))
        try engine.read("x-one", 2, at: 0)
        try engine.read("x-two", 2, at: 1)
        #expect(engine.events.last?.alert.isInhibited == true)
        _ = engine.causes()
        try engine.adopt(Self.set(Self.one, Self.two))
        engine.advance(to: 2)
        #expect(engine.causes() == ["two uninhibited inhibition"])
        try engine.read("x-two", 0, at: 3)
        try engine.read("x-two", 2, at: 4)
        #expect(engine.causes() == ["two cleared reading", "two raised reading"] && engine.events.last?.alert.isInhibited == false)
    }

    @Test("what was to be kept quiet before it began is not, also where an earlier version's state says so")
    func neverActive() throws {
        var engine = try EngineHarness(Self.set(Self.one, Self.quiet))
        try engine.read("x-one", 2, at: 0)
        try engine.adopt(Self.set(Self.one, Self.two))
        try engine.read("x-two", 2, at: 1)
        #expect(engine.events.last?.alert.isInhibited == false)
        // A state that was left inhibited is looked at when it is taken up.
        var person = engine.engine.thawed(engine.participant)
        person.alerts[1].flags.insert(.inhibited)
        var next = engine.engine
        next.spread(person, at: engine.participant)
        next.rescheduleAll()
        var output = EngineOutput()
        next.advance(to: next.clock + 1_000_000, now: next.lastNow + 1_000_000, into: &output)
        #expect(output.events.map(\.transition) == [.uninhibited])
    }

    @Test("an alert is kept quiet by what a new rule says")
    func inhibited() throws {
        var engine = try EngineHarness(Self.set(Self.one, Self.two))
        try engine.read("x-one", 2, at: 0)
        try engine.read("x-two", 2, at: 1)
        _ = engine.causes()
        try engine.adopt(Self.set(Self.one, Self.quiet))
        engine.advance(to: 2)
        #expect(engine.causes() == ["two inhibited inhibition"])
    }

    @Test("a rule that is for others now ends its alert, and what it kept quiet is told")
    func others() throws {
        var engine = try EngineHarness(Self.set(Self.one, Self.quiet))
        try engine.read("x-one", 2, at: 0)
        try engine.read("x-two", 2, at: 1)
        _ = engine.causes()
        try engine.adopt(Self.set(Self.one.replacing("}", with: #", participants: ["13"]}"#), Self.quiet))
        engine.advance(to: 2)
        #expect(engine.causes() == ["one cleared rules", "two uninhibited inhibition"])
        try engine.read("x-one", 3, at: 3)
        #expect(engine.causes() == ["no-rules-apply raised reading"])
    }

    @Test("a delay is told to be over where its rule changed, is gone, or is for others", arguments: ["changed", "gone", "others"])
    func delays(change: String) throws {
        let delayed = Self.one.replacing("}", with: #", for: "1m"}"#)
        var engine = try EngineHarness(Self.set(delayed, Self.two))
        try engine.read("x-one", 2, at: 0)
        let next = [
            "changed": Self.set(delayed.replacing("1m", with: "2m"), Self.two), "gone": Self.set(Self.two),
            "others": Self.set(delayed.replacing("}", with: #", participants: ["13"]}"#), Self.two),
        ]
        try engine.adopt(try #require(next[change]))
        engine.advance(to: 1)
        let rest = change == "changed" ? ["one pending timer"] : []
        #expect(engine.causes() == ["one pending reading", "one cancelled rules"] + rest)
    }

    @Test("a silence, and the quiet after a clear by hand, end with their rule; a silence of a rule that is for others ends in its time")
    func silences() throws {
        var engine = try EngineHarness(Self.set(Self.one, Self.two))
        let end = (EngineHarness.start + 60) * 1_000_000
        try engine.command(.silence(until: end, upTo: nil), rule: "one")
        try engine.command(.silence(until: end, upTo: nil), rule: "two")
        _ = engine.causes()
        try engine.adopt(Self.set(Self.two.replacing("}", with: #", participants: ["13"]}"#)))
        #expect(engine.causes() == ["one silence-ended rules"])
        engine.advance(to: 61)
        #expect(engine.causes() == ["two silence-ended timer"])
        engine = try EngineHarness(Self.set(Self.one, Self.two))
        try engine.read("x-one", 2, at: 0)
        try engine.command(.clear(until: end), rule: "one", reason: "r")
        _ = engine.causes()
        try engine.adopt(Self.set(Self.two))
        #expect(engine.causes() == ["one clear-ended rules"])
    }

    @Test("a child is one also where rules are read again before anything was measured")
    func child() throws {
        let rules = [#"{id: "child", above: 150, ages: ["child"],"#, #"{id: "adult", above: 130, ages: ["adult"],"#]
            .map { $0 + #" metric: "heart-rate", severity: "warning"}"# }
        var engine = try EngineHarness(Self.set(rules[0], rules[1]))
        var profile = PersonFacts()
        profile.born = (EngineHarness.start - 6 * 31_556_952) * 1_000_000
        try engine.command(.setProfile(profile), rule: "child")
        try engine.adopt(Self.set(Self.one, rules[0], rules[1]))
        try engine.read("heart-rate", 200, at: 1)
        #expect(engine.causes() == ["child profile-changed command", "child raised reading"])
    }

    @Test("a signal that was poor before rules were read again is poor afterwards, whatever other qualities they name")
    func quality() throws {
        let fast = Self.one.replacing("}", with: #", quality: {metric: "ecg-quality", atLeast: 0.5}}"#)
        let breath = Self.two.replacing("}", with: #", quality: {metric: "respiration-quality", atLeast: 0.5}}"#)
        for (before, after) in [([fast], [fast]), ([fast], [breath, fast]), ([breath, fast], [fast, breath]), ([breath, fast], [fast])] {
            var engine = try EngineHarness("{rules: [\(before.joined(separator: ", "))]}")
            try engine.read("ecg-quality", 0.1, at: 0)
            try engine.adopt("{rules: [\(after.joined(separator: ", "))]}")
            try engine.read("x-one", 2, at: 1)
            #expect(engine.causes().isEmpty)
            try engine.read("ecg-quality", 0.9, at: 2)
            try engine.read("x-one", 2, at: 3)
            #expect(engine.causes() == ["one raised reading"])
        }
    }

    @Test("a rule that comes back goes on counting behind what was told of it: no receiver takes an alert for one that it knows")
    func again() throws {
        var engine = try EngineHarness(Self.set(Self.one, Self.two))
        try engine.read("x-one", 2, at: 0)
        try engine.read("x-one", 0, at: 1)
        try engine.adopt(Self.set(Self.two))
        let told = try #require(engine.events.map(\.sequence).max())
        try engine.adopt(Self.set(Self.one, Self.two))
        try engine.read("x-one", 2, at: 2)
        #expect(engine.events.last?.transition == .raised && engine.events.last.map { $0.sequence > told } ?? false)
    }

    /// A rule by texts, behind `count` texts of another.
    private static func texts(behind count: Int) -> String {
        let others = (0..<count).map { #""text-\#($0)""# }.joined(separator: ", ")
        let before = count > 0 ? [#"{id: "b", metric: "x-other", severity: "notice", oneOf: [\#(others)]}"#] : []
        let rules = before + [#"{id: "down", kind: "technical", metric: "x-state", severity: "warning", oneOf: ["offline", "broken"]}"#]
        return #"{scores: {news2: {}}, rules: [\#(rules.joined(separator: ", "))]}"#
    }

    @Test(
        "what a text was said to be it is, whatever texts other rules know",
        arguments: [(0, 1), (0, 2), (1, 0), (2, 0), (1, 3)] as [(Int, Int)], ["offline", "broken", "alert", "text-0", "else"])
    func texts(counts: (Int, Int), text: String) throws {
        var engine = try EngineHarness(Self.texts(behind: counts.0))
        try engine.read("x-state", engine.engine.rules.code(ofText: text), at: 0)
        let isDown = ["offline", "broken"].contains(text)
        #expect(engine.causes() == (isDown ? ["down raised reading"] : []))
        try engine.adopt(Self.texts(behind: counts.1))
        engine.advance(to: 2)
        #expect(engine.causes() == [])
    }

    @Test(
        "whoever is alert is so by other rules too, and whoever is not, is not", arguments: [(0, 2), (2, 0)],
        ["alert", "text-0", "offline"])
    func consciousness(counts: (Int, Int), text: String) throws {
        var engine = try EngineHarness(Self.texts(behind: counts.0))
        try engine.read("consciousness", engine.engine.rules.code(ofText: text), at: 0)
        try engine.adopt(Self.texts(behind: counts.1))
        _ = engine.takeDerived()
        try engine.read("heart-rate", 70, at: 1)
        try engine.read("heart-rate", 100, at: 2)
        let score = engine.takeDerived().last { $0.metric == "news2-at-least" }
        #expect(score?.content == .number(text == "alert" ? 1 : 4))
    }
}
