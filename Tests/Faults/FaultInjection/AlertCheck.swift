import SuiteHarness

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

    /// How many events must come.
    var expected: Int { models.reduce(0) { $0 + $1.model.high.count + $1.model.long.count } }

    /// What is missing, too much, altered or came with a gap in its numbers.
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

    /// What is wrong with the retained states, by topic.
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
