import Testing

@testable import AlertRules

@Suite("Limits from a person's history, and by command")
struct OwnLimitTests {
    private static let rules = """
        {rules: [{id: "stress", metric: "stress-level", severity: "notice",
          above: {default: 0.9, percentile: 50, minimumReadings: 64, atLeast: 0.2, atMost: 0.6}}]}
        """

    private static func limit(_ harness: EngineHarness) -> Double? { harness.engine.limits(participant: harness.participant).first?.high }

    /// A person with so many readings of a value.
    private static func person(_ count: Int, _ value: Double = 0.3) throws -> EngineHarness {
        var harness = try EngineHarness(rules)
        for second in 0..<count { try harness.read("stress-level", value, at: Int64(second)) }
        return harness
    }

    @Test(
        "a history is believed from its least number of readings on, by every thirty-second of them",
        arguments: [(63, 0.9), (64, nil), (65, nil)] as [(Int, Double?)])
    func enough(count: Int, limit: Double?) throws {
        let found = try #require(Self.limit(try Self.person(count)))
        // Half of 64 bins of 0.3 lie below 19.5 of 64.
        #expect(abs(found - (limit ?? 19.5 / 64)) < 1e-6)
    }

    /// A person with a reading every six seconds, and a history that fades every minute: of ten a minute 120.5 count at the most, and 110.5 at the
    /// least, so that none is a thirty-second for good.
    private static func seldom(_ minimum: Int, _ values: [(count: Int, value: Double)]) throws -> EngineHarness {
        let members = "halfLife: \"8m\", minimumReadings: \(minimum)"
        var harness = try EngineHarness(rules.replacing("minimumReadings: 64", with: members))
        var second: Int64 = 0
        for (count, value) in values {
            for _ in 0..<count {
                try harness.read("stress-level", value, at: second)
                second += 6
            }
        }
        return harness
    }

    @Test("a limit from the history follows also where readings come so seldom that they fade as fast as they come")
    func seldomReadings() throws {
        let before = try #require(Self.limit(try Self.seldom(20, [(600, 0.3)])))
        #expect(abs(before - 19.5 / 64) < 1e-3)
        let after = try #require(Self.limit(try Self.seldom(20, [(600, 0.3), (1000, 0.55)])))
        #expect(abs(after - 35.5 / 64) < 1e-3, "what was before is forgotten")
    }

    @Test(
        "a history is believed where it just reaches its least number of readings, and not where it never does",
        arguments: [(119, true), (122, false)])
    func just(minimum: Int, isBelieved: Bool) throws {
        let limit = try #require(Self.limit(try Self.seldom(minimum, [(1000, 0.3)])))
        #expect(abs(limit - (isBelieved ? 19.5 / 64 : 0.9)) < 1e-3)
    }

    @Test("a limit from the history stays within its bounds", arguments: [(0.01, 0.2), (0.85, 0.6)])
    func bounds(value: Double, limit: Double) throws {
        #expect(Self.limit(try Self.person(64, value)) == limit)
    }

    @Test("a limit that was set by command goes before the history's, which is back once it is taken back")
    func command() throws {
        var harness = try Self.person(64)
        try harness.command(.setThreshold(nil, 0.8), rule: "stress", reason: "r")
        #expect(Self.limit(harness) == 0.8)
        for second in 64..<130 { try harness.read("stress-level", 0.3, at: Int64(second)) }
        #expect(Self.limit(harness) == 0.8)
        try harness.command(.setThreshold(nil, nil), rule: "stress", reason: "r")
        #expect(abs((Self.limit(harness) ?? 0) - 19.5 / 64) < 1e-6)
    }

    private static let levels = """
        {rules: [{id: "a", metric: "heart-rate", levels: [{severity: "notice", above: 100}, {severity: "warning", above: 110}, {severity: "critical", above: 130}]},
          {id: "b", metric: "heart-rate", levels: [{severity: "warning", below: 50}, {severity: "critical", below: 40}]},
          {id: "c", metric: "heart-rate", severity: "notice", inside: [60, 70]},
          {id: "d", metric: "heart-rate", levels: [{severity: "notice", above: 100}, {severity: "warning", take: "rise", over: "5m", above: 40},
            {severity: "critical", metric: "body-temperature", above: 40}]}]}
        """

    @Test(
        "a limit by command keeps the levels in their order, and is one that a believable reading passes",
        arguments: [
            ("a", .warning, 100, nil), ("a", .warning, 130, nil), ("a", .warning, 99.9, .outOfOrder(.notice, 100)),
            ("a", .warning, 130.1, .outOfOrder(.critical, 130)), ("a", .critical, 110, nil),
            ("a", .critical, 109, .outOfOrder(.warning, 110)),
            ("b", .warning, 40, nil), ("b", .warning, 39, .outOfOrder(.critical, 40)), ("b", .critical, 50, nil),
            ("b", .critical, 51, .outOfOrder(.warning, 50)), ("a", .critical, 299.9, nil), ("a", .critical, 300, .implausible),
            ("b", .critical, 20, .implausible), ("b", .critical, 20.1, nil), ("a", .critical, .infinity, .implausible),
            // What compares something else has no place in their order.
            ("d", .notice, 120, nil), ("d", .warning, 45, nil), ("d", .critical, 39, nil),
            ("a", nil, 120, .noThreshold), ("c", nil, 120, .noThreshold), ("b", .notice, 45, .noThreshold),
        ] as [(String, Severity?, Double, AlertCommandError?)])
    func order(rule: String, severity: Severity?, value: Double, error: AlertCommandError?) throws {
        var harness = try EngineHarness(Self.levels)
        var found: AlertCommandError?
        do {
            try harness.command(.setThreshold(severity, value), rule: rule, reason: "r")
        } catch let error as AlertCommandError {
            found = error
        }
        #expect(found == error)
        #expect(harness.events.map(\.reason) == (error == nil ? ["\(severity?.name ?? "") threshold set to \(value): r"] : []))
    }

    @Test(
        "silences and clearances end in the future, and not too late",
        arguments: [
            (.silence(until: 0, upTo: nil), .endInThePast), (.silence(until: 1, upTo: nil), nil),
            (.silence(until: 604_800_000_000, upTo: nil), nil),
            (.silence(until: 604_800_000_001, upTo: nil), .tooLong(604_800_000_000)), (.clear(until: 0), .endInThePast),
            (.clear(until: 1), nil),
            (.clear(until: 14_400_000_000), nil), (.clear(until: 14_400_000_001), .tooLong(14_400_000_000)),
            (.clear(until: AlertCommand.asLongAsAllowed), nil), (.acknowledge, nil),
        ] as [(AlertCommand, AlertCommandError?)])
    func ends(command: AlertCommand, error: AlertCommandError?) throws {
        let start = EngineHarness.start * 1_000_000
        let absolute: AlertCommand =
            switch command {
            case .silence(let end, let severity): .silence(until: start + end, upTo: severity)
            case .clear(let end) where end != AlertCommand.asLongAsAllowed: .clear(until: start + end)
            default: command
            }
        for isActive in [true, false] {
            var harness = try EngineHarness(Self.levels)
            if isActive { try harness.read("heart-rate", 140, at: 0) }
            var found: AlertCommandError?
            do {
                try harness.command(absolute, rule: "a", reason: "r")
            } catch let error as AlertCommandError {
                found = error
            }
            let isOfAlerts = if case .silence = command { false } else { true }
            // Of what is not active nothing can be acknowledged or ended.
            #expect(found == (!isActive && isOfAlerts ? .nothingActive : error))
        }
    }
}
