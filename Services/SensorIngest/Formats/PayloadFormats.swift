package import VigilSchema

/// A format that devices speak: how it is recognised and how it becomes readings.
///
/// Implementations are values without state, used from any thread.
package protocol PayloadFormat: Sendable {
    /// For messages and documents, for example `SenML JSON`.
    var name: String { get }
    /// The content types that mean this format and no other, in lower case, without parameters.
    var contentTypes: [String] { get }

    /// Returns whether a payload that starts so is of this format, as far as can be seen. Reads no further than it must.
    func recognises(firstBytes: Span<UInt8>) -> Bool

    /// The readings, in the payload's order. Values are as given: not yet converted, and not yet checked for plausibility.
    /// - Parameter received: The time of receipt, for readings without a time and for times relative to now.
    /// - Throws: `PayloadError` where nothing of the payload can be used, with the byte and the path of what is wrong.
    func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings
}

/// The formats that ingest accepts, in the order in which they are tried.
package struct PayloadFormats: Sendable {
    /// Every format of the suite.
    package static let standard = PayloadFormats([
        NativeFormat(), SenMLJSONFormat(), SenMLCBORFormat(), OpenMHealthFormat(), SensorsFormat(), LibeliumFormat(),
    ])

    /// In the order in which first bytes are shown to them.
    package let formats: [any PayloadFormat]
    private let byContentType: [String: Int]

    package init(_ formats: [any PayloadFormat]) {
        self.formats = formats
        let pairs = formats.enumerated().flatMap { index, format in format.contentTypes.map { ($0, index) } }
        byContentType = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The format of a payload: by its content type where that means one, else by its first bytes.
    ///
    /// Types that say only what the bytes are written in (`application/json`, `application/cbor`, `text/plain`,
    /// `application/octet-stream`) leave the decision to the bytes.
    /// - Throws: `PayloadError` for a content type or bytes that no format claims.
    package func select(contentType: String?, bytes: Span<UInt8>) throws(PayloadError) -> any PayloadFormat {
        if let contentType, !contentType.isEmpty {
            let type = PayloadFormats.bare(contentType)
            if let index = byContentType[type] { return formats[index] }
            guard PayloadFormats.undecided.contains(type) else { throw unsupported("the content type is none of ") }
        }
        for format in formats where format.recognises(firstBytes: bytes) { return format }
        throw unsupported("the first bytes belong to none of the formats ", offset: 0)
    }

    private func unsupported(_ reason: String, offset: Int? = nil) -> PayloadError {
        let known = offset == nil ? formats.flatMap(\.contentTypes) : formats.map(\.name)
        return PayloadError(.unsupported, reason + known.joined(separator: ", "), offset: offset)
    }

    /// Without parameters, in lower case.
    private static func bare(_ contentType: String) -> String {
        let end = contentType.firstIndex(of: ";") ?? contentType.endIndex
        return contentType[..<end].filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    private static let undecided: Set<String> = [
        "application/json", "text/json", "application/cbor", "text/plain", "application/octet-stream",
    ]
}

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
        try decoder.decode(bytes, received: received)
    }
}

extension DecodedReadings {
    /// Refuses one half of a blood pressure that came without the other: alone it would mislead.
    mutating func refuseHalfPressures() {
        let halves = ["systolic-pressure", "diastolic-pressure"]
        var counts: [Int32: Int] = [:]
        for reading in readings where halves.contains(reading.observation.metric) { counts[reading.observation.sequence, default: 0] += 1 }
        guard counts.values.contains(1) else { return }
        readings.removeAll { reading in
            guard halves.contains(reading.observation.metric), counts[reading.observation.sequence] == 1 else { return false }
            let reason = "\(reading.observation.metric) is not kept without the other half of the blood pressure"
            refusals.append(PayloadError(.missing, reason, offset: Int(reading.offsets.element), path: reading.path("")))
            return true
        }
    }
}
