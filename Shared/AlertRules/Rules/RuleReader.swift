import JSON5
import VigilSchema

/// Reads one rule into the set's tables.
struct RuleReader {
    var object: JSON5Object
    var set: RuleSet
    private(set) var inhibitors: [(String, SourcePosition)] = []
    var delay: Int64 = 0
    var keepFiring: Int64 = 0
    var leafDefaults = LeafReader.Defaults()

    init(object: JSON5Object, set: RuleSet) {
        self.object = object
        self.set = set
    }

    /// Nil where something that everything depends on is missing; what is wrong is noted.
    mutating func read() -> Rule? {
        let id = readID()
        readDefaults()
        let (levelStart, leafStart) = (set.levels.count, set.leaves.count)
        readLevels()
        let kind = object.choice("kind", of: Rule.Kind.allCases.map(\.rawValue)).flatMap(Rule.Kind.init(rawValue:)) ?? .medical
        let title = object.localized("title") ?? LocalizedText(["en": id ?? ""])
        let group = object.string("group") ?? "default"
        let escalations = readEscalations()
        inhibitors = readInhibitors()
        let schedule = object.object("schedule").flatMap(ScheduleReader.read)
        let ages = Set((object.list("ages") ?? []).compactMap { ageGroup($0) })
        let participants = Set(object.strings("participants") ?? [])
        let isLatching = object.bool("latch") ?? false
        let lateness = object.duration("lateness") ?? 10_000_000
        let maximumAge = object.duration("maximumAge") ?? 3600 * 1_000_000
        let (message, advice, source) = (object.localized("message"), object.localized("advice"), object.string("source"))
        object.refuseUnknown()
        guard let id, set.levels.count > levelStart else { return nil }
        set.ruleOfLeaf += Array(repeating: set.rules.count, count: set.leaves.count - leafStart)
        return Rule(
            id: id, kind: kind, title: title, group: group, levels: Array(set.levels[levelStart...]),
            levelRange: levelStart..<set.levels.count,
            leafRange: leafStart..<set.leaves.count, isLatching: isLatching, schedule: schedule, lateness: lateness, maximumAge: maximumAge,
            ages: ages, participants: participants, escalations: escalations, inhibitors: [], message: message, advice: advice,
            source: source, fingerprint: fingerprint(id, levelStart, leafStart))
    }

    private mutating func readID() -> String? {
        object.require("id")
        guard let value = object.value("id") else { return nil }
        if case .string(let text) = value.content, Name.isValid(text), text != "all", !text.hasPrefix("_") { return text }
        object.problems.add(
            "\"id\" must be 1 to 64 letters, digits, \"-\", \"_\" or \".\", not begin with \"_\" and not be \"all\"", at: value.position)
        return nil
    }

    private mutating func readDefaults() {
        delay = object.duration("for") ?? 0
        keepFiring = object.duration("keepFiringFor") ?? 0
        leafDefaults.metric = object.has("metric") ? object.string("metric") : nil
        leafDefaults.metricPosition = object.value("metric")?.position ?? object.position
        leafDefaults.staleAfter = object.duration("staleAfter") ?? 300 * 1_000_000
        if var quality = object.object("quality") {
            quality.require("metric")
            quality.require("atLeast")
            if let metric = quality.string("metric"), let minimum = quality.number("atLeast") {
                leafDefaults.quality = Leaf.Quality(metric: set.intern(metric: metric), minimum: minimum)
            }
            quality.refuseUnknown()
        }
    }

    private mutating func readLevels() {
        guard let values = object.list("levels") else {
            object.require("severity")
            readLevel(from: object) { reader, asked in reader.object = asked }
            return
        }
        for value in values {
            guard let level = JSON5Object(value, as: "a level", problems: object.problems) else { continue }
            readLevel(from: level) { _, asked in asked.refuseUnknown() }
        }
        let own = set.levels.suffix(values.count)
        let isRising = zip(own, own.dropFirst()).allSatisfy { $0.severity < $1.severity }
        if !isRising {
            object.problems.add(
                "levels must go from the mildest to the worst, each severity once", at: object.position,
                suggestion: "order: \(Severity.writable.joined(separator: ", "))")
        }
    }

    private mutating func readLevel(from level: JSON5Object, then finish: (inout RuleReader, JSON5Object) -> Void) {
        var level = level
        level.require("severity")
        let severity = level.choice("severity", of: Severity.writable).flatMap(Severity.init(name:))
        let priority = level.choice("priority", of: AlertPriority.allCases.map(\.rawValue)).flatMap(AlertPriority.init(rawValue:))
        let (delay, keepFiring) = (level.duration("for") ?? delay, level.duration("keepFiringFor") ?? keepFiring)
        let repetition = readRepetition(&level)
        var leaves = LeafReader(set: set, defaults: leafDefaults)
        let condition = leaves.condition(in: &level)
        set = leaves.set
        finish(&self, level)
        guard let severity, let condition else { return }
        set.levels.append(
            RuleLevel(
                severity: severity, priority: priority ?? AlertPriority(severity), condition: condition, delay: delay,
                keepFiring: keepFiring, repetition: repetition))
    }

    private mutating func readRepetition(_ level: inout JSON5Object) -> RuleLevel.Repetition? {
        guard var object = level.object("repeat") else { return nil }
        object.require("count")
        object.require("within")
        defer { object.refuseUnknown() }
        guard let count = object.integer("count", in: 2...32), let within = object.duration("within") else { return nil }
        defer { set.ringCount += count }
        return RuleLevel.Repetition(count: count, within: within, ring: set.ringCount)
    }

    private mutating func readEscalations() -> [Rule.Escalation] {
        var steps: [Rule.Escalation] = []
        for value in object.list("escalate") ?? [] {
            guard var step = JSON5Object(value, as: "an escalation", problems: object.problems) else { continue }
            step.require("after")
            step.require("to")
            if let after = step.duration("after"), let to = step.string("to") {
                if after <= steps.last?.after ?? 0 {
                    object.problems.add("each escalation must come later than the one before", at: value.position)
                }
                steps.append(Rule.Escalation(after: after, to: to))
            }
            step.refuseUnknown()
        }
        return steps
    }

    private mutating func readInhibitors() -> [(String, SourcePosition)] {
        (object.list("inhibitedBy") ?? []).compactMap { value in
            if case .string(let name) = value.content { return (name, value.position) }
            object.problems.add("\"inhibitedBy\" lists rules' ids", at: value.position)
            return nil
        }
    }

    private func ageGroup(_ value: JSON5Value) -> AgeGroup? {
        let names = AgeGroup.allCases.map(\.rawValue)
        if case .string(let name) = value.content, let group = AgeGroup(rawValue: name) { return group }
        object.problems.add("an age group must be one of \(names.joined(separator: ", "))", at: value.position)
        return nil
    }

    /// FNV-1a over what the rule's kept state depends on: how many levels and leaves, and what they compare.
    private func fingerprint(_ id: String, _ levels: Int, _ leaves: Int) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var text = id
        for level in set.levels[levels...] { text += "|\(level.severity)\(level.delay),\(level.repetition?.count ?? 0)" }
        for leaf in set.leaves[leaves...] { text += "|\(set.metrics[leaf.metric])\(leaf.quantity)\(leaf.window == nil)" }
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
