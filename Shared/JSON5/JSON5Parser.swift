import VigilSchema

/// Parses JSON5 (json5.org, 1.0.0) and stops at the first thing that is not JSON5.
///
/// Stricter than the standard in one point: a name that occurs twice in an object is refused, because in a file that
/// people write the second is a mistake. Lists and objects may be nested 64 deep.
package struct JSON5Parser {
    private static let maximumDepth = 64
    var cursor: JSON5Cursor
    private var depth = 0

    private init(_ text: String) { cursor = JSON5Cursor(text) }

    /// Parses one value with nothing but blanks and comments around it.
    package static func parse(_ text: String) throws(JSON5Problem) -> JSON5Value {
        var parser = JSON5Parser(text)
        let value = try parser.value()
        try parser.cursor.skipBlank()
        guard let rest = parser.cursor.peek else { return value }
        throw parser.problem("\(parser.name(of: rest)) after the end of the value")
    }

    /// Parses UTF-8; bytes that are no UTF-8 are refused.
    package static func parse(utf8 bytes: [UInt8]) throws(JSON5Problem) -> JSON5Value {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSON5Problem(
                position: SourcePosition(line: 1, column: 1), message: "the file is no UTF-8 text", suggestion: "save it as UTF-8")
        }
        return try parse(text)
    }

    private mutating func value() throws(JSON5Problem) -> JSON5Value {
        try cursor.skipBlank()
        let position = cursor.position
        guard let scalar = cursor.peek else { throw problem("a value is missing at the end of the file") }
        let content: JSON5Value.Content =
            switch scalar {
            case "{": try nested { (parser) throws(JSON5Problem) in .object(try parser.members(from: position)) }
            case "[": try nested { (parser) throws(JSON5Problem) in .array(try parser.elements(from: position)) }
            case "\"", "'": .string(try string())
            case "+", "-", ".", "0"..."9", "I", "N": .number(try number())
            default: try word()
            }
        return JSON5Value(position: position, content: content)
    }

    private mutating func nested(
        _ body: (inout JSON5Parser) throws(JSON5Problem) -> JSON5Value.Content
    ) throws(JSON5Problem) -> JSON5Value.Content {
        guard depth < Self.maximumDepth else { throw problem("lists and objects are nested more than \(Self.maximumDepth) deep") }
        depth += 1
        defer { depth -= 1 }
        cursor.take()
        return try body(&self)
    }

    private mutating func elements(from start: SourcePosition) throws(JSON5Problem) -> [JSON5Value] {
        var elements: [JSON5Value] = []
        while true {
            try cursor.skipBlank()
            if cursor.take("]") { return elements }
            elements.append(try value())
            try separator(before: "]", from: start, of: "list")
        }
    }

    private mutating func members(from start: SourcePosition) throws(JSON5Problem) -> [JSON5Member] {
        var members: [JSON5Member] = []
        var names: Set<String> = []
        while true {
            try cursor.skipBlank()
            if cursor.take("}") { return members }
            let position = cursor.position
            let name = try memberName(from: start)
            guard names.insert(name).inserted else {
                throw JSON5Problem(position: position, message: "\"\(name)\" is given twice", suggestion: "remove one of them")
            }
            try cursor.skipBlank()
            guard cursor.take(":") else { throw problem("expected \":\" after the name \"\(name)\"") }
            members.append(JSON5Member(name: name, position: position, value: try value()))
            try separator(before: "}", from: start, of: "object")
        }
    }

    private mutating func separator(
        before end: Unicode.Scalar, from start: SourcePosition, of what: String
    ) throws(JSON5Problem) {
        try cursor.skipBlank()
        guard let next = cursor.peek else {
            throw problem("the \(what) that begins at \(start) never ends", suggestion: "close it with \(end)")
        }
        guard next != end, !cursor.take(",") else { return }
        throw problem("\(name(of: next)) where a comma or \"\(end)\" belongs", suggestion: "is a comma missing before it?")
    }

    private mutating func memberName(from start: SourcePosition) throws(JSON5Problem) -> String {
        guard let scalar = cursor.peek else {
            throw problem("the object that begins at \(start) never ends", suggestion: "close it with }")
        }
        if scalar == "\"" || scalar == "'" { return try string() }
        var name = ""
        while let scalar = cursor.peek, scalar == "\\" || Self.isNamePart(scalar) {
            let position = cursor.position
            cursor.take()
            let part = scalar == "\\" ? try escapedNameScalar(from: position) : scalar
            guard Self.isNamePart(part), !name.isEmpty || Self.isNameStart(part) else {
                throw JSON5Problem(
                    position: position, message: "\(self.name(of: part)) where a name belongs",
                    suggestion: "a name with other letters needs quotes")
            }
            name.unicodeScalars.append(part)
        }
        guard name.isEmpty else { return name }
        throw problem("\(self.name(of: scalar)) where a name belongs", suggestion: "a name with other letters needs quotes")
    }

    private mutating func word() throws(JSON5Problem) -> JSON5Value.Content {
        let position = cursor.position
        let word = cursor.take(while: Self.isNamePart)
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "": throw problem("\(name(of: cursor.peek)) where a value belongs")
        default:
            let nearest = Spelling.suggestion(for: word, among: ["true", "false", "null", "Infinity", "NaN"])
            throw JSON5Problem(
                position: position, message: "\"\(word)\" is no value", suggestion: nearest ?? "a text needs quotes: \"\(word)\"")
        }
    }

    func problem(_ message: String, suggestion: String? = nil) -> JSON5Problem {
        JSON5Problem(position: cursor.position, message: message, suggestion: suggestion)
    }

    func name(of scalar: Unicode.Scalar?) -> String {
        guard let scalar else { return "the end of the file" }
        guard scalar.value > 32, scalar.value != 127 else { return "a control character (code \(scalar.value))" }
        return "\"\(scalar)\""
    }

    static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "$" || scalar.properties.isAlphabetic
    }

    static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        isNameStart(scalar) || scalar.properties.numericType != nil || scalar.properties.generalCategory == .nonspacingMark
    }
}

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
