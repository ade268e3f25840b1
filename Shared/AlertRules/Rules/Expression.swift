import VigilSchema

/// Arithmetic over several metrics: `(systolic-pressure + 2 * diastolic-pressure) / 3`.
package struct Expression: Hashable, Sendable {
    /// A step on a stack of numbers.
    enum Step: Hashable, Sendable {
        case number(Double)
        /// An input, by its place among the expression's.
        case input(Int)
        case add, subtract, multiply, divide
    }

    let steps: [Step]
    /// The names of the metrics, each once.
    let names: [String]
    /// Their places among the rule set's metrics.
    package var metrics: [Int] = []
    /// Its first place among the remembered inputs.
    package var first = 0
    /// The permitted time between the measurements of the inputs, in microseconds.
    package var within: Int64 = 0

    /// Works it out; nil where the result is no number.
    func value(_ inputs: (Int) -> Double) -> Double? {
        var stack: [Double] = []
        for step in steps {
            switch step {
            case .number(let number): stack.append(number)
            case .input(let index): stack.append(inputs(index))
            default:
                guard let right = stack.popLast(), let left = stack.popLast() else { return nil }
                stack.append(Self.apply(step, left, right))
            }
        }
        guard let result = stack.last, stack.count == 1, result.isFinite else { return nil }
        return result
    }

    private static func apply(_ step: Step, _ left: Double, _ right: Double) -> Double {
        switch step {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        default: left / right
        }
    }

    /// Reads one; nil where the text is none. Signs stand between spaces, because metrics' names hold hyphens.
    init?(_ text: String) {
        var reader = Reader(words: Reader.words(text))
        guard reader.sum(), reader.isAtEnd, !reader.names.isEmpty else { return nil }
        (steps, names) = (reader.steps, reader.names)
    }

    /// Reads by descent: sums of products of numbers, names and what stands in parentheses.
    private struct Reader {
        private var words: ArraySlice<String>
        private(set) var steps: [Step] = []
        private(set) var names: [String] = []
        private var depth = 0

        init(words: [String]) { self.words = words[...] }

        var isAtEnd: Bool { words.isEmpty }

        static func words(_ text: String) -> [String] {
            text.replacing("(", with: " ( ").replacing(")", with: " ) ").split(separator: " ").map(String.init)
        }

        mutating func sum() -> Bool { series(["+": .add, "-": .subtract]) { $0.product() } }

        private mutating func product() -> Bool { series(["*": .multiply, "/": .divide]) { $0.factor() } }

        private mutating func series(_ signs: [String: Step], _ part: (inout Reader) -> Bool) -> Bool {
            guard part(&self) else { return false }
            while let word = words.first, let step = signs[word] {
                words.removeFirst()
                guard part(&self) else { return false }
                steps.append(step)
            }
            return true
        }

        private mutating func factor() -> Bool {
            guard let word = words.popFirst() else { return false }
            if let number = Double(decimal: word) {
                steps.append(.number(number))
                return true
            }
            guard word == "(" else { return name(word) }
            depth += 1
            // Deeper than any formula, but not as deep as the stack.
            guard depth < 20, sum() else { return false }
            depth -= 1
            return words.popFirst() == ")"
        }

        private mutating func name(_ word: String) -> Bool {
            guard word.first?.isLetter == true else { return false }
            if !names.contains(word) { names.append(word) }
            steps.append(.input(names.firstIndex(of: word) ?? 0))
            return true
        }
    }
}
