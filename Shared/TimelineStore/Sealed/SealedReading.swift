/// A number of a sealed series: all that the table `reading` holds of it but the participant, the metric and the
/// source, which the series shares.
package struct SealedReading: Equatable {
    /// Microseconds since 1970.
    var time: Int64
    var sequence: Int32
    var value: Double
    /// Microseconds since 1970.
    var received: Int64
    /// The session's number, or `ReadingRow.none`.
    var session: Int32
    /// The origin's number, or `ReadingRow.none`.
    var origin: Int32
    /// Minutes from UTC, or `Int16.min` for unknown.
    var zone: Int16

    /// The same where every bit is, so that −0 is not 0.
    package static func == (left: SealedReading, right: SealedReading) -> Bool {
        left.time == right.time && left.sequence == right.sequence && left.value.bitPattern == right.value.bitPattern
            && left.received == right.received && left.session == right.session && left.origin == right.origin && left.zone == right.zone
    }

    /// Returns whether its identity comes before another's of its series.
    func isBefore(_ other: SealedReading) -> Bool { (time, sequence) < (other.time, other.sequence) }
}

extension ReadingRow {
    /// A sealed reading as a row again.
    init(_ reading: SealedReading, of series: RollupKey) {
        self.init(
            identity: Identity(
                time: reading.time, participant: series.participant, metric: series.metric, source: series.source,
                sequence: reading.sequence),
            value: reading.value, received: reading.received, text: Self.none, session: reading.session, origin: reading.origin,
            zone: reading.zone, place: RowPosition(batch: 0, group: 0, observation: 0))
    }
}
