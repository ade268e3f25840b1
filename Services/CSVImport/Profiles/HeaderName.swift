import VigilSchema

/// A column's header, told apart by letters and digits only: `sessionId`, `session-id` and `Session ID` are one.
package struct HeaderName: Hashable, Sendable {
    private let key: String

    /// The name of a header as it is written.
    package init(_ header: String) {
        let kept = header.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        key = String(String.UnicodeScalarView(kept))
    }

    /// A metric's name made from a header: itself where it is one, else its letters and digits with hyphens between.
    package static func metricName(_ header: String) -> String? {
        let trimmed = header.trimmed
        if Name.isValid(trimmed) { return trimmed }
        var name = ""
        for scalar in trimmed.lowercased().unicodeScalars {
            if scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                name.unicodeScalars.append(scalar)
            } else if name.last != "-", !name.isEmpty {
                name.append("-")
            }
        }
        let result = String((name.last == "-" ? name.dropLast() : name[...]).prefix(64))
        return result.isEmpty ? nil : result
    }
}

extension String {
    /// Without spaces and line ends around it.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
