/// A skin-conductance response: the sweat glands answered.
package struct SkinResponse: Hashable, Sendable {
    /// The sample where the rise began.
    package var onset: Int64
    /// The sample of the highest point.
    package var peak: Int64
    /// From onset to peak, in µS.
    package var amplitude: Float
}

/// What the skin-conductance detector reports.
package enum SkinEvent: Hashable, Sendable {
    /// A response whose peak is certain.
    case response(SkinResponse)
    /// The last response has fallen back by half of its amplitude at this sample.
    case halfRecovered(at: Int64)
}
