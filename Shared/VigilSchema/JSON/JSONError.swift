/// Where and why bytes are not the JSON that was expected.
struct JSONError: Error, Hashable {
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

/// A reason that is fixed text, so that no value of a payload can get into it.
struct StaticReason: Hashable, ExpressibleByStringLiteral {
    let text: String
    init(stringLiteral value: StaticString) { text = value.description }
}
