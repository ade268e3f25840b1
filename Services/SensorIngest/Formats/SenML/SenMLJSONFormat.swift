package import VigilSchema

/// SenML in JSON, `application/senml+json` (RFC 8428, section 5).
///
/// What the names become: `SenMLName`; the units: `SenMLUnit`. Booleans become 1 and 0. Sums and data are refused.
package struct SenMLJSONFormat: PayloadFormat {
    package let name = "SenML JSON"
    package let contentTypes = [MediaType.senmlJSON, "application/sensml+json"]
    private let catalogue: MetricCatalogue

    package init(catalogue: MetricCatalogue = .standard) { self.catalogue = catalogue }

    package func recognises(firstBytes: Span<UInt8>) -> Bool { JSONShape.of(firstBytes) == .senml }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        try JSONText.check(bytes)
        var reader = SenMLJSONReader()
        var resolver = SenMLResolver(catalogue: catalogue, received: received)
        try reader.open(bytes)
        repeat {
            try resolver.checkCount(at: reader.offset)
            try resolver.add(try reader.next(bytes))
        } while try reader.another(bytes)
        return resolver.readings
    }
}
