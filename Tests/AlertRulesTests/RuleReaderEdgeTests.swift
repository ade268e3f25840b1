import Testing

@testable import AlertRules

/// What a rule file must not leave out, must not hold, and must not hold twice, wherever in it that stands.
@Suite("What rule files leave out or have too much of")
struct RuleReaderEdgeTests {
    private static func problems(_ rules: String) -> [String] {
        do {
            _ = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rules)]}")])
            return []
        } catch {
            return error.entries.map(\.description)
        }
    }

    private static let heart = #"metric: "heart-rate""#

    @Test(
        "a rule without what it needs is told, not passed over",
        arguments: [
            (#"{metric: "heart-rate", severity: "warning", above: 110}"#, #"r:1:10: "id" is missing"#),
            (#"{id: "a", metric: "heart-rate", above: 110}"#, #"r:1:10: "severity" is missing"#),
            (#"{id: "a", metric: "heart-rate", levels: [{above: 110}]}"#, #"r:1:51: "severity" is missing"#),
            (#"{id: "a", severity: "warning"}"#, "r:1:10: nothing is compared; a comparison is one of above, "),
            (#"{id: "a", metric: "heart-rate", levels: []}"#, "r:1:10: the list of levels is empty"),
            (#"{id: "a", severity: "warning", of: [{metric: "heart-rate", above: 110}]}"#, #"r:1:10: "atLeast" is missing"#),
            (
                #"{id: "a", severity: "warning", predict: {metric: "heart-rate", staleAfter: "15m", below: 50}}"#,
                #"r:1:50: "in" is missing"#
            ),
            (
                #"{id: "a", metric: "heart-rate", severity: "warning", above: 110, repeat: {within: "1m"}}"#,
                #"r:1:83: "count" is missing"#
            ),
            (
                #"{id: "a", metric: "heart-rate", severity: "warning", take: "rise", after: {metric: "x-p", equals: "y"}, above: 30}"#,
                #"r:1:10: "within" is missing"#
            ),
            (#"{id: "a", severity: "warning", alert: 1}"#, #"r:1:48: "alert" must be the id of another rule"#),
            (#"{id: "a", severity: "warning", all: [], any: []}"#, "r:1:10: only one of all, any can stand here"),
            (
                #"{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "warning", above: 120}]}"#,
                "r:1:10: levels must go from the mildest to the worst, each severity once"
            ),
        ])
    func missing(rule: String, problem: String) {
        let found = Self.problems(rule)
        #expect(found.count == 1 && found[0].hasPrefix(problem), "\(found)")
    }

    @Test(
        "a member that is not known is told wherever it stands",
        arguments: [
            "\(heart), above: 110, x: 1", "\(heart), above: {default: 110, x: 1}",
            "\(heart), above: {default: 110, underAge: [{years: 1, limit: 120, x: 1}]}",
            "\(heart), above: 110, quality: {metric: \"ecg-quality\", atLeast: 0.5, x: 1}", "\(heart), above: 110, profile: {x: 1}",
            "\(heart), above: 110, repeat: {count: 2, within: \"1m\", x: 1}",
            "\(heart), above: 110, escalate: [{after: \"1m\", to: \"a\", x: 1}]", "all: [{\(heart), above: 110, x: 1}]",
            "not: {\(heart), above: 110, x: 1}", "when: {\(heart), above: 110, x: 1}",
            "predict: {\(heart), in: \"20m\", staleAfter: \"20m\", above: 110, x: 1}",
            "\(heart), take: \"rise\", after: {metric: \"x-p\", equals: \"y\", x: 1}, within: \"1m\", above: 30",
        ])
    func unknown(members: String) {
        let found = Self.problems("{id: \"a\", severity: \"warning\", \(members)}")
        #expect(found.count == 1 && found[0].contains(#""x" is not known here"#), "\(found)")
    }

    @Test("a member of a level that is not known is told")
    func unknownOfLevel() {
        let found = Self.problems(#"{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 110, x: 1}]}"#)
        #expect(found.count == 1 && found[0].contains(#""x" is not known here"#), "\(found)")
    }

    @Test(
        "a while that is none is told, as nothing would ever be within it",
        arguments: [
            (#"take: "rise", over: "0s", above: 30"#, #"r:1:83: "over" must be longer than nothing"#),
            (#"predict: {in: "20m", over: "0s", above: 110}"#, #"r:1:90: "over" must be longer than nothing"#),
            (#"above: 110, repeat: {count: 2, within: "0s"}"#, #"r:1:102: "within" must be longer than nothing"#),
            (
                #"take: "rise", after: {metric: "x-p", equals: "y"}, within: "0s", above: 30"#,
                #"r:1:122: "within" must be longer than nothing"#
            ),
            (#"above: 110, maximumAge: "0s""#, #"r:1:87: "maximumAge" must be longer than nothing"#),
            (#"noData: "0s""#, #"r:1:71: "noData" must be longer than nothing"#),
        ])
    func nothing(members: String, problem: String) {
        let found = Self.problems(#"{id: "a", metric: "heart-rate", severity: "warning", \#(members)}"#)
        #expect(found == [problem])
    }

    @Test(
        "limits that are exchanged for one age or scale alone are told with it",
        arguments: [
            (#"above: {default: 150, child: 160}"#, #"above: {default: 170, child: 155}"#, "155, before warning at 160 (age 6)"),
            (#"above: {default: 150, adolescent: 160}"#, #"above: {default: 170, adolescent: 155}"#, "155, before warning at 160 (age 15)"),
            (#"above: {default: 150, adult: 160}"#, #"above: {default: 170, adult: 155}"#, "155, before warning at 160 (age 40)"),
            (
                #"above: {default: 150, underAge: [{years: 0.25, limit: 180}]}"#,
                #"above: {default: 170, underAge: [{years: 0.25, limit: 175}]}"#, "175, before warning at 180 (age 0.25)"
            ),
            (#"below: {default: 50, saturationScale2: 46}"#, #"below: {default: 51, saturationScale2: 44}"#, "51, before warning at 50"),
        ])
    func exchanged(mild: String, worse: String, words: String) {
        let levels = #"[{severity: "warning", \#(mild)}, {severity: "critical", \#(worse)}]"#
        let found = Self.problems(#"{id: "a", metric: "heart-rate", levels: \#(levels)}"#)
        #expect(found == ["r:1:10: critical begins at \(words); are the two limits exchanged?"])
    }

    @Test(
        "an inhibiting rule is named with one file at most",
        arguments: [
            ("x/y/z", #"no file named "x" is loaded: its rule "y/z" keeps nothing quiet here"#), ("/b", #"no file named "" is loaded"#),
        ])
    func mention(name: String, words: String) throws {
        let rules = """
            {id: "a", metric: "heart-rate", severity: "warning", above: 110, inhibitedBy: ["\(name)"]},
              {id: "b", metric: "heart-rate", severity: "critical", above: 130}
            """
        let set = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rules)]}")])
        #expect(set.rules[0].inhibitors.isEmpty && set.warnings.count == 1)
        #expect(set.warnings.allSatisfy { $0.description.contains(words) }, "\(set.warnings)")
    }

    @Test(
        "rules in force of which a part cannot be read are refused as a whole",
        arguments: [
            #"{rules: [{id: "b", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", abvoe: 120}]}]}"#,
            #"{rules: [{id: "b", severity: "warning", any: [{metric: "heart-rate", above: 110}, {metric: "heart-rate", abvoe: 1}]}]}"#,
            "{rules: [",
        ])
    func stored(broken: String) {
        let good = #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 100}]}"#
        #expect(throws: RuleError.self) {
            try RuleSetReader.readStored([RuleFile(name: "b", text: broken), RuleFile(name: "r", text: good)])
        }
    }

    @Test("somebody's rules change with every age group, and with every age that a limit names")
    func bounds() throws {
        let rule = #"{id: "a", metric: "heart-rate", severity: "warning", above: {default: 110, underAge: [{years: 0.25, limit: 181}]}}"#
        #expect(try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rule)]}")]).ageBounds == [0.25, 1, 12, 18, 65])
    }
}
