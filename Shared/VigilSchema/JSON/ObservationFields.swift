/// The fields of one observation object while it is read.
struct ObservationFields {
    /// The fields that it may have; others are passed over, so that a later version may add some.
    enum Field: UInt16 {
        case metric = 1
        case time = 2
        case value = 4
        case unit = 8
        case samples = 16
        case period = 32
        case text = 64
        case sequence = 128
        case zone = 256

        /// By its key, packed as `RawString.packed` does.
        @inline(__always)
        init?(packed key: UInt64) {
            switch key {
            case 0x6369_7274_656D: self = .metric
            case 0x656D_6974: self = .time
            case 0x65_756C_6176: self = .value
            case 0x7469_6E75: self = .unit
            case 0x73_656C_706D_6173: self = .samples
            case 0x646F_6972_6570: self = .period
            case 0x7478_6574: self = .text
            case 0x71_6573: self = .sequence
            case 0x656E_6F7A: self = .zone
            default: return nil
            }
        }

        /// As it stands in messages.
        var key: String {
            switch self {
            case .metric: "metric"
            case .time: "time"
            case .value: "value"
            case .unit: "unit"
            case .samples: "samples"
            case .period: "period"
            case .text: "text"
            case .sequence: "seq"
            case .zone: "zone"
            }
        }
    }

    var metric = RawString(range: 0..<0, isEscaped: false)
    var time: Int64 = 0
    var value = 0.0
    var unit = RawString(range: 0..<0, isEscaped: false)
    var samples: [Double] = []
    var period = 0.0
    var text = RawString(range: 0..<0, isEscaped: false)
    var sequence = 0
    var zone = 0
    private var writtenZone: Int?
    /// A Boolean value that indicates whether there was a key that is not known.
    var hasUnknown = false
    private var present: UInt16 = 0
    private var offsets: ParsedObservation.Offsets
    private var refusal: ObservationParser.Refused?

    init(element: Int) { offsets = .init(element: element) }

    /// False where the field was there before.
    @inline(__always)
    mutating func mark(_ field: Field) -> Bool {
        defer { present |= field.rawValue }
        return !has(field)
    }

    /// A Boolean value that indicates whether a time was given.
    var hasTime: Bool { has(.time) }

    /// Takes the time of receipt for the reading's.
    mutating func stamp(_ time: Timestamp) {
        _ = mark(.time)
        self.time = time.microseconds
    }

    /// Takes the zone of a written time, unless one is given by itself.
    mutating func adopt(zone: Int) {
        guard !has(.zone) else { return }
        writtenZone = zone
    }

    /// Only the first refusal is kept.
    mutating func refuse(_ error: JSONError, _ field: Field) {
        if refusal == nil { refusal = .init(error: error, field: field) }
    }

    @inline(__always)
    mutating func note(_ offset: Int, _ field: Field) {
        switch field {
        case .metric: offsets.metric = Int32(clamping: offset)
        case .time: offsets.time = Int32(clamping: offset)
        case .value, .samples, .text: offsets.content = Int32(clamping: offset)
        case .unit: offsets.unit = Int32(clamping: offset)
        case .period, .sequence, .zone: break
        }
    }

    @inline(__always)
    func append(
        _ bytes: Span<UInt8>, catalogue: MetricCatalogue, index: Int?, to readings: inout [ParsedObservation]
    ) -> ObservationParser.Refused? {
        if let refusal { return refusal }
        do {
            let observation = try observation(bytes, catalogue)
            let located = ParsedObservation(observation, offsets: offsets, index: index)
            // A message mostly holds one reading, for which an array of its size costs less than one that grows.
            if readings.isEmpty { readings = [located] } else { readings.append(located) }
            return nil
        } catch {
            return .init(error: error, field: nil)
        }
    }

    /// The same without the places, for a batch that the suite wrote.
    @inline(__always)
    func append(
        _ bytes: Span<UInt8>, catalogue: MetricCatalogue, to observations: inout [Observation]
    ) -> ObservationParser.Refused? {
        if let refusal { return refusal }
        do {
            observations.append(try observation(bytes, catalogue))
            if observations[observations.count - 1].unit.isEmpty { observations[observations.count - 1].unit = "1" }
            return nil
        } catch {
            return .init(error: error, field: nil)
        }
    }

    @inline(__always)
    private func observation(_ bytes: Span<UInt8>, _ catalogue: MetricCatalogue) throws(JSONError) -> Observation {
        let element = Int(offsets.element)
        guard has(.metric) else { throw JSONError(.missing, "the metric is missing", at: element) }
        guard has(.time) else {
            throw JSONError(.missing, "the time is missing; it is in seconds since 1970, or a date and time with a zone", at: element)
        }
        let content = try content(bytes)
        let known = metric.isEscaped ? nil : catalogue.index(of: bytes, metric.range)
        let name: String
        if let known { name = catalogue.definitions[known].name } else { name = try metric.text(bytes) }
        return Observation(
            metric: name,
            time: Timestamp(microseconds: time),
            sequence: Int32(sequence),
            interval: try interval(),
            content: content,
            unit: try unitText(bytes, known, catalogue),
            zone: has(.zone) ? Int16(zone) : writtenZone.map { Int16($0) })
    }

    /// Reuses the catalogue's string where it is the same, which saves making one.
    @inline(__always)
    private func unitText(_ bytes: Span<UInt8>, _ known: Int?, _ catalogue: MetricCatalogue) throws(JSONError) -> String {
        guard has(.unit) else { return "" }
        if let known, !unit.isEscaped, catalogue.hasUnit(known, bytes, unit.range) { return catalogue.definitions[known].unit }
        return try unit.text(bytes)
    }

    /// In seconds. Times are whole microseconds, so that nothing is measured more often.
    private static let periods = 0.000_001...86_400

    /// The period of a number or text in whole seconds. Less than half a second is a moment.
    @inline(__always)
    private func interval() throws(JSONError) -> Int32 {
        guard has(.period), !has(.samples) else { return 0 }
        guard period >= 0, period <= Double(Observation.longestInterval) else {
            throw JSONError(.implausible, "the period of a value is 0 seconds to ten years", at: Int(offsets.element))
        }
        return Int32(period.rounded())
    }

    @inline(__always)
    private func content(_ bytes: Span<UInt8>) throws(JSONError) -> Observation.Content {
        let element = Int(offsets.element)
        switch (has(.value), has(.samples), has(.text)) {
        case (true, false, false): return .value(value)
        case (false, false, true):
            let text = try self.text.text(bytes)
            guard !text.isEmpty else {
                throw JSONError(.missing, "the text is empty", at: Int(offsets.content))
            }
            guard !text.utf8.contains(0) else { throw JSONError(.malformed, "the text holds a NUL", at: Int(offsets.content)) }
            return .text(text)
        case (false, true, false):
            guard !samples.isEmpty else { throw JSONError(.missing, "the samples are empty", at: Int(offsets.content)) }
            guard has(.period), Self.periods.contains(period) else {
                throw JSONError(.missing, "samples need a period in seconds, from a microsecond to a day", at: element)
            }
            return .samples(samples, period: period)
        case (false, false, false): throw JSONError(.missing, "one of value, samples and text is needed", at: element)
        default: throw JSONError(.conflicting, "only one of value, samples and text may be there", at: element)
        }
    }

    @inline(__always)
    private func has(_ field: Field) -> Bool { present & field.rawValue != 0 }
}
