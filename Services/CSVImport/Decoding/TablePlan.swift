/// How one file's rows are read: a profile, compiled for that file's header.
struct TablePlan: Sendable {
    /// The profile that it was made from.
    let profile: Profile
    /// The header, as it is written.
    let header: [String]
    /// The places of the columns that make a row's time: one, or a date's and a time's; none for samples.
    let timeColumns: [Int]
    /// How a row's time is found.
    let timing: RowTiming
    /// The place of the participant's column.
    let participantColumn: Int?
    /// The place of the source's column.
    let sourceColumn: Int?
    /// The place of the session's column.
    let sessionColumn: Int?
    /// What holds where the columns are missing or empty.
    let names: Names
    /// The columns of values, in their order.
    let columns: [ColumnPlan]
    /// The metrics that the columns hold.
    let metrics: [MetricPlan]
    /// Columns that are left out.
    let ignoredColumns: [Int]
    /// The place of the column that decides whether a row counts.
    let filterColumn: Int?

    /// Names that hold for all rows.
    struct Names: Hashable, Sendable {
        var participant: String?
        var source: String?
        var session: String?
    }
}
