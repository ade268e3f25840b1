package import VigilSchema

/// The line that the e-Health shield's sketches send to the phone application:
/// `airflow#ecg#systolic#diastolic#glucose#temperature#bpm#spo2#conductance#resistance#airflow#position#`.
///
/// It has no time: readings are stamped with the time of receipt, several lines of a message told apart by their sequence.
/// `;` and `,` are taken in place of `#`, as other sketches write, the first of `#`, `;`, `,` that stands in the line being its mark.
/// The second airflow repeats the first and is passed over, as is an empty field and what the shield's library returns for a
/// missing sensor. The electrocardiogram is the amplifier's output in volts, kept as millivolts at the electrodes one to one.
package struct LibeliumFormat: PayloadFormat {
    package let name = "Libelium e-Health line"
    package let contentTypes = ["text/vnd.e-health.line", "text/x-e-health"]

    package init() {}

    /// A number, or nothing, and then a mark.
    package func recognises(firstBytes: Span<UInt8>) -> Bool {
        for index in 0..<min(firstBytes.count, 32) {
            if LibeliumLine.marks.contains(firstBytes[index]) { return true }
            guard DecimalText.isPart(firstBytes[index]) || firstBytes[index] == 0x20 else { return false }
        }
        return false
    }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        var readings = DecodedReadings()
        readings.isStamped = true
        var start = 0
        var line = 0
        while let range = LibeliumLine.next(bytes, from: start) {
            guard line < LibeliumFormat.maximumLines else {
                throw PayloadError(.tooLarge, "more than 10000 lines in one message", offset: range.lowerBound)
            }
            try LibeliumLine.read(bytes, range, number: line, received, into: &readings)
            start = range.upperBound
            line += 1
        }
        readings.refuseHalfPressures()
        guard line > 0 else { throw PayloadError(.missing, "the message holds no line", offset: 0) }
        return readings
    }

    private static let maximumLines = 10_000
}

/// One line of the e-Health shield.
enum LibeliumLine {
    /// The metrics by place; nil for what is passed over. The temperature is in °C, the glucose in mg/dL.
    private static let metrics: [String?] = [
        "airflow", "ecg", "systolic-pressure", "diastolic-pressure", "blood-glucose", "body-temperature", "heart-rate",
        "oxygen-saturation", "skin-conductance", "skin-resistance", nil, "body-position",
    ]

    /// The delimiters that may follow a field, the strongest first.
    static let marks: [UInt8] = [UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: ",")]

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
        let mark = marks.first { mark in line.contains { bytes[$0] == mark } } ?? marks[0]
        for index in line where bytes[index] == mark {
            fields.append(start..<index)
            start = index + 1
            guard fields.count <= metrics.count else { throw wrongCount(at: index) }
        }
        if start < line.upperBound { fields.append(start..<line.upperBound) }
        guard fields.count == metrics.count else { throw wrongCount(at: line.lowerBound) }
        return fields
    }

    private static func wrongCount(at offset: Int) -> PayloadError {
        PayloadError(.malformed, "a line has twelve fields, each followed by #, ; or ,", offset: offset)
    }

    private static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
