/// A rule file's name, for messages, and its text.
package struct RuleFile: Hashable, Sendable {
    package let name: String
    package let text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}
