import VigilSchema

/// Splits a command line into flags and operands, by the settings that are declared.
struct CommandLineReader {
    let declarations: [SettingDeclaration]
    private(set) var flags: [(name: String, value: String)] = []
    private(set) var operands: [String] = []

    init(_ declarations: [SettingDeclaration]) { self.declarations = declarations }

    /// Takes the arguments; after `--` everything is an operand.
    mutating func read(_ arguments: [String]) throws(ConfigurationError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { return operands.append(contentsOf: rest) }
            if argument.hasPrefix("--") {
                try readFlag(argument, &rest)
            } else if argument.hasPrefix("-"), argument.count > 1, Double(decimal: argument) == nil {
                throw ConfigurationError(name: argument, problem: .unknown(suggestion: nil))
            } else {
                operands.append(argument)
            }
        }
    }

    private mutating func readFlag(_ argument: String, _ rest: inout ArraySlice<String>) throws(ConfigurationError) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let declaration = declarations.first(where: { $0.name == name }) else {
            let suggestion = Spelling.nearest(to: "--\(name)", among: declarations.map(\.flag) + ["--help", "--version"])
            throw ConfigurationError(name: "--\(name)", problem: .unknown(suggestion: suggestion))
        }
        if parts.count == 2 {
            flags.append((name, String(parts[1])))
        } else if declaration.isSwitch {
            flags.append((name, "true"))
        } else if let value = rest.popFirst() {
            flags.append((name, value))
        } else {
            throw ConfigurationError(name: "--\(name)", problem: .missingValue(accepts: declaration.accepts))
        }
    }
}

/// The arguments of a command that are no flags.
package struct Operands: Sendable {
    /// The name in the help, for example `FILE`.
    package let name: String
    package let help: String
    package let count: ClosedRange<Int>

    package init(_ name: String, count: ClosedRange<Int> = 1...1, help: String) {
        self.name = name
        self.count = count
        self.help = help
    }

    /// None are taken.
    package static let none = Operands("", count: 0...0, help: "")

    /// The way they stand in a usage line, for example `[FILE…]`.
    var usage: String {
        guard count.upperBound > 0 else { return "" }
        let names = count.upperBound > 1 ? "\(name)…" : name
        return count.lowerBound == 0 ? "[\(names)]" : names
    }

    func check(_ given: [String]) throws(ConfigurationError) {
        if given.count > count.upperBound {
            throw ConfigurationError(name: given[count.upperBound], problem: .unexpectedOperand)
        }
        if given.count < count.lowerBound { throw ConfigurationError(name: name, problem: .missingOperand(needs: help)) }
    }
}
