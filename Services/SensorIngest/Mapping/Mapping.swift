import VigilSchema

/// A mapping of messages in a foreign format to readings, declared in a mapping file.
package struct Mapping: Sendable {
    /// A text or number of the message, turned into another by a table where there is one.
    package struct Source: Sendable {
        /// Constant where it is none of the message's.
        enum Origin: Sendable {
            case constant(String)
            case expression(MappingExpression)
            /// The first whose condition holds and that says something.
            case choice([(condition: Condition, source: Source)])
        }

        var origin: Origin
        /// From texts, `*` standing for anything, to texts; in the file's order. Nil where the text is taken as it is.
        var table: GlobTable?
        /// The substitute for what is missing, or not in the table: a text, or another place.
        enum Fallback: Sendable {
            case constant(String)
            case expression(MappingExpression)
        }

        var fallback: Fallback?
    }

    /// A test of the message: every place must be as is said.
    package struct Condition: Sendable {
        enum Test: Sendable {
            case oneOf([Glob])
            case range(min: Double, max: Double)
            /// Anything but a number of that range.
            case outside(min: Double, max: Double)
            case exists(Bool)
            case not([Glob])
        }

        var tests: [(place: MappingExpression, test: Test)] = []
    }

    /// The time at which something was measured.
    package struct Time: Sendable {
        /// The first that is there counts.
        let places: [MappingExpression]
        /// The time of day, where the place holds the date alone.
        let clock: MappingExpression?
        let format: MappingTime
    }

    /// One reading of a record.
    package struct Reading: Sendable {
        var metric: Source
        var value: Source?
        var text: Source?
        var unit: Source?
        var when = Condition()
        var time: Time?
        /// Seconds for which it speaks.
        var period: MappingExpression?
        /// A Boolean value that indicates whether a record without it is refused.
        var isRequired = false
        /// Why what stands there is no measurement: it is told as refused; nil where it is one.
        var refusal: String?
    }

    /// The file's name, for messages.
    package let file: String
    package let name: String
    package let topics: [MappingTopic]
    let format: MappingFormat
    let columns: [String]
    let separator: Character
    let when: Condition
    /// The way to arrays whose elements are the records; an element's own array where there are several. A step is one place, or several that all count.
    let each: [[MappingExpression]]
    let participant: Source
    let device: Source
    /// The part of the device that measured, where it has several of a kind.
    let part: Source?
    let time: Time?
    let period: MappingExpression?
    /// The end of what a record speaks for, from which its period follows.
    let until: Time?
    let readings: [Reading]
    /// The reason why messages that fit are no measurements; nil where they are.
    let refusal: String?
    /// A Boolean value that indicates whether every key that is a metric's name or alias is a reading.
    let takesKnownNames: Bool
    /// A Boolean value that indicates whether names that may mean a thing's measurement are taken only where something says that it is a person's.
    let takesCertainNamesOnly: Bool
    /// Keys of records and of the message that are left out on purpose, `*` standing for anything.
    let ignored: [Glob]
    /// A Boolean value that indicates whether every key that nothing reads is left out on purpose.
    let ignoresAll: Bool
    /// A Boolean value that indicates whether it follows from what a bridge has announced, rather than standing in a file.
    var isAnnounced = false
    /// The keys of a record, and of the message, that something reads; from `findKeys()`.
    var recordKeys: Set<String> = []
    var messageKeys: Set<String> = []
    /// Every key on the ways to what something reads.
    var deepKeys: Set<String> = []
}

extension Mapping {
    /// Returns whether a key is read, or named among those that are left out on purpose: a pattern for every key names none.
    func accountsFor(_ key: String) -> Bool {
        recordKeys.contains(key) || ignored.contains { !$0.matches("\u{1}") && $0.matches(key) }
    }
}

extension Mapping.Source {
    /// The text; nil where it is missing, or the table has nothing for it.
    func text(in scope: MappingExpression.Scope) -> String? {
        let given: String?
        switch origin {
        case .constant(let text): given = text
        case .expression(let expression): given = expression.value(in: scope)?.text
        case .choice(let cases):
            var chosen: String?
            for index in cases.indices where cases[index].condition.holds(in: scope) {
                chosen = cases[index].source.text(in: scope)
                if chosen != nil { break }
            }
            given = chosen
        }
        guard let table else { return given ?? fallback?.text(in: scope) }
        guard let given, let found = table[given] else { return fallback?.text(in: scope) }
        return found
    }

    /// A Boolean value that indicates whether it is the same text for every message.
    var isConstant: Bool { if case .constant = origin, table == nil { true } else { false } }

    /// The value where it is looked up and not put through a table; a text else.
    func value(in scope: MappingExpression.Scope) -> MappingValue? {
        if case .expression(let expression) = origin, table == nil, fallback == nil { return expression.value(in: scope) }
        return text(in: scope).map { .string($0) }
    }

    /// Every expression in it.
    var expressions: [MappingExpression] {
        var all: [MappingExpression] = []
        if case .expression(let expression)? = fallback { all.append(expression) }
        switch origin {
        case .constant: break
        case .expression(let expression): all.append(expression)
        case .choice(let cases): all += cases.flatMap { $0.condition.tests.map(\.place) + $0.source.expressions }
        }
        return all
    }
}

extension Mapping.Source.Fallback {
    fileprivate func text(in scope: MappingExpression.Scope) -> String? {
        switch self {
        case .constant(let text): text
        case .expression(let expression): expression.value(in: scope)?.text
        }
    }
}

extension Mapping.Condition {
    /// Returns whether all tests hold.
    func holds(in scope: MappingExpression.Scope) -> Bool {
        for index in tests.indices where !tests[index].test.holds(tests[index].place.value(in: scope)) { return false }
        return true
    }
}

extension Mapping.Condition.Test {
    fileprivate func holds(_ value: MappingValue?) -> Bool {
        switch self {
        case .exists(let isThere): return (value != nil) == isThere
        case .range(let low, let high): return value?.number.map { $0 >= low && $0 < high } ?? false
        case .outside(let low, let high): return value?.number.map { $0 < low || $0 >= high } ?? true
        case .oneOf(let patterns):
            guard let text = value?.text else { return false }
            return patterns.contains { $0.matches(text) }
        case .not(let patterns):
            guard let text = value?.text else { return true }
            return !patterns.contains { $0.matches(text) }
        }
    }
}
