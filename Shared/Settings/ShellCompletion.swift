/// The script that lets a shell complete a command's subcommands and options, made from its declarations.
///
/// Each script holds the words that may follow each subcommand, and finds the subcommand by walking the words before the cursor.
/// Values of options are completed as file names.
package enum ShellCompletion: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    /// Returns the script for a command and everything below it.
    package func script(for command: Command) -> String {
        let levels = Level.all(of: command, path: command.name)
        return switch self {
        case .bash: bash(levels, command.name)
        case .zsh: zsh(levels, command.name)
        case .fish: fish(levels, command.name)
        }
    }

    /// One command or subcommand, and what may follow it.
    private struct Level {
        let path: String
        let command: Command

        var words: [String] { command.subcommands.map(\.name) + command.settings.map(\.declaration.flag) + ["--help", "--version"] }

        static func all(of command: Command, path: String) -> [Level] {
            [Level(path: path, command: command)] + command.subcommands.flatMap { all(of: $0, path: "\(path) \($0.name)") }
        }
    }

    private func bash(_ levels: [Level], _ name: String) -> String {
        let table = levels.map { #"        ["\#($0.path)"]="\#($0.words.joined(separator: " "))""# }
        return """
            # Completion of \(name) for bash; made by `\(name) completion bash`.
            _\(name)() {
                local -A known=(
            \(table.joined(separator: "\n"))
                )
                local at=\(name) word
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    if [ -n "${known["$at $word"]+x}" ]; then at="$at $word"; fi
                done
                mapfile -t COMPREPLY < <(compgen -W "${known["$at"]}" -- "${COMP_WORDS[COMP_CWORD]}")
            }
            complete -o default -F _\(name) \(name)
            """
    }

    private func zsh(_ levels: [Level], _ name: String) -> String {
        let table = levels.map { #"        "\#($0.path)" "\#($0.words.joined(separator: " "))""# }
        return """
            #compdef \(name)
            # Completion of \(name) for zsh; made by `\(name) completion zsh`.
            _\(name)() {
                local -A known
                known=(
            \(table.joined(separator: "\n"))
                )
                local at=\(name) word
                for word in ${words[2,CURRENT-1]}; do
                    if (( ${+known[$at $word]} )); then at="$at $word"; fi
                done
                compadd -- ${(s: :)known[$at]} || _files
            }
            _\(name) "$@"
            """
    }

    private func fish(_ levels: [Level], _ name: String) -> String {
        let lines = levels.flatMap { level in
            level.command.subcommands.map { line(level, name, "-f -a \($0.name)", $0.summary) }
                + level.command.settings.map { line(level, name, "-l \($0.declaration.name)", $0.declaration.help) }
        }
        return """
            # Completion of \(name) for fish; made by `\(name) completion fish`.
            function __\(name)_is_at
                set -l known \(levels.map { "'\($0.path)'" }.joined(separator: " "))
                set -l at \(name)
                for word in (commandline -opc)[2..-1]
                    contains -- "$at $word" $known; and set at "$at $word"
                end
                test "$at" = "$argv[1]"
            end
            complete -c \(name) -l help -d 'explains the command'
            complete -c \(name) -l version -d 'prints the version'
            \(lines.joined(separator: "\n"))
            """
    }

    private func line(_ level: Level, _ name: String, _ word: String, _ text: String) -> String {
        let first = text.prefix { $0 != "." }.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "complete -c \(name) -n '__\(name)_is_at \"\(level.path)\"' \(word) -d '\(first)'"
    }
}
