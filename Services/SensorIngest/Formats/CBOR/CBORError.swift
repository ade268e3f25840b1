import VigilSchema

/// Where and why bytes are not the CBOR that was expected.
struct CBORError: Error {
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
