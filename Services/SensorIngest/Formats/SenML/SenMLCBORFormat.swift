package import VigilSchema

/// SenML in CBOR, `application/senml+cbor` (RFC 8428, section 6; RFC 8949). The same as `SenMLJSONFormat` but for the bytes.
package struct SenMLCBORFormat: PayloadFormat {
    package let name = "SenML CBOR"
    package let contentTypes = [MediaType.senmlCBOR, "application/sensml+cbor"]
    private let catalogue: MetricCatalogue

    package init(catalogue: MetricCatalogue = .standard) { self.catalogue = catalogue }

    /// An array, or the tag that says "this is CBOR" (RFC 8949, section 3.4.6). No JSON starts with these bytes.
    package func recognises(firstBytes: Span<UInt8>) -> Bool {
        guard let first = firstBytes.isEmpty ? nil : firstBytes[0] else { return false }
        return first >> 5 == CBORHead.Major.array.rawValue || first == 0xD9
    }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        var reader = SenMLCBORReader()
        var resolver = SenMLResolver(catalogue: catalogue, received: received)
        try reader.open(bytes)
        while try reader.another(bytes) {
            try resolver.checkCount(at: reader.offset)
            try resolver.add(try reader.next(bytes))
        }
        return resolver.readings
    }
}
