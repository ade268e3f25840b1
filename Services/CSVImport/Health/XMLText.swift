/// Text of XML documents.
enum XMLText {
    private static let named: [Substring: Character] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

    /// The text with its character references and the five predefined entities replaced; others stay as they are.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";"), let character = character(rest[rest.index(after: start)..<end]) else {
                result.append("&")
                rest = rest[rest.index(after: start)...]
                continue
            }
            result.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ reference: Substring) -> Character? {
        if let known = named[reference] { return known }
        guard reference.hasPrefix("#") else { return nil }
        let isHexadecimal = reference.dropFirst().first.map { $0 == "x" || $0 == "X" } ?? false
        let code = UInt32(reference.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        return code.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
