package import VigilSchema

/// The line that the e-Health shield's sketches send to the phone application:
/// `airflow#ecg#systolic#diastolic#glucose#temperature#bpm#spo2#conductance#resistance#airflow#position#`.
///
/// It has no time: readings are stamped with the time of receipt, several lines of a message told apart by their sequence.
/// The second airflow repeats the first and is passed over, as is an empty field and what the shield's library returns for a
/// missing sensor. The electrocardiogram is the amplifier's output in volts, kept as millivolts at the electrodes one to one.
package struct LibeliumFormat: PayloadFormat {
    package let name = "Libelium e-Health line"
    package let contentTypes = ["text/vnd.e-health.line", "text/x-e-health"]

    package init() {}

    /// A number, or nothing, and then `#`.
    package func recognises(firstBytes: Span<UInt8>) -> Bool {
        for index in 0..<min(firstBytes.count, 32) {
            if firstBytes[index] == UInt8(ascii: "#") { return true }
            guard PlainNumber.isAllowed(firstBytes[index]) || firstBytes[index] == 0x20 else { return false }
        }
        return false
    }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        var readings = DecodedReadings()
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
        guard line > 0 else { throw PayloadError(.missing, "the message holds no line", offset: 0) }
        return readings
    }

    private static let maximumLines = 10_000
}
