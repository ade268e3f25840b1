import VigilSchema

/// A JSON value as written: numbers stay text, so that no digit is lost.
indirect enum JSONNode: Hashable, Sendable {
    case null
    /// A number, `true` or `false`, as written.
    case literal(String)
    case string(String)
    case array([JSONNode])
    /// In the file's order.
    case object([JSONMember])

    /// The value of a member; nil: none, or no object.
    subscript(_ name: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The elements of an array; empty for anything else.
    var elements: [JSONNode] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The text of a string or a literal.
    var text: String? {
        switch self {
        case .string(let text), .literal(let text): text
        default: nil
        }
    }

    /// The number of a literal, or of a string with a number.
    var number: Double? { text.flatMap { Double(decimal: $0) } }

    var isObject: Bool {
        if case .object = self { return true }
        return false
    }

    /// The value at a path of member names.
    func at(_ path: String...) -> JSONNode? { path.reduce(JSONNode?.some(self)) { $0?[$1] } }

    /// The value as compact JSON.
    var json: String {
        switch self {
        case .null: "null"
        case .literal(let text): text
        case .string(let text): JSONNode.quoted(text)
        case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\(JSONNode.quoted($0.name)):\($0.value.json)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\u{0}"..."\u{1F}": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// A member of an object.
struct JSONMember: Hashable, Sendable {
    let name: String
    let value: JSONNode
}

/// Reads consecutive JSON values from bytes of any length, in the memory of one value.
struct JSONScanner {
    private static let deepest = 64
    /// The most bytes of one value.
    static let longestValue = 256 << 20

    private var source: any ByteSource
    private var buffer = [UInt8](repeating: 0, count: 128 << 10)
    private var position = 0
    private var filled = 0
    private var before = 0
    private(set) var line = 1
    private let name: String

    /// - Parameter name: the file's name, for messages.
    init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
    }

    /// The number of bytes before the current one.
    var offset: Int { before + position }

    /// The next byte after spaces, without consuming it; nil at the end.
    mutating func peek() throws(ImportError) -> UInt8? {
        while let byte = try byte() {
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            if byte == 0x0A { line += 1 }
            position += 1
        }
        return nil
    }

    /// Consumes that byte if it is the next after spaces.
    mutating func take(_ wanted: UInt8) throws(ImportError) -> Bool {
        guard try peek() == wanted else { return false }
        position += 1
        return true
    }

    /// Consumes that byte, which must be next.
    mutating func need(_ wanted: UInt8) throws(ImportError) {
        guard try take(wanted) else { throw malformed("\(Character(UnicodeScalar(wanted))) is missing") }
    }

    /// Reads the next value.
    mutating func value(depth: Int = 0, from start: Int? = nil) throws(ImportError) -> JSONNode {
        let start = start ?? offset
        guard depth < JSONScanner.deepest else { throw malformed("it is nested more than \(JSONScanner.deepest) deep") }
        guard offset - start < JSONScanner.longestValue else {
            throw malformed("one value is longer than \(JSONScanner.longestValue >> 20) MB")
        }
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try members(depth, start))
        case UInt8(ascii: "["): return .array(try elements(depth, start))
        case UInt8(ascii: "\""): return .string(try string())
        case nil: throw malformed("it ends in the middle of a value")
        default: return try literal()
        }
    }

    /// Reads a string, from its opening quote on.
    mutating func string() throws(ImportError) -> String {
        try need(UInt8(ascii: "\""))
        var bytes: [UInt8] = []
        while let byte = try byte() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(&bytes)
            case 0x0A:
                line += 1
                bytes.append(byte)
            default: bytes.append(byte)
            }
        }
        throw malformed("a text is never closed")
    }

    private mutating func members(_ depth: Int, _ start: Int) throws(ImportError) -> [JSONMember] {
        position += 1
        var members: [JSONMember] = []
        if try take(UInt8(ascii: "}")) { return members }
        while true {
            let name = try string()
            try need(UInt8(ascii: ":"))
            members.append(JSONMember(name: name, value: try value(depth: depth + 1, from: start)))
            if try take(UInt8(ascii: "}")) { return members }
            try need(UInt8(ascii: ","))
        }
    }

    private mutating func elements(_ depth: Int, _ start: Int) throws(ImportError) -> [JSONNode] {
        position += 1
        var elements: [JSONNode] = []
        if try take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value(depth: depth + 1, from: start))
            if try take(UInt8(ascii: "]")) { return elements }
            try need(UInt8(ascii: ","))
        }
    }

    private mutating func literal() throws(ImportError) -> JSONNode {
        var bytes: [UInt8] = []
        while let byte = try byte(), (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "+-.".utf8.contains(byte) {
            bytes.append(byte)
            position += 1
            guard bytes.count <= 400 else { throw malformed("a number is too long") }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if text == "null" || text == "NaN" { return .null }
        // Python writes infinities in this form; they are no numbers here either.
        let isWord = ["true", "false", "Infinity", "-Infinity"].contains(text)
        guard isWord || DecimalText.isPossible(text[...]) && Double(text) != nil else { throw malformed("this is no value") }
        return .literal(text)
    }

    private mutating func escape(_ bytes: inout [UInt8]) throws(ImportError) {
        guard let byte = try byte() else { throw malformed("a text is never closed") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "u"):
            var units = [try hexadecimal()]
            if UTF16.isLeadSurrogate(units[0]), try self.byte() == UInt8(ascii: "\\") {
                position += 1
                guard try self.byte() == UInt8(ascii: "u") else { throw malformed("half a character is escaped") }
                position += 1
                units.append(try hexadecimal())
            }
            bytes += Array(String(decoding: units, as: UTF16.self).utf8)
        default: bytes.append(byte)
        }
    }

    private mutating func hexadecimal() throws(ImportError) -> UInt16 {
        var number: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try byte(), let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw malformed("an escape is cut off")
            }
            number = number << 4 | UInt16(digit)
            position += 1
        }
        return number
    }

    /// The current byte; reads more if necessary.
    private mutating func byte() throws(ImportError) -> UInt8? {
        if position == filled {
            before += filled
            position = 0
            filled = try source.read(into: &buffer, at: 0, limit: buffer.count)
            if filled == 0 { return nil }
        }
        return buffer[position]
    }

    func malformed(_ what: String) -> ImportError { ImportError(.format, "\(name): the JSON is broken near line \(line): \(what)") }
}
