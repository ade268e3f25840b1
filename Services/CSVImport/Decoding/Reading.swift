/// One cell that has been accepted: an observation, with its names kept as places in tables.
package struct Reading: Sendable {
    /// For "no text".
    package static let noText: Int32 = -1

    /// Microseconds since 1970, UTC.
    package var time: Int64
    /// The number, in the metric's unit; 0 for a text.
    package var value: Double
    /// The place of its participant, source and session.
    package var subject: Int32
    /// The place of its metric.
    package var metric: Int32
    /// Tells apart readings of one series that share a time.
    package var sequence: Int32
    /// The place of its text in the block, or `noText`.
    package var text: Int32
    /// The wearer's offset from UTC in minutes, or `ParsedTime.noZone`.
    package var zone: Int16
}
