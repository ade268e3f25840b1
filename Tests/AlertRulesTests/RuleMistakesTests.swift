import Testing

@testable import AlertRules

/// Mistakes with all that is said of them, and their like that are none. The rule begins at 1:10.
@Suite("Mistakes in rule files")
struct RuleMistakesTests {
    private static func problems(_ rules: String) -> [String] {
        do {
            _ = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rules)]}")])
            return []
        } catch {
            return error.entries.map(\.description)
        }
    }

    /// A rule with these members beside its name.
    private static func rule(_ members: String, _ id: String = "a") -> String { "{id: \"\(id)\", \(members)}" }

    private static let high = #"metric: "heart-rate", severity: "warning", above: 110, "#

    @Test(
        "a worse level that begins before a milder is told with the age or the scale for which it does",
        arguments: [
            (
                #"metric: "heart-rate", levels: [{severity: "warning", above: {default: 150, underAge: [{years: 1, limit: 100}]}}, {severity: "critical", above: {default: 170, underAge: [{years: 1, limit: 90}]}}]"#,
                "r:1:10: critical begins at 90, before warning at 100 (age 0.5); are the two limits exchanged?"
            ),
            (
                #"metric: "heart-rate", levels: [{severity: "warning", above: {default: 150, older: 160}}, {severity: "critical", above: {default: 155, older: 158}}]"#,
                "r:1:10: critical begins at 158, before warning at 160 (age 80); are the two limits exchanged?"
            ),
            (
                #"metric: "oxygen-saturation", levels: [{severity: "warning", below: {default: 90, saturationScale2: 84}}, {severity: "critical", below: {default: 85, saturationScale2: 86}}]"#,
                "r:1:10: critical begins at 86, before warning at 84; are the two limits exchanged?"
            ),
            (
                #"metric: "heart-rate", levels: [{severity: "warning", below: 40}, {severity: "critical", below: 41}]"#,
                "r:1:10: critical begins at 41, before warning at 40; are the two limits exchanged?"
            ),
            (#"metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 110, for: "1m"}]"#, nil),
            (#"metric: "heart-rate", levels: [{severity: "warning", below: 40}, {severity: "critical", below: 40}]"#, nil),
            (
                #"metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", metric: "body-temperature", above: 40}]"#,
                nil
            ),
            (
                #"metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", take: "rise", over: "5m", above: 40}]"#,
                nil
            ),
            (
                #"kind: "technical", metric: "heart-rate", levels: [{severity: "warning", noData: "1m"}, {severity: "critical", noData: "1m"}]"#,
                nil
            ),
        ])
    func levels(members: String, problem: String?) {
        #expect(Self.problems(Self.rule(members)) == [problem].compactMap(\.self))
    }

    @Test(
        "a comparison that is none, or that nothing passes, is told",
        arguments: [
            (#"metric: "heart-rate", severity: "warning", above: 110, hysteresis: -1"#, #""hysteresis" cannot be negative"#),
            (#"metric: "heart-rate", severity: "warning", below: 50, clear: 45"#, #""clear" lies on the wrong side of the threshold"#),
            (
                #"metric: "heart-rate", severity: "warning", outside: [50, 110], clear: 60"#,
                #""clear" lies on the wrong side of the threshold"#
            ),
            (#"metric: "heart-rate", severity: "warning", outside: [50]"#, #""outside" must be a list of two numbers, the lower first"#),
            (
                #"metric: "heart-rate", severity: "warning", outside: [50, 50]"#,
                #""outside" must be a list of two numbers, the lower first"#
            ),
            (#"metric: "heart-rate", severity: "warning", above: "x""#, #""above" must be a number or an object with "default""#),
            (#"metric: "heart-rate", severity: "warning", above: {child: 120}"#, #""default" is missing"#),
            (#"metric: "heart-rate", severity: "warning", above: {default: 110, underAge: [{limit: 120}]}"#, #""years" is missing"#),
            (#"metric: "heart-rate", severity: "warning", above: {default: 110, underAge: [{years: 1}]}"#, #""limit" is missing"#),
            (#"metric: "heart-rate", severity: "warning", above: 300"#, "no reading passes a limit of 300"),
            (#"metric: "heart-rate", severity: "warning", above: 19.9"#, "no reading passes a limit of 19.9"),
            (#"metric: "heart-rate", severity: "warning", below: 20"#, "no reading passes a limit of 20"),
            (#"metric: "heart-rate", severity: "warning", below: 300.1"#, "no reading passes a limit of 300.1"),
            (#"metric: "heart-rate", severity: "warning", atLeast: 300.1"#, "no reading passes a limit of 300.1"),
            (#"metric: "heart-rate", severity: "warning", above: {default: 110, child: 310}"#, "no reading passes a limit of 310"),
            // 5 mmol/L are 90 mg/dL and 44 are 792; 80 °F are 26.7 °C and 110 are 43.3; 0.6 is 60 %.
            (
                #"metric: "blood-glucose", severity: "warning", above: 5"#,
                #"no reading passes a limit of 5; for mmol/L write unit: "mmol/L""#
            ),
            (#"metric: "body-temperature", severity: "warning", above: 80"#, #"limit of 80; for °F write unit: "[degF]""#),
            (#"metric: "body-temperature", severity: "warning", above: 110"#, #"limit of 110; for °F write unit: "[degF]""#),
            (#"metric: "oxygen-saturation", severity: "warning", below: 0.6"#, "limit of 0.6; did you mean 60?"),
            (#"metric: "oxygen-saturation", severity: "warning", below: 0.9"#, "limit of 0.9; did you mean 90?"),
            (
                #"metric: "heart-rate", severity: "warning", above: {default: 110, underAge: [{years: 1, limit: 120}, {years: 1, limit: 130}]}"#,
                "ages must rise"
            ),
            (#"metric: "heart-rate", severity: "warning", above: {default: 110, underAge: [{years: 0, limit: 120}]}"#, "ages must rise"),
            (
                #"metric: "heart-rate", severity: "warning", above: {default: 110, percentile: 101}"#,
                #""percentile" must be 0 to 100, and "atLeast" not above "atMost""#
            ),
            (
                #"metric: "heart-rate", severity: "warning", above: {default: 110, percentile: 95, atLeast: 120, atMost: 119}"#,
                #""percentile" must be 0 to 100, and "atLeast" not above "atMost""#
            ),
            (
                #"metric: "x-own", severity: "warning", above: {default: 110, percentile: 95}"#,
                "a percentile needs a metric with a plausible range in the catalogue"
            ),
            (
                #"metric: "heart-rate", severity: "warning", above: {default: 110, percentile: 95, minimumReadings: 9}"#,
                "a whole number from 10 to 1000000"
            ),
            (#"kind: "technical", metric: "heart-rate", severity: "warning", noData: "0s""#, #""noData" must be longer than nothing"#),
            (#"metric: "consciousness", severity: "warning", oneOf: []"#, #""oneOf" names no text"#),
            (#"metric: "heart-rate", severity: "warning", equals: "x""#, #""heart-rate" is a number; compare it with above, below, …"#),
        ])
    func comparisons(members: String, words: String) {
        let found = Self.problems(Self.rule(members))
        #expect(found.count == 1 && found[0].contains(words), "\(found)")
    }

    @Test(
        "a limit at the very end of what is believable passes",
        arguments: [
            "above: 20", "above: 299.9", "below: 20.1", "below: 300", "atLeast: 300", "atMost: 20", "outside: [20, 300]",
            "above: {default: 110, percentile: 100, atLeast: 120, atMost: 120}", "above: 110, clear: 110", "below: 50, clear: 50",
        ])
    func ends(comparison: String) {
        #expect(Self.problems(Self.rule("metric: \"heart-rate\", severity: \"warning\", \(comparison)")) == [])
    }

    @Test(
        "a quantity that is none is told",
        arguments: [
            (#"take: "rise""#, #""take" belongs together with one of "over", "days" and "after""#),
            (#"over: "1m""#, #""take" belongs together with one of "over", "days" and "after""#),
            (#"take: "rise", over: "1m", days: 2"#, #""take" belongs together with one of "over", "days" and "after""#),
            (#"take: "deviation", over: "1m""#, "a deviation is one from calendar days; write days: 14 instead of over"),
            (#"take: "slope", days: 3"#, #"a slope is taken over a while; write over: "72h" instead of days"#),
            (#"take: "deviation", days: 9, minimumDays: 2"#, "a deviation needs at least 3 days"),
            (#"take: "rise", days: 61"#, #""days" must be a whole number from 1 to 60"#),
            (#"take: "rise", days: 0"#, #""days" must be a whole number from 1 to 60"#),
            (#"take: "rise", days: 3, minimumDays: 4"#, #""minimumDays" must be a whole number from 1 to 3"#),
            (#"take: "rise", days: 3, utcOffset: 15"#, #""utcOffset" must be a whole number from -14 to 14"#),
            (
                #"take: "mean", after: {metric: "x-p", equals: "y"}, within: "1m""#,
                "after an event only a change, rise or fall can be taken"
            ),
            (
                #"take: "rise", after: {metric: "x-p", take: "rise", over: "1m", above: 1}, within: "1m""#,
                "an event is a comparison of one reading"
            ),
            (#"take: "rise", after: {metric: "x-p", noData: "1m"}, within: "1m""#, "an event is a comparison of one reading"),
            (#"take: "rise", over: "5m1s""#, #""over" is longer than "staleAfter""#),
        ])
    func quantities(members: String, words: String) {
        let found = Self.problems(Self.rule("metric: \"heart-rate\", severity: \"warning\", above: 30, \(members)"))
        #expect(found.count == 1 && found[0].contains(words), "\(found)")
    }

    @Test(
        "members of a rule that cannot be are told",
        arguments: [
            (#"repeat: {count: 3, of: 2, within: "1m"}"#, #""of" must not be less than "count""#),
            (#"repeat: {count: 1, within: "1m"}"#, "from 2 to 32"),
            (#"repeat: {count: 33, within: "1m"}"#, "from 2 to 32"), (#"repeat: {count: 2, of: 65, within: "1m"}"#, "from 2 to 64"),
            (#"repeat: {count: 3, within: "1m", apart: "31s"}"#, #"3 readings "apart" do not fit "within""#),
            (#"for: "1m", share: 0.49"#, #""share" is the part of the readings"#),
            (#"for: "1m", share: 1.01"#, #""share" is the part of the readings"#),
            (#"escalate: [{after: "1m", to: "a"}, {after: "1m", to: "b"}]"#, "each escalation must come later than the one before"),
            (#"escalate: [{after: "0s", to: "a"}]"#, "each escalation must come later than the one before"),
            (#"escalate: [{to: "a"}]"#, #""after" is missing"#), (#"escalate: [{after: "1m"}]"#, #""to" is missing"#),
            (#"ages: ["kid"]"#, "an age group must be one of infant, child, adolescent, adult, older"),
            (#"quality: {metric: "ecg-quality", atLeast: 1.1}"#, #""ecg-quality" lies between 0.0 and 1.0"#),
            (#"quality: {metric: "ecg-quality"}"#, #""atLeast" is missing"#),
            (#"quality: {atLeast: 0.5}"#, #""metric" is missing"#), (#"repeat: {count: 3}"#, #""within" is missing"#),
            (#"profile: {saturationScale: 3}"#, "from 1 to 2"), (#"inhibitedBy: ["a"]"#, #"there is no other rule "a""#),
            (#"inhibitedBy: [1]"#, #""inhibitedBy" lists rules' ids"#),
        ])
    func members(members: String, words: String) {
        let found = Self.problems(Self.rule(Self.high + members))
        #expect(found.count == 1 && found[0].contains(words), "\(found)")
    }

    @Test(
        "members at their very limits are none",
        arguments: [
            #"repeat: {count: 3, of: 3, within: "1m", apart: "30s"}"#, #"repeat: {count: 32, of: 64, within: "1m"}"#,
            #"for: "1m", share: 0.5"#, "share: 1",
            #"escalate: [{after: "1ms", to: "a"}, {after: "2ms", to: "b"}]"#, #"quality: {metric: "x-own", atLeast: 5}"#,
        ])
    func fine(members: String) { #expect(Self.problems(Self.rule(Self.high + members)) == []) }

    @Test("a file says its name, a description, a source, scores and rules, and is refused where it says anything else or no rules")
    func files() {
        func problems(_ text: String) -> [String] {
            do {
                _ = try RuleSetReader.read([RuleFile(name: "r", text: text)])
                return []
            } catch {
                return error.entries.map(\.description)
            }
        }
        let rule = Self.rule(Self.high)
        #expect(problems("{name: \"n\", description: \"d\", source: \"s\", scores: {news2: {}}, rules: [\(rule)]}") == [])
        #expect(
            problems("{rules: [\(rule)], ruels: [\(rule)]}").map { $0.hasSuffix(#""ruels" is not known here; did you mean "rules"?"#) } == [
                true
            ])
        #expect(problems("{ruels: [\(rule)]}").contains { $0.contains(#""rules" is missing"#) })
    }

    @Test("rules that keep each other quiet in a circle are told, each, and what only leads into one is not")
    func circles() {
        let rules = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")].map { Self.rule(Self.high + "inhibitedBy: [\"\($0.1)\"]", $0.0) }
        let found = Self.problems(rules.joined(separator: ", "))
        #expect(found.count == 3)
        for names in ["a, b, c", "b, c, a", "c, a, b"] {
            #expect(
                found.contains { $0.hasSuffix("so that none would be heard: \(names); let one of them inhibit the others") }, "\(found)")
        }
    }

    @Test("a condition on an alert that never is so bad is told", arguments: [("notice", true), ("warning", true), ("critical", false)])
    func references(minimum: String, isFine: Bool) {
        let rules = Self.rule(Self.high, "low") + ", " + Self.rule("severity: \"notice\", alert: \"low\", minimum: \"\(minimum)\"")
        let found = Self.problems(rules)
        #expect(isFine ? found.isEmpty : found.count == 1 && found[0].hasSuffix(#""low" is never worse than warning"#), "\(found)")
    }
}
