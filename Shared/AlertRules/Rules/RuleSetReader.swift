import JSON5

/// Reads rule files into a rule set, or says everything that is wrong with them.
package struct RuleSetReader {
    var set = RuleSet()
    private var entries: [RuleError.Entry] = []
    /// False where a rule is so wrong that it could not be made.
    private var hasAllRules = true
    private var indices: [String: (file: String, position: SourcePosition)] = [:]
    private var inhibitions: [RuleGraph.Inhibition] = []
    /// The ids of the rules of each name that a file gives itself.
    private var names: [String: Set<String>] = [:]

    private init() {}

    /// Reads them all as one set; a rule's id must be unique among them.
    package static func read(_ files: [RuleFile]) throws(RuleError) -> RuleSet {
        var reader = RuleSetReader()
        reader.readAll(files)
        // What a rule says once for several levels is wrong once.
        var seen = Set<RuleError.Entry>()
        let entries = reader.entries.filter { seen.insert($0).inserted }
        guard entries.isEmpty else { throw RuleError(entries: entries) }
        return reader.set
    }

    /// Reads rules that were in force already, as the state kept under them needs them: what is refused today by a check that they were not subject
    /// to then is passed over.
    package static func readStored(_ files: [RuleFile]) throws(RuleError) -> RuleSet {
        var reader = RuleSetReader()
        reader.readAll(files)
        guard reader.hasAllRules else { throw RuleError(entries: reader.entries) }
        return reader.set
    }

    private mutating func readAll(_ files: [RuleFile]) {
        for file in files { read(file) }
        // Somebody whom no rule judges is told of in any case.
        if set.rule(named: RuleSet.uncoveredRuleID) == nil, set.rules.contains(where: { $0.kind == .medical }) {
            read(RuleSet.uncoveredRuleFile)
        }
        var graph = RuleGraph(set, names: names)
        graph.resolve(inhibitions)
        set = graph.set
        entries += graph.entries
        set.warnings += graph.warnings
        set.finish()
    }

    private mutating func read(_ file: RuleFile) {
        let problems = JSON5Problems()
        do {
            let value = try JSON5Parser.parse(file.text)
            if let object = JSON5Object(value, as: "a rule file", problems: problems) { read(object, in: file.name) }
        } catch {
            hasAllRules = false
            entries.append(RuleError.Entry(file: file.name, problem: error))
        }
        entries += problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) }
    }

    private mutating func read(_ file: JSON5Object, in name: String) {
        var file = file
        let own = file.string("name")
        _ = file.string("description")
        _ = file.string("source")
        if let scores = file.object("scores") { ScoreSettingsReader.read(scores, into: &set) }
        file.require("rules")
        for value in file.list("rules") ?? [] {
            guard let object = JSON5Object(value, as: "a rule", problems: file.problems) else {
                hasAllRules = false
                continue
            }
            read(rule: object, in: name)
            if let own, let rule = set.rules.last { names[own, default: []].insert(rule.id) }
        }
        file.refuseUnknown()
    }

    private mutating func read(rule object: JSON5Object, in file: String) {
        var reader = RuleReader(object: object, set: set, file: file)
        guard let rule = reader.read() else {
            hasAllRules = false
            return
        }
        set = reader.set
        hasAllRules = hasAllRules && reader.hasAllLevels
        if let first = indices[rule.id] {
            object.problems.add(
                "a rule \"\(rule.id)\" is already at \(first.file):\(first.position)", at: object.position, suggestion: "give it another id"
            )
        }
        indices[rule.id] = (file, object.position)
        inhibitions.append(RuleGraph.Inhibition(rule: set.rules.count, names: reader.inhibitors, file: file))
        set.rules.append(rule)
    }
}
