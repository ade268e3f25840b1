import Testing

@testable import AlertRules

/// New rules while people are watched: what is kept, what begins anew, and what ends.
@Suite("A change of the rules")
struct AdoptTests {
    private static let second: Int64 = 1_000_000

    private static func set(_ rules: String...) throws -> RuleSet {
        try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rules.joined(separator: ", "))]}")])
    }

    /// An engine with one person, read by the second.
    private struct Person {
        var engine: AlertEngine
        let index: Int
        var output = EngineOutput()

        init(_ rules: RuleSet) {
            engine = AlertEngine(rules: rules, now: 0)
            index = engine.index(of: "12")
        }

        mutating func read(_ metric: String, _ value: Double, at second: Int64, ahead: Int64 = 0) throws {
            advance(to: second)
            let time = second * AdoptTests.second, metric = try #require(engine.rules.metric(named: metric))
            let reading = Reading(metric: metric, time: time + ahead * AdoptTests.second, received: time, value: value)
            engine.take([reading], of: index, now: time, into: &output)
        }

        mutating func advance(to second: Int64) {
            engine.advance(to: second * AdoptTests.second, now: second * AdoptTests.second, into: &output)
        }

        mutating func command(_ command: AlertCommand, rule: Int = 0, at second: Int64) throws {
            let request = AlertRequest(command: command, actor: "nurse", reason: "r", time: second * AdoptTests.second)
            try engine.apply(request, to: index, rule: rule, now: second * AdoptTests.second, into: &output)
        }

        mutating func adopt(_ next: RuleSet, at second: Int64) {
            advance(to: second)
            engine.retire(for: next, now: second * AdoptTests.second, into: &output)
            engine.adopt(next)
        }

        /// What was told since the last call: rule, transition, cause, and the event's second.
        mutating func told() -> [String] {
            defer { output = EngineOutput() }
            return output.events.map { event in
                let rule = engine.rules.rules[event.rule].id
                return "\(rule) \(event.transition.rawValue) \(event.cause.rawValue) \(event.time / AdoptTests.second)"
            }
        }
    }

    private static let other = #"{id: "z", metric: "x-z", severity: "notice", above: 1}"#
    private static let delayed = #"{id: "a", metric: "heart-rate", severity: "warning", above: 110, for: "1m", staleAfter: "1h"}"#

    @Test("a rule that stays keeps its delay, wherever it stands in the files")
    func delay() throws {
        var person = Person(try Self.set(Self.delayed))
        try person.read("heart-rate", 120, at: 10)
        #expect(person.told() == ["a pending reading 10"])
        person.adopt(try Self.set(Self.other, Self.delayed), at: 20)
        try person.read("heart-rate", 120, at: 69)
        #expect(person.told() == [])
        try person.read("heart-rate", 120, at: 70)
        #expect(person.told() == ["a raised reading 70"])
    }

    @Test("a rule that changed forgets its delay, and begins anew with what is known")
    func changed() throws {
        var person = Person(try Self.set(Self.delayed))
        try person.read("heart-rate", 120, at: 10)
        person.adopt(try Self.set(Self.delayed.replacing("\"1m\"", with: "\"30s\"")), at: 20)
        person.advance(to: 21)
        #expect(person.told() == ["a pending reading 10", "a cancelled rules 20", "a pending timer 20"])
        try person.read("heart-rate", 120, at: 50)
        #expect(person.told() == [])
        try person.read("heart-rate", 120, at: 51)
        #expect(person.told() == ["a raised reading 51"])
    }

    @Test("a clock that was wrong before is known to be right afterwards")
    func clock() throws {
        let clock = #"{id: "c", kind: "technical", metric: "clock-offset", severity: "notice", outside: [-300, 300]}"#
        var person = Person(try Self.set(clock, Self.other))
        try person.read("x-z", 0, at: 10, ahead: 400)
        #expect(person.told() == ["c raised reading 10"])
        person.adopt(try Self.set(Self.other, clock), at: 20)
        try person.read("x-z", 0, at: 30)
        #expect(person.told() == ["c cleared reading 30"])
    }

    @Test("a rule that is gone ends its alert, or its delay, at the time that it is")
    func gone() throws {
        let fast = #"{id: "b", metric: "heart-rate", severity: "warning", above: 110}"#
        var person = Person(try Self.set(Self.delayed, fast, Self.other))
        try person.read("heart-rate", 120, at: 10)
        _ = person.told()
        person.advance(to: 20)
        var output = EngineOutput()
        person.engine.retire(for: try Self.set(Self.other), now: 20 * Self.second, into: &output)
        #expect(
            output.events.map { "\($0.rule) \($0.transition) \($0.cause) \($0.time / Self.second)" } == [
                "0 cancelled rules 20", "1 cleared rules 20",
            ])
        var nothing = EngineOutput()
        person.engine.retire(for: try Self.set(Self.other), now: 20 * Self.second, into: &nothing)
        person.engine.retire(for: person.engine.rules, now: 20 * Self.second, into: &nothing)
        #expect(nothing.isEmpty)
    }

    @Test("an alert of a rule that changed stays until its condition is known not to hold, in the severity that its rule still has")
    func kept() throws {
        let levels = #"{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]}"#
        var person = Person(try Self.set(levels))
        try person.read("heart-rate", 140, at: 10)
        try person.command(.acknowledge, at: 11)
        let single = #"{id: "a", metric: "x-other", levels: [{severity: "notice", above: 1}, {severity: "warning", above: 110}]}"#
        person.adopt(try Self.set(single), at: 20)
        _ = person.told()
        person.advance(to: 21)
        let alert = person.engine.snapshot(participant: 0, rule: 0).alert
        #expect(alert.phase == .active && alert.severity == .warning && alert.isAcknowledged && alert.isDataLost)
        #expect(person.told() == ["a data-lost timer 20"])
        try person.read("x-other", 2, at: 30)
        #expect(person.told() == ["a severity-lowered reading 30", "a data-back reading 30"])
        try person.read("x-other", 0, at: 31)
        #expect(person.told() == ["a cleared reading 31"])
    }

    @Test("a silence, a clearance and a threshold of somebody's own stay with the rule's level")
    func commands() throws {
        let levels = #"{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]}"#
        var person = Person(try Self.set(levels))
        try person.command(.setThreshold(.critical, 150), at: 0)
        try person.command(.silence(until: 60 * Self.second, upTo: .critical), at: 0)
        person.adopt(try Self.set(Self.other, levels.replacing("above: 110", with: "above: 100")), at: 10)
        #expect(person.engine.ownThresholds(of: 0).map { "\($0.rule) \($0.severity) \($0.value)" } == ["a critical 150.0"])
        #expect(person.engine.snapshot(participant: 0, rule: 1).alert.silencedUntil == 60 * Self.second)
        // A level that is gone takes its threshold along.
        person.adopt(try Self.set(#"{id: "a", metric: "heart-rate", severity: "warning", above: 110}"#), at: 20)
        #expect(person.engine.ownThresholds(of: 0).isEmpty)
        _ = person.told()
        person.advance(to: 61)
        #expect(person.told() == ["a silence-ended timer 60"])
    }

    @Test("what a rule remembers stays, whatever stands before it")
    func memories() throws {
        let rules = [
            #"{id: "rise", metric: "heart-rate", severity: "warning", take: "rise", over: "5m", above: 30}"#,
            #"{id: "days", metric: "body-weight", severity: "notice", take: "rise", days: 2, above: 2, staleAfter: "3d"}"#,
            #"{id: "fall", metric: "systolic-pressure", severity: "notice", take: "fall", after: {metric: "x-up", above: 0}, within: "3m", atLeast: 20}"#,
            #"{id: "sum", severity: "notice", expression: "x-one + x-two", above: 10}"#,
            #"{id: "often", metric: "x-often", severity: "notice", above: 1, repeat: {count: 2, within: "5m"}}"#,
            #"{id: "own", metric: "stress-level", severity: "notice", above: {default: 0.9, percentile: 50, minimumReadings: 10}}"#,
        ]
        var person = Person(try Self.set(rules[0], rules[1], rules[2], rules[3], rules[4], rules[5]))
        try person.read("heart-rate", 70, at: 10)
        try person.read("body-weight", 80, at: 10)
        try person.read("systolic-pressure", 130, at: 10)
        try person.read("x-up", 1, at: 11)
        try person.read("x-one", 6, at: 11)
        try person.read("x-often", 2, at: 11)
        for _ in 0..<32 { try person.read("stress-level", 0.3, at: 12) }
        #expect(person.told() == [])
        // The same in another order, behind others that remember something too.
        let before = rules.map { $0.replacing("{id: \"", with: "{id: \"b-").replacing("heart-rate", with: "respiration-rate") }
        person.adopt(
            try Self.set(before[0], before[3], before[4], rules[5], rules[4], rules[3], rules[2], rules[1], rules[0]), at: 20)
        person.advance(to: 21)
        try person.read("heart-rate", 101, at: 22)
        try person.read("body-weight", 83, at: 86_400)
        #expect(person.told().filter { $0.contains("raised") } == ["rise raised reading 22", "days raised reading 86400"])
        person = try Self.again(rules, before)
        let told = person.told().filter { !$0.hasPrefix("b-") }
        #expect(told == ["fall raised reading 22", "sum raised reading 22", "often raised reading 22", "own raised reading 22"])
    }

    /// The rules with a shorter memory, over the same change.
    private static func again(_ rules: [String], _ before: [String]) throws -> Person {
        var person = Person(try set(rules[2], rules[3], rules[4], rules[5]))
        try person.read("systolic-pressure", 130, at: 10)
        try person.read("x-up", 1, at: 11)
        try person.read("x-one", 6, at: 11)
        try person.read("x-often", 2, at: 11)
        for _ in 0..<32 { try person.read("stress-level", 0.3, at: 12) }
        person.adopt(try set(before[2], before[3], before[4], before[5], rules[5], rules[4], rules[3], rules[2]), at: 20)
        try person.read("systolic-pressure", 110, at: 22)
        try person.read("x-two", 5, at: 22)
        try person.read("x-often", 2, at: 22)
        try person.read("stress-level", 0.4, at: 22)
        return person
    }

    @Test("somebody whom a new rule expects to be heard of is missed from then on")
    func expected() throws {
        var person = Person(try Self.set(Self.other))
        let expected =
            #"{id: "e", kind: "technical", metric: "x-e", severity: "notice", noData: "1m", expected: true, participants: ["12", "13"]}"#
        person.adopt(try Self.set(Self.other, expected), at: 10)
        person.advance(to: 59)
        #expect(person.told() == [] && person.engine.names == ["12", "13"])
        person.advance(to: 70)
        #expect(person.told() == ["e raised timer 70", "e raised timer 70"])
    }
}
