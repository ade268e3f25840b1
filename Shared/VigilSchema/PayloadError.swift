/// The reason why a payload, or one reading in it, was refused, and where.
///
/// Carries no value of the payload, so that it may be logged.
public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of refusal, stable for programs.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Not the format that it should be, for example broken JSON.
        case malformed
        /// A field of the wrong type.
        case wrongType = "wrong-type"
        /// A field that must be there is not.
        case missing
        /// Fields that contradict one another, or a field given twice.
        case conflicting
        /// A metric that the catalogue does not have.
        case unknownMetric = "unknown-metric"
        /// A unit that does not fit the metric.
        case unknownUnit = "unknown-unit"
        /// A value outside what can be believed.
        case implausible
        /// A number that is not finite.
        case notFinite = "not-finite"
        /// A time outside what can be believed.
        case implausibleTime = "implausible-time"
        /// A topic that is not the suite's.
        case badTopic = "bad-topic"
        /// Larger, deeper or more than is allowed.
        case tooLarge = "too-large"
        /// A format or a part of it that is not supported.
        case unsupported
        /// More messages than the operator lets a device send.
        case tooFast = "too-fast"
        /// A message that the broker had kept, which is not a new measurement.
        case retained
        /// The device is quarantined.
        case quarantined
    }

    /// The kind.
    public let code: Code
    /// The reason, in words for the device's maker.
    public let reason: String
    /// Bytes from the payload's start, where the place is known.
    public let offset: Int?
    /// The place as a path, `$` being the whole: `$[3].value`.
    public let path: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String, offset: Int? = nil, path: String = "$") {
        self.code = code
        self.reason = reason
        self.offset = offset
        self.path = path
    }

    /// "reason at path (byte offset)".
    public var description: String {
        "\(reason) at \(path)" + (offset.map { " (byte \($0))" } ?? "")
    }
}
