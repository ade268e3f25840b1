extension JSON5Parser {
    /// A number: decimal, with a leading or trailing point, hexadecimal, `Infinity`, `NaN`, each with an optional sign.
    mutating func number() throws(JSON5Problem) -> Double {
        let start = cursor.position
        let sign: Double = cursor.take("-") ? -1 : 1
        if sign == 1 { _ = cursor.take("+") }
        let token = numberToken()
        let magnitude: Double? =
            switch token {
            case "Infinity": .infinity
            case "NaN": .nan
            default: token.hasPrefix("0x") || token.hasPrefix("0X") ? Self.hexadecimal(token) : Self.decimal(token)
            }
        guard let magnitude else {
            throw JSON5Problem(
                position: start, message: "\"\(token)\" is no number",
                suggestion: token.first?.isNumber == true ? "a text such as a duration needs quotes: \"\(token)\"" : nil)
        }
        return sign * magnitude
    }

    private mutating func numberToken() -> String {
        var token = ""
        while let scalar = cursor.peek {
            let isExponentSign =
                (scalar == "+" || scalar == "-") && (token.hasSuffix("e") || token.hasSuffix("E")) && !token.hasPrefix("0x")
            guard scalar == "." || Self.isNamePart(scalar) || isExponentSign else { break }
            token.unicodeScalars.append(scalar)
            cursor.take()
        }
        return token
    }

    private static func hexadecimal(_ token: String) -> Double? {
        UInt64(token.dropFirst(2), radix: 16).map { Double($0) }
    }

    private static func decimal(_ token: String) -> Double? {
        let isPlain = token.unicodeScalars.allSatisfy { "0123456789.eE+-".unicodeScalars.contains($0) }
        let hasLeadingZero = token.hasPrefix("0") && token.dropFirst().first?.isNumber == true
        guard isPlain, !hasLeadingZero, token.first?.isNumber == true || token.hasPrefix(".") else { return nil }
        let mantissaEnd = token.firstIndex { $0 == "e" || $0 == "E" } ?? token.endIndex
        var mantissa = String(token[..<mantissaEnd])
        guard mantissa != "." else { return nil }
        if mantissa.hasPrefix(".") { mantissa = "0" + mantissa }
        if mantissa.hasSuffix(".") { mantissa += "0" }
        return Double(mantissa + token[mantissaEnd...])
    }

    /// A text in single or double quotes.
    mutating func string() throws(JSON5Problem) -> String {
        let start = cursor.position
        guard let quote = cursor.take() else { throw problem("a text is missing") }
        var text = String.UnicodeScalarView()
        while let scalar = cursor.peek {
            if scalar == "\n" || scalar == "\r" { break }
            cursor.take()
            if scalar == quote { return String(text) }
            if scalar == "\\" { try escape(into: &text) } else { text.append(scalar) }
        }
        throw JSON5Problem(position: start, message: "the text never ends on its line", suggestion: "close it with \(quote)")
    }

    private mutating func escape(into text: inout String.UnicodeScalarView) throws(JSON5Problem) {
        let position = cursor.position
        guard let scalar = cursor.take() else { throw problem("the file ends inside a text") }
        switch scalar {
        case "b": text.append("\u{8}")
        case "f": text.append("\u{C}")
        case "n": text.append("\n")
        case "r": text.append("\r")
        case "t": text.append("\t")
        case "v": text.append("\u{B}")
        case "0": text.append("\0")
        case "x": text.append(try unicode(digits: 2, from: position))
        case "u": text.append(try unicode(digits: 4, from: position))
        case "\r": _ = cursor.take("\n")
        case "1"..."9": throw JSON5Problem(position: position, message: "a digit cannot be escaped")
        default: if !JSON5Cursor.isLineEnd(scalar) { text.append(scalar) }
        }
    }

    /// A character of a name that is written as `\u` and four digits, whose backslash has been taken.
    mutating func escapedNameScalar(from position: SourcePosition) throws(JSON5Problem) -> Unicode.Scalar {
        guard cursor.take("u") else { throw JSON5Problem(position: position, message: "in a name only \\u can be escaped") }
        return try unicode(digits: 4, from: position)
    }

    private mutating func unicode(digits: Int, from position: SourcePosition) throws(JSON5Problem) -> Unicode.Scalar {
        let first = try codeUnit(digits: digits, from: position)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A character outside the basic plane is written as two escapes, high half first.
        let isPair = (0xD800..<0xDC00).contains(first) && cursor.take("\\") && cursor.take("u")
        if isPair {
            let second = try codeUnit(digits: 4, from: position)
            guard (0xDC00..<0xE000).contains(second) else { throw Self.halfPair(at: position) }
            if let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) { return scalar }
        }
        throw Self.halfPair(at: position)
    }

    private static func halfPair(at position: SourcePosition) -> JSON5Problem {
        JSON5Problem(position: position, message: "half of a surrogate pair is no character")
    }

    private mutating func codeUnit(digits: Int, from position: SourcePosition) throws(JSON5Problem) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = cursor.take(), let digit = Character(scalar).hexDigitValue else {
                throw JSON5Problem(position: position, message: "expected \(digits) hexadecimal digits")
            }
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}
