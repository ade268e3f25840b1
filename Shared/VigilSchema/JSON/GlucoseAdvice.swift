/// What is to be sent where a glucose sensor says LO or HI in place of a number: only the sender knows the sensor's range.
extension ObservationParser.Refused {
    private static let advice: StaticReason = """
        a number is expected; where a glucose sensor says LO or HI, send the first whole number beyond its range: 39 below 40 mg/dL, 401 above 400
        """

    /// The refusal; of a word in place of a number of glucose, with that advice. The object is read again for its metric, so that what is right costs
    /// nothing for it.
    /// - Parameter start: where the object that was refused begins.
    @inline(never)
    func advised(_ bytes: Span<UInt8>, from start: Int) -> ObservationParser.Refused {
        guard error.code == .wrongType, field == .value, error.offset < bytes.count, bytes[error.offset] == 0x22,
            let metric = try? Self.metric(bytes, from: start), UnitConversion.glucose.contains(metric)
        else { return self }
        return ObservationParser.Refused(error: JSONError(error.code, Self.advice, at: error.offset), field: field)
    }

    private static func metric(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> String? {
        var cursor = JSONCursor(offset: start)
        guard cursor.take("{", bytes), !cursor.take("}", bytes) else { return nil }
        repeat {
            if try cursor.key(bytes).text(bytes) == ObservationFields.Field.metric.key { return try cursor.string(bytes).text(bytes) }
            try cursor.skipValue(bytes)
        } while try cursor.another(closing: "}", bytes)
        return nil
    }
}
