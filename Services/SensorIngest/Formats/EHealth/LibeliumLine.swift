import VigilSchema

/// One line of the e-Health shield.
enum LibeliumLine {
    /// The metrics by place; nil for what is passed over. The temperature is in °C, the glucose in mg/dL.
    private static let metrics: [String?] = [
        "airflow", "ecg", "systolic-pressure", "diastolic-pressure", "blood-glucose", "body-temperature", "heart-rate",
        "oxygen-saturation", "skin-conductance", "skin-resistance", nil, "body-position",
    ]

    /// The next line that is not blank, without its end; nil after the last.
    static func next(_ bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
        var first = start
        while first < bytes.count, isEnd(bytes[first]) || bytes[first] == 0x20 { first += 1 }
        guard first < bytes.count else { return nil }
        var end = first
        while end < bytes.count, !isEnd(bytes[end]) { end += 1 }
        return first..<end
    }

    /// Reads a line's fields. A field that is no number is refused by itself; a line with another number of fields refuses the
    /// message, because no place can be trusted then.
    static func read(
        _ bytes: Span<UInt8>, _ line: Range<Int>, number: Int, _ received: Timestamp, into readings: inout DecodedReadings
    ) throws(PayloadError) {
        let fields = try fields(bytes, line)
        for (metric, field) in zip(metrics, fields) {
            guard let metric, !field.isEmpty else { continue }
            let place = "$.\(metric)"
            guard let value = PlainNumber.read(bytes, field) else {
                readings.refusals.append(
                    PayloadError(.wrongType, "a number is expected", offset: field.lowerBound, path: place))
                continue
            }
            if SensorAbsence.isAbsent(value, metric: metric) { continue }
            let observation = Observation(
                metric: metric, time: received, sequence: Int32(number), content: .value(value), unit: "")
            readings.readings.append(
                ParsedObservation(observation, offsets: .init(element: field.lowerBound), index: nil, notation: .place(place)))
        }
    }

    /// The fields between the marks; the mark behind the last is optional.
    private static func fields(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(PayloadError) -> [Range<Int>] {
        var fields: [Range<Int>] = []
        var start = line.lowerBound
        for index in line where bytes[index] == UInt8(ascii: "#") {
            fields.append(start..<index)
            start = index + 1
            guard fields.count <= metrics.count else { throw wrongCount(at: index) }
        }
        if start < line.upperBound { fields.append(start..<line.upperBound) }
        guard fields.count == metrics.count else { throw wrongCount(at: line.lowerBound) }
        return fields
    }

    private static func wrongCount(at offset: Int) -> PayloadError {
        PayloadError(.malformed, "a line has twelve fields, each followed by #", offset: offset)
    }

    private static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
