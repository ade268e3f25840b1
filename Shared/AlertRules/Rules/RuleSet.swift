package import JSON5
import VigilSchema

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
    /// The ages in years at which other rules or limits hold, in rising order.
    package var ageBounds: [Double] = []
    /// The metric of each history and what its thresholds ask of it.
    package var histories: [HistoryPlan] = []
    /// The length of each window, in microseconds.
    package var windows: [Int64] = []
    /// The calendar days of each comparison that remembers some.
    package var days: [DayPlan] = []
    /// The number of comparisons that are anchored at an event.
    package var anchorCount = 0
    package var expressions: [Expression] = []
    /// The number of inputs of expressions that are remembered.
    package var inputCount = 0
    /// The metrics of signal quality that rules ask for.
    package var qualities: [Int] = []
    /// The statements of conditions on other rules' alerts.
    package var references: [AlertReference] = []
    /// The names of escalation steps and groups, with where they stand.
    package var mentions: [RuleMention] = []
    /// The number of remembered times the repetitions need.
    package var ringCount = 0
    package var scores = ScoreSettings()
    /// The leaves that read each metric.
    package var readers: [[Int]] = []
    /// The histories that read each metric.
    package var historiesByMetric: [[Int]] = []
    /// The place among the scores' inputs of each metric, −1 for the others; empty where no score is on.
    package var scoreInput: [Int] = []
    /// The names of the scores' inputs: first those whose newest value is remembered, of which there are `scoreSlots`.
    var scoreInputs: [String] = []
    var scoreSlots = ScoreTracker.newestSlots
    /// The metrics of scores that rule files define: they are worked out here and taken from nobody.
    var ownScoreMetrics: Set<Int> = []
    /// The rules that each rule inhibits.
    package var inhibited: [[Int]] = []
    /// The vital signs that each rule is about: metrics' names, of NEWS2's points those that they are taken from.
    var subjects: [Set<String>] = []
    /// A rule reads the points of single parameters of NEWS2.
    private(set) var readsPoints = false
    /// The rules whose conditions refer to each rule's alert.
    package var dependents: [[Int]] = []
    /// The place among the quality metrics of each metric, −1 for the others.
    package var qualityOf: [Int] = []
    /// The leaf that waits for an event of each leaf, −1 for none.
    package var anchoredAt: [Int] = []
    /// The medical rules that judge by each metric alone: where none of them is for somebody, nobody looks at it.
    package var rulesByMetric: [[Int]] = []
    /// The rules that judge NEWS2 or its points: they are only for those for whom the score is.
    private(set) var scoredRules: Set<Int> = []
    /// The additive score that each of some rules judges: they are only for those for whom it is.
    private(set) var additiveOfRule: [Int: Int] = [:]
    /// The place of the metric of blood glucose, −1 where no rule reads it.
    package private(set) var glucose = -1
    /// The places of the heart rate and of the pulse rate that stands in for it.
    package private(set) var heartRate = -1
    package private(set) var pulseRate = -1
    /// The place of the offset of a sensor's clock, −1 where no rule reads it.
    private(set) var clockOffset = -1
    /// The rule that tells that none applies to somebody's readings.
    package private(set) var uncoveredRule = -1

    /// The flat part of each leaf and level, and which rules have a schedule.
    var plans: [LeafPlan] = []
    var levelPlans: [LevelPlan] = []
    var isScheduled: [Bool] = []
    /// Statements of the files that have no effect as they are loaded, such as rules of files that are not there.
    package var warnings: [RuleError.Entry] = []

    private var metricIndex: [String: Int] = [:]
    private var vocabularyIndex: [String: Int] = [:]

    package init() {}

    /// The place of a metric's name, or nil where no rule needs it.
    package func metric(named name: String) -> Int? { metricIndex[name] }
    /// The place of a text, or −1 where no rule knows it.
    package func code(ofText text: String) -> Double { Double(vocabularyIndex[text] ?? -1) }
    /// The place of a text that had another one in former rules, or −1 where no rule knows it now.
    func code(_ code: Double, from former: RuleSet) -> Double {
        guard let index = Int(exactly: code), former.vocabulary.indices.contains(index) else { return -1 }
        return self.code(ofText: former.vocabulary[index])
    }
    /// The place of a rule.
    package func rule(named id: String) -> Int? { rules.firstIndex { $0.id == id } }

    /// The metric's place, made where it is new.
    mutating func intern(metric name: String) -> Int {
        if let known = metricIndex[name] { return known }
        metricIndex[name] = metrics.count
        metrics.append(name)
        readers.append([])
        historiesByMetric.append([])
        qualityOf.append(-1)
        rulesByMetric.append([])
        let index = metrics.count - 1
        if name == "blood-glucose" { glucose = index }
        if name == "pulse-rate" { pulseRate = index }
        if name == TechnicalMetric.clockOffset { clockOffset = index }
        if name == "heart-rate" {
            heartRate = index
            // A pulse rate stands in for a heart rate that does not come.
            _ = intern(metric: "pulse-rate")
        }
        return index
    }

    /// The text's place, made where it is new.
    mutating func intern(text: String) -> Int {
        if let known = vocabularyIndex[text] { return known }
        vocabularyIndex[text] = vocabulary.count
        vocabulary.append(text)
        return vocabulary.count - 1
    }

    /// The place of a quality metric, made where it is new.
    mutating func intern(quality name: String) -> Int {
        let metric = intern(metric: name)
        if let known = qualities.firstIndex(of: metric) { return known }
        qualities.append(metric)
        return qualities.count - 1
    }

    /// A place in the table of what comparisons of a quantity remember; nil where they remember nothing.
    mutating func memory(for quantity: Quantity) -> Int? {
        switch quantity {
        case .value: return nil
        case .window(_, let over), .predicted(_, let over):
            windows.append(over)
            return windows.count - 1
        case .days(_, let plan), .deviation(let plan):
            days.append(plan)
            return days.count - 1
        case .anchored:
            anchorCount += 1
            return anchorCount - 1
        case .computed(let expression): return expressions[expression].first
        }
    }

    /// Fills what is derived from the tables; to be called once all rules are in.
    mutating func finish() {
        inhibited = Array(repeating: [], count: rules.count)
        for (index, rule) in rules.enumerated() {
            for inhibitor in rule.inhibitors { inhibited[inhibitor].append(index) }
        }
        let points = NEWS2.Parameter.pointsMetrics
        subjects = rules.map { rule in
            Set(leaves[rule.leafRange].flatMap { metrics(of: $0) }.map { points[metrics[$0]] ?? metrics[$0] })
        }
        readsPoints = metrics.contains { points[$0] != nil }
        dependents = Array(repeating: [], count: rules.count)
        for (index, rule) in rules.enumerated() {
            for other in rule.referred { dependents[other].append(index) }
        }
        anchoredAt = Array(repeating: -1, count: leaves.count)
        for (index, leaf) in leaves.enumerated() {
            if case .computed(let expression) = leaf.quantity {
                for metric in expressions[expression].metrics { readers[metric].append(index) }
            } else {
                readers[leaf.metric].append(index)
            }
            if case .anchored(_, let event, _) = leaf.quantity { anchoredAt[event] = index }
        }
        for (index, rule) in rules.enumerated() where rule.kind == .medical && (!rule.isMixed || rule.pairing != nil) {
            for metric in Set(leaves[rule.leafRange].flatMap { metrics(of: $0) }) { rulesByMetric[metric].append(index) }
        }
        qualityOf = metrics.indices.map { qualities.firstIndex(of: $0) ?? -1 }
        ageBounds = Set(AgeGroup.bounds + thresholds.flatMap { $0.underAge.map(\.years) }).sorted()
        uncoveredRule = rule(named: Self.uncoveredRuleID) ?? -1
        for (index, history) in histories.enumerated() { historiesByMetric[history.metric].append(index) }
        plan()
    }
}

extension RuleSet {
    /// Counts the rules on scores as judging their inputs, so that an input that no rule judges for somebody is reported.
    mutating func coverScoreInputs() {
        for (index, rule) in rules.enumerated() where rule.kind == .medical {
            let read = Set(leaves[rule.leafRange].flatMap { metrics(of: $0) }.map { metrics[$0] })
            let vitals = scores.isNEWS2On ? read.flatMap(NEWS2.inputs) : []
            if !vitals.isEmpty { scoredRules.insert(index) }
            let own = read.compactMap(scores.additive(reads:)).first
            additiveOfRule[index] = own
            let inputs = own.map { scores.additive[$0].inputs.map(\.metric).filter { $0 != NEWS2.Parameter.oxygen.metric } } ?? []
            for metric in Set(vitals + inputs).compactMap({ metric(named: $0) }) where !rulesByMetric[metric].contains(index) {
                rulesByMetric[metric].append(index)
            }
        }
        if !scoredRules.isEmpty, !ageBounds.contains(NEWS2.leastAge) { ageBounds = (ageBounds + [NEWS2.leastAge]).sorted() }
    }
}

/// A history that percentile thresholds are taken from.
package struct HistoryPlan: Hashable, Sendable {
    package let metric: Int
    /// The range that its 64 bins span.
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

/// The statement of a condition about another rule's alert.
package struct AlertReference: Hashable, Sendable {
    package let name: String
    /// The mildest severity that counts.
    package let minimum: Severity
    package let file: String
    package let position: SourcePosition
    /// The rule's place, once all rules are read.
    package var rule = -1
}

/// A name that something beside the rule files must know.
package struct RuleMention: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable { case escalation, group }

    package let kind: Kind
    package let name: String
    package let file: String
    package let position: SourcePosition
}

extension RuleSet {
    /// The number of metrics that somebody sends, that rules read, and that no rule judges for this person.
    package static let uncoveredMetric = "uncovered-metrics"
    package static let uncoveredRuleID = "no-rules-apply"

    /// The rule that tells of somebody whose readings no rule judges; part of every rule set that judges people and has none of that id.
    static let uncoveredRuleFile = RuleFile(
        name: "built-in",
        text: """
            {rules: [{id: "no-rules-apply", kind: "technical", group: "technical", severity: "warning", metric: "uncovered-metrics", atLeast: 1,
              staleAfter: "7d", maximumAge: "365d",
              title: {en: "No rule applies to this person's readings", de: "Keine Regel gilt für die Messwerte dieser Person",
                ru: "Для показаний этого человека нет правил"},
              message: {en: "{title}.", de: "{title}.", ru: "{title}."},
              advice: {en: "Check age and profile, and that there are rules for this age.", de: "Alter und Profil prüfen, und ob es Regeln für dieses Alter gibt.",
                ru: "Проверьте возраст и профиль и наличие правил для этого возраста."}}]}
            """)
}
