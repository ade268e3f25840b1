package import VigilSchema

/// The suite's own format: one observation, an array of them, or an envelope with a session.
package struct NativeFormat: PayloadFormat {
    package let name = "native JSON"
    package static let contentType = "application/vnd.vigil.observations+json"
    package let contentTypes = [contentType]
    private let decoder: ReadingDecoder

    package init(catalogue: MetricCatalogue = .standard) { decoder = ReadingDecoder(catalogue: catalogue) }

    /// Any JSON that no other format claims: errors are then told in terms of the format that makers meet first.
    package func recognises(firstBytes: Span<UInt8>) -> Bool { JSONShape.of(firstBytes) == .native }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        try decoder.decode(bytes)
    }
}
