import Foundation

/// A place in a mapped message, or arithmetic over such places.
///
/// `weight` and `data.qty` are looked up in the record at hand, `$.date` in the whole message, `@id` is the topic's level of that name, `.` is the
/// record itself. After `=` stands arithmetic: `= (a + b) / 2`, `= [3] * 256 + [2]`; keys with other characters than letters, digits and _ stand
/// in brackets there: `["body fat"]`.
package enum MappingExpression: Sendable, Hashable {
    /// A step into a value.
    package enum Step: Sendable, Hashable {
        case key(MappingKey)
        case index(Int)
    }

    /// The root of a path.
    package enum Origin: Sendable, Hashable {
        case record, message
        case topic(String)
    }

    /// Arithmetic of two numbers.
    package enum Operation: Character, Sendable {
        case add = "+", subtract = "-", multiply = "*", divide = "/", power = "^"
    }

    case path(Origin, [Step])
    /// The record's own member of that name: what most expressions are.
    case member(MappingKey)
    case number(Double)
    indirect case operation(Operation, MappingExpression, MappingExpression)

    /// The environment in which expressions are evaluated.
    struct Scope {
        let message: MappingValue
        var record: MappingValue
        /// Nil where no topic is known.
        var topic: TopicNames?
        /// The time that counts where the mapping's own places hold none.
        var known: KnownTime?
        /// The object at hand, whose other members tell what an ambiguous name means; the record where it is nil.
        var holder: MappingValue?
    }

    /// The value; nil where it is missing, null, or no number where one is needed.
    func value(in scope: Scope) -> MappingValue? {
        switch self {
        case .member(let key):
            guard let value = scope.record[key], !value.isNull else { return nil }
            return value
        case .number(let number): return .number(number)
        case .operation(let operation, let left, let right):
            guard let left = left.value(in: scope)?.number, let right = right.value(in: scope)?.number else { return nil }
            let result = operation.apply(left, right)
            return result.isFinite ? .number(result) : nil
        case .path(.topic(let name), _): return scope.topic?[name].map { .string($0) }
        case .path(let origin, let steps):
            var value: MappingValue? = origin == .message ? scope.message : scope.record
            for step in steps {
                switch step {
                case .key(let key): value = value?[key]
                case .index(let index): value = value?[index]
                }
            }
            return value.flatMap { $0.isNull ? nil : $0 }
        }
    }

    /// A Boolean value that indicates whether it is looked up in the record at hand.
    var isOfRecord: Bool {
        switch self {
        case .member, .path(.record, _): true
        case .operation(_, let left, let right): left.isOfRecord || right.isOfRecord
        case .number, .path: false
        }
    }

    /// What the name of a time says of it; nil where it is no member's. The time of a whole message is that of sending.
    var timeWeight: TimeName.Weight? {
        switch self {
        case .member(let key): TimeName.Weight(ofRead: key.text)
        case .path(.message, _): .sending
        case .path(.record, let steps): if case .key(let key)? = steps.last { TimeName.Weight(ofRead: key.text) } else { nil }
        default: nil
        }
    }

    /// Every key on the ways to what it reads.
    var allKeys: Set<String> {
        switch self {
        case .number: []
        case .operation(_, let left, let right): left.allKeys.union(right.allKeys)
        case .member(let key): [key.text]
        case .path(_, let steps): Set(steps.compactMap { if case .key(let key) = $0 { key.text } else { nil } })
        }
    }

    /// The first keys that it reads of the record, or of the message.
    func keys(of wanted: Origin) -> Set<String> {
        switch self {
        case .number: []
        case .operation(_, let left, let right): left.keys(of: wanted).union(right.keys(of: wanted))
        case .member(let key): wanted == .record ? [key.text] : []
        case .path(let origin, let steps):
            if origin == wanted, case .key(let key)? = steps.first { [key.text] } else { [] }
        }
    }
}

extension MappingExpression.Operation {
    fileprivate func apply(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .power: pow(left, right)
        }
    }
}

// MARK: - Reading

extension MappingExpression {
    /// The reason why a text is no expression.
    struct Malformed: Error {
        let reason: String
    }

    /// Reads an expression.
    init(_ text: String) throws(Malformed) {
        var rest = Substring(text)
        let isArithmetic = rest.hasPrefix("=")
        if isArithmetic { rest.removeFirst() }
        self = isArithmetic ? try Self.sum(&rest, depth: 0) : try Self.path(&rest, isPlain: true)
        Self.skip(&rest)
        guard rest.isEmpty else { throw Malformed(reason: "\"\(rest)\" is not expected here") }
    }

    private static func skip(_ rest: inout Substring) {
        while rest.first?.isWhitespace == true { rest.removeFirst() }
    }

    private static func sum(_ rest: inout Substring, depth: Int) throws(Malformed) -> MappingExpression {
        var left = try product(&rest, depth: depth)
        while true {
            skip(&rest)
            guard let sign = rest.first, let operation = Operation(rawValue: sign), operation == .add || operation == .subtract else {
                return left
            }
            rest.removeFirst()
            left = .operation(operation, left, try product(&rest, depth: depth))
        }
    }

    private static func product(_ rest: inout Substring, depth: Int) throws(Malformed) -> MappingExpression {
        var left = try power(&rest, depth: depth)
        while true {
            skip(&rest)
            guard let sign = rest.first, let operation = Operation(rawValue: sign), operation == .multiply || operation == .divide else {
                return left
            }
            rest.removeFirst()
            left = .operation(operation, left, try power(&rest, depth: depth))
        }
    }

    private static func power(_ rest: inout Substring, depth: Int) throws(Malformed) -> MappingExpression {
        let base = try term(&rest, depth: depth)
        skip(&rest)
        guard rest.first == "^" else { return base }
        rest.removeFirst()
        return .operation(.power, base, try term(&rest, depth: depth))
    }

    private static func term(_ rest: inout Substring, depth: Int) throws(Malformed) -> MappingExpression {
        skip(&rest)
        guard depth < 32 else { throw Malformed(reason: "it is nested too deep") }
        if rest.first == "(" {
            rest.removeFirst()
            let inner = try sum(&rest, depth: depth + 1)
            skip(&rest)
            guard rest.first == ")" else { throw Malformed(reason: "a closing parenthesis is missing") }
            rest.removeFirst()
            return inner
        }
        if rest.first == "-" {
            rest.removeFirst()
            return .operation(.subtract, .number(0), try term(&rest, depth: depth + 1))
        }
        if let first = rest.first, first.isASCII, first.isNumber {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = Double(digits) else { throw Malformed(reason: "\"\(digits)\" is no number") }
            rest = rest.dropFirst(digits.count)
            return .number(number)
        }
        return try path(&rest, isPlain: false)
    }

    private static func path(_ rest: inout Substring, isPlain: Bool) throws(Malformed) -> MappingExpression {
        var origin = Origin.record
        if rest.first == "@" {
            rest.removeFirst()
            let name = word(&rest, isPlain: isPlain)
            guard !name.isEmpty else { throw Malformed(reason: "a level's name is expected after @") }
            return .path(.topic(name), [])
        }
        if rest.first == "$" {
            rest.removeFirst()
            origin = .message
        }
        var steps: [Step] = []
        if rest == "." { rest.removeFirst() }
        while let first = rest.first {
            if first == "[" {
                steps.append(try bracket(&rest))
            } else if first == ".", !(steps.isEmpty && origin == .record) {
                rest.removeFirst()
                steps.append(.key(MappingKey(try key(&rest, isPlain))))
            } else if steps.isEmpty, origin == .record {
                steps.append(.key(MappingKey(try key(&rest, isPlain))))
            } else {
                break
            }
        }
        guard isPlain || !steps.isEmpty || origin == .message else { throw Malformed(reason: "a number or a path is expected") }
        if origin == .record, steps.count == 1, case .key(let key) = steps[0], key != MappingRecord.allMembers { return .member(key) }
        return .path(origin, steps)
    }

    private static func key(_ rest: inout Substring, _ isPlain: Bool) throws(Malformed) -> String {
        let name = word(&rest, isPlain: isPlain)
        guard !name.isEmpty else { throw Malformed(reason: "a key is expected") }
        return name
    }

    private static func word(_ rest: inout Substring, isPlain: Bool) -> String {
        let name = rest.prefix { isPlain ? $0 != "." && $0 != "[" : $0.isLetter || $0.isNumber || $0 == "_" }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    private static func bracket(_ rest: inout Substring) throws(Malformed) -> Step {
        guard let end = rest.firstIndex(of: "]") else { throw Malformed(reason: "a closing bracket is missing") }
        let inner = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        if let index = Int(inner) { return .index(index) }
        guard inner.count > 2, let quote = inner.first, quote == "\"" || quote == "'", inner.last == quote else {
            throw Malformed(reason: "brackets hold a number or a key in quotes")
        }
        return .key(MappingKey(String(inner.dropFirst().dropLast())))
    }
}
