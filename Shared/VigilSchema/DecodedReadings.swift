/// What a device's payload held.
public struct DecodedReadings: Hashable, Sendable {
    /// The recording session, where the payload names one.
    public var session: String?
    /// As given, in order.
    public var readings: [ParsedObservation] = []
    /// What was refused, in order.
    public var refusals: [PayloadError] = []

    /// Makes an empty one.
    public init() {}

    /// Adds the parser's next object. The path is only made where it is needed.
    @inline(__always)
    mutating func add(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, index: Int?, path: @autoclosure () -> String
    ) throws(JSONError) {
        guard let refused = try parser.parse(bytes, index: index, into: &readings) else { return }
        refusals.append(refused.error.at(path() + (refused.field.isEmpty ? "" : "." + refused.field)))
    }
}
