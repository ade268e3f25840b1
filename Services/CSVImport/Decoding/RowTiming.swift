/// How a row's time is found.
package enum RowTiming: Hashable, Sendable {
    /// In its time columns.
    case columns
    /// By counting rows from a start (microseconds since 1970), at so many rows a second.
    case samples(start: Int64, rate: Double)
    /// In its time column, as seconds after a start (microseconds since 1970).
    case offsets(start: Int64)
}
