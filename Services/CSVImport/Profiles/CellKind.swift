/// How a column's cells are read.
package enum CellKind: String, Hashable, Sendable, CaseIterable {
    /// A number where the metric is one; of a metric that the catalogue lacks, whatever the cell looks like.
    case automatic
    /// A number.
    case number
    /// A text.
    case text
    /// True or false, as 1 or 0.
    case flag
    /// A time of day or a duration, in minutes.
    case clock
    /// Neither: left out, and counted.
    case ignore
}
