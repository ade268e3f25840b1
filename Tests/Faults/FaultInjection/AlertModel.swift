import SuiteHarness

/// The alerts that one participant's heart rate must lead to: a model of two simple rules that shares no code with the service.
package struct AlertModel {
    /// The rules for the service. Nothing in them depends on when a reading arrives, so that faults cannot change what must come out.
    /// The score does; it is there because its readings are corrected over and over.
    static let rules = """
        {scores: {news2: {staleAfter: "1h"}}, rules: [
          {id: "high", metric: "heart-rate", severity: "critical", above: 95, clear: 90, \(unhurried)},
          {id: "long", metric: "heart-rate", severity: "warning", above: 90, for: "3s", \(unhurried)},
          {id: "grown", metric: "body-weight", severity: "notice", above: 120, ages: ["adult", "older"], \(unhurried)},
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
    private var newest: (second: Int, value: Double)?
    private var isHigh = false
    /// The time of the reading that ended the first rule's alert last: what lies before it has been told.
    private var toldUntil = Int.min
    /// The beginning of the delay of the second rule; nil where it does not run.
    private var pendingSince: Int?
    private var isLong = false

    /// Indicates whether the rule's alert is active at the end.
    package func isActive(_ rule: String) -> Bool { rule == "high" ? isHigh : isLong }
    /// Indicates whether the rule's alert has a retained state at the end.
    func isRetained(_ rule: String) -> Bool { isActive(rule) || (rule == "long" && pendingSince != nil) }
    package func steps(_ rule: String) -> [Step] { rule == "high" ? high : long }

    /// Takes a reading in the order of sending.
    package mutating func take(second: Int, value: Double) {
        if let newest, second < newest.second { return takeLate(second, value, newest) }
        newest = (second, value)
        if !isHigh, value > 95 {
            isHigh = true
            high.append(Step(transition: "raised", second: second, value: value))
        } else if isHigh, value <= 90 {
            isHigh = false
            toldUntil = second
            high.append(Step(transition: "cleared", second: second, value: value))
        }
        judgeLong(second, value)
    }

    /// One older than the newest ends a delay that it lies in. A crossing of a time of which nothing was told is told, and ended by the newest.
    private mutating func takeLate(_ second: Int, _ value: Double, _ newest: (second: Int, value: Double)) {
        if value <= 90, let since = pendingSince, since <= second { pendingSince = second }
        guard value > 95, !isHigh, second > toldUntil else { return }
        high.append(Step(transition: "raised", second: second, value: value))
        high.append(Step(transition: "cleared", second: newest.second, value: newest.value))
        toldUntil = newest.second
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

/// Compares the alerts that a subscriber saw with what the model expects, event by event.
struct AlertCheck {
    private let models: [(name: String, model: AlertModel)]
    private let base: Int64

    init(_ load: DeviceLoad) {
        base = load.readings.base
        models = (0..<load.readings.participants).map { participant in
            var model = AlertModel()
            for number in load.numbers(of: participant) {
                let row = number / load.readings.participants
                guard row % NumberedReadings.metrics.count == 0 else { continue }
                model.take(second: row / NumberedReadings.metrics.count, value: load.readings.value(number))
            }
            return (load.readings.name(of: participant), model)
        }
    }

    /// The number of events that must come.
    var expected: Int { models.reduce(0) { $0 + $1.model.high.count + $1.model.long.count } }

    /// Returns what is missing, too much, altered or came with a gap in its numbers.
    func problems(_ seen: (byAlert: [String: [AlertWatch.Event]], differing: Int)) -> [String] {
        var problems = seen.differing == 0 ? [] : ["\(seen.differing) alert events came twice, but not the same"]
        for (name, model) in models {
            for rule in ["high", "long"] {
                let events = seen.byAlert["\(name) \(rule)"] ?? []
                if let problem = problem(events, model.steps(rule)) { problems.append("alert \(rule) of \(name): \(problem)") }
            }
        }
        return problems.count > 6 ? problems.prefix(5) + ["and \(problems.count - 5) alerts more"] : problems
    }

    private func problem(_ events: [AlertWatch.Event], _ expected: [AlertModel.Step]) -> String? {
        guard events.map(\.sequence) == Array(1..<events.count + 1) else { return "events numbered \(events.map(\.sequence))" }
        let steps = events.map {
            AlertModel.Step(transition: $0.transition, second: Int($0.time) - Int(base), value: $0.value ?? .nan)
        }
        if steps == expected { return nil }
        let first = zip(steps, expected).first { $0 != $1 }
        return "\(steps.count) events instead of \(expected.count)" + (first.map { "; \($0.1) became \($0.0)" } ?? "")
    }

    /// Returns what is wrong with the retained states, by topic.
    func problems(retained: [String: String]) -> [String] {
        var problems: [String] = []
        for (name, model) in models {
            for rule in ["high", "long"] {
                let state = retained["vigil/v1/alerts/\(name)/\(rule)"]
                let wanted = model.isActive(rule) ? "active" : model.isRetained(rule) ? "pending" : "none"
                let found = state == nil ? "none" : state?.contains(#""state":"active""#) == true ? "active" : "pending"
                if found != wanted { problems.append("\(name) \(rule) \(found) instead of \(wanted)") }
            }
        }
        return problems.isEmpty ? [] : ["\(problems.count) retained alert states are wrong: \(problems.prefix(4).joined(separator: ", "))"]
    }
}
