/// Reads one observation object, as it stands in a device's message and in a canonical batch.
///
/// Broken JSON throws. A field that is well formed but wrong refuses just this observation, and reading goes on behind it.
struct ObservationParser {
    /// The reason why an object is no observation.
    struct Refused {
        let error: JSONError
        /// The field that is wrong; empty where the object as a whole is.
        let field: String
    }

    let catalogue: MetricCatalogue
    var cursor: JSONCursor
    /// More samples in a block are refused.
    let maximumSamples: Int
    /// Stands in where a reading has no time; nil to refuse it.
    var received: Timestamp?
    /// A Boolean value that indicates whether it did.
    var isStamped = false
    /// The offset of the first unknown key.
    var unknownKey: Int?

    /// Reads an object of a device's message and appends its observation, which is not passed on by value because it is large.
    /// - Returns: why nothing was appended; nil where something was.
    @inline(__always)
    mutating func parse(
        _ bytes: Span<UInt8>, index: Int?, into readings: inout [ParsedObservation]
    ) throws(JSONError) -> Refused? {
        _ = cursor.peek(bytes)
        var fields = ObservationFields(element: cursor.offset)
        if let refused = try object(bytes, into: &fields) { return refused }
        return fields.append(bytes, catalogue: catalogue, index: index, to: &readings)
    }

    /// Reads an object of a batch that the suite wrote, of which nobody asks where its parts stood. A number without a unit has the unit 1.
    @inline(__always)
    mutating func parseTrusted(_ bytes: Span<UInt8>, into observations: inout [Observation]) throws(JSONError) -> Refused? {
        _ = cursor.peek(bytes)
        var fields = ObservationFields(element: cursor.offset)
        if let refused = try object(bytes, into: &fields) { return refused }
        return fields.append(bytes, catalogue: catalogue, to: &observations)
    }

    @inline(__always)
    private mutating func object(_ bytes: Span<UInt8>, into fields: inout ObservationFields) throws(JSONError) -> Refused? {
        let start = cursor.offset
        guard cursor.take("{", bytes) else {
            try cursor.skipValue(bytes)
            return Refused(error: JSONError(.wrongType, "a reading must be an object", at: start), field: "")
        }
        if !cursor.take("}", bytes) {
            repeat {
                try field(bytes, into: &fields)
            } while try cursor.another(closing: "}", bytes)
        }
        // Beside a key that is not known the time may be there under another name.
        if let received, !fields.hasTime, !fields.hasUnknown {
            fields.stamp(received)
            isStamped = true
        }
        return nil
    }

    @inline(__always)
    private mutating func field(_ bytes: Span<UInt8>, into fields: inout ObservationFields) throws(JSONError) {
        _ = cursor.peek(bytes)
        let keyStart = cursor.offset
        let key = try cursor.packedKey(bytes)
        _ = cursor.peek(bytes)
        let start = cursor.offset
        guard let field = ObservationFields.Field(packed: key) else {
            fields.hasUnknown = true
            if unknownKey == nil { unknownKey = keyStart }
            if cursor.peek(bytes) == 0x22 { _ = try cursor.string(bytes) } else { try cursor.skipValue(bytes) }
            return
        }
        guard fields.mark(field) else {
            fields.refuse(JSONError(.conflicting, "a field is given twice", at: start), field)
            return try cursor.skipValue(bytes)
        }
        do {
            try value(of: field, bytes, into: &fields)
        } catch {
            if error.code == .malformed { throw error }
            // Well formed but wrong: note it, and read past it as any JSON value.
            fields.refuse(error, field)
            cursor.offset = start
            try cursor.skipValue(bytes)
        }
    }

    @inline(__always)
    private mutating func value(
        of field: ObservationFields.Field, _ bytes: Span<UInt8>, into fields: inout ObservationFields
    ) throws(JSONError) {
        let start = cursor.offset
        switch field {
        case .metric: fields.metric = try cursor.string(bytes)
        case .time:
            guard cursor.peek(bytes) == 0x22 else {
                fields.time = try JSONNumber.scan(bytes, &cursor.offset, isLong: true).microseconds()
                break
            }
            try dateTime(bytes, into: &fields)
        case .value: fields.value = try number(bytes).double(bytes)
        case .unit: fields.unit = try cursor.string(bytes)
        case .samples: fields.samples = try samples(bytes)
        case .period: fields.period = try number(bytes).double(bytes)
        case .text: fields.text = try cursor.string(bytes)
        case .sequence: fields.sequence = try integer(bytes, -1_000_000_000...1_000_000_000)
        case .zone: fields.zone = try integer(bytes, -1080...1080)
        }
        fields.note(start, field)
    }

    @inline(__always)
    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
        try JSONNumber.scan(bytes, &cursor.offset)
    }

    /// A time as ISO 8601 writes it, which may bring the wearer's zone.
    private mutating func dateTime(_ bytes: Span<UInt8>, into fields: inout ObservationFields) throws(JSONError) {
        let start = cursor.offset
        guard let moment = DateTimeText(try cursor.string(bytes).text(bytes)) else {
            throw JSONError(.wrongType, "a time is Unix seconds, or a date and time with a zone as in 2026-01-31T12:00:00Z", at: start)
        }
        fields.time = moment.time.microseconds
        if let zone = moment.zone { fields.adopt(zone: Int(zone)) }
    }

    private mutating func integer(_ bytes: Span<UInt8>, _ range: ClosedRange<Int>) throws(JSONError) -> Int {
        let start = cursor.offset
        guard let value = try number(bytes).integer(bytes), range.contains(value) else {
            throw JSONError(.wrongType, "a whole number in range is expected", at: start)
        }
        return value
    }

    private mutating func samples(_ bytes: Span<UInt8>) throws(JSONError) -> [Double] {
        guard cursor.take("[", bytes) else { throw JSONError(.wrongType, "an array of numbers is expected", at: cursor.offset) }
        var samples: [Double] = []
        if cursor.take("]", bytes) { return samples }
        // A guess from the bytes left keeps the array from growing again and again: a sample takes about six.
        samples.reserveCapacity(min(maximumSamples, (bytes.count - cursor.offset) / 6))
        repeat {
            _ = cursor.peek(bytes)
            samples.append(try number(bytes).double(bytes))
            if samples.count > maximumSamples { throw JSONError(.tooLarge, "too many samples in one block", at: cursor.offset) }
        } while try cursor.another(closing: "]", bytes)
        return samples
    }
}
