/// A setting that is unknown, malformed or missing. Its description names the setting and what it accepts, never a secret.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible, ExitCoded {
    /// What is wrong.
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
