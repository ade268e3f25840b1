/// What an importer has to know of one family of files: which columns say who, when and what.
package struct Profile: Hashable, Sendable {
    /// Its name, as `--profile` takes it.
    package var name: String
    /// What it is for, in a few words.
    package var title: String
    /// How the content is laid out.
    package var layout: Layout = .table
    /// Headers (any spelling of `HeaderName`) of which each group must have one for the profile to fit.
    package var requires: [[String]] = []
    /// The header must have these columns and no others.
    package var isExact = false
    /// When a row was measured.
    package var time: TimeRule
    /// Who was measured.
    package var participant: NameRule
    /// What measured.
    package var source: NameRule
    /// The recording session, if any.
    package var session = NameRule()
    /// The columns that are known.
    package var columns: [ColumnRule] = []
    /// What becomes of the columns that are not.
    package var otherColumns = OtherColumns.keep
    /// Rows that count; all of them where nil.
    package var rows: RowFilter?
    /// Whether rows may have fewer fields than the header, those missing being empty.
    package var allowsShortRows = false
    /// Texts that stand for nothing, besides an empty cell.
    package var emptyMarks: [String] = []

    /// Makes a profile.
    package init(name: String, title: String, time: TimeRule, participant: NameRule, source: NameRule) {
        self.name = name
        self.title = title
        self.time = time
        self.participant = participant
        self.source = source
    }

    /// How content is laid out.
    package enum Layout: String, Hashable, Sendable {
        /// A header and rows.
        case table
        /// Empatica's own: a line with the start, a line with the rate, then values.
        case samples
        /// Empatica's own intervals: a line with the start, then offset and interval.
        case intervals
        /// Empatica's own marks: a time a line.
        case marks
        /// Apple Health's `export.xml`.
        case appleHealth = "apple-health"
        /// This importer's own rejects, corrected.
        case rejects
    }

    /// What becomes of columns that no rule names.
    package enum OtherColumns: String, Hashable, Sendable {
        /// Kept under their own name, in the unit `1`: numbers as numbers, anything else as text.
        case keep
        /// Left out, and counted.
        case ignore
    }

    /// Only rows whose cell says one of these count.
    package struct RowFilter: Hashable, Sendable {
        /// The column.
        package var column: [String]
        /// What it may say.
        package var values: [String]
    }
}
