import SuiteHarness

/// What alerts one participant's heart rate must lead to: a model of two simple rules that shares no code with the service.
package struct AlertModel {
    /// The rules for the service. Nothing in them depends on when a reading arrives, so that faults cannot change what must come out.
    /// The score does; it is there because its readings are corrected over and over.
    static let rules = """
        {scores: {news2: {staleAfter: "1h"}}, rules: [
          {id: "high", metric: "heart-rate", severity: "critical", above: 95, clear: 90, \(unhurried)},
          {id: "long", metric: "heart-rate", severity: "warning", above: 90, for: "3s", \(unhurried)},
        ]}
        """
    private static let unhurried = #"lateness: "1d", staleAfter: "1d", maximumAge: "3600d""#

    /// A transition as everybody must see it.
    package struct Step: Hashable, CustomStringConvertible {
        let transition: String
        let second: Int
        let value: Double
        package var description: String { "\(transition) at \(second), \(value)" }
    }

    package init() {}

    private(set) var high: [Step] = []
    private(set) var long: [Step] = []
    private var newest: Int?
    private var isHigh = false
    /// When the delay of the second rule began; nil where it does not run.
    private var pendingSince: Int?
    private var isLong = false

    /// Whether the rule's alert is active at the end.
    package func isActive(_ rule: String) -> Bool { rule == "high" ? isHigh : isLong }
    /// Whether the rule's alert has a retained state at the end.
    func isRetained(_ rule: String) -> Bool { isActive(rule) || (rule == "long" && pendingSince != nil) }
    package func steps(_ rule: String) -> [Step] { rule == "high" ? high : long }

    /// Takes a reading in the order of sending. One older than the newest decides nothing, but ends a delay that it lies in.
    package mutating func take(second: Int, value: Double) {
        if let newest, second < newest {
            if value <= 90, let since = pendingSince, since <= second { pendingSince = second }
            return
        }
        newest = second
        if !isHigh, value > 95 {
            isHigh = true
            high.append(Step(transition: "raised", second: second, value: value))
        } else if isHigh, value <= 90 {
            isHigh = false
            high.append(Step(transition: "cleared", second: second, value: value))
        }
        judgeLong(second, value)
    }

    private mutating func judgeLong(_ second: Int, _ value: Double) {
        if value <= 90 {
            if isLong || pendingSince != nil {
                long.append(Step(transition: isLong ? "cleared" : "cancelled", second: second, value: value))
            }
            (isLong, pendingSince) = (false, nil)
        } else if !isLong, let since = pendingSince {
            guard second - since >= 3 else { return }
            (isLong, pendingSince) = (true, nil)
            long.append(Step(transition: "raised", second: second, value: value))
        } else if !isLong {
            pendingSince = second
            long.append(Step(transition: "pending", second: second, value: value))
        }
    }
}
