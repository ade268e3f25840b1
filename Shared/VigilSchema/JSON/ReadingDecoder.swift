/// Decodes what a device sends in the native format: one observation, an array of them, or
/// `{"session": …, "observations": […]}`.
///
/// A reading that is wrong is refused by itself and the others stand; broken JSON refuses the message as a whole, because
/// what follows the break cannot be trusted. Threading: a value, used from any thread.
public struct ReadingDecoder: Sendable {
    /// More readings in a message are refused.
    public static let maximumReadings = 100_000
    /// More samples in a block are refused.
    public static let maximumSamples = 1_000_000

    private let catalogue: MetricCatalogue

    /// Makes a decoder.
    public init(catalogue: MetricCatalogue = .standard) { self.catalogue = catalogue }

    /// Decodes a payload.
    /// - Parameter received: Stands in for the time of a reading without one; nil to refuse such a reading.
    /// - Throws: `PayloadError` where nothing of it can be used.
    public func decode(_ bytes: Span<UInt8>, received: Timestamp? = nil) throws(PayloadError) -> DecodedReadings {
        try JSONText.check(bytes)
        var parser = ObservationParser(catalogue: catalogue, cursor: JSONCursor(offset: 0), maximumSamples: Self.maximumSamples)
        parser.received = received
        do {
            var readings = try document(bytes, &parser)
            readings.isStamped = parser.isStamped
            readings.unknownKey = parser.unknownKey
            try parser.cursor.expectEnd(bytes)
            return readings
        } catch {
            throw error.at("$")
        }
    }

    private func document(_ bytes: Span<UInt8>, _ parser: inout ObservationParser) throws(JSONError) -> DecodedReadings {
        switch parser.cursor.peek(bytes) {
        case UInt8(ascii: "["):
            return try array(bytes, &parser, path: "$")
        case UInt8(ascii: "{"):
            if try isEnvelope(bytes, parser.cursor) { return try envelope(bytes, &parser) }
            var readings = DecodedReadings()
            try readings.add(bytes, &parser, index: nil, path: "$")
            return readings
        default: throw JSONError(.malformed, "a reading or an array of readings is expected", at: parser.cursor.offset)
        }
    }

    /// Returns whether the object has `observations` as its own key: only looked for in objects whose first key is no reading's.
    private func isEnvelope(_ bytes: Span<UInt8>, _ cursor: JSONCursor) throws(JSONError) -> Bool {
        var cursor = cursor
        cursor.offset += 1
        guard cursor.peek(bytes) == 0x22 else { return false }
        var ahead = cursor
        if ObservationFields.Field(packed: try ahead.packedKey(bytes)) != nil { return false }
        let key = try cursor.key(bytes)
        if key.equals("observations", bytes) { return true }
        try cursor.skipValue(bytes)
        while cursor.take(",", bytes) {
            if try cursor.key(bytes).equals("observations", bytes) { return true }
            try cursor.skipValue(bytes)
        }
        return false
    }

    private func envelope(_ bytes: Span<UInt8>, _ parser: inout ObservationParser) throws(JSONError) -> DecodedReadings {
        parser.cursor.offset += 1
        var readings = DecodedReadings()
        var session: String?
        var wish = ReceiptWish()
        repeat {
            let key = try parser.cursor.key(bytes)
            if key.equals("observations", bytes) {
                readings = try array(bytes, &parser, path: "$.observations")
            } else if key.equals("session", bytes) {
                session = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("receipt", bytes) {
                wish.id = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("responseTopic", bytes) {
                wish.responseTopic = try parser.cursor.string(bytes).text(bytes)
            } else {
                try parser.cursor.skipValue(bytes)
            }
        } while try parser.cursor.another(closing: "}", bytes)
        readings.session = session
        readings.receipt = wish == ReceiptWish() ? nil : wish
        return readings
    }

    private func array(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, path: String
    ) throws(JSONError) -> DecodedReadings {
        try parser.cursor.expect("[", "an array of readings is expected", bytes)
        var readings = DecodedReadings()
        if parser.cursor.take("]", bytes) { return readings }
        var index = 0
        repeat {
            guard index < Self.maximumReadings else {
                throw JSONError(.tooLarge, "more than 100000 readings in one message", at: parser.cursor.offset)
            }
            try readings.add(bytes, &parser, index: index, path: "\(path)[\(index)]")
            index += 1
        } while try parser.cursor.another(closing: "]", bytes)
        return readings
    }
}
