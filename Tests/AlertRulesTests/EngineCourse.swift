import Testing

@testable import AlertRules

/// A course of readings and commands under some rules, and what must be told of it.
struct Course: Sendable, CustomTestStringConvertible {
    let name: String
    /// The members of one rule on the heart rate, or a whole file that begins with `{rules:`.
    let rules: String
    /// `12 heart-rate 120 -3` is a reading received at 12 s and measured 3 s before, `12` alone lets time pass, and `12 ack`, `12 clear 60`,
    /// `12 silence 60 warning`, `12 unsilence`, `12 set 100 warning` are commands; `;` stands between. A number is the heart rate.
    let steps: String
    /// The events, `;` between: the second, the transition and its severity; `@` and `since` where event time differs, and what else is true.
    let told: String
    var testDescription: String { name }

    init(_ name: String, _ rules: String, _ steps: String, _ told: String) {
        (self.name, self.rules, self.steps, self.told) = (name, rules, steps, told)
    }

    /// Plays it and compares.
    func check() throws {
        let file = rules.hasPrefix("{") ? rules : "{rules: [{id: \"high\", metric: \"heart-rate\", \(rules)}]}"
        var engine = try EngineHarness(file)
        try engine.play(steps)
        let wanted = told.split(separator: ";").map { $0.trimmingPrefix(" ") }.map { String($0) }
        #expect(engine.told == wanted, "\(engine.told.joined(separator: "; "))")
    }
}

extension EngineHarness {
    /// Plays the steps of a course.
    mutating func play(_ steps: String) throws {
        for step in steps.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let words = step.split(separator: " ").map(String.init)
            let second = try #require(words.first.flatMap { Int64($0) }, "\(step)")
            advance(to: second)
            if words.count > 1 { try play(second, Array(words.dropFirst())) }
        }
    }

    private mutating func play(_ second: Int64, _ words: [String]) throws {
        func end() throws -> Int64 { (EngineHarness.start + (try #require(Int64(words[1])))) * 1_000_000 }
        let severity = words.count > 2 ? Severity(name: words[2]) : nil
        // Commands go to the last rule of the file, before the one that is built in.
        let rule = try #require(engine.rules.rules.last { $0.id != "no-rules-apply" }).id
        switch words[0] {
        case "ack": try command(.acknowledge, rule: rule)
        case "unsilence": try command(.unsilence, rule: rule)
        case "silence": try command(.silence(until: try end(), upTo: severity), rule: rule, reason: "r")
        case "clear": try command(.clear(until: try end()), rule: rule, reason: "r")
        case "set": try command(.setThreshold(severity, Double(words[1])), rule: rule, reason: "r")
        case "restart": try restart()
        default:
            let isHeartRate = Double(words[0]) != nil
            let numbers = isHeartRate ? words : Array(words.dropFirst())
            let late = numbers.count > 1 ? try #require(Int64(numbers[1])) : 0
            let value = Double(numbers[0]) ?? engine.rules.code(ofText: numbers[0])
            try read(isHeartRate ? "heart-rate" : words[0], value, at: second + late, received: second)
        }
    }

    /// Everything that was told, in the words of a course.
    var told: [String] {
        zip(events, log).map { event, line in
            let now = Int64(line.split(separator: " ").last ?? "").map { $0 - EngineHarness.start } ?? 0
            let several = engine.rules.rules.count { $0.id != "no-rules-apply" } > 1
            var words = ["\(now)"] + (several ? [engine.rules.rules[event.rule].id] : [])
            words += [event.transition.rawValue, event.alert.severity.name]
            let time = Self.seconds(event.time)
            if time != "\(now)" { words.append("@\(time)") }
            if [.raised, .pending].contains(event.transition), event.alert.since != event.time {
                words.append("since \(Self.seconds(event.alert.since))")
            }
            if let to = event.escalatedTo { words.append("to \(to)") }
            let alert = event.alert
            for (isOn, word) in [
                (alert.isAcknowledged, "acknowledged"), (alert.isSilenced, "quiet"), (alert.isInhibited, "inhibited"),
                (alert.isRecovered, "over"), (alert.isDataLost, "lost"),
            ] where isOn { words.append("+\(word)") }
            return words.joined(separator: " ")
        }
    }

    /// `60` or `60.000001`, after the start.
    private static func seconds(_ microseconds: Int64) -> String {
        let after = microseconds - EngineHarness.start * 1_000_000
        let (whole, rest) = after.quotientAndRemainder(dividingBy: 1_000_000)
        return rest == 0 ? "\(whole)" : "\(whole).\("\(1_000_000 + rest)".dropFirst())"
    }
}
