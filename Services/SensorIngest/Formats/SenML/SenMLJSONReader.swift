package import VigilSchema

/// SenML in JSON, `application/senml+json` (RFC 8428, section 5).
///
/// Names are mapped by `SenMLName`, units by `SenMLUnit`. Booleans become 1 and 0. Sums and data are refused.
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

/// Reads SenML records in JSON. Broken JSON throws; a field that is well formed but wrong is noted in the record.
struct SenMLJSONReader {
    private var cursor = JSONCursor(offset: 0)

    /// The next byte.
    var offset: Int { cursor.offset }

    /// Reads up to the first record.
    mutating func open(_ bytes: Span<UInt8>) throws(PayloadError) {
        guard cursor.take("[", bytes) else {
            throw PayloadError(.wrongType, "a pack must be an array of records", offset: cursor.offset)
        }
        let start = cursor.offset - 1
        if cursor.take("]", bytes) { throw PayloadError(.missing, "the pack has no records", offset: start) }
    }

    /// Reads one record.
    mutating func next(_ bytes: Span<UInt8>) throws(PayloadError) -> SenMLRecord {
        do { return try record(bytes) } catch { throw error.at("$") }
    }

    /// After a record: true where another follows, false at the pack's end, behind which nothing may stand.
    mutating func another(_ bytes: Span<UInt8>) throws(PayloadError) -> Bool {
        do {
            if try cursor.another(closing: "]", bytes) { return true }
            try cursor.expectEnd(bytes)
            return false
        } catch { throw error.at("$") }
    }

    private mutating func record(_ bytes: Span<UInt8>) throws(JSONError) -> SenMLRecord {
        _ = cursor.peek(bytes)
        var record = SenMLRecord(start: cursor.offset)
        guard cursor.take("{", bytes) else {
            record.refuse(.wrongType, "a record must be an object", at: record.start, nil)
            try cursor.skipValue(bytes)
            return record
        }
        if cursor.take("}", bytes) {
            record.refuse(.missing, "the record is empty", at: record.start, nil)
            return record
        }
        repeat {
            try field(bytes, into: &record)
        } while try cursor.another(closing: "}", bytes)
        return record
    }

    private mutating func field(_ bytes: Span<UInt8>, into record: inout SenMLRecord) throws(JSONError) {
        let key = try cursor.key(bytes)
        _ = cursor.peek(bytes)
        let start = cursor.offset
        guard let label = SenMLLabel(packed: key.packed(bytes)) else {
            if try key.text(bytes).hasSuffix("_") {
                record.refuse(.unsupported, "a field that must be understood is not known", at: key.range.lowerBound - 1, nil)
            }
            return try cursor.skipValue(bytes)
        }
        guard record.mark(label, at: start) else { return try cursor.skipValue(bytes) }
        do {
            try value(of: label, bytes, into: &record)
        } catch {
            if error.code == .malformed { throw error }
            record.refuse(error.code, error.reason, at: error.offset, label)
            cursor.offset = start
            try cursor.skipValue(bytes)
        }
    }

    private mutating func value(
        of label: SenMLLabel, _ bytes: Span<UInt8>, into record: inout SenMLRecord
    ) throws(JSONError) {
        switch label {
        case .baseName: record.baseName = try string(bytes)
        case .baseTime: record.baseTime = try number(bytes).microseconds()
        case .baseUnit: record.baseUnit = try string(bytes)
        case .baseValue: record.baseValue = try number(bytes).double(bytes)
        case .baseVersion: record.version = try version(bytes)
        case .name: record.name = try string(bytes)
        case .unit: record.unit = try string(bytes)
        case .value: record.value = try number(bytes).double(bytes)
        case .text: record.text = try text(bytes)
        case .boolean: record.boolean = try boolean(bytes)
        case .time: record.time = try number(bytes).microseconds()
        case .updateTime, .sum, .baseSum: _ = try number(bytes).double(bytes)
        case .data: _ = try string(bytes)
        }
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
        try JSONNumber.scan(bytes, &cursor.offset)
    }

    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        try cursor.string(bytes).text(bytes)
    }

    private mutating func text(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = cursor.offset
        let text = try string(bytes)
        if let reason = SenMLText.objection(to: text) { throw JSONError(.wrongType, reason, at: start) }
        return text
    }

    private mutating func boolean(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let first = cursor.peek(bytes)
        guard first == UInt8(ascii: "t") || first == UInt8(ascii: "f") else {
            throw JSONError(.wrongType, "true or false is expected", at: cursor.offset)
        }
        try cursor.skipValue(bytes)
        return first == UInt8(ascii: "t")
    }

    private mutating func version(_ bytes: Span<UInt8>) throws(JSONError) -> Int {
        let start = cursor.offset
        let value = try number(bytes).double(bytes)
        guard value == value.rounded(), value >= 1, value <= 1_000_000_000 else {
            throw JSONError(.wrongType, "a version is a positive whole number", at: start)
        }
        return Int(value)
    }
}
