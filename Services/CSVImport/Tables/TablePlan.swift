import VigilSchema

/// How one file's rows are read: a profile, compiled for that file's header.
struct TablePlan: Sendable {
    /// The profile.
    let profile: Profile
    /// The header as written.
    let header: [String]
    /// The indices of the time columns: one, or a date and a time; none for samples.
    let timeColumns: [Int]
    /// How a row's time is found.
    let timing: RowTiming
    /// The index of the participant column.
    let participantColumn: Int?
    /// The index of the source column.
    let sourceColumn: Int?
    /// The index of the session column.
    let sessionColumn: Int?
    /// The values that are used where these columns are missing or empty.
    let names: Names
    /// The value columns in order; for a long table those that its rows have named so far.
    var columns: [ColumnPlan]
    /// The metrics of the columns.
    var metrics: [MetricPlan]
    /// The columns of a blood pressure.
    let pressures: [PressurePair]
    /// Columns that are left out.
    let ignoredColumns: [Int]
    /// The index of the column that selects rows.
    let filterColumn: Int?
    /// The index of the column with the end of a row's interval.
    let endColumn: Int?
    /// The index of the column with the clock's offset from UTC.
    let zoneColumn: Int?
    /// The columns of a long table.
    let long: LongPlan?
    /// Headers of columns without a rule that are imported.
    let unknown: [String]
    /// Headers among them without a meaning: the user must name the metric before anything is imported.
    let silent: [String]
    /// Headers of columns that are left out because they only repeat the object around a list.
    let outer: [String]
    /// The columns that mark rows as no measurements.
    let statusColumns: [StatusColumn]
    /// The index of the column that names persons, where the user said whose the rows are.
    let personColumn: Int?

    /// Names that apply to all rows.
    struct Names: Hashable, Sendable {
        var participant: String?
        var source: String?
        var session: String?
    }
}

/// The indices of a long table's columns.
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

/// How one column of one file is read: a rule, compiled for that file's header.
struct ColumnPlan: Sendable {
    /// The index of the column.
    let index: Int
    /// The header as written.
    let header: String
    /// The index of its metric in the plan.
    let metric: Int
    /// How its cells are read; never `automatic` for a metric of the catalogue.
    let kind: CellKind
    /// The factor from the cell's number to the metric's unit.
    let scale: Double
    /// The summand after `scale`.
    let offset: Double
    /// The plausible range, in the metric's unit.
    let plausible: ClosedRange<Double>
    /// Refused numbers, in the cell's unit.
    let sentinels: [Double]
    /// Refused numbers at the start of a series, in the cell's unit.
    let startup: [Double]
    /// Microseconds after the row's time.
    let delay: Int64
    /// Seconds that a cell covers; 0: a moment, or until the row's end.
    let interval: Int32
    /// The index of the column that names the unit in each row.
    let unitColumn: Int?
    /// The question about the column's unit that must be answered before the import.
    let question: UnitQuestion?
    /// Texts that the metric allows; empty: any.
    let vocabulary: Set<String>
    /// Words for values beyond the sensor's range, in lower case, and their limits.
    let limits: [String: String]

    /// Columns for the same value, which are read first if they are filled.
    let precedence: [Int]
    /// The column, its words and the reason for rows in which the cell is refused.
    let exception: (place: Int, words: [String], reason: String)?

    /// Whether another cell of the row decides about this cell.
    var dependsOnRow: Bool { !precedence.isEmpty || exception != nil }
    /// Whether a numeric cell is read as a number.
    var isNumeric: Bool { kind == .number || kind == .automatic }
    /// Whether a number only has to be scaled and compared with its range.
    var isPlain: Bool { sentinels.isEmpty && startup.isEmpty }
    /// Whether a cell's unit is the column's.
    var hasOneUnit: Bool { unitColumn == nil }
    /// The part of the plan that a usual cell needs.
    /// - Parameter asks: whether the unit is open, so that each number must be examined.
    func cell(asks: Bool) -> CellPlan {
        CellPlan(
            index: Int32(truncatingIfNeeded: index), metric: Int32(truncatingIfNeeded: metric),
            isNumeric: isNumeric && hasOneUnit && !dependsOnRow && !(asks && question != nil), isPlain: isPlain, scale: scale,
            offset: offset,
            lowest: plausible.lowerBound, highest: plausible.upperBound, delay: delay, interval: interval)
    }
}

/// The part of a column's plan that a plausible number needs: plain numbers, copied without reference counting.
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

/// A metric of a file's columns.
struct MetricPlan: Hashable, Sendable {
    /// The name.
    let name: String
    /// The unit of its observations.
    let unit: String
    /// Its definition in the catalogue.
    let definition: MetricDefinition?
}

/// How a row's time is found.
package enum RowTiming: Hashable, Sendable {
    /// In the time columns.
    case columns
    /// By counting rows from a start (microseconds since 1970) at a rate in rows a second.
    case samples(start: Int64, rate: Double)
    /// In the time column, as seconds after a start (microseconds since 1970).
    case offsets(start: Int64)
    /// In the time column, as a clock that runs from a start (microseconds since 1970): `00:12:30`.
    case elapsed(start: Int64)
}
