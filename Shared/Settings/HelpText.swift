/// The text that `--help` prints, made from the declarations.
enum HelpText {
    private static let width = 100

    static func of(_ command: Command, path: String) -> String {
        var parts = ["\(path) – \(command.summary)", usage(command, path: path)]
        if !command.details.isEmpty { parts.append(wrapped(command.details, indent: "")) }
        if command.operands.count.upperBound > 0 { parts.append("\(command.operands.name): \(command.operands.help)") }
        if !command.subcommands.isEmpty { parts.append(commands(command)) }
        if !command.settings.isEmpty { parts.append(settings(command)) }
        return parts.joined(separator: "\n\n")
    }

    static func usage(_ command: Command, path: String) -> String {
        let needsCommand = !command.subcommands.isEmpty && command.operands.count.upperBound == 0
        let words = [path, needsCommand ? "COMMAND" : "", "[OPTIONS]", command.operands.usage]
        return "Usage: " + words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func commands(_ command: Command) -> String {
        let longest = command.subcommands.map(\.name.count).max() ?? 0
        let lines = command.subcommands.map { "  \($0.name.padded(to: longest))  \($0.summary)" }
        return "Commands:\n" + lines.joined(separator: "\n")
    }

    private static func settings(_ command: Command) -> String {
        let notes = "Options (each also as an environment variable, --some-name as VIGIL_SOME_NAME; the option wins):"
        return notes + "\n" + command.settings.map { lines($0.declaration) }.joined(separator: "\n")
    }

    private static func lines(_ setting: SettingDeclaration) -> String {
        "  \(head(setting))\n" + wrapped(facts(setting), indent: "        ")
    }

    /// The flag with its placeholder: `--shares N`.
    static func head(_ setting: SettingDeclaration) -> String { setting.flag + (setting.isSwitch ? "" : " \(setting.placeholder)") }

    /// The help of a setting, the accepted values and the default.
    static func facts(_ setting: SettingDeclaration) -> String {
        var facts = [setting.help]
        if setting.isRequired { facts.append("Required.") }
        facts.append("Accepts \(setting.accepts).")
        if let value = setting.defaultText, !value.isEmpty { facts.append("Default: \(value).") }
        return facts.joined(separator: " ")
    }

    private static func wrapped(_ text: String, indent: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > width - indent.count { lines.append("") }
            lines[lines.count - 1] += lines[lines.count - 1].isEmpty ? word : " \(word)"
        }
        return lines.map { indent + $0 }.joined(separator: "\n")
    }
}

extension String {
    /// With spaces after it up to a width in characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
