import AlertRules
import Testing

@Suite("Tuning a rule")
struct RuleTuningTests {
    private let rule = #"{id: "fast", metric: "heart-rate", severity: "warning", above: 130, clear: 120, staleAfter: "1m"}"#

    private func rules(_ text: String? = nil) throws -> RuleSet {
        try RuleSetReader.read([RuleFile(name: "r.json5", text: "{rules: [\(text ?? rule)]}")])
    }

    /// A reading every ten seconds for nine hours.
    private func readings(_ value: (Int64) -> Double) -> [ReplayReading] {
        stride(from: Int64(0), to: 9 * 3600, by: 10).map { second in
            ReplayReading(
                participant: "1", metric: "heart-rate", time: (EngineHarness.start + second) * 1_000_000, value: .number(value(second)))
        }
    }

    /// Each ten minutes 132 for 20 s; once in 90 minutes 150 for five minutes.
    private func spikes(_ second: Int64) -> Double {
        if (3000..<3300).contains(second % 5400) { return 150 }
        return second % 600 < 20 ? 132 : 80
    }

    @Test("proposes what ends the short spikes and misses no crossing, and shows days that did not choose it")
    func spikesEnd() throws {
        let tuning = try RuleTuning("fast", in: try rules(), of: .init(participant: "1"), readings(spikes))
        let (present, proposal) = (try #require(tuning.present), try #require(tuning.proposal))
        #expect(present.early.crossings == 4 && present.late.crossings == 2)
        #expect(present.early.alarms > 30 && present.late.alarms > 15, "\(present)")
        #expect(proposal.early.alarms == 4 && proposal.late.alarms == 2, "\(proposal)")
        #expect(proposal.early.missed == 0 && proposal.late.missed == 0)
        #expect(proposal.steps == 0 && proposal.delay == 30, "the least change of those that do as well: \(proposal)")
        #expect(proposal.early.medianDelay == 30 && present.early.medianDelay == 0)
    }

    @Test("a limit that would miss a crossing is not proposed, however quiet it is")
    func crossingsCount() throws {
        let tuning = try RuleTuning("fast", in: try rules(), of: .init(participant: "1"), readings { ($0 % 3600) < 300 ? 133 : 80 })
        let quiet = try #require(tuning.candidates.first { $0.steps == 1 && $0.delay == 0 })
        #expect(quiet.limits == [135] && quiet.early.alarms == 0 && quiet.early.missed == quiet.early.crossings)
        #expect(tuning.proposal?.isPresent == true)
    }

    @Test("values without a crossing justify no proposal")
    func nothingHappened() throws {
        let tuning = try RuleTuning("fast", in: try rules(), of: .init(participant: "1"), readings { $0 % 600 < 20 ? 132 : 80 })
        #expect(tuning.present?.early.alarms ?? 0 > 30)
        #expect(tuning.proposal == nil)
    }

    @Test("a child's limit counts for a child")
    func age() throws {
        let text = rule.replacing("above: 130", with: "above: {default: 130, child: 160}").replacing("clear: 120", with: "hysteresis: 10")
        let child = RuleTuning.Person(participant: "1", age: 5, profile: .init(born: Double(EngineHarness.start) - 5 * 31_557_600))
        let tuning = try RuleTuning("fast", in: try rules(text), of: child, readings(spikes))
        #expect(tuning.present?.limits == [160])
        #expect(tuning.present?.early.alarms == 0 && tuning.present?.early.crossings == 0)
    }

    @Test("rules without a limit of their own are refused by name")
    func refused() throws {
        let any = #"{id: "either", severity: "warning", any: [{metric: "heart-rate", above: 130}, {metric: "heart-rate", below: 40}]}"#
        #expect(throws: CommandRefusal.self) { try RuleTuning("either", in: try rules(any), of: .init(participant: "1"), []) }
        #expect(throws: CommandRefusal.self) { try RuleTuning("fats", in: try rules(), of: .init(participant: "1"), []) }
    }
}
