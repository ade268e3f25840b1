/// The manual page of a command in section 1, as roff for `man`, made from its declarations.
package struct ManualPage: Sendable {
    /// The file's name: `vigil-timeline-export.1`.
    package let name: String
    /// The page's source.
    package let text: String

    /// Returns the pages of a command and of everything below it.
    package static func all(of command: Command, version: String) -> [ManualPage] {
        all(of: command, path: command.name, above: nil, version: version)
    }

    private static func all(of command: Command, path: String, above: String?, version: String) -> [ManualPage] {
        [ManualPage(command, path: path, above: above, version: version)]
            + command.subcommands.flatMap { all(of: $0, path: "\(path) \($0.name)", above: path, version: version) }
    }

    private init(_ command: Command, path: String, above: String?, version: String) {
        name = Self.page(path) + ".1"
        var lines = [
            #".TH "\#(Self.escaped(Self.page(path).uppercased()))" 1 "" "\#(Self.escaped(version))" "Vigil""#, ".SH NAME",
            Self.escaped("\(Self.page(path)) - \(command.summary)"), ".SH SYNOPSIS", ".nf",
            Self.escaped(HelpText.usage(command, path: path)), ".fi",
        ]
        if !command.details.isEmpty { lines += [".SH DESCRIPTION", Self.escaped(command.details)] }
        if command.operands.count.upperBound > 0 { lines += [".SH OPERANDS"] + Self.item(command.operands.name, command.operands.help) }
        if !command.subcommands.isEmpty {
            lines += [".SH COMMANDS"] + command.subcommands.flatMap { Self.item("\(path) \($0.name)", $0.summary) }
        }
        if !command.settings.isEmpty {
            lines += [".SH OPTIONS", "Each option is also an environment variable: --some-name is VIGIL_SOME_NAME. The option wins."].map(
                Self.plain)
            lines += command.settings.flatMap { Self.item(HelpText.head($0.declaration), HelpText.facts($0.declaration)) }
        }
        let others = command.subcommands.map { Self.page("\(path) \($0.name)") } + (above.map { [Self.page($0)] } ?? [])
        if !others.isEmpty { lines += [".SH SEE ALSO", others.map { ".BR \(Self.escaped($0)) (1)" }.joined(separator: "\n")] }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func page(_ path: String) -> String { path.replacing(" ", with: "-") }

    private static func item(_ head: String, _ text: String) -> [String] {
        [".TP", #".B "\#(escaped(head).replacing("\"", with: "\\(dq"))""#, escaped(text)]
    }

    /// A line that is a request already stays as it is.
    private static func plain(_ line: String) -> String { line.hasPrefix(".SH ") ? line : escaped(line) }

    /// Text in which roff finds nothing of its own.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("–", with: "\\(en")
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }.joined(separator: "\n")
    }
}
