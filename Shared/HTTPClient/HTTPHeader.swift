/// One header field of a request or an answer.
package struct HTTPHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// `name: value`, or nil where either holds a line's end, which would smuggle in another field.
    var line: String? {
        let isClean = !(name + value).unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }
        guard isClean, !name.isEmpty else { return nil }
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }
}

extension [HTTPHeader] {
    /// The first field of that name, upper and lower case alike.
    package subscript(name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
