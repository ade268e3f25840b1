/// Where and why bytes are not the JSON that was expected.
package struct JSONError: Error {
    package let code: PayloadError.Code
    package let reason: StaticReason
    /// Bytes from the payload's start.
    package let offset: Int

    package init(_ code: PayloadError.Code, _ reason: StaticReason, at offset: Int) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }

    /// The same, at a path.
    package func at(_ path: String) -> PayloadError { PayloadError(code, reason.text, offset: offset, path: path) }
}

/// A reason that is fixed text, so that no value of a payload can get into it. It is made a `String` only where it is told:
/// reasons are passed along wherever something could be wrong, and hardly ever is.
package struct StaticReason: Sendable, ExpressibleByStringLiteral {
    private let literal: StaticString

    package init(stringLiteral value: StaticString) { literal = value }

    package var text: String { literal.description }
}
