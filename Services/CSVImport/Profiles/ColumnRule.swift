/// What a column of values means.
package struct ColumnRule: Hashable, Sendable {
    /// The spellings of its header that this rule is for.
    package var headers: [String]
    /// The metric's name; nil: the column's own.
    package var metric: String?
    /// The unit in which the column gives it; nil: the metric's own, `1` for one that the catalogue lacks.
    package var unit: String?
    /// How its cells are read.
    package var kind = CellKind.automatic
    /// The number is multiplied by this before its unit counts.
    package var scale = 1.0
    /// Added to it after that.
    package var add = 0.0
    /// Numbers that a device writes where it has measured nothing: refused, as sentinels.
    package var sentinels: [Double] = []
    /// Numbers that a device writes until it has started: refused at the start of each series, until another comes.
    package var startup: [Double] = []
    /// Seconds after the row's time at which the cell was measured, as in wide files of one column a minute.
    package var delay = 0.0

    /// Makes a rule.
    package init(
        _ headers: [String], metric: String? = nil, unit: String? = nil, kind: CellKind = .automatic, scale: Double = 1, add: Double = 0,
        sentinels: [Double] = [], startup: [Double] = [], delay: Double = 0
    ) {
        self.headers = headers
        self.metric = metric
        self.unit = unit
        self.kind = kind
        self.scale = scale
        self.add = add
        self.sentinels = sentinels
        self.startup = startup
        self.delay = delay
    }
}
