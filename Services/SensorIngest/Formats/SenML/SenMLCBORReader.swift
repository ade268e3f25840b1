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

/// Reads SenML records in CBOR. Broken CBOR throws; a field that is well formed but wrong is noted in the record.
struct SenMLCBORReader {
    private var cursor = CBORCursor()
    /// Records yet to come; nil where a break ends them.
    private var left: UInt64?

    /// The next byte.
    var offset: Int { cursor.offset }

    /// Reads up to the first record.
    mutating func open(_ bytes: Span<UInt8>) throws(PayloadError) {
        do throws(CBORError) {
            var head = try cursor.head(bytes)
            // 55799: "this is CBOR".
            if head.major == .tag, head.argument == 55799 { head = try cursor.head(bytes) }
            guard head.major == .array else { throw CBORError(.wrongType, "a pack must be an array of records", at: head.offset) }
            left = head.argument
            if left == 0 || left == nil && cursor.peek(bytes) == 0xFF {
                throw CBORError(.missing, "the pack has no records", at: head.offset)
            }
        } catch {
            throw error.at("$")
        }
    }

    /// Before a record: true where one follows, false at the pack's end, behind which nothing may stand.
    mutating func another(_ bytes: Span<UInt8>) throws(PayloadError) -> Bool {
        let isEnd = left == 0 || left == nil && cursor.takeBreak(bytes)
        guard isEnd else { return true }
        do { try cursor.expectEnd(bytes) } catch { throw error.at("$") }
        return false
    }

    /// Reads one record.
    mutating func next(_ bytes: Span<UInt8>) throws(PayloadError) -> SenMLRecord {
        left = left.map { $0 - 1 }
        do { return try record(bytes) } catch { throw error.at("$") }
    }

    private mutating func record(_ bytes: Span<UInt8>) throws(CBORError) -> SenMLRecord {
        let head = try cursor.head(bytes)
        var record = SenMLRecord(start: head.offset)
        guard head.major == .map else {
            record.refuse(.wrongType, "a record must be a map", at: head.offset, nil)
            cursor.rewind(to: head)
            try cursor.skip(bytes)
            return record
        }
        if head.argument == 0 || head.argument == nil && cursor.peek(bytes) == 0xFF {
            record.refuse(.missing, "the record is empty", at: head.offset, nil)
        }
        var left = head.argument
        while left != 0 {
            if left == nil, cursor.takeBreak(bytes) { break }
            try field(bytes, into: &record)
            left = left.map { $0 - 1 }
        }
        return record
    }

    private mutating func field(_ bytes: Span<UInt8>, into record: inout SenMLRecord) throws(CBORError) {
        let key = try cursor.head(bytes)
        guard let label = try label(key, bytes, into: &record) else { return try cursor.skip(bytes) }
        let start = cursor.offset
        guard record.mark(label, at: start) else { return try cursor.skip(bytes) }
        let value = try cursor.head(bytes)
        cursor.rewind(to: value)
        do {
            try read(label, bytes, into: &record)
        } catch {
            if error.code == .malformed { throw error }
            record.refuse(error.code, error.reason, at: error.offset, label)
            cursor.rewind(to: value)
            try cursor.skip(bytes)
        }
    }

    /// The field that a key names; nil for one to pass over. Known fields have whole numbers, later ones texts.
    private mutating func label(
        _ key: CBORHead, _ bytes: Span<UInt8>, into record: inout SenMLRecord
    ) throws(CBORError) -> SenMLLabel? {
        switch (key.major, key.argument) {
        case (.unsigned, let number?): return SenMLLabel(rawValue: Int8(clamping: number))
        case (.negative, let number?): return SenMLLabel(rawValue: -1 - Int8(clamping: min(number, 100)))
        case (.text, _):
            cursor.rewind(to: key)
            if try cursor.text(bytes).hasSuffix("_") {
                record.refuse(.unsupported, "a field that must be understood is not known", at: key.offset, nil)
            }
            return nil
        default: throw CBORError(.malformed, "a label is a whole number or a text", at: key.offset)
        }
    }

    private mutating func read(
        _ label: SenMLLabel, _ bytes: Span<UInt8>, into record: inout SenMLRecord
    ) throws(CBORError) {
        switch label {
        case .baseName: record.baseName = try cursor.text(bytes)
        case .baseTime: record.baseTime = try time(bytes)
        case .baseUnit: record.baseUnit = try cursor.text(bytes)
        case .baseValue: record.baseValue = try finite(bytes)
        case .baseVersion: record.version = try version(bytes)
        case .name: record.name = try cursor.text(bytes)
        case .unit: record.unit = try cursor.text(bytes)
        case .value: record.value = try finite(bytes)
        case .text: record.text = try text(bytes)
        case .boolean: record.boolean = try cursor.boolean(bytes)
        case .time: record.time = try time(bytes)
        case .updateTime, .sum, .baseSum: _ = try finite(bytes)
        case .data: try cursor.skip(bytes)
        }
    }

    private mutating func finite(_ bytes: Span<UInt8>) throws(CBORError) -> Double {
        let start = cursor.offset
        let value = try cursor.number(bytes)
        guard value.isFinite else { throw CBORError(.notFinite, "the number is not finite", at: start) }
        return value
    }

    private mutating func time(_ bytes: Span<UInt8>) throws(CBORError) -> Int64 {
        let start = cursor.offset
        guard let time = SenMLNumber.microseconds(seconds: try finite(bytes)) else {
            throw CBORError(.implausibleTime, "the time lies outside the years 1 to 9999; it is in seconds since 1970", at: start)
        }
        return time
    }

    private mutating func text(_ bytes: Span<UInt8>) throws(CBORError) -> String {
        let start = cursor.offset
        let text = try cursor.text(bytes)
        if let reason = SenMLText.objection(to: text) { throw CBORError(.wrongType, reason, at: start) }
        return text
    }

    private mutating func version(_ bytes: Span<UInt8>) throws(CBORError) -> Int {
        let start = cursor.offset
        let head = try cursor.head(bytes)
        guard head.major == .unsigned, let value = head.argument, value >= 1, value <= 1_000_000_000 else {
            throw CBORError(.wrongType, "a version is a positive whole number", at: start)
        }
        return Int(value)
    }
}
