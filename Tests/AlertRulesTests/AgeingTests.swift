import Testing

@testable import AlertRules

/// Limits and rules by age go with the person's age, and wait for no command.
@Suite("People who grow older")
struct AgeingTests {
    private static let year: Int64 = 31_556_952
    private static let (hour, month): (Int64, Int64) = (3600, 30 * 86_400)
    private static let newborn = """
        {rules: [{id: "a", metric: "heart-rate", severity: "warning", staleAfter: "40d",
          above: {default: 100, underAge: [{years: 0.25, limit: 181}, {years: 1, limit: 170}]}}]}
        """
    private static let groups = """
        {rules: [{id: "young", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2d", ages: ["adolescent"]},
          {id: "grown", metric: "heart-rate", severity: "critical", above: 130, staleAfter: "2d", ages: ["adult"]}]}
        """

    private static func person(_ rules: String, seconds: Int64) throws -> EngineHarness {
        var engine = try EngineHarness(rules)
        var profile = PersonFacts()
        profile.born = (EngineHarness.start - seconds) * 1_000_000
        let first = engine.engine.rules.rules[0].id
        try engine.command(.setProfile(profile), rule: first)
        _ = engine.causes()
        return engine
    }

    @Test("a newborn of three months has the next band's limit, and what is known is judged by it", arguments: [false, true])
    func newborn(isRestarting: Bool) throws {
        var engine = try Self.person(Self.newborn, seconds: 29 * Self.year / 120)
        try engine.read("heart-rate", 175, at: 0)
        #expect(engine.causes() == [])
        if isRestarting { try engine.restart() }
        engine.pause(Self.month)
        #expect(engine.causes() == ["a raised timer"])
        #expect(engine.engine.snapshot(participant: 0, rule: 0).alert.threshold == 170)
    }

    @Test("a birthday is not before its time, and every one of them counts")
    func birthdays() throws {
        var engine = try Self.person(Self.newborn, seconds: Self.year / 4 - 60)
        try engine.read("heart-rate", 175, at: 0)
        engine.advance(to: 59)
        #expect(engine.causes() == [])
        engine.advance(to: 62)
        #expect(engine.causes() == ["a raised timer"])
        engine.pause(Self.year)
        try engine.read("heart-rate", 101, at: Self.year + 100)
        #expect(engine.engine.snapshot(participant: 0, rule: 0).alert.threshold == 100)
    }

    @Test("a clock that was wrong by thousands of years holds nobody up", .timeLimit(.minutes(1)))
    func wrongClock() throws {
        var engine = try Self.person(Self.newborn, seconds: 29 * Self.year / 120)
        try engine.read("heart-rate", 175, at: 0)
        engine.pause(30_000 * Self.year)
        // What was known then says nothing any more.
        #expect(engine.causes() == [])
        try engine.read("heart-rate", 175, at: 30_000 * Self.year + 1)
        #expect(engine.causes() == ["a raised reading"])
    }

    @Test("who comes of age has the rules of adults, and those of children end", arguments: [false, true])
    func comingOfAge(isRestarting: Bool) throws {
        var engine = try Self.person(Self.groups, seconds: 18 * Self.year - Self.hour)
        try engine.read("heart-rate", 140, at: 0)
        #expect(engine.causes() == ["young raised reading"])
        if isRestarting { try engine.restart() }
        engine.pause(2 * Self.hour)
        #expect(engine.causes() == ["young cleared timer", "grown raised timer"])
        try engine.read("heart-rate", 120, at: 2 * Self.hour + 1)
        #expect(engine.causes() == ["grown cleared reading"])
    }

    @Test("what an earlier version kept, without the next birthday, is brought up to the person's age as soon as it is looked at")
    func former() throws {
        var engine = try Self.person(Self.groups, seconds: 18 * Self.year - Self.hour)
        try engine.read("heart-rate", 140, at: 0)
        var ending = ByteWriter()
        ending.write(engine.engine.thawed(0).profileUntil)
        let bytes = Array(engine.engine.encoded(participant: 0).dropLast(ending.bytes.count))
        var next = AlertEngine(rules: engine.engine.rules, now: EngineHarness.start * 1_000_000)
        try next.restore(participant: "12", at: 0, bytes)
        next.rescheduleAll()
        var output = EngineOutput()
        let present = (EngineHarness.start + 2 * Self.hour) * 1_000_000
        next.skip(to: present, now: present, into: &output)
        #expect(output.events.map(\.transition) == [.cleared, .raised])
    }

    @Test("a machine whose clock is behind makes nobody younger")
    func clockBehind() throws {
        var engine = try Self.person(Self.groups, seconds: 18 * Self.year + Self.hour)
        engine.leap = -2 * Self.hour
        try engine.read("heart-rate", 120, at: 0)
        try engine.restart()
        engine.advance(to: 10)
        #expect(engine.causes() == [])
        try engine.read("heart-rate", 140, at: 11)
        #expect(engine.causes() == ["grown raised reading"])
    }
}
