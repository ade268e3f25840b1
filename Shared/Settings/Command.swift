import Observability
import VigilSchema

/// A command or subcommand: its settings, its operands, and what it does.
///
/// `--help` and `--version` come with every command. `main()` turns an error into one line on standard error and an exit code.
package struct Command: Sendable {
    /// For example `vigil-timeline` or, inside `vigil`, `watch`.
    package let name: String
    /// One line for lists of commands.
    package let summary: String
    /// Paragraphs for the command's own help; may be empty.
    package let details: String
    package let settings: [any AnySetting]
    package let operands: Operands
    package let subcommands: [Command]
    let action: @Sendable (Invocation) async throws -> Void

    /// A command that does something.
    /// - Parameter subcommands: taken where the first argument is one's name; else the command itself is run.
    package init(
        name: String, summary: String, details: String = "", settings: [any AnySetting] = [], operands: Operands = .none,
        subcommands: [Command] = [], action: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.settings = settings
        self.operands = operands
        self.subcommands = subcommands
        self.action = action
    }

    /// A command that only chooses among subcommands.
    package init(name: String, summary: String, details: String = "", subcommands: [Command]) {
        self.name = name
        self.summary = summary
        self.details = details
        settings = []
        operands = .none
        self.subcommands = subcommands
        action = { throw CommandError(.usage, "\($0.path) needs a command; \($0.path) --help lists them") }
    }

    /// The same under another name.
    package func named(_ name: String) -> Command {
        Command(
            name: name, summary: summary, details: details, settings: settings, operands: operands, subcommands: subcommands, action: action
        )
    }

    /// Runs it, or the subcommand that the arguments name.
    /// - Parameters:
    ///   - arguments: without the command's own name.
    ///   - environment: the variables; only `VIGIL_…` are looked at.
    ///   - path: how the command was reached, for the help, for example `vigil accounts`.
    ///   - others: variables that other commands of the program know, so that one environment serves all.
    ///   - print: takes what `--help` and `--version` say.
    package func run(
        arguments: [String], environment: [String: String], path: String? = nil, others: Set<String>? = nil,
        print: @Sendable (String) -> Void = { Swift.print($0) }
    ) async throws {
        let path = path ?? name
        let others = others ?? variables
        if let word = arguments.first, let chosen = try subcommand(word, path: path) {
            return try await chosen.run(
                arguments: Array(arguments.dropFirst()), environment: environment, path: "\(path) \(word)", others: others, print: print)
        }
        let ownArguments = arguments.prefix { $0 != "--" }
        if ownArguments.contains("--help") || ownArguments.contains("-h") { return print(HelpText.of(self, path: path)) }
        if ownArguments.contains("--version") { return print("\(name) \(BuildInfo.current)") }
        try await action(invocation(arguments, environment, path, others))
    }

    /// The environment variables of the command and of those below it.
    private var variables: Set<String> {
        subcommands.reduce(into: Set(settings.map(\.declaration.variable))) { $0.formUnion($1.variables) }
    }

    private func invocation(
        _ arguments: [String], _ environment: [String: String], _ path: String, _ others: Set<String>
    ) throws(ConfigurationError) -> Invocation {
        var reader = CommandLineReader(settings.map(\.declaration))
        try reader.read(arguments)
        try operands.check(reader.operands)
        let others = others.subtracting(settings.map(\.declaration.variable))
        let configuration = try Configuration(settings, flags: reader.flags, environment: environment, others: others)
        return Invocation(path: path, configuration: configuration, operands: reader.operands)
    }

    /// The subcommand that the first argument names; nil where the command is to run itself.
    private func subcommand(_ word: String, path: String) throws(CommandError) -> Command? {
        if let found = subcommands.first(where: { $0.name == word }) { return found }
        guard !subcommands.isEmpty, operands.count.upperBound == 0, !word.hasPrefix("-") else { return nil }
        let hint = Spelling.nearest(to: word, among: subcommands.map(\.name))
        let advice = hint.map { "did you mean \($0)?" } ?? "\(path) --help lists what there is"
        throw CommandError(.usage, "unknown command \(word); \(advice)")
    }
}

/// The arguments of a command, already checked.
package struct Invocation: Sendable {
    /// The way it was reached, for example `vigil watch`.
    package let path: String
    package let configuration: Configuration
    /// The arguments that are no flags, in order.
    package let operands: [String]

    package init(path: String, configuration: Configuration, operands: [String] = []) {
        self.path = path
        self.configuration = configuration
        self.operands = operands
    }

    /// A setting's value.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        get throws(ConfigurationError) { try configuration[setting] }
    }
}
