import JSON5
import VigilSchema

/// Reads one rule into the set's tables.
struct RuleReader {
    /// The ids of inhibiting rules, each with its place in the file.
    private(set) var inhibitors: [(String, SourcePosition)] = []
    private(set) var set: RuleSet
    /// False where a level is so wrong that it could not be made.
    private(set) var hasAllLevels = true
    private var object: JSON5Object
    private let file: String
    private var delay: Int64 = 0
    private var share: Double?
    private var keepFiring: Int64?
    /// Scores go by whole points, so that noise of one vital sign takes them over a limit and back: they keep on for so long.
    private static let scoreKeepFiring: Int64 = 900 * 1_000_000
    private var acknowledgement = RuleLevel.Acknowledgement()
    private var defaults = ConditionReader.Defaults()

    init(object: JSON5Object, set: RuleSet, file: String) {
        self.object = object
        self.set = set
        self.file = file
    }

    /// Reads it; nil where something that everything depends on is missing. What is wrong is noted.
    mutating func read() -> Rule? {
        let id = readID()
        readDefaults()
        let (levelStart, leafStart) = (set.levels.count, set.leaves.count)
        readLevels()
        let kind = object.choice("kind", of: Rule.Kind.allCases.map(\.rawValue)).flatMap(Rule.Kind.init(rawValue:)) ?? .medical
        let title = object.localized("title") ?? Translations(["en": id ?? ""])
        let group = readGroup()
        let escalations = readEscalations()
        inhibitors = readInhibitors()
        let schedule = object.object("schedule").flatMap(ScheduleReader.read)
        let ages = object.ageGroups()
        let participants = Set(object.strings("participants") ?? [])
        let profiles = object.profileFilter()
        let isLatching = object.bool("latch") ?? false
        let lateness = object.duration("lateness") ?? 10_000_000
        // More than an hour, by which a sensor's clock is behind that knows no summer time, or was set back in autumn.
        let maximumAge = object.span("maximumAge") ?? 4200 * 1_000_000
        let lateUntil = object.duration("lateUntil") ?? 86_400 * 1_000_000
        let clearFor = object.duration("clearFor") ?? 4 * 3600 * 1_000_000
        let paired = object.duration("paired")
        let (message, advice, source) = (object.localized("message"), object.localized("advice"), object.string("source"))
        object.refuseUnknown()
        guard let id, set.levels.count > levelStart else { return nil }
        LevelCheck(set: set, problems: object.problems, position: object.position).check(levelStart..<set.levels.count)
        let check = DelayCheck(set: set, file: file, position: object.position, lateness: lateness)
        set.warnings += set.levels[levelStart...].compactMap(check.warning)
        set.ruleOfLeaf += Array(repeating: set.rules.count, count: set.leaves.count - leafStart)
        let metrics = Set(set.leaves[leafStart...].flatMap { set.metrics(of: $0) })
        return Rule(
            id: id, kind: kind, title: title, group: group, levels: Array(set.levels[levelStart...]),
            levelRange: levelStart..<set.levels.count, leafRange: leafStart..<set.leaves.count, isLatching: isLatching, schedule: schedule,
            lateness: lateness, maximumAge: maximumAge, lateUntil: lateUntil, ages: ages, participants: participants, profiles: profiles,
            clearFor: clearFor,
            pairing: paired ?? pairing(of: metrics), isMixed: metrics.count > 1, escalations: escalations, inhibitors: [], message: message,
            advice: advice, source: source, fingerprint: fingerprint(id, levelStart, leafStart))
    }

    /// The two numbers of a blood pressure are one reading, measured within a minute.
    private func pairing(of metrics: Set<Int>) -> Int64? {
        Set(metrics.map { set.metrics[$0] }) == ["systolic-pressure", "diastolic-pressure"] ? 60_000_000 : nil
    }

    private mutating func readID() -> String? {
        object.require("id")
        guard let value = object.value("id") else { return nil }
        if case .string(let text) = value.content, Name.isValid(text), text != "all", !text.hasPrefix("_") { return text }
        object.problems.add(
            "\"id\" must be 1 to 64 letters, digits, \"-\", \"_\" or \".\", not begin with \"_\" and not be \"all\"", at: value.position)
        return nil
    }

    private mutating func readGroup() -> String {
        guard let value = object.value("group") else { return "default" }
        guard case .string(let name) = value.content, !name.isEmpty else {
            object.problems.add("\"group\" must be a name", at: value.position)
            return "default"
        }
        set.mentions.append(RuleMention(kind: .group, name: name, file: file, position: value.position))
        return name
    }

    private mutating func readDefaults() {
        delay = object.duration("for") ?? delay
        share = object.number("share")
        keepFiring = object.duration("keepFiringFor") ?? keepFiring
        if object.has("levels") { acknowledgement = Self.acknowledgement(in: &object, else: acknowledgement) }
        defaults.metric = object.has("metric") ? object.string("metric") : nil
        defaults.metricPosition = object.value("metric")?.position ?? object.position
        defaults.staleAfter = object.duration("staleAfter") ?? defaults.staleAfter
        if let lasts = object.span("lasts") { (defaults.staleAfter, defaults.isEvent) = (lasts, true) }
        guard var quality = object.object("quality") else { return }
        quality.require("metric")
        quality.require("atLeast")
        let position = quality.value("metric")?.position ?? quality.position
        let (metric, minimum) = (quality.string("metric"), quality.number("atLeast"))
        if let metric, let minimum {
            defaults.quality = Leaf.Quality(index: set.intern(quality: metric), minimum: minimum)
            checkQuality(metric, minimum, position)
        }
        quality.refuseUnknown()
    }

    private func checkQuality(_ metric: String, _ minimum: Double, _ position: SourcePosition) {
        guard let definition = MetricCatalogue.standard.definition(named: metric) else {
            if metric.hasPrefix("x-") { return }
            let known = MetricCatalogue.standard.definitions.map(\.name)
            object.problems.add(
                "there is no metric \"\(metric)\"", at: position, suggestion: Spelling.suggestion(for: metric, among: known))
            return
        }
        if let range = definition.plausible, !range.contains(minimum) {
            object.problems.add("\"\(metric)\" lies between \(range.lowerBound) and \(range.upperBound)", at: position)
        }
    }

    private mutating func readLevels() {
        guard let values = object.list("levels") else {
            readLevel(from: object) { reader, asked in reader.object = asked }
            return
        }
        if values.isEmpty { object.problems.add("the list of levels is empty", at: object.position) }
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
        let givenShare = level.number("share") ?? self.share
        let share = givenShare ?? 1
        if !(0.5...1).contains(share) || (share < 1 && delay == 0) {
            level.problems.add(
                "\"share\" is the part of the readings during \"for\" that must exceed the limit, 0.5 to 1", at: level.position)
        }
        let repetition = readRepetition(&level)
        let acknowledgement = Self.acknowledgement(in: &level, else: self.acknowledgement)
        var conditions = ConditionReader(set: set, defaults: defaults, file: file)
        let condition = conditions.condition(in: &level)
        set = conditions.set
        finish(&self, level)
        guard let severity, let condition else {
            hasAllLevels = false
            return
        }
        set.levels.append(
            RuleLevel(
                severity: severity, priority: priority ?? AlertPriority(severity), condition: condition, delay: delay, share: share,
                isShareGiven: givenShare != nil, keepFiring: keepFiring ?? defaultKeepFiring(condition), repetition: repetition,
                acknowledgement: acknowledgement))
    }

    private func defaultKeepFiring(_ condition: Condition) -> Int64 {
        guard case .leaf(let leaf) = condition, set.leaves[leaf].quantity == .value else { return 0 }
        let metric = set.metrics[set.leaves[leaf].metric]
        return metric.hasPrefix("news2-") || set.scores.additive(reads: metric) != nil ? Self.scoreKeepFiring : 0
    }

    /// `acknowledgement: {endsAfter: "1h", worsensBy: 4}`; what it does not say is as the rule says.
    private static func acknowledgement(
        in object: inout JSON5Object, else inherited: RuleLevel.Acknowledgement
    ) -> RuleLevel.Acknowledgement {
        var result = inherited
        guard var asked = object.object("acknowledgement") else { return result }
        result.endsAfter = asked.duration("endsAfter") ?? result.endsAfter
        result.worsensBy = asked.number("worsensBy") ?? result.worsensBy
        if let margin = asked.number("worsensBy"), margin <= 0 {
            asked.problems.add("\"worsensBy\" must be more than 0", at: asked.position)
        }
        asked.refuseUnknown()
        return result
    }

    /// A repetition over less is one of a sensor's readings that follow each other, not of single measurements, in microseconds.
    private static let spot: Int64 = 600 * 1_000_000

    /// `repeat: {count: 3, of: 5, within: "10m", apart: "30s", intervals: 3}`
    private mutating func readRepetition(_ level: inout JSON5Object) -> RuleLevel.Repetition? {
        guard var object = level.object("repeat") else { return nil }
        object.require("count")
        object.require("within")
        defer { object.refuseUnknown() }
        let (of, apart) = (object.integer("of", in: 2...64), object.duration("apart") ?? 0)
        let (asked, within) = (object.integer("count", in: 2...32), object.span("within"))
        guard let count = asked, let within else { return nil }
        if let of, of < count { object.problems.add("\"of\" must not be less than \"count\"", at: object.position) }
        if apart * Int64(count - 1) > within {
            object.problems.add("\(count) readings \"apart\" do not fit \"within\"", at: object.position)
        }
        let repetition = RuleLevel.Repetition(
            count: count, of: of, apart: apart, within: within, ring: set.ringCount,
            intervals: object.integer("intervals", in: 0...32) ?? (within >= Self.spot ? of ?? count : 0))
        set.ringCount += repetition.size
        return repetition
    }

    private mutating func readEscalations() -> [Rule.Escalation] {
        var steps: [Rule.Escalation] = []
        for value in object.list("escalate") ?? [] {
            guard var step = JSON5Object(value, as: "an escalation", problems: object.problems) else { continue }
            step.require("after")
            step.require("to")
            let position = step.value("to")?.position ?? value.position
            if let after = step.duration("after"), let to = step.string("to") {
                if after <= steps.last?.after ?? 0 {
                    object.problems.add("each escalation must come later than the one before", at: value.position)
                }
                if to.isEmpty { object.problems.add("\"to\" names nobody", at: position) }
                set.mentions.append(RuleMention(kind: .escalation, name: to, file: file, position: position))
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

    /// FNV-1a over what the rule's kept state depends on: how many levels and leaves, and what they compare.
    private func fingerprint(_ id: String, _ levels: Int, _ leaves: Int) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var text = id
        for level in set.levels[levels...] {
            text +=
                "|\(level.severity)\(level.delay)\(level.share < 1 ? "*\(level.share)" : ""),\(level.repetition?.count ?? 0),\(level.repetition?.of ?? 0)"
        }
        for leaf in set.leaves[leaves...] {
            text += "|\(set.metrics[leaf.metric])\(set.text(of: leaf.quantity))\(leaf.memory == nil)\(leaf.isSilent)"
        }
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}

extension RuleSet {
    /// The metrics that a leaf reads.
    func metrics(of leaf: Leaf) -> [Int] {
        if case .computed(let index) = leaf.quantity { return expressions[index].metrics }
        return [leaf.metric]
    }

    /// A quantity without places, which other rules move.
    fileprivate func text(of quantity: Quantity) -> String {
        switch quantity {
        case .computed(let index): "computed \(expressions[index].names)\(expressions[index].steps)"
        case .anchored(let measure, _, let within): "anchored \(measure) \(within)"
        default: "\(quantity)"
        }
    }
}
