import JSON5

/// Finds the rule that was meant.
enum RuleNames {
    static func suggestion(for name: String, in rules: RuleSet) -> String? {
        Spelling.suggestion(for: name, among: rules.rules.map(\.id))
    }
}
