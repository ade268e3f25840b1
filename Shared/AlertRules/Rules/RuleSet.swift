package import JSON5

/// Rules made ready for the engine: names turned into places in flat tables.
package struct RuleSet: Sendable {
    package var rules: [Rule] = []
    /// Every level of every rule.
    package var levels: [RuleLevel] = []
    /// Every leaf of every rule.
    package var leaves: [Leaf] = []
    /// The rule of each leaf.
    package var ruleOfLeaf: [Int] = []
    /// Metrics that rules and scores name.
    package var metrics: [String] = []
    /// Texts that rules and scores name.
    package var vocabulary: [String] = []
    package var thresholds: [Threshold] = []
    /// The metric of each history and what its thresholds ask of it.
    package var histories: [HistoryPlan] = []
    /// The length of each window, in microseconds.
    package var windows: [Int64] = []
    /// How many remembered times the repetitions need.
    package var ringCount = 0
    package var scores = ScoreSettings()
    /// The leaves that read each metric.
    package var readers: [[Int]] = []
    /// The histories that read each metric.
    package var historians: [[Int]] = []
    /// The place among the scores' inputs of each metric, −1 for the others; empty where no score is on.
    package var scoreInput: [Int] = []
    /// The rules that each rule inhibits.
    package var inhibited: [[Int]] = []

    private var metricIndex: [String: Int] = [:]
    private var vocabularyIndex: [String: Int] = [:]

    package init() {}

    /// The place of a metric's name, or nil where no rule needs it.
    package func metric(named name: String) -> Int? { metricIndex[name] }
    /// The place of a text, or −1 where no rule knows it.
    package func code(ofText text: String) -> Double { Double(vocabularyIndex[text] ?? -1) }
    /// The place of a rule.
    package func rule(named id: String) -> Int? { rules.firstIndex { $0.id == id } }

    /// The metric's place, made where it is new.
    mutating func intern(metric name: String) -> Int {
        if let known = metricIndex[name] { return known }
        metricIndex[name] = metrics.count
        metrics.append(name)
        readers.append([])
        historians.append([])
        return metrics.count - 1
    }

    /// The text's place, made where it is new.
    mutating func intern(text: String) -> Int {
        if let known = vocabularyIndex[text] { return known }
        vocabularyIndex[text] = vocabulary.count
        vocabulary.append(text)
        return vocabulary.count - 1
    }

    /// Fills what is derived from the tables; to be called once all rules are in.
    mutating func finish() {
        inhibited = Array(repeating: [], count: rules.count)
        for (place, rule) in rules.enumerated() {
            for inhibitor in rule.inhibitors { inhibited[inhibitor].append(place) }
        }
        for (place, leaf) in leaves.enumerated() { readers[leaf.metric].append(place) }
        for (place, history) in histories.enumerated() { historians[history.metric].append(place) }
    }
}

/// A history that percentile thresholds are taken from.
package struct HistoryPlan: Hashable, Sendable {
    package let metric: Int
    /// What its 64 bins span.
    package let range: ClosedRange<Double>
    package let halfLife: Int64
}

/// A rule file's name, for messages, and its text.
package struct RuleFile: Hashable, Sendable {
    package let name: String
    package let text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// Everything that is wrong with rule files.
package struct RuleError: Error, Sendable, CustomStringConvertible {
    /// A problem and the file that it is in.
    package struct Entry: Hashable, Sendable, CustomStringConvertible {
        package let file: String
        package let problem: JSON5Problem

        package init(file: String, problem: JSON5Problem) {
            self.file = file
            self.problem = problem
        }

        /// `file:line:column: message; suggestion`.
        package var description: String { problem.description(file: file) }
    }

    /// At least one, by file and place.
    package let entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// A line each.
    package var description: String { entries.map(\.description).joined(separator: "\n") }
}
