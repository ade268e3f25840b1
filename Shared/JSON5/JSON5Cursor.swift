/// Walks over a text's Unicode scalars and knows the line and column; skips white space and comments.
struct JSON5Cursor {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private(set) var position = SourcePosition(line: 1, column: 1)

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { index = 1 }
    }

    var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    func peek(ahead: Int) -> Unicode.Scalar? { index + ahead < scalars.count ? scalars[index + ahead] : nil }

    /// Takes one scalar and keeps the position; CRLF counts as one line's end.
    @discardableResult mutating func take() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        index += 1
        if Self.isLineEnd(scalar), !(scalar == "\r" && peek == "\n") {
            position = SourcePosition(line: position.line + 1, column: 1)
        } else {
            position.column += 1
        }
        return scalar
    }

    /// Takes `expected` if it is next.
    mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard peek == expected else { return false }
        take()
        return true
    }

    /// Takes scalars while they satisfy the condition.
    mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let scalar = peek, condition(scalar) {
            taken.append(scalar)
            take()
        }
        return String(taken)
    }

    /// Skips white space, `// …` and `/* … */`.
    mutating func skipBlank() throws(JSON5Problem) {
        while let scalar = peek {
            if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
                take()
            } else if scalar == "/", peek(ahead: 1) == "/" {
                _ = take { !Self.isLineEnd($0) }
            } else if scalar == "/", peek(ahead: 1) == "*" {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private mutating func skipBlockComment() throws(JSON5Problem) {
        let start = position
        take()
        take()
        while let scalar = take() {
            if scalar == "*", take("/") { return }
        }
        throw JSON5Problem(position: start, message: "the comment never ends", suggestion: "close it with */")
    }
}
