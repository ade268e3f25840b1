import Testing

@testable import AlertRules

@Suite("How far a threshold may be eased")
struct ThresholdEasingTests {
    private static let rules = """
        {rules: [
          {id: "high", metric: "heart-rate", levels: [{severity: "warning", above: 130}, {severity: "critical", above: 150}]},
          {id: "low", metric: "oxygen-saturation", severity: "warning", below: {default: 90, saturationScale2: 86}},
          {id: "fall", metric: "body-weight", severity: "warning", take: "fall", over: "7d", staleAfter: "7d", atLeast: 2},
          {id: "both", metric: "body-temperature", severity: "warning", outside: [35, 39]}]}
        """

    private func easing(_ rule: String, _ severity: Severity? = nil, _ share: Double = 0.25) throws -> ThresholdEasing? {
        let set = try RuleSetReader.read([RuleFile(name: "test.json5", text: Self.rules)])
        return set.easing(of: try #require(set.rule(named: rule)), severity, atMost: share)
    }

    @Test("a share of the way from the rule's own limit to the end of what is believable, in the direction of fewer alerts")
    func shares() throws {
        #expect(try easing("high", .warning)?.farthest == 172.5)
        #expect(try easing("high", .critical)?.farthest == 187.5)
        let high = try #require(try easing("high", .warning))
        #expect(high.problem(with: 172.5) == nil && high.problem(with: 21) == nil)
        #expect(high.problem(with: 173)?.contains("above 172.5") == true)
        #expect(try easing("high", .warning, 0)?.problem(with: 130.1) != nil)
        #expect(try easing("high", .warning, 1)?.problem(with: 299) == nil)
    }

    @Test("counts from the widest limit that the rule knows for anybody, and downwards where lower is worse")
    func widest() throws {
        let low = try #require(try easing("low"))
        #expect(!low.isUpward && low.farthest < 86 && low.farthest > 60)
        #expect(low.problem(with: 86) == nil && low.problem(with: 1)?.contains("below") == true)
    }

    @Test("a quantity of which nothing is said to be believable may go to twice its own limit at most")
    func differences() throws {
        #expect(try easing("fall") == ThresholdEasing(farthest: 2.5, isUpward: true))
    }

    @Test("where no single level with one threshold is meant there is nothing to ease")
    func none() throws {
        #expect(try easing("high") == nil)
        #expect(try easing("high", .notice) == nil)
        #expect(try easing("both") == nil)
    }
}
