package import ServiceKit
import Settings
import VigilSchema

/// An item of a module's exchange list.
package struct ModuleParameter: Sendable {
    /// The validation of a parameter.
    package enum Accepts: Sendable {
        case boolean
        case number(ClosedRange<Double>)
        case integer(ClosedRange<Int>)
        case choice([String])
        /// A text with a maximal length. The closure describes the accepted texts if a text is invalid. The example is
        /// valid.
        case text(longest: Int, example: String, check: @Sendable (String) -> String?)
    }

    /// The name within the module, for example `target`; outside `weight.target`.
    package let name: String
    package let kind: Parameter.Kind
    /// The UCUM unit.
    package let unit: String?
    package let description: LocalizedText
    /// The accepted values; nil for a read-only item.
    package let accepts: Accepts?
    /// The default; nil: none.
    package let initial: ParameterValue?

    /// A value that the module computes.
    package static func value(
        _ name: String, _ kind: Parameter.Kind, unit: String? = nil, _ description: LocalizedText
    ) -> ModuleParameter {
        ModuleParameter(name: name, kind: kind, unit: unit, description: description, accepts: nil, initial: nil)
    }

    /// A number that the module computes.
    package static func value(_ name: String, unit: String? = nil, _ description: LocalizedText) -> ModuleParameter {
        value(name, .number, unit: unit, description)
    }

    /// A parameter that can be set for each person.
    package static func setting(
        _ name: String, _ accepts: Accepts, unit: String? = nil, initial: ParameterValue? = nil, _ description: LocalizedText
    ) -> ModuleParameter {
        ModuleParameter(name: name, kind: accepts.kind, unit: unit, description: description, accepts: accepts, initial: initial)
    }

    /// The value to store; nil for an empty text, which restores the default.
    /// - Throws: `ExchangeError` with the accepted values if it is invalid.
    func checked(_ value: ParameterValue, name fullName: String) throws(ExchangeError) -> ParameterValue? {
        guard let accepts else { throw .readOnly(name: fullName) }
        if case .text("") = value { return nil }
        guard let kept = accepts.reading(value) else { throw .malformed(name: fullName, accepts: accepts.words) }
        if case .text(_, _, let check) = accepts, let problem = check(kept.text) { throw .malformed(name: fullName, accepts: problem) }
        return kept
    }
}

extension ModuleParameter.Accepts {
    var kind: Parameter.Kind {
        switch self {
        case .boolean: .boolean
        case .number: .number
        case .integer: .integer
        case .choice, .text: .text
        }
    }

    /// The text after "accepts".
    var words: String {
        switch self {
        case .boolean: "true or false"
        case .number(let range): "a number from \(range.lowerBound.written(2).short) to \(range.upperBound.written(2).short), or nothing"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound), or nothing"
        case .choice(let names): "one of \(names.joined(separator: ", "))"
        case .text(let longest, _, _): "a text of at most \(longest) characters"
        }
    }

    /// Examples of valid values.
    var examples: [ParameterValue] {
        switch self {
        case .boolean: [.boolean(true), .boolean(false)]
        case .number(let range): [.number(range.lowerBound), .number(range.upperBound)]
        case .integer(let range): [.number(Double(range.lowerBound)), .number(Double(range.upperBound))]
        case .choice(let names): names.map { .text($0) }
        case .text(_, let example, _): [.text(example)]
        }
    }

    /// Examples of invalid values.
    var refused: [ParameterValue] {
        switch self {
        case .boolean: [.text("perhaps"), .number(2)]
        case .number(let range): [.number(range.upperBound + 1), .number(range.lowerBound - 1), .text("NaN"), .text("inf"), .text("much")]
        case .integer(let range):
            [
                .number(Double(range.upperBound) + 1), .number(0.5), .text("NaN"), .text("much"),
                .text("0x" + String(range.upperBound, radix: 16)),
            ]
        case .choice: [.text("none of these"), .number(1)]
        case .text(let longest, _, _): [.text(String(repeating: "x", count: longest + 1)), .number(1)]
        }
    }

    /// The value in this type, also from a text as on a command line; nil: invalid.
    func reading(_ value: ParameterValue) -> ParameterValue? {
        switch (self, value) {
        case (.boolean, .boolean): value
        case (.boolean, .text(let text)): ValueFormat<Bool>.boolean.read(text).map { .boolean($0) }
        case (.number(let range), _): number(value).flatMap { range.contains($0) ? .number($0) : nil }
        case (.integer(let range), _):
            number(value).flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? .number(Double($0)) : nil }
        case (.choice(let names), .text(let text)): names.contains(text) ? value : nil
        case (.text(let longest, _, _), .text(let text)): text.count <= longest && !text.utf8.contains(0) ? value : nil
        default: nil
        }
    }

    private func number(_ value: ParameterValue) -> Double? {
        switch value {
        case .number(let number): number.isFinite ? number : nil
        case .text(let text): Double(decimal: text)
        case .boolean: nil
        }
    }
}

extension WrittenNumber {
    /// Without trailing zeros.
    fileprivate var short: String {
        guard point.contains(".") else { return point }
        let cut = point.reversed().drop { $0 == "0" }
        return String((cut.first == "." ? cut.dropFirst() : cut).reversed())
    }
}
