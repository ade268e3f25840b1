/// The broker's access list as text: what comes before the first `user` line, and a section for each user.
struct AccessList: Sendable, Equatable {
    private struct Section: Sendable, Equatable {
        let user: String?
        var lines: [String]
    }

    private var sections: [Section]

    init(_ text: String) {
        sections = [Section(user: nil, lines: [])]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("user ") {
                sections.append(Section(user: String(line.dropFirst(5)), lines: []))
            } else {
                sections[sections.count - 1].lines.append(String(line))
            }
        }
    }

    var text: String {
        let lines = sections.flatMap { section in (section.user.map { ["user \($0)"] } ?? []) + section.lines }
        return lines.joined(separator: "\n").trimmingSuffix("\n") + "\n"
    }

    /// The rights of each user, in the order of the file.
    var users: [(name: String, rights: [String])] {
        sections.compactMap { section in
            section.user.map { (name: $0, rights: section.lines.filter { $0.hasPrefix("topic ") }) }
        }
    }

    /// Gives the user these rights and no others.
    mutating func set(_ user: String, rights: [String]) {
        remove(user)
        sections.append(Section(user: user, lines: rights + [""]))
    }

    /// Takes the user's rights away.
    mutating func remove(_ user: String) { sections.removeAll { $0.user == user } }
}

extension String {
    /// Without the suffix, however often it stands there.
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self[...]
        while text.last == suffix { text = text.dropLast() }
        return String(text)
    }
}
