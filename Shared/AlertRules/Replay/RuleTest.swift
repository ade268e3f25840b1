package import VigilSchema

/// A unit test of rules: what goes in, and the transitions that must come of it.
package struct RuleTest: Sendable {
    /// A transition that must happen.
    package struct Expected: Sendable {
        package var rule: String
        package var transition: String
        /// Nil: any.
        package var severity: String?
        /// Kept quiet by another alert, or not; nil: either.
        package var isInhibited: Bool?
        /// Microseconds after the test's start; nil: whenever.
        package var at: Int64?
        /// The permitted distance from `at`.
        package var within: Int64
    }

    /// What a score must be at a time.
    package struct ExpectedScore: Sendable {
        package var participant: String
        package var metric: String
        /// Microseconds after the test's start.
        package var at: Int64
        package var content: DerivedValue.Content
    }

    /// The data stored of a participant, to be played.
    package struct StoredRange: Hashable, Sendable {
        package var participant: String
        /// Microseconds since 1970.
        package var from: Int64
        package var to: Int64

        package init(participant: String, from: Int64, to: Int64) {
            self.participant = participant
            self.from = from
            self.to = to
        }
    }

    package var name: String
    /// Microseconds since 1970: what times in the test count from; nil: the first reading.
    package var start: Int64?
    package var readings: [ReplayReading] = []
    package var commands: [RecordedCommand] = []
    /// Files of recordings, as paths.
    package var recordings: [String] = []
    package var stored: StoredRange?
    /// The time time goes on after the last reading, in microseconds.
    package var after: Int64 = 600 * 1_000_000
    /// The rules that are looked at; empty: all.
    package var only: Set<String> = []
    package var expected: [Expected] = []
    package var expectedScores: [ExpectedScore] = []
    /// Minor transitions that are compared though none is expected.
    package var also: Set<String> = []

    package init(name: String) { self.name = name }

    /// Transitions that are compared only where a test expects one of the kind.
    static let minor: Set<String> = ["pending", "cancelled", "data-lost", "data-back", "threshold-changed", "profile-changed"]

    /// Plays it.
    /// - Throws: `CommandRefusal` where a command of the test is refused.
    package func run(rules: RuleSet, readings: [ReplayReading]) throws(CommandRefusal) -> RuleTestResult {
        let result = try RuleReplay.run(rules: rules, readings: readings, commands: commands, after: after)
        let start = start ?? readings.map(\.time).min() ?? 0
        let scores = expectedScores.flatMap { RuleTestResult.compare($0, result.scores, start: start) }
        return RuleTestResult(lines: RuleTestResult(self, result.events, start: start).lines + scores)
    }

    /// Returns whether the transition is to be found among the expected ones.
    func compares(_ rule: String, _ transition: String) -> Bool {
        guard only.isEmpty || only.contains(rule) else { return false }
        return !Self.minor.contains(transition) || also.contains(transition) || expected.contains { $0.transition == transition }
    }
}

/// A file of rule tests.
package struct RuleTestFile: Sendable {
    /// The rule files and folders that it names, as paths; empty: those that the command names.
    package var rules: [String]
    package var tests: [RuleTest]
}

/// The outcome of a rule test, beside what was expected.
package struct RuleTestResult: Sendable {
    /// A line of the comparison.
    package enum Line: Sendable, Hashable {
        /// Expected, and it happened.
        case same(String)
        case missing(String)
        case unexpected(String)
    }

    package let lines: [Line]

    /// A Boolean value that indicates whether everything expected happened and nothing else did.
    package var hasPassed: Bool { lines.allSatisfy { if case .same = $0 { true } else { false } } }

    init(lines: [Line]) { self.lines = lines }

    /// Compares a score with the newest value that it had by then.
    static func compare(_ expected: RuleTest.ExpectedScore, _ scores: [RuleReplay.Score], start: Int64) -> [Line] {
        let newest = scores.last {
            $0.metric == expected.metric && $0.participant == expected.participant && $0.decided <= start + expected.at
        }
        func text(_ content: DerivedValue.Content?) -> String {
            let value =
                switch content {
                case .number(let number): AlertTexts.number(number)
                case .text(let text): text
                case nil: "not known"
                }
            return "\(DurationText.text(microseconds: expected.at))  \(expected.metric)  \(value)"
        }
        guard newest?.content != expected.content else { return [.same(text(expected.content))] }
        return [.missing(text(expected.content)), .unexpected(text(newest?.content))]
    }

    /// Compares in order, with as few differences as there can be.
    package init(_ test: RuleTest, _ events: [AlertMessage], start: Int64) {
        let found = events.filter { test.compares($0.rule, $0.transition) }.map { Happened($0, start: start) }
        let common = Self.common(test.expected, found)
        var lines: [Line] = []
        var (left, right) = (0, 0)
        for (expected, happened) in common + [(test.expected.count, found.count)] {
            lines += test.expected[left..<expected].map { .missing(Self.text($0)) }
            lines += found[right..<happened].map { .unexpected($0.text) }
            if happened < found.count { lines.append(.same(found[happened].text)) }
            (left, right) = (expected + 1, happened + 1)
        }
        self.lines = lines
    }

    /// The longest common subsequence, as pairs of places.
    private static func common(_ expected: [RuleTest.Expected], _ found: [Happened]) -> [(Int, Int)] {
        var lengths = Array(repeating: Array(repeating: 0, count: found.count + 1), count: expected.count + 1)
        for left in expected.indices.reversed() {
            for right in found.indices.reversed() {
                lengths[left][right] =
                    found[right].matches(expected[left])
                    ? lengths[left + 1][right + 1] + 1 : max(lengths[left + 1][right], lengths[left][right + 1])
            }
        }
        var pairs: [(Int, Int)] = []
        var (left, right) = (0, 0)
        while left < expected.count, right < found.count {
            if found[right].matches(expected[left]) {
                pairs.append((left, right))
                (left, right) = (left + 1, right + 1)
            } else if lengths[left + 1][right] >= lengths[left][right + 1] {
                left += 1
            } else {
                right += 1
            }
        }
        return pairs
    }

    private static func text(_ expected: RuleTest.Expected) -> String {
        let time = expected.at.map(DurationText.text) ?? "any time"
        return "\(time)  \(expected.rule)  \(expected.transition)" + (expected.severity.map { "  \($0)" } ?? "")
            + (expected.isInhibited.map { $0 ? "  inhibited" : "  not inhibited" } ?? "")
    }

    private struct Happened {
        let rule: String
        let transition: String
        let severity: String
        let isInhibited: Bool
        let at: Int64

        init(_ message: AlertMessage, start: Int64) {
            (rule, transition, severity, isInhibited) = (message.rule, message.transition, message.severity, message.inhibited)
            at = Int64((message.time * 1e6).rounded()) - start
        }

        func matches(_ expected: RuleTest.Expected) -> Bool {
            rule == expected.rule && transition == expected.transition && (expected.severity ?? severity) == severity
                && (expected.isInhibited ?? isInhibited) == isInhibited && expected.at.map { abs(at - $0) <= expected.within } ?? true
        }

        var text: String {
            let time = at < 0 ? "-\(DurationText.text(microseconds: -at))" : DurationText.text(microseconds: at / 1000 * 1000)
            return "\(time)  \(rule)  \(transition)  \(severity)" + (isInhibited ? "  inhibited" : "")
        }
    }
}
