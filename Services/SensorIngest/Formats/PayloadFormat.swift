package import VigilSchema

/// A format that devices speak: how it is recognised and how it becomes readings.
///
/// Implementations are values without state, used from any thread.
package protocol PayloadFormat: Sendable {
    /// For messages and documents, for example `SenML JSON`.
    var name: String { get }
    /// The content types that mean this format and no other, in lower case, without parameters.
    var contentTypes: [String] { get }

    /// Whether a payload that starts so is of this format, as far as can be seen. Reads no further than it must.
    func recognises(firstBytes: Span<UInt8>) -> Bool

    /// The readings, in the payload's order. Values are as given: not yet converted, and not yet checked for plausibility.
    /// - Parameter received: The time of receipt, for readings without a time and for times relative to now.
    /// - Throws: `PayloadError` where nothing of the payload can be used, with the byte and the path of what is wrong.
    func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings
}
