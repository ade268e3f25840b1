/// What a device's payload held.
public struct DecodedReadings: Hashable, Sendable {
    /// The recording session, where the payload names one.
    public var session: String?
    /// As given, in order.
    public var readings: [LocatedObservation] = []
    /// What was refused, in order.
    public var refusals: [PayloadError] = []

    /// Makes an empty one.
    public init() {}

    /// Adds what the parser made of an object. The path is only made where it is needed.
    @inline(__always)
    mutating func add(_ result: ObservationParser.Result, path: @autoclosure () -> String) {
        switch result {
        case .observation(let observation): readings.append(observation)
        case .refused(let error, let field): refusals.append(error.at(path() + (field.isEmpty ? "" : "." + field)))
        }
    }
}
