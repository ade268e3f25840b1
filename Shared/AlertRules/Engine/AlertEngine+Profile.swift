extension AlertEngine {
    /// Words of a person's profile: the age group where the age is known, `pregnant`, `scale-2`. Empty for somebody unknown.
    package func profileWords(of participant: String) -> Set<String> {
        guard let place = knownPlace(of: participant) else { return [] }
        let facts = facts(ofParticipant: place)
        var words: Set<String> = []
        if let group = facts.ageGroup(at: lastNow) { words.insert(group.rawValue) }
        if facts.isMaternal(at: lastNow) { words.insert("pregnant") }
        if facts.usesScale2 { words.insert("scale-2") }
        return words
    }
}
