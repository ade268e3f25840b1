package import VigilSchema

/// The suite's own format: one observation, an array of them, or an envelope with a session.
package struct NativeFormat: PayloadFormat {
    package let name = "native JSON"
    package let contentTypes = ["application/vnd.vigil.observations+json"]
    private let decoder: ReadingDecoder

    package init(catalogue: MetricCatalogue = .standard) { decoder = ReadingDecoder(catalogue: catalogue) }

    /// Any JSON that no other format claims: errors are then told in terms of the format that makers meet first.
    package func recognises(firstBytes: Span<UInt8>) -> Bool {
        for index in firstBytes.indices {
            switch firstBytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): return true
            default: return false
            }
        }
        return false
    }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        try decoder.decode(bytes)
    }
}
