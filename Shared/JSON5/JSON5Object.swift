import VigilSchema

/// Reads the members of an object by name, notes what is wrong, and at the end what it does not know.
///
/// Every getter returns nil where the member is missing or wrong; a wrong one is noted in `problems`. Call
/// `refuseUnknown()` once all have been asked for.
package struct JSON5Object {
    /// The place where the object begins.
    package let position: SourcePosition
    package let problems: JSON5Problems
    private let members: [JSON5Member]
    private var asked: [String] = []

    /// Nil, and a problem noted, where the value is no object. `what` names it in the message: `a rule`.
    package init?(_ value: JSON5Value, as what: String, problems: JSON5Problems) {
        guard case .object(let members) = value.content else {
            problems.add("\(what) must be an object, not \(value.kind)", at: value.position)
            return nil
        }
        self.members = members
        self.problems = problems
        position = value.position
    }

    /// The names in the file's order.
    package var names: [String] { members.map(\.name) }

    /// Returns whether the name is there; does not count as asked for.
    package func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// The member's value as it stands.
    package mutating func value(_ name: String) -> JSON5Value? {
        asked.append(name)
        return members.first { $0.name == name }?.value
    }

    /// All members, when names are free; counts all as known.
    package mutating func all() -> [JSON5Member] {
        asked += names
        return members
    }

    package mutating func string(_ name: String) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value.content else { return wrong(name, value, "a text") }
        return text
    }

    /// A finite number.
    package mutating func number(_ name: String) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value.content, number.isFinite else { return wrong(name, value, "a number") }
        return number
    }

    /// A whole number within the range.
    package mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value.content, let whole = Int(exactly: number), range.contains(whole) else {
            return wrong(name, value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    package mutating func bool(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let bool) = value.content else { return wrong(name, value, "true or false") }
        return bool
    }

    package mutating func list(_ name: String) -> [JSON5Value]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value.content else { return wrong(name, value, "a list") }
        return elements
    }

    package mutating func object(_ name: String) -> JSON5Object? {
        guard let value = value(name) else { return nil }
        return JSON5Object(value, as: "\"\(name)\"", problems: problems)
    }

    /// A text out of a fixed set; another is noted with the nearest of them.
    package mutating func choice(_ name: String, of choices: [String]) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value.content else { return wrong(name, value, "a text") }
        guard !choices.contains(text) else { return text }
        problems.add(
            "\"\(name)\" cannot be \"\(text)\"", at: value.position,
            suggestion: Spelling.suggestion(for: text, among: choices) ?? "it can be \(choices.joined(separator: ", "))")
        return nil
    }

    /// A list of texts.
    package mutating func strings(_ name: String) -> [String]? {
        list(name)?.compactMap { element -> String? in
            guard case .string(let text) = element.content else { return wrong("an element of \(name)", element, "a text") }
            return text
        }
    }

    /// Notes that a member which must be there is not.
    package func require(_ name: String) {
        if !has(name) { problems.add("\"\(name)\" is missing", at: position) }
    }

    /// Notes every member that was never asked for, with the nearest known name.
    package func refuseUnknown() {
        for member in members where !asked.contains(member.name) {
            problems.add(
                "\"\(member.name)\" is not known here", at: member.position,
                suggestion: Spelling.suggestion(for: member.name, among: asked)
                    ?? "known: \(Set(asked).sorted().joined(separator: ", "))")
        }
    }

    private func wrong<Wanted>(_ name: String, _ value: JSON5Value, _ expected: String) -> Wanted? {
        problems.add("\"\(name)\" must be \(expected), not \(value.kind)", at: value.position)
        return nil
    }
}
