/// What is to be sent where a glucose sensor says LO or HI in place of a number: only the sender knows the sensor's range.
extension ObservationParser.Refused {
    private static let advice: StaticReason = """
        a number is expected; where a glucose sensor says LO or HI, send the first whole number beyond its range: 39 below 40 mg/dL, 401 above 400
        """

    /// The refusal; of a word in place of a number of glucose, with that advice, and the reading with its word. The object is read again for its
    /// metric, so that what is right costs nothing for it.
    /// - Parameters:
    ///   - start: where the object that was refused begins.
    ///   - received: the time of a reading without one.
    @inline(never)
    func advised(_ bytes: Span<UInt8>, from start: Int, received: Timestamp?) -> (refused: ObservationParser.Refused, word: Observation?) {
        guard error.code == .wrongType, field == .value, error.offset < bytes.count, bytes[error.offset] == 0x22,
            let found = try? Self.reading(bytes, from: start), let metric = found.metric, UnitConversion.glucose.contains(metric)
        else { return (self, nil) }
        let refused = ObservationParser.Refused(error: JSONError(error.code, Self.advice, at: error.offset), field: field)
        var cursor = JSONCursor(offset: error.offset)
        guard let time = found.time ?? received, let word = try? cursor.string(bytes).text(bytes), word.utf8.count <= 16 else {
            return (refused, nil)
        }
        return (refused, Observation(metric: metric, time: time, content: .text(word), unit: ""))
    }

    private static func reading(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> (metric: String?, time: Timestamp?) {
        var cursor = JSONCursor(offset: start), metric: String?, time: Timestamp?
        guard cursor.take("{", bytes), !cursor.take("}", bytes) else { return (nil, nil) }
        repeat {
            switch try cursor.key(bytes).text(bytes) {
            case ObservationFields.Field.metric.key: metric = try cursor.string(bytes).text(bytes)
            case ObservationFields.Field.time.key where cursor.peek(bytes) == 0x22:
                time = DateTimeText(try cursor.string(bytes).text(bytes))?.time ?? Timestamp(microseconds: 0)
            case ObservationFields.Field.time.key:
                time = Timestamp(microseconds: try JSONNumber.scan(bytes, &cursor.offset, isLong: true).microseconds())
            default: try cursor.skipValue(bytes)
            }
        } while try cursor.another(closing: "}", bytes)
        return (metric, time)
    }
}
