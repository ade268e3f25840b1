import VigilSchema

/// How one column of one file is read: a rule, compiled for that file's header.
struct ColumnPlan: Sendable {
    /// The column's place.
    let index: Int
    /// Its header as it is written.
    let header: String
    /// The place of its metric in the plan.
    let metric: Int
    /// How its cells are read: never `automatic` for a metric that the catalogue has.
    let kind: CellKind
    /// From the cell's number to the metric's unit.
    let scale: Double
    /// Added after `scale`.
    let offset: Double
    /// What can be believed, in the metric's unit.
    let plausible: ClosedRange<Double>
    /// Refused numbers, as the cell has them.
    let sentinels: [Double]
    /// Refused numbers at a series' start, as the cell has them.
    let startup: [Double]
    /// Microseconds after the row's time.
    let delay: Int64
    /// Texts that the metric allows; empty: any.
    let vocabulary: Set<String>

    /// Whether a cell that is a number is taken as one.
    var isNumeric: Bool { kind == .number || kind == .automatic }
    /// Whether a number only has to be scaled and compared with its range.
    var isPlain: Bool { sentinels.isEmpty && startup.isEmpty }
    /// What the usual cell needs of it.
    var cell: CellPlan {
        CellPlan(
            index: Int32(truncatingIfNeeded: index), metric: Int32(truncatingIfNeeded: metric), isNumeric: isNumeric, isPlain: isPlain,
            scale: scale, offset: offset, lowest: plausible.lowerBound, highest: plausible.upperBound, delay: delay)
    }
}
