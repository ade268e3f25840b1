/// The arguments of a command that are no flags.
package struct Operands: Sendable {
    /// What they are called in the help, for example `FILE`.
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

    /// How they stand in a usage line, for example `[FILE…]`.
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
