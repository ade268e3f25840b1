import JSON5

/// Reads rule files into a rule set, or says everything that is wrong with them.
package struct RuleSetReader {
    var set = RuleSet()
    private var entries: [RuleError.Entry] = []
    private var places: [String: (file: String, position: SourcePosition)] = [:]
    private var inhibitions: [RuleGraph.Inhibition] = []

    private init() {}

    /// Reads them all as one set; a rule's id must be unique among them.
    package static func read(_ files: [RuleFile]) throws(RuleError) -> RuleSet {
        var reader = RuleSetReader()
        for file in files { reader.read(file) }
        // Somebody whom no rule judges is told of in any case.
        if reader.set.rule(named: RuleSet.uncoveredRuleID) == nil, reader.set.rules.contains(where: { $0.kind == .medical }) {
            reader.read(RuleSet.uncoveredRuleFile)
        }
        var graph = RuleGraph(reader.set)
        graph.resolve(reader.inhibitions)
        reader.set = graph.set
        reader.entries += graph.entries
        // What a rule says once for several levels is wrong once.
        var seen = Set<RuleError.Entry>()
        let entries = reader.entries.filter { seen.insert($0).inserted }
        guard entries.isEmpty else { throw RuleError(entries: entries) }
        reader.set.finish()
        return reader.set
    }

    private mutating func read(_ file: RuleFile) {
        let problems = JSON5Problems()
        do {
            let value = try JSON5Parser.parse(file.text)
            if let object = JSON5Object(value, as: "a rule file", problems: problems) { read(object, in: file.name) }
        } catch {
            entries.append(RuleError.Entry(file: file.name, problem: error))
        }
        entries += problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) }
    }

    private mutating func read(_ file: JSON5Object, in name: String) {
        var file = file
        _ = file.string("name")
        _ = file.string("description")
        _ = file.string("source")
        if let scores = file.object("scores") { ScoreSettingsReader.read(scores, into: &set) }
        file.require("rules")
        for value in file.list("rules") ?? [] {
            guard let object = JSON5Object(value, as: "a rule", problems: file.problems) else { continue }
            read(rule: object, in: name)
        }
        file.refuseUnknown()
    }

    private mutating func read(rule object: JSON5Object, in file: String) {
        var reader = RuleReader(object: object, set: set, file: file)
        guard let rule = reader.read() else { return }
        set = reader.set
        if let first = places[rule.id] {
            object.problems.add(
                "a rule \"\(rule.id)\" is already at \(first.file):\(first.position)", at: object.position, suggestion: "give it another id"
            )
        }
        places[rule.id] = (file, object.position)
        inhibitions.append(RuleGraph.Inhibition(rule: set.rules.count, names: reader.inhibitors, file: file))
        set.rules.append(rule)
    }
}
