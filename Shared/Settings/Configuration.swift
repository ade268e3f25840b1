import Foundation
package import MessageBus
import VigilSchema

/// The values of a command's settings: from its flags, else the environment, else the defaults; all checked when made.
package struct Configuration: Sendable {
    /// The origin of a value, as the user would name it.
    struct Given: Sendable {
        let text: String
        let name: String
    }

    /// The declarations, in the order of the help.
    package let declarations: [SettingDeclaration]
    private let given: [String: Given]

    /// Takes what the flags and the environment say of the settings.
    /// - Parameters:
    ///   - flags: name without `--` to value.
    ///   - environment: only names that begin with `VIGIL_` are looked at.
    ///   - others: variables of other commands of the same program, which one environment may hold for all.
    init(
        _ settings: [any AnySetting], flags: [(name: String, value: String)], environment: [String: String], others: Set<String> = []
    ) throws(ConfigurationError) {
        declarations = settings.map(\.declaration)
        var given = try Self.given(in: environment.filter { !others.contains($0.key) }, declarations)
        for (name, value) in flags { given[name] = Given(text: value, name: "--\(name)") }
        for declaration in declarations { try Self.check(given[declaration.name], declaration) }
        self.given = given
    }

    /// The setting's value.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        get throws(ConfigurationError) {
            let declaration = setting.declaration
            if let given = given[declaration.name] {
                guard let value = setting.format.read(given.text) else { throw Self.malformed(given, declaration) }
                return value
            }
            guard let value = setting.defaultValue else {
                throw ConfigurationError(name: declaration.flag, problem: .missing(accepts: declaration.accepts))
            }
            return value
        }
    }

    /// Returns whether the setting was given rather than left at its default.
    package func isGiven(_ setting: any AnySetting) -> Bool { given[setting.declaration.name] != nil }

    /// Those of the settings that were given, as environment variables for another process.
    package func given(of settings: [any AnySetting]) -> [String: String] {
        let values = settings.compactMap { setting in given[setting.declaration.name].map { (setting.declaration.variable, $0.text) } }
        return Dictionary(values) { first, _ in first }
    }

    /// Variables that belong to the build and the tests and that a running program leaves alone.
    private static let foreign = ["VIGIL_TEST", "VIGIL_WARNINGS_AS_ERRORS"]

    private static func given(
        in environment: [String: String], _ declarations: [SettingDeclaration]
    ) throws(ConfigurationError) -> [String: Given] {
        var given: [String: Given] = [:]
        let known = Dictionary(declarations.map { ($0.variable, $0.name) }) { first, _ in first }
        for (variable, value) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("VIGIL_") {
            if foreign.contains(where: variable.hasPrefix) { continue }
            guard let name = known[variable] else {
                let suggestion = Spelling.nearest(to: variable, among: Array(known.keys))
                throw ConfigurationError(name: variable, problem: .unknown(suggestion: suggestion))
            }
            given[name] = Given(text: value, name: variable)
        }
        return given
    }

    private static func check(_ given: Given?, _ declaration: SettingDeclaration) throws(ConfigurationError) {
        guard let given else {
            guard !declaration.isRequired else {
                throw ConfigurationError(
                    name: "\(declaration.flag) (or \(declaration.variable))", problem: .missing(accepts: declaration.accepts))
            }
            return
        }
        if !declaration.isValid(given.text) { throw malformed(given, declaration) }
    }

    private static func malformed(_ given: Given, _ declaration: SettingDeclaration) -> ConfigurationError {
        ConfigurationError(name: given.name, problem: .malformed(value: given.text, accepts: declaration.accepts))
    }
}

/// A setting that is unknown, malformed or missing. Its description names the setting and what it accepts, never a secret.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible, ExitCoded {
    /// The problem.
    package enum Problem: Sendable, Equatable {
        case unknown(suggestion: String?)
        case malformed(value: String, accepts: String)
        case missing(accepts: String)
        case missingValue(accepts: String)
        case unexpectedOperand
        case missingOperand(needs: String)
    }

    /// As the user wrote it: a flag, a variable or an operand.
    package let name: String
    package let problem: Problem

    package init(name: String, problem: Problem) {
        self.name = name
        self.problem = problem
    }

    /// 64 for what stands on the command line, 78 for what stands in the environment.
    package var exitCode: ExitCode { name.hasPrefix("VIGIL_") ? .configuration : .usage }

    package var description: String {
        switch problem {
        case .unknown(let suggestion):
            "unknown \(kind) \(name)" + (suggestion.map { "; did you mean \($0)?" } ?? "; --help lists what there is")
        case .malformed(let value, let accepts): "\(name) accepts \(accepts), not \"\(value)\""
        case .missing(let accepts): "\(name) must be given: \(accepts)"
        case .missingValue(let accepts): "\(name) needs a value: \(accepts)"
        case .unexpectedOperand: "unexpected argument \"\(name)\"; --help says what is taken"
        case .missingOperand(let needs): "\(name) is missing: \(needs)"
        }
    }

    private var kind: String { name.hasPrefix("VIGIL_") ? "environment variable" : "option" }
}

/// A file that holds a secret, as Docker and Kubernetes mount them.
package enum SecretFile {
    /// The file's first line that is not empty; nil where there is none, or the file cannot be read.
    package static func read(_ path: String) -> Secret? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map { Secret(String($0)) }
    }
}
