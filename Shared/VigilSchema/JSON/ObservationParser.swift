/// Reads one observation object, as it stands in a device's message and in a canonical batch.
///
/// Broken JSON throws. A field that is well formed but wrong refuses just this observation, and reading goes on behind it.
struct ObservationParser {
    /// The reason why an object is no observation.
    struct Refused {
        let error: JSONError
        /// The field that is wrong; nil where the object as a whole is.
        let field: ObservationFields.Field?
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
        // The cursor goes into each step and comes out of it by value, in a register: through memory each step would wait for the one before.
        var cursor = cursor
        let start = cursor.offset
        guard cursor.take("{", bytes) else {
            try self.cursor.skipValue(bytes)
            return Refused(error: JSONError(.wrongType, "a reading must be an object", at: start), field: nil)
        }
        if !cursor.take("}", bytes) {
            repeat {
                cursor = try field(bytes, cursor, into: &fields)
            } while try cursor.another(closing: "}", bytes)
        }
        self.cursor = cursor
        // Beside a key that is not known the time may be there under another name.
        if let received, !fields.hasTime, !fields.hasUnknown {
            fields.stamp(received)
            isStamped = true
        }
        return nil
    }

    /// Reads a key and its value. The usual keys, with their colon right behind, are each told by a comparison of eight bytes.
    @inline(__always)
    private mutating func field(
        _ bytes: Span<UInt8>, _ cursor: JSONCursor, into fields: inout ObservationFields
    ) throws(JSONError) -> JSONCursor {
        var cursor = cursor
        _ = cursor.peek(bytes)
        if let word = JSONWord(bytes, at: cursor.offset &+ 1), bytes[cursor.offset] == 0x22 {
            // Each on a branch of its own, so that where the value starts is foreseen and need not be counted.
            switch word.bits {
            case 0x3A22_6369_7274_656D: return try member(.metric, bytes, cursor.advanced(by: 9), into: &fields)
            case 0x3A22_646F_6972_6570: return try member(.period, bytes, cursor.advanced(by: 9), into: &fields)
            default: break
            }
            switch word.prefix(6) {
            case 0x3A22_656D_6974: return try member(.time, bytes, cursor.advanced(by: 7), into: &fields)
            case 0x3A22_7469_6E75: return try member(.unit, bytes, cursor.advanced(by: 7), into: &fields)
            case 0x3A22_656E_6F7A: return try member(.zone, bytes, cursor.advanced(by: 7), into: &fields)
            default: break
            }
            if word.prefix(7) == 0x3A_2265_756C_6176 { return try member(.value, bytes, cursor.advanced(by: 8), into: &fields) }
        }
        return try otherField(bytes, cursor, into: &fields)
    }

    /// Reads a field whose key is not known, or written in another way than usual.
    @inline(__always)
    private mutating func otherField(
        _ bytes: Span<UInt8>, _ cursor: JSONCursor, into fields: inout ObservationFields
    ) throws(JSONError) -> JSONCursor {
        let keyStart = cursor.offset
        var cursor = cursor
        if let field = ObservationFields.Field(packed: try cursor.packedKey(bytes)) {
            return try member(field, bytes, cursor, into: &fields)
        }
        fields.hasUnknown = true
        if unknownKey == nil { unknownKey = keyStart }
        if cursor.peek(bytes) == 0x22 { _ = try cursor.string(bytes) } else { try cursor.skipValue(bytes) }
        return cursor
    }

    /// Reads the value at the cursor, of a field that may have been there before.
    private func member(
        _ field: ObservationFields.Field, _ bytes: Span<UInt8>, _ cursor: JSONCursor, into fields: inout ObservationFields
    ) throws(JSONError) -> JSONCursor {
        var cursor = cursor
        _ = cursor.peek(bytes)
        let start = cursor.offset
        guard fields.mark(field) else {
            fields.refuse(JSONError(.conflicting, "a field is given twice", at: start), field)
            try cursor.skipValue(bytes)
            return cursor
        }
        do {
            try value(of: field, bytes, &cursor, into: &fields)
        } catch {
            if error.code == .malformed { throw error }
            // Well formed but wrong: note it, and read past it as any JSON value.
            fields.refuse(error, field)
            cursor.offset = start
            try cursor.skipValue(bytes)
        }
        return cursor
    }

    @inline(__always)
    private func value(
        of field: ObservationFields.Field, _ bytes: Span<UInt8>, _ cursor: inout JSONCursor, into fields: inout ObservationFields
    ) throws(JSONError) {
        let start = cursor.offset
        switch field {
        case .metric: fields.metric = try cursor.string(bytes)
        case .time:
            guard cursor.peek(bytes) == 0x22 else {
                fields.time = try JSONNumber.scan(bytes, &cursor.offset, isLong: true).microseconds()
                break
            }
            try dateTime(bytes, &cursor, into: &fields)
        case .value: fields.value = try cursor.number(bytes).double(bytes)
        case .unit: fields.unit = try cursor.string(bytes)
        case .samples: fields.samples = try cursor.samples(bytes, atMost: maximumSamples)
        case .period: fields.period = try cursor.number(bytes).double(bytes)
        case .text: fields.text = try cursor.string(bytes)
        case .sequence: fields.sequence = try integer(bytes, &cursor, -1_000_000_000...1_000_000_000)
        case .zone: fields.zone = try integer(bytes, &cursor, -1080...1080)
        }
        fields.note(start, field)
    }

    /// A time as ISO 8601 writes it, which may bring the wearer's zone.
    private func dateTime(_ bytes: Span<UInt8>, _ cursor: inout JSONCursor, into fields: inout ObservationFields) throws(JSONError) {
        let start = cursor.offset
        guard let moment = DateTimeText(try cursor.string(bytes).text(bytes)) else {
            throw JSONError(.wrongType, "a time is Unix seconds, or a date and time with a zone as in 2026-01-31T12:00:00Z", at: start)
        }
        fields.time = moment.time.microseconds
        if let zone = moment.zone { fields.adopt(zone: Int(zone)) }
    }

    private func integer(_ bytes: Span<UInt8>, _ cursor: inout JSONCursor, _ range: ClosedRange<Int>) throws(JSONError) -> Int {
        let start = cursor.offset
        guard let value = try cursor.number(bytes).integer(bytes), range.contains(value) else {
            throw JSONError(.wrongType, "a whole number in range is expected", at: start)
        }
        return value
    }
}

extension JSONCursor {
    /// Reads an array of numbers.
    fileprivate mutating func samples(_ bytes: Span<UInt8>, atMost maximum: Int) throws(JSONError) -> [Double] {
        guard take("[", bytes) else { throw JSONError(.wrongType, "an array of numbers is expected", at: offset) }
        var samples: [Double] = []
        if take("]", bytes) { return samples }
        // A guess from the bytes left keeps the array from growing again and again: a sample takes about six.
        samples.reserveCapacity(min(maximum, (bytes.count - offset) / 6))
        repeat {
            _ = peek(bytes)
            samples.append(try number(bytes).double(bytes))
            if samples.count > maximum { throw JSONError(.tooLarge, "too many samples in one block", at: offset) }
        } while try another(closing: "]", bytes)
        return samples
    }

    @inline(__always)
    fileprivate mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber { try JSONNumber.scan(bytes, &offset) }
}
