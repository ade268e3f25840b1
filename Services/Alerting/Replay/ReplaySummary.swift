extension RuleReplay.Result {
    /// How much was played and how many alerts came of it.
    package var summary: String {
        let rate = personHours > 0 ? Double(raised) / personHours : 0
        return "\(readings) readings, \(rounded(personHours)) person-hours, \(raised) medical alerts "
            + "(\(rounded(rate)) a person-hour), \(raisedTechnical) technical"
    }

    /// How many more alerts the same limits would have raised without the engine's care.
    package func comparison(_ naive: Self) -> String {
        let factor = raised > 0 ? "factor \(rounded(Double(naive.raised) / Double(raised)))" : "here none at all"
        return "a naive threshold would have raised \(naive.raised) medical alerts: \(factor)"
    }

    private func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}
