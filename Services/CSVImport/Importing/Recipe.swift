import VigilSchema

/// How a file's bytes were read: which column is what, in which unit, by which clock, under whose name.
///
/// Its digest is half of an import's key in the ledger. It contains only what applies to this file, each part spelt out
/// here, so that neither a compiler nor a new setting, profile or column elsewhere makes imported files unknown. A
/// change of its content is a new `version`.
struct Recipe {
    private static let version = "2"

    private var lines: [String] = []

    init(_ file: ImportFile, _ survey: FileSurvey, _ options: ImportOptions) throws(ImportError) {
        add("layout", survey.profile.layout.rawValue)
        let dialect = survey.dialect
        // Windows-1252 was called Latin-1 by earlier versions, which knew no other.
        let encoding = dialect.encoding == .windows1252 ? TextEncoding.latin1 : dialect.encoding
        add("dialect", [dialect.delimiter, dialect.quote, dialect.decimal].map { String($0) } + [encoding.rawValue])
        add("zone", options.zone ?? survey.profile.time.zone)
        add("formats", TimeFormat.names(of: survey.profile.time.formats))
        if options.correctsMilliseconds { add("correct-milliseconds", options.sessionStart.map(Recipe.text) ?? "") }
        guard survey.profile.layout.hasColumns else {
            names(file, survey, options)
            return
        }
        var planner = TablePlanner(survey.profile, header: survey.header, options: options)
        table(try planner.plan(path: file.name, timing: survey.timing))
    }

    /// SHA-256 in hexadecimal digits, after the version.
    var digest: String { "\(Recipe.version)-\(ContentDigest.of(lines.joined(separator: "\n")))" }

    private mutating func names(_ file: ImportFile, _ survey: FileSurvey, _ options: ImportOptions) {
        let rules = [survey.profile.participant, survey.profile.source, survey.profile.session]
        for (rule, said) in zip(rules, [options.participant, options.source, options.session]) {
            add("name", said ?? rule.name(inPath: file.name) ?? rule.constant)
        }
        add("profile", survey.profile.name)
        for (header, unit) in options.units.sorted(by: { $0.key < $1.key }) { add("unit", [header, unit]) }
    }

    private mutating func table(_ plan: TablePlan) {
        add("timing", timing(plan.timing))
        add("times", plan.timeColumns.map { String($0) } + [plan.endColumn, plan.zoneColumn].map { $0.map { String($0) } ?? "" })
        if plan.profile.time.isUTC { add("offsets", "of the wearer only") }
        for (column, name) in [
            (plan.participantColumn, plan.names.participant), (plan.sourceColumn, plan.names.source),
            (plan.sessionColumn, plan.names.session),
        ] {
            add("name", [column.map { String($0) } ?? "", name ?? ""])
        }
        if let filter = plan.filterColumn { add("rows", [String(filter)] + (plan.profile.rows?.values ?? [])) }
        add("empty", plan.profile.emptyMarks)
        add("ignored", plan.ignoredColumns.map { String($0) })
        for column in plan.columns {
            let metric = plan.metrics[column.metric]
            add(
                "column",
                [
                    String(column.index), metric.name, metric.unit, column.kind.rawValue, Recipe.text(column.scale),
                    Recipe.text(column.offset),
                ])
            add("refused", (column.sentinels + column.startup).map(Recipe.text))
            add("delay", [String(column.delay), String(column.interval)])
        }
    }

    private func timing(_ timing: RowTiming) -> [String] {
        switch timing {
        case .columns: ["columns"]
        case .samples(let start, let rate): ["samples", String(start), Recipe.text(rate)]
        case .offsets(let start): ["offsets", String(start)]
        case .elapsed(let start): ["elapsed", String(start)]
        }
    }

    private mutating func add(_ name: String, _ value: String?) { add(name, value.map { [$0] } ?? []) }

    /// Each part with its length, so that no two lists look the same.
    private mutating func add(_ name: String, _ values: [String]) {
        lines.append(name + values.map { " \($0.utf8.count):\($0)" }.joined())
    }

    /// The number's bits, independent of its printed form.
    private static func text(_ number: Double) -> String { String(number.bitPattern, radix: 16) }
}
