/// A time as a cell gave it.
struct ParsedTime: Hashable, Sendable {
    /// For "no zone known".
    static let noZone = Int16.min

    /// Since 1970, UTC.
    var microseconds: Int64
    /// The wearer's offset from UTC in minutes, or `noZone`.
    var zone: Int16 = noZone
}
