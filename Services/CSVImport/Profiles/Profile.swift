/// The knowledge of one family of files that an importer needs: which columns say who, when and what.
package struct Profile: Hashable, Sendable {
    /// Its name, as `--profile` takes it.
    package var name: String
    /// The purpose, in a few words.
    package var title: String
    /// The way the content is laid out.
    package var layout: Layout = .table
    /// Headers (any spelling of `HeaderName`) of which each group must have one for the profile to fit.
    package var requires: [[String]] = []
    /// The header must have these columns and no others.
    package var isExact = false
    /// The time at which a row was measured.
    package var time: TimeRule
    /// The person who was measured.
    package var participant: NameRule
    /// The source of the measurement.
    package var source: NameRule
    /// The recording session, if any.
    package var session = NameRule()
    /// The columns that are known.
    package var columns: [ColumnRule] = []
    /// The treatment of the columns that are not.
    package var otherColumns = OtherColumns.keep
    /// Rows that count; all of them where nil.
    package var rows: RowFilter?
    /// A Boolean value that indicates whether rows may have fewer fields than the header, those missing being empty.
    package var allowsShortRows = false
    /// Texts that stand for nothing, besides an empty cell.
    package var emptyMarks: [String] = []
    /// The columns of a long table: a row a value, named in the row.
    package var long = LongRule()
    /// Rules for the column `value` by the start of the file's name, where nothing else says what it holds.
    package var valueByFile: [String: ColumnRule] = [:]
    /// Starts of the names of the files that it is for; empty: any.
    package var fileNames: [String] = []
    /// A Boolean value that indicates whether columns of one name are numbered, `Distance`, `Distance 2`: they hold different things.
    package var numbersRepeats = false
    /// Columns of which no row has a value of its own, all having that of an object around them: told by a JSON document.
    package var outerColumns: Set<String> = []

    /// Makes a profile.
    package init(name: String, title: String, time: TimeRule, participant: NameRule, source: NameRule) {
        self.name = name
        self.title = title
        self.time = time
        self.participant = participant
        self.source = source
    }

    /// The way content is laid out.
    package enum Layout: String, Hashable, Sendable {
        /// A header and rows, a column a metric.
        case table
        /// A header and rows, a row a value, with the metric's name in the row.
        case long
        /// Empatica's own: a line with the start, a line with the rate, then values.
        case samples
        /// Empatica's own intervals: a line with the start, then offset and interval.
        case intervals
        /// Empatica's own marks: a time a line.
        case marks
        /// Apple Health's `export.xml`.
        case appleHealth = "apple-health"
        /// An electrocardiogram of an Apple Watch: lines of names and values, then a sample a line.
        case appleECG = "apple-ecg"
        /// FHIR R4: a Bundle, resources a line, or one resource.
        case fhir
        /// A patient record of hReader.
        case hReader = "hreader"
        /// Vigil's own JSON export: groups as on the bus, then records.
        case vigilJSON = "vigil-json"
        /// This importer's own rejects, corrected.
        case rejects

        /// A Boolean value that indicates whether it has records with fields, and is planned by its columns.
        var hasColumns: Bool {
            switch self {
            case .table, .long, .samples, .intervals, .marks: true
            case .appleHealth, .appleECG, .fhir, .hReader, .rejects, .vigilJSON: false
            }
        }
    }

    /// The columns of a long table, each by its spellings.
    package struct LongRule: Hashable, Sendable {
        /// The metric's name; for that of a column, `columns` has the rules.
        package var metric: [String] = []
        /// A LOINC or SNOMED CT code, which counts before the name.
        package var code: [String] = []
        /// The value: the first of the columns that has something.
        package var value: [String] = []
        /// The value's unit.
        package var unit: [String] = []
        /// A text, where the value is none.
        package var text: [String] = []
        /// Samples, separated by blanks or as a JSON array, with the column of their distance in seconds; of numbers, their interval.
        package var samples: [String] = []
        package var period: [String] = []
        /// The number among readings of one time.
        package var sequence: [String] = []
        /// The wearer's offset from UTC in minutes.
        package var zone: [String] = []
        /// The time of receipt, what a row holds that is no reading, and all of that: columns of Vigil's own exports.
        package var received: [String] = []
        package var record: [String] = []
        package var detail: [String] = []
        /// A Boolean value that indicates whether a row that names a metric of `columns` and has no value is told as refused: where a row has only the
        /// members that its kind has, nothing else tells that its value stands in another one.
        package var reportsMissing = false

        /// No long table.
        package init() {}
    }

    /// The treatment of columns that no rule names.
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
        /// The values that it may have; empty: any, as long as it has one.
        package var values: [String]
    }
}

/// The meaning of a column of values.
package struct ColumnRule: Hashable, Sendable {
    /// The spellings of its header that this rule is for.
    package var headers: [String]
    /// The metric's name; nil: the column's own.
    package var metric: String?
    /// The unit in which the column is known to give it.
    package var unit: String?
    /// The unit in which such columns usually give it, where nothing says which; nil: the metric's own, `1` for one that the catalogue lacks.
    package var usually: String?
    /// Metrics that the header may mean as well: `temp`. Where the numbers are not typical of `metric`, the user is asked.
    package var alternatives: [String] = []
    /// The column that names the unit in each row, by its spellings; empty: none.
    package var unitColumn: [String] = []
    /// Starts of other columns' headers beside which the rule does not hold: `fat` beside `protein` is food.
    package var unlessBeside: [String] = []
    /// Starts of other columns' headers without one of which the rule does not hold: `PAS` is a pressure beside `PAD`.
    package var onlyBeside: [String] = []
    /// A Boolean value that indicates whether its headers are names of one value, of which the first that a row has counts.
    package var isOneValue = false
    /// The rows in which its cells mean something else, and are refused.
    package var exception: RowException?
    /// Whole seconds from the cell's time on that it speaks for: 86,400 for a day's steps; 0: a moment, or until the row's end.
    package var interval: Int32 = 0
    /// The way its cells are read.
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
    /// Words in place of numbers that a sensor cannot tell, each with what is kept for it: `Low=<40`.
    package var limits: [String] = []

    /// Makes a rule.
    package init(
        _ headers: [String], metric: String? = nil, unit: String? = nil, kind: CellKind = .automatic, scale: Double = 1, add: Double = 0,
        sentinels: [Double] = [], startup: [Double] = [], delay: Double = 0, usually: String? = nil, interval: Int32 = 0,
        unlessBeside: [String] = [], unitColumn: [String] = [], limits: [String] = [], alternatives: [String] = [],
        onlyBeside: [String] = [], isOneValue: Bool = false, exception: RowException? = nil
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
        self.usually = usually
        self.interval = interval
        self.unlessBeside = unlessBeside
        self.unitColumn = unitColumn
        self.limits = limits
        self.alternatives = alternatives
        self.onlyBeside = onlyBeside
        self.isOneValue = isOneValue
        self.exception = exception
    }

    /// The two parts of one of its limits, the word in small letters.
    static func limit(_ text: String) -> (String, String)? {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0].lowercased(), parts[1]) : nil
    }
}

/// Rows in which a column's cells mean something else than in the others, as another column says.
package struct RowException: Hashable, Sendable {
    /// The other column, by its spellings.
    package let column: [String]
    /// Words of which its cell has one, in small letters.
    package let words: [String]
    /// The reason why the column's own cell is refused.
    package let reason: String
}

/// The way a column's cells are read.
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
    /// The time that a kilometre or a mile takes, minutes and seconds: `05:56`, in minutes.
    case pace
    /// The number before the slash of `120/80`; a second rule with the same header takes the one behind it.
    case beforeSlash = "before-slash"
    /// The number behind the slash of `120/80`.
    case afterSlash = "after-slash"
    /// Neither: left out, and counted.
    case ignore
}

/// The time at which a row was measured.
package struct TimeRule: Hashable, Sendable {
    /// One column, or two (a date's and a time's) that are read as one text with a space between; each by its spellings.
    package var columns: [[String]]
    /// The way it may be written, tried in this order; empty: found out from the first rows.
    package var formats: [TimeFormat]
    /// The zone of times that do not name theirs; nil: UTC.
    package var zone: String?
    /// The column in which rows end that speak for an interval, by its spellings; empty: none.
    package var ends: [String] = []
    /// The column of the clock's offset from UTC, by its spellings; empty: none.
    package var zoneColumn: [String] = []
    /// A Boolean value that indicates whether the times are UTC's, and the zone column only tells what the wearer's clock showed.
    package var isUTC = false
    /// A Boolean value that indicates whether the rows name days, without a time of day: told by the rows of a file.
    package var isOfDays = false
    /// A Boolean value that indicates whether numbers were found to count from 1970 on, and no profile says so: told by the rows of a file.
    package var isFoundCount = false

    /// Makes a rule.
    package init(
        columns: [[String]], formats: [TimeFormat] = [], zone: String? = nil, ends: [String] = [], zoneColumn: [String] = []
    ) {
        self.columns = columns
        self.formats = formats
        self.zone = zone
        self.ends = ends
        self.zoneColumn = zoneColumn
    }
}
