import VigilSchema

/// Finds what is no mistake in rules but lets alarms flicker, be late or reach nobody: for whoever writes rules, before they are in force.
package struct RuleAdvice {
    /// A remark on a rule.
    package struct Warning: Hashable, Sendable, CustomStringConvertible {
        package enum Code: String, Sendable {
            case noDeadBand = "no-dead-band"
            case noEscalation = "no-escalation"
            case unmeetableRepetition = "unmeetable-repetition"
            case restartingDelay = "restarting-delay"
            case unreadMetrics = "unread-metrics"
        }

        package let code: Code
        /// The rule's id; nil: it is about all of them.
        package let rule: String?
        package let text: String

        package var description: String { (rule.map { "rule \"\($0)\": " } ?? "") + "\(text) [\(code.rawValue)]" }
    }

    package private(set) var warnings: [Warning] = []
    private let rules: RuleSet

    package init(_ rules: RuleSet) {
        self.rules = rules
        for (index, rule) in rules.rules.enumerated() where index != rules.uncoveredRule { check(rule) }
        checkMetrics()
    }

    private mutating func note(_ code: Warning.Code, _ rule: Rule?, _ text: String) {
        let warning = Warning(code: code, rule: rule?.id, text: text)
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    private mutating func check(_ rule: Rule) {
        if rule.kind == .medical, rule.escalations.isEmpty, rule.levels.contains(where: { $0.severity == .critical }) {
            note(.noEscalation, rule, "critical, and nobody else is told where nobody acknowledges: write escalate")
        }
        for level in rule.levels {
            let leaves = level.condition.leaves.map { rules.leaves[$0] }.filter { $0.quantity == .value && $0.isNumeric }
            if level.keepFiring == 0, level.share == 1, leaves.contains(where: { $0.slack == 0 }) {
                note(.noDeadBand, rule, "values that go to and fro over the limit raise it again and again: write clear or keepFiringFor")
            }
            if level.delay >= 60_000_000, !level.isShareGiven, !leaves.isEmpty {
                note(.restartingDelay, rule, "\"for\" begins anew with each reading back under the limit: write share: 0.7, or share: 1")
            }
            check(level.repetition, of: leaves, rule)
        }
    }

    /// Single measurements come seldom: a repetition within less than that is never met.
    private mutating func check(_ repetition: RuleLevel.Repetition?, of leaves: [Leaf], _ rule: Rule) {
        guard let repetition, repetition.intervals < repetition.count else { return }
        for leaf in leaves {
            guard let interval = Self.usualIntervals[rules.metrics[leaf.metric]] else { continue }
            let need = Int64(repetition.count - 1) * interval
            guard repetition.within < need else { continue }
            let text = DurationText.text(microseconds: need)
            note(.unmeetableRepetition, rule, "\(repetition.count) readings usually take \(text), longer than \"within\": write intervals")
        }
    }

    /// The time that mostly lies between two single measurements at home, in microseconds.
    private static let usualIntervals: [String: Int64] = [
        "systolic-pressure": 3600, "diastolic-pressure": 3600, "body-temperature": 4 * 3600, "body-weight": 86_400,
    ].mapValues { $0 * 1_000_000 }

    private mutating func checkMetrics() {
        var read = Set(rules.leaves.flatMap { rules.metrics(of: $0) }.map { rules.metrics[$0] })
        if rules.scores.isNEWS2On { read.formUnion(NEWS2.Parameter.allCases.map(\.metric)) }
        read.formUnion(rules.scores.additive.flatMap { $0.inputs.map(\.metric) })
        let unread = MetricCatalogue.standard.definitions.filter { $0.kind != .waveform }.map(\.name).filter { !read.contains($0) }
        guard !unread.isEmpty else { return }
        note(.unreadMetrics, nil, "no rule reads \(unread.joined(separator: ", "))")
    }
}

extension Leaf {
    /// It compares a number with a limit.
    fileprivate var isNumeric: Bool {
        switch comparison {
        case .above, .below, .outside, .inside: true
        case .oneOf, .silent: false
        }
    }
}
