/// Where and why bytes are not the JSON that was expected.
struct JSONError: Error {
    let code: PayloadError.Code
    let reason: StaticReason
    let offset: Int

    init(_ code: PayloadError.Code, _ reason: StaticReason, at offset: Int) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }

    /// The same, at a path.
    func at(_ path: String) -> PayloadError { PayloadError(code, reason.text, offset: offset, path: path) }
}

/// A reason that is fixed text, so that no value of a payload can get into it. It is made a `String` only where it is told:
/// reasons are passed along wherever something could be wrong, and hardly ever is.
struct StaticReason: ExpressibleByStringLiteral {
    private let literal: StaticString

    init(stringLiteral value: StaticString) { literal = value }

    var text: String { literal.description }
}
