/// When a row was measured.
package struct TimeRule: Hashable, Sendable {
    /// One column, or two (a date's and a time's) that are read as one text with a space between; each by its spellings.
    package var columns: [[String]]
    /// How it may be written, tried in this order; empty: found out from the first rows.
    package var formats: [TimeFormat]
    /// The zone of times that do not name theirs; nil: UTC.
    package var zone: String?

    /// Makes a rule.
    package init(columns: [[String]], formats: [TimeFormat] = [], zone: String? = nil) {
        self.columns = columns
        self.formats = formats
        self.zone = zone
    }
}
