import VigilSchema

/// The way one file's rows are read: a profile, compiled for that file's header.
struct TablePlan: Sendable {
    /// The profile that it was made from.
    let profile: Profile
    /// The header, as it is written.
    let header: [String]
    /// The places of the columns that make a row's time: one, or a date's and a time's; none for samples.
    let timeColumns: [Int]
    /// The way a row's time is found.
    let timing: RowTiming
    /// The place of the participant's column.
    let participantColumn: Int?
    /// The place of the source's column.
    let sourceColumn: Int?
    /// The place of the session's column.
    let sessionColumn: Int?
    /// The values that hold where the columns are missing or empty.
    let names: Names
    /// The columns of values, in their order; of a long table those that its rows have named so far.
    var columns: [ColumnPlan]
    /// The metrics that the columns hold.
    var metrics: [MetricPlan]
    /// The columns of a blood pressure.
    let pressures: [PressurePair]
    /// Columns that are left out.
    let ignoredColumns: [Int]
    /// The place of the column that decides whether a row counts.
    let filterColumn: Int?
    /// The place of the column in which a row's interval ends.
    let endColumn: Int?
    /// The place of the column of the clock's offset from UTC.
    let zoneColumn: Int?
    /// The columns of a long table.
    let long: LongPlan?
    /// Headers of columns that no rule names and that are kept.
    let unknown: [String]
    /// Headers among them that say nothing of what was measured: nothing is imported before the user has said it.
    let silent: [String]
    /// Headers of columns that are left out, as they only say what stands around a list.
    let outer: [String]
    /// The columns that tell of rows that are no measurements.
    let statusColumns: [StatusColumn]

    /// Names that hold for all rows.
    struct Names: Hashable, Sendable {
        var participant: String?
        var source: String?
        var session: String?
    }
}

/// The places of a long table's columns.
struct LongPlan: Hashable, Sendable {
    var metric: Int?
    var code: Int?
    var values: [Int]
    var unit: Int?
    var text: Int?
    var samples: Int?
    var period: Int?
    var sequence: Int?
    var zone: Int?
    var received: Int?
    var record: Int?
    var detail: Int?
}

/// The way one column of one file is read: a rule, compiled for that file's header.
struct ColumnPlan: Sendable {
    /// The column's place.
    let index: Int
    /// Its header as it is written.
    let header: String
    /// The place of its metric in the plan.
    let metric: Int
    /// The way its cells are read: never `automatic` for a metric that the catalogue has.
    let kind: CellKind
    /// From the cell's number to the metric's unit.
    let scale: Double
    /// Added after `scale`.
    let offset: Double
    /// The plausible range, in the metric's unit.
    let plausible: ClosedRange<Double>
    /// Refused numbers, as the cell has them.
    let sentinels: [Double]
    /// Refused numbers at a series' start, as the cell has them.
    let startup: [Double]
    /// Microseconds after the row's time.
    let delay: Int64
    /// Whole seconds that a cell speaks for; 0: a moment, or until the row's end.
    let interval: Int32
    /// The place of the column that names the unit in each row.
    let unitColumn: Int?
    /// The question of the column's unit, where it has to be settled before anything is imported.
    let question: UnitQuestion?
    /// Texts that the metric allows; empty: any.
    let vocabulary: Set<String>
    /// Words in place of numbers that a sensor cannot tell, in small letters, and what is kept for them.
    let limits: [String: String]

    /// Columns for the same value, one of which stands in its place where it is filled.
    let precedence: [Int]
    /// The column that tells rows in which the cell is refused, the words that tell it, and the reason.
    let exception: (place: Int, words: [String], reason: String)?

    /// A Boolean value that indicates whether another cell of its row decides what becomes of a cell.
    var dependsOnRow: Bool { !precedence.isEmpty || exception != nil }
    /// A Boolean value that indicates whether a cell that is a number is taken as one.
    var isNumeric: Bool { kind == .number || kind == .automatic }
    /// A Boolean value that indicates whether a number only has to be scaled and compared with its range.
    var isPlain: Bool { sentinels.isEmpty && startup.isEmpty }
    /// A Boolean value that indicates whether a cell's unit is the column's.
    var hasOneUnit: Bool { unitColumn == nil }
    /// The part that the usual cell needs.
    /// - Parameter asks: numbers of a column whose unit is in question are looked at one by one.
    func cell(asks: Bool) -> CellPlan {
        CellPlan(
            index: Int32(truncatingIfNeeded: index), metric: Int32(truncatingIfNeeded: metric),
            isNumeric: isNumeric && hasOneUnit && !dependsOnRow && !(asks && question != nil), isPlain: isPlain, scale: scale,
            offset: offset,
            lowest: plausible.lowerBound, highest: plausible.upperBound, delay: delay, interval: interval)
    }
}

/// The part of a column's plan that the usual cell, a plausible number, needs: plain numbers, copied without reference counting.
struct CellPlan: Sendable {
    let index: Int32
    let metric: Int32
    let isNumeric: Bool
    let isPlain: Bool
    let scale: Double
    let offset: Double
    let lowest: Double
    let highest: Double
    let delay: Int64
    let interval: Int32
}

/// A metric that a file's columns hold.
struct MetricPlan: Hashable, Sendable {
    /// Its name.
    let name: String
    /// The unit in which its observations are kept.
    let unit: String
    /// Its definition in the catalogue.
    let definition: MetricDefinition?
}

/// The way a row's time is found.
package enum RowTiming: Hashable, Sendable {
    /// In its time columns.
    case columns
    /// By counting rows from a start (microseconds since 1970), at so many rows a second.
    case samples(start: Int64, rate: Double)
    /// In its time column, as seconds after a start (microseconds since 1970).
    case offsets(start: Int64)
    /// In its time column, as a clock that runs from a start (microseconds since 1970): `00:12:30`.
    case elapsed(start: Int64)
}
