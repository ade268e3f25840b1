import SignalSynthesis
import Testing

@testable import AlertRules

@Suite("Limits of a person")
struct ThresholdTests {
    private static var threshold: Threshold {
        var threshold = Threshold(slot: 0, standard: 110)
        threshold.byAge = [.infant: 160, .child: 140]
        threshold.underAge = [.init(years: 0.25, limit: 181), .init(years: 0.5, limit: 175)]
        threshold.scale2 = 84
        return threshold
    }

    @Test(
        "are those of the youngest age that fits, else of the age group, else the standard ones",
        arguments: [
            (nil, 110), (0, 181), (0.24, 181), (0.25, 175), (0.49, 175), (0.5, 160), (0.99, 160), (1, 140), (11.9, 140), (12, 110),
            (70, 110),
        ]
            as [(Double?, Double)])
    func ages(age: Double?, limit: Double) {
        #expect(Self.threshold.limit(age: age, usesScale2: false) == limit)
        #expect(Self.threshold.limit(age: age, usesScale2: true) == 84)
        var plain = Self.threshold
        plain.scale2 = nil
        #expect(plain.limit(age: age, usesScale2: true) == limit)
        #expect(plain.all == [110] + plain.byAge.values + [181, 175] && Self.threshold.all.last == 84)
    }

    @Test(
        "go by the age group, whose years begin with the birthday",
        arguments: [
            (0, .infant), (0.99, .infant), (1, .child), (11.99, .child), (12, .adolescent), (17.99, .adolescent), (18, .adult),
            (64.99, .adult),
            (65, .older), (120, .older),
        ] as [(Double, AgeGroup)])
    func groups(years: Double, group: AgeGroup) {
        #expect(AgeGroup(years: years) == group)
        var facts = PersonFacts()
        #expect(facts.age(at: 0) == nil && facts.ageGroup(at: 0) == nil)
        facts.born = 1_000_000
        // A year has 365.2425 days.
        let time = 1_000_000 + Int64(years * 31_556_952e6)
        #expect(abs((facts.age(at: time) ?? -1) - years) < 1e-6)
        #expect(facts.ageGroup(at: time + 1) == group)
    }

    @Test(
        "are for the profiles that a rule names",
        arguments: [(nil, nil, 4), (true, nil, 2), (false, nil, 2), (nil, true, 2), (true, false, 1)] as [(Bool?, Bool?, Int)])
    func profiles(usesScale2: Bool?, isPregnant: Bool?, count: Int) {
        let filter = ProfileFilter(usesScale2: usesScale2, isPregnant: isPregnant)
        var found = 0
        for (scale2, pregnant) in [(true, true), (true, false), (false, true), (false, false)] {
            var facts = PersonFacts()
            (facts.usesScale2, facts.isPregnant) = (scale2, pregnant)
            let isFor = (usesScale2 == nil || usesScale2 == scale2) && (isPregnant == nil || isPregnant == pregnant)
            #expect(filter.contains(facts, at: 0) == isFor)
            found += isFor ? 1 : 0
        }
        #expect(found == count)
    }

    @Test("texts are in the language, else in English, else in any")
    func translations() {
        let text = Translations(["ru": "р", "en": "e", "de": "d"])
        #expect(text.text("de") == "d" && text.text("fr") == "e" && text.languages == ["de", "en", "ru"])
        #expect(Translations(["ru": "р", "de": "d"]).text("fr") == "d" && Translations([:]).text("en") == nil)
    }

    @Test("severities have an order, a name and a priority")
    func severities() {
        #expect(Severity.writable == ["notice", "warning", "critical"])
        #expect(Severity.writable.map(Severity.init(name:)) == [.notice, .warning, .critical])
        #expect(Severity(name: "none") == nil && Severity(name: "") == nil)
        #expect(Severity.notice < .warning && Severity.warning < .critical && !(Severity.notice < .notice))
        #expect(Severity.allCases.map(AlertPriority.init) == [.low, .low, .medium, .high])
    }
}

@Suite("Formulas")
struct ExpressionTests {
    @Test(
        "formulas multiply and divide before they add and subtract, from the left",
        arguments: [
            ("a", 7), ("a + b * c", 13), ("a * b + c", 17), ("( a + b ) * c", 27), ("a - b - c", 2), ("a / b / c", 7.0 / 6),
            ("a - ( b - c )", 8),
            ("2 * a - b / 4", 13.5), ("a * b / c", 14.0 / 3), ("(a+b)", nil), ("a / ( b - 2 )", nil), ("1 + 2", nil), ("", nil),
            ("a +", nil), ("+ a", nil),
            ("a b", nil), ("( a", nil), ("a )", nil), ("a + 1x", nil), ("a + -1", 6), ("-a", nil),
        ] as [(String, Double?)])
    func formulas(text: String, value: Double?) {
        let expression = Expression(text)
        let values = ["a": 7.0, "b": 2, "c": 3]
        let found = expression.flatMap { expression in expression.value { values[expression.names[$0]] ?? .nan } }
        #expect((found == nil) == (value == nil))
        if let found, let value { #expect(abs(found - value) < 1e-12, "\(found)") }
    }

    @Test("formulas name each metric once, in order, and are not deeper than nineteen parentheses")
    func names() {
        #expect(Expression("a + b * a / c")?.names == ["a", "b", "c"])
        func deep(_ count: Int) -> String { String(repeating: "( ", count: count) + "a" + String(repeating: " )", count: count) }
        #expect(Expression(deep(19)) != nil && Expression(deep(20)) == nil)
        // One after another is not deep.
        #expect(Expression((0..<30).map { _ in "( a )" }.joined(separator: " + ")) != nil)
    }
}

@Suite("Timers and places of participants")
struct TimerQueueTests {
    @Test("come in the order of their times, however they were put in", arguments: 0..<20)
    func order(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var (queue, wanted) = (TimerQueue(), [Int64]())
        for step in 0..<200 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let due = Int64.random(in: 0..<50, using: &random)
                queue.push(due, step)
                wanted.append(due)
            } else {
                wanted.sort()
                #expect(queue.next?.due == wanted.first)
                #expect(queue.pop()?.due == wanted.first)
                wanted = Array(wanted.dropFirst())
            }
        }
        for due in wanted.sorted() { #expect(queue.pop()?.due == due) }
        #expect(queue.pop() == nil && queue.next == nil)
    }

    @Test("each keeps its participant")
    func participants() {
        var queue = TimerQueue()
        for (due, participant) in [(5, 50), (3, 30), (4, 40), (1, 10), (2, 20)] as [(Int64, Int)] { queue.push(due, participant) }
        #expect((0..<5).map { _ in queue.pop()?.participant } == [10, 20, 30, 40, 50])
    }

    private static func table(_ count: Int) throws -> (ParticipantTable, ParticipantState) {
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")])
        var table = ParticipantTable()
        for _ in 0..<count { table.append() }
        return (table, ParticipantState(rules, name: "", clock: 0))
    }

    @Test("a place is empty, spread out or bytes, and its room is used again")
    func indices() throws {
        var (table, state) = try Self.table(4)
        #expect(table.count == 4 && table.indices == 0..<4 && table.spreadCount == 0 && !table.isSpread(0) && table.bytes(0) == nil)
        #expect(table.booked(0) == .max)
        (state.touched, state.booked) = (7, 70)
        table.put(state, at: 1)
        #expect(table.isSpread(1) && table.spreadCount == 1 && table[1].touched == 7 && table.booked(1) == 70)
        table.schedule(1, at: 60)
        table.schedule(0, at: 90)
        #expect(table.booked(1) == 60 && table[1].booked == 60 && table.booked(0) == 90)
        table.pack(1, as: [1, 2, 3], booked: 55)
        #expect(!table.isSpread(1) && table.spreadCount == 0 && table.bytes(1) == [1, 2, 3] && table.booked(1) == 55)
        for (index, touched) in [(0, 10), (2, 12)] as [(Int, Int64)] {
            state.touched = touched
            table.put(state, at: index)
        }
        #expect(table.spreadCount == 2 && [0, 2].map { table[$0].touched } == [10, 12])
        table.put(state, at: 1)
        #expect(table.bytes(1) == nil && table.spreadCount == 3 && table[0].touched == 10)
        table.remove(0)
        #expect(!table.isSpread(0) && table.spreadCount == 2 && table.booked(0) == .max && [1, 2].map { table[$0].touched } == [12, 12])
        table.pack(3, as: [9], booked: 5)
        table.remove(3)
        #expect(table.bytes(3) == nil && table.booked(3) == .max)
    }

    @Test("those who are spread out are looked at in the order in which they came, each once")
    func queue() throws {
        var (table, state) = try Self.table(3000)
        for index in 0..<3000 { table.put(state, at: index) }
        state.touched = 1
        table.put(state, at: 0)
        #expect(table.next() == 0 && table.next() == 1)
        table.postpone(0)
        table.pack(2, as: [], booked: 0)
        table.put(state, at: 1)
        #expect((3..<3000).allSatisfy { table.next() == $0 })
        #expect(table.next() == 0 && table.next() == 1 && table.next() == nil)
        // One that was packed and is spread out again while it waits does so once.
        table.put(state, at: 2)
        table.pack(2, as: [], booked: 0)
        table.put(state, at: 2)
        #expect(table.next() == 2 && table.next() == nil)
    }
}
