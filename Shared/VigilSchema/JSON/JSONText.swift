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
