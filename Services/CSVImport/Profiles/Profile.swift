/// What an importer must know of one family of files: which columns are the person, the time and the values.
package struct Profile: Hashable, Sendable {
    /// The name, as `--profile` takes it.
    package var name: String
    /// The purpose, in a few words.
    package var title: String
    /// The position among profiles: of those that fit, the one with the lowest is taken.
    package var order = 0
    /// The layout of the content.
    package var layout: Layout = .table
    /// Headers (any spelling of `HeaderName`). The profile fits if each group has one in the file.
    package var requires: [[String]] = []
    /// Whether the header must have these columns and no others.
    package var isExact = false
    /// The time of a row.
    package var time: TimeRule
    /// The participant.
    package var participant: NameRule
    /// The source of the measurement.
    package var source: NameRule
    /// The recording session, if any.
    package var session = NameRule()
    /// The rules for known columns.
    package var columns: [ColumnRule] = []
    /// The treatment of other columns.
    package var otherColumns = OtherColumns.keep
    /// The column with the name of a file of finer readings, by its spellings. A row that has one counts only where
    /// no such file is imported with it.
    package var bins: [String] = []
    /// The rows that are imported; nil: all.
    package var rows: RowFilter?
    /// Whether rows may have fewer fields than the header. Missing fields are empty.
    package var allowsShortRows = false
    /// Texts that mean an empty cell.
    package var emptyMarks: [String] = []
    /// The columns of a long table, which has a row per value.
    package var long = LongRule()
    /// Rules for the column `value` by the start of the file's name, if nothing else gives its metric.
    package var valueByFile: [String: ColumnRule] = [:]
    /// Starts of the names of the profile's files; empty: any.
    package var fileNames: [String] = []
    /// Whether columns with equal names get numbers (`Distance`, `Distance 2`), because they hold different values.
    package var numbersRepeats = false
    /// Columns whose values all come from an enclosing JSON object, not from the rows.
    package var outerColumns: Set<String> = []

    /// Makes a profile.
    package init(name: String, title: String, time: TimeRule, participant: NameRule, source: NameRule) {
        self.name = name
        self.title = title
        self.time = time
        self.participant = participant
        self.source = source
    }

    /// The layout of the content.
    package enum Layout: String, Hashable, Sendable, CaseIterable {
        /// A header and rows, with a column per metric.
        case table
        /// A header and rows, with a row per value that names its metric.
        case long
        /// Empatica's samples: a line with the start, a line with the rate, then values.
        case samples
        /// Empatica's intervals: a line with the start, then offset and interval.
        case intervals
        /// Empatica's marks: a time per line.
        case marks
        /// Apple Health's `export.xml`.
        case appleHealth = "apple-health"
        /// An electrocardiogram of an Apple Watch: lines of names and values, then a sample per line.
        case appleECG = "apple-ecg"
        /// FHIR R4: a Bundle, a resource per line, or one resource.
        case fhir
        /// A patient record of hReader.
        case hReader = "hreader"
        /// Vigil's own JSON export: groups as on the bus, then records.
        case vigilJSON = "vigil-json"
        /// This importer's own rejects, corrected.
        case rejects

        /// Whether the layout has records with fields, which are planned by columns.
        var hasColumns: Bool {
            switch self {
            case .table, .long, .samples, .intervals, .marks: true
            case .appleHealth, .appleECG, .fhir, .hReader, .rejects, .vigilJSON: false
            }
        }
    }

    /// The columns of a long table, each by its spellings.
    package struct LongRule: Hashable, Sendable {
        /// The metric's name. `columns` has the rules for each name.
        package var metric: [String] = []
        /// A LOINC or SNOMED CT code, which has precedence over the name.
        package var code: [String] = []
        /// The value: the first of these columns that is not empty.
        package var value: [String] = []
        /// The value's unit.
        package var unit: [String] = []
        /// A text, if there is no value.
        package var text: [String] = []
        /// Samples, separated by spaces or as a JSON array, and the column of their period in seconds; for numbers,
        /// their interval.
        package var samples: [String] = []
        package var period: [String] = []
        /// The number among readings of the same time.
        package var sequence: [String] = []
        /// The wearer's offset from UTC in minutes.
        package var zone: [String] = []
        /// The time of receipt, the kind of a row that is not a reading, and its JSON: columns of Vigil's own exports.
        package var received: [String] = []
        package var record: [String] = []
        package var detail: [String] = []
        /// Whether a row that names a metric of `columns` without a value is refused. In files whose rows have only the
        /// members of their kind, nothing else shows that the value is in another member.
        package var reportsMissing = false

        /// No long table.
        package init() {}
    }

    /// The treatment of columns that no rule names.
    package enum OtherColumns: String, Hashable, Sendable {
        /// Imported under their own names, in the unit `1`: numbers as numbers, anything else as text.
        case keep
        /// Left out and counted.
        case ignore
    }

    /// A filter that selects rows by the text of a cell.
    package struct RowFilter: Hashable, Sendable {
        /// The column.
        package var column: [String]
        /// The accepted values; empty: any.
        package var values: [String]
    }
}

/// The meaning of a column of values.
package struct ColumnRule: Hashable, Sendable {
    /// The spellings of its header.
    package var headers: [String]
    /// The metric's name; nil: the column's own name.
    package var metric: String?
    /// The unit of the column, if it is known.
    package var unit: String?
    /// The usual unit of such columns, if the file does not name one; nil: the metric's unit, or `1` outside the
    /// catalogue.
    package var usually: String?
    /// Other possible metrics of the header, such as `temp`. If the numbers are not typical of `metric`, the user is
    /// asked.
    package var alternatives: [String] = []
    /// The column that names the unit in each row, by its spellings; empty: none.
    package var unitColumn: [String] = []
    /// Starts of other headers that disable the rule: `fat` next to `protein` is food.
    package var unlessBeside: [String] = []
    /// Starts of other headers, one of which the rule requires: `PAS` is a pressure next to `PAD`.
    package var onlyBeside: [String] = []
    /// Whether the headers are alternatives for one value. The first non-empty cell of a row counts.
    package var isOneValue = false
    /// The rows whose cells mean something else and are refused.
    package var exception: RowException?
    /// The seconds that the cell covers from its time on: 86,400 for a day's steps; 0: a moment, or until the row's
    /// end.
    package var interval: Int32 = 0
    /// How the cells are read.
    package var kind = CellKind.automatic
    /// The factor that is applied before the unit.
    package var scale = 1.0
    /// The summand that is added after the factor.
    package var add = 0.0
    /// Numbers that mean "no measurement" and are refused.
    package var sentinels: [Double] = []
    /// Numbers that a device writes until it has started. They are refused at the start of each series.
    package var startup: [Double] = []
    /// The offset of the cell in seconds after the row's time, as in wide files with a column per minute.
    package var delay = 0.0
    /// Words for values beyond the sensor's range, each with its limit: `Low=<40`.
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

    /// Splits a limit into its word, in lower case, and its value.
    static func limit(_ text: String) -> (String, String)? {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0].lowercased(), parts[1]) : nil
    }
}

/// Rows in which a column means something else, which another column shows.
package struct RowException: Hashable, Sendable {
    /// The other column, by its spellings.
    package let column: [String]
    /// Words in lower case, one of which its cell contains.
    package let words: [String]
    /// The reason for the refusal.
    package let reason: String
}

/// How a column's cells are read.
package enum CellKind: String, Hashable, Sendable, CaseIterable {
    /// A number if the metric is numeric. Outside the catalogue the cell decides.
    case automatic
    /// A number.
    case number
    /// A text.
    case text
    /// True or false, as 1 or 0.
    case flag
    /// A time of day or a duration, in minutes.
    case clock
    /// The time for a kilometre or a mile as minutes and seconds (`05:56`), in minutes.
    case pace
    /// The number before the slash of `120/80`; a second rule for the same header reads the other.
    case beforeSlash = "before-slash"
    /// The number after the slash of `120/80`.
    case afterSlash = "after-slash"
    /// Left out and counted.
    case ignore
}

/// The time of a row.
package struct TimeRule: Hashable, Sendable {
    /// One column, or a date column and a time column that are joined by a space; each by its spellings.
    package var columns: [[String]]
    /// The accepted formats, tried in this order; empty: detected from the first rows.
    package var formats: [TimeFormat]
    /// The zone of times without a zone; nil: UTC.
    package var zone: String?
    /// The column of the end of a row's interval, by its spellings; empty: none.
    package var ends: [String] = []
    /// The column of the clock's offset from UTC, by its spellings; empty: none.
    package var zoneColumn: [String] = []
    /// Whether the times are UTC and the zone column only gives the wearer's offset.
    package var isUTC = false
    /// Whether the rows have dates without a time of day; detected from the rows.
    package var isOfDays = false
    /// Whether numbers were detected as counts from 1970 without a profile; detected from the rows.
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
