import Testing

@testable import AlertRules

@Suite("How far a threshold may be eased")
struct ThresholdEasingTests {
    private static let rules = """
        {rules: [
          {id: "high", metric: "heart-rate", levels: [{severity: "warning", above: 130}, {severity: "critical", above: 150}]},
          {id: "low", metric: "oxygen-saturation", severity: "warning", below: {default: 90, saturationScale2: 86}},
          {id: "fall", metric: "body-weight", severity: "warning", take: "fall", over: "7d", staleAfter: "7d", atLeast: 2},
          {id: "both", metric: "body-temperature", severity: "warning", outside: [35, 39]},
          {id: "child", metric: "heart-rate", severity: "warning", above: {default: 110, child: 140}},
          {id: "loss", metric: "body-weight", severity: "warning", take: "change", over: "7d", staleAfter: "7d", below: -2},
          {id: "stress", metric: "stress-level", severity: "notice", above: {default: 0.8, percentile: 97, atLeast: 0.6}},
          {id: "calm", metric: "stress-level", severity: "notice", below: {default: 0.2, percentile: 3, atMost: 0.4}},
          {id: "bound", metric: "stress-level", severity: "notice", above: {default: 0.7, percentile: 97, atMost: 0.8}}]}
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
        // 100 % to 50 % are believable.
        #expect(low == ThresholdEasing(farthest: 86 - 0.25 * 36, isUpward: false))
        #expect(low.problem(with: 86) == nil && low.problem(with: 77) == nil && low.problem(with: 76.9)?.contains("below 77") == true)
        #expect(try easing("child") == ThresholdEasing(farthest: 140 + 0.25 * 160, isUpward: true))
    }

    @Test(
        "a limit from a person's history counts with the bounds that the rule sets it, and not at all where it sets none",
        arguments: [("stress", 0.85, true), ("calm", 0.15, false), ("bound", 0.85, true)])
    func histories(rule: String, farthest: Double, isUpward: Bool) throws {
        let easing = try #require(try easing(rule))
        #expect(abs(easing.farthest - farthest) < 1e-9 && easing.isUpward == isUpward)
        #expect(easing.problem(with: isUpward ? 0.99 : 0.01) != nil)
    }

    @Test("a quantity of which nothing is said to be believable may go to twice its own limit at most")
    func differences() throws {
        #expect(try easing("fall") == ThresholdEasing(farthest: 2.5, isUpward: true))
        #expect(try easing("loss") == ThresholdEasing(farthest: -2.5, isUpward: false))
    }

    @Test("where no single level with one threshold is meant there is nothing to ease")
    func none() throws {
        #expect(try easing("high") == nil)
        #expect(try easing("high", .notice) == nil)
        #expect(try easing("both") == nil)
    }
}
