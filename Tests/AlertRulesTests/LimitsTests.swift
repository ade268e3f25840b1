import AlertRules
import Testing

@Suite("A person's limits, as they stand beside a number")
struct LimitsTests {
    /// `heart-rate 50-110`, with `…` for a side without a limit.
    private func limits(_ engine: EngineHarness) -> [String] {
        engine.engine.limits(participant: engine.participant).map { limits in
            "\(limits.metric) \(limits.low.map { "\(Int($0))" } ?? "…")-\(limits.high.map { "\(Int($0))" } ?? "…")"
        }
    }

    @Test("are the innermost of all rules and levels, on either side, whatever their order")
    func innermost() throws {
        let rules = [
            #"{id: "a", metric: "heart-rate", severity: "critical", outside: [40, 130]}"#,
            #"{id: "b", metric: "heart-rate", severity: "warning", outside: [50, 110]}"#,
            #"{id: "c", metric: "heart-rate", levels: [{severity: "warning", above: 120}, {severity: "critical", above: 140}]}"#,
            #"{id: "d", metric: "heart-rate", severity: "critical", below: 45}"#,
            #"{id: "e", metric: "oxygen-saturation", levels: [{severity: "warning", below: 92}, {severity: "critical", below: 88}]}"#,
        ]
        for text in [rules, rules.reversed()].map({ $0.joined(separator: ", ") }) {
            #expect(limits(try EngineHarness("{rules: [\(text)]}")) == ["heart-rate 50-110", "oxygen-saturation 92-…"])
        }
    }

    @Test("leave out what is technical, what is compared over time, and what is not for this person; a limit of their own counts")
    func own() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "clock", kind: "technical", metric: "clock-offset", severity: "notice", outside: [-300, 300]},
              {id: "fall", metric: "oxygen-saturation", severity: "warning", take: "fall", over: "10m", staleAfter: "10m", above: 5},
              {id: "child", metric: "heart-rate", severity: "warning", above: 90, ages: ["child"]},
              {id: "high", metric: "heart-rate", severity: "warning", above: 110}]}
            """)
        #expect(limits(engine) == ["heart-rate …-110"])
        try engine.command(.setThreshold(.warning, 100), rule: "high")
        #expect(limits(engine) == ["heart-rate …-100"])
    }
}
