/// The place and the reason where bytes are not the JSON that was expected.
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

/// Checks that are made once for a whole payload.
package enum JSONText {
    /// JSON between systems is UTF-8 (RFC 8259, section 8.1), without NUL bytes and without a byte-order mark.
    package static func check(_ bytes: Span<UInt8>) throws(PayloadError) {
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw PayloadError(.malformed, "the bytes are not UTF-8", offset: error.byteOffsets.lowerBound)
        }
    }
}

/// The position of the decoder in a batch, for the path in an error.
struct BatchPath: CustomStringConvertible {
    var group: Int?
    var observation: Int?
    var field = ""

    var description: String {
        var path = "$"
        if let group { path += ".groups[\(group)]" }
        if let observation { path += ".observations[\(observation)]" }
        return field.isEmpty ? path : path + "." + field
    }
}
