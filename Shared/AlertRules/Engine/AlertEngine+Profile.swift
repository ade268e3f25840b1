extension AlertEngine {
    /// Words of a person's profile: the age group where the age is known, `pregnant`, `scale-2`. Empty for somebody unknown.
    package func profileWords(of participant: String) -> Set<String> {
        guard let index = knownIndex(of: participant) else { return [] }
        let facts = facts(ofParticipant: index)
        var words: Set<String> = []
        if let group = facts.ageGroup(at: lastNow) { words.insert(group.rawValue) }
        if facts.isMaternal(at: lastNow) { words.insert("pregnant") }
        if facts.usesScale2 { words.insert("scale-2") }
        return words
    }

    /// The numbers of the sensors that measure what a rule looks at, as far as they are known.
    package func sources(of participant: String, rule name: String) -> Set<UInt32> {
        guard let index = knownIndex(of: participant), let rule = rules.rule(named: name) else { return [] }
        let state = thawed(index)
        let leaves = rules.rules[rule].levelRange.flatMap { rules.levels[$0].condition.leaves }
        let metrics = Set(leaves.map { rules.leaves[$0].metric })
        let sources = leaves.map { state.leaves[$0].source } + state.sourceStates.filter { metrics.contains($0.metric) }.map(\.source)
        return Set(sources).subtracting([0])
    }
}
