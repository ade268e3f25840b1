import VigilSchema

/// A file's survey, for the person who decides about it.
struct FileFinding: Codable, Hashable, Sendable {
    /// A column of a table, and its meaning.
    struct Column: Codable, Hashable, Sendable {
        let header: String
        let metric: String
        /// The unit of the observations.
        let unit: String
    }

    /// A metric with its number of readings.
    struct Metric: Codable, Hashable, Sendable {
        let name: String
        let unit: String
        var count: Int
    }

    /// An open question about the file.
    struct Question: Codable, Hashable, Sendable {
        /// The kinds of questions, named like the members of the answers.
        enum Kind: String, Codable, Sendable { case participant, zone, dateOrder, units, columns }

        /// A possible answer.
        struct Choice: Codable, Hashable, Sendable {
            let value: String
            /// The meaning of the numbers with this answer, if known.
            var words = ""
            /// Whether the numbers are plausible with this answer.
            var isLikely = true
        }

        let kind: Kind
        /// The column in question.
        var column: String?
        /// The importer's message.
        var words = ""
        var choices: [Choice] = []
        /// Whether nothing can be imported without an answer.
        var isRequired = true
    }

    /// The most columns, names and notes that are listed.
    static let most = 100

    let name: String
    /// The profile's name and purpose; empty: none fits.
    var profile = ""
    var title = ""
    var encoding = ""
    var rows = 0
    var cells = 0
    var columns: [Column] = []
    /// Columns without a rule, which are imported under their own names.
    var unknown: [String] = []
    var metrics: [Metric] = []
    var participants: [String] = []
    /// The range of times, in Unix seconds.
    var from: Double?
    var to: Double?
    var notes: [String] = []
    var questions: [Question] = []
    /// The reason why it cannot be imported with any answer.
    var problem: String?
}

/// Surveys a file: its kind, its open questions, and its content.
///
/// A question is found by trial: if a file cannot be read, but can with an answer, the question is asked.
struct FileStudy {
    /// The questions that a file may raise one after the other.
    private static let mostQuestions = 8

    private let answers: ImportOptions
    private let chosen: Profile?
    private let now: Timestamp

    init(_ answers: ImportOptions, chosen: Profile?, now: Timestamp) {
        (self.answers, self.chosen, self.now) = (answers, chosen, now)
    }

    func finding(of file: ImportFile) -> FileFinding {
        var finding = FileFinding(name: file.name)
        var options = answers
        do throws(ImportError) {
            while let failure = failure(file, options) {
                guard finding.questions.count < Self.mostQuestions, let asked = try question(failure, file, &options) else { throw failure }
                finding.questions += asked
            }
            let survey = try surveyor(options).study(file, now: now)
            try describe(survey, file, options, &finding)
            try count(survey, file, options, &finding)
        } catch {
            finding.problem = error.message
        }
        if options.participant != answers.participant { finding.participants = [] }
        return finding
    }

    private func surveyor(_ options: ImportOptions) -> Surveyor {
        chosen.map { Surveyor(chosen: $0, options: options) } ?? Surveyor(options: options)
    }

    /// The reason why a file cannot be read with these options; nil: it can.
    private func failure(_ file: ImportFile, _ options: ImportOptions) -> ImportError? {
        do throws(ImportError) {
            let survey = try surveyor(options).study(file, now: now)
            _ = try ContentReader.open(file, survey, options, keepsHistory: false, now: now)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Questions

    /// The questions whose answers change the failure, with options that answer them provisionally; nil: none does.
    private func question(
        _ failure: ImportError, _ file: ImportFile, _ options: inout ImportOptions
    ) throws(ImportError) -> [FileFinding.Question]? {
        let units = failure.code == .ambiguous ? (try? unitQuestions(file, options)) ?? [] : []
        if !units.isEmpty {
            for question in units {
                guard let column = question.column, let likely = question.choices.first(where: \.isLikely) ?? question.choices.first else {
                    continue
                }
                options.answer(likely.value, of: column)
            }
            return units
        }
        for (kind, choices) in [
            (FileFinding.Question.Kind.participant, [String]()), (.zone, []), (.dateOrder, ["dmy", "mdy"]), (.columns, []),
        ] {
            guard let answered = try answered(kind, file, options) else { continue }
            let next = self.failure(file, answered)
            guard next != failure else { continue }
            options = answered
            let words = kind == .dateOrder || kind == .zone ? failure.message : ""
            return [.init(kind: kind, words: words, choices: choices.map { .init(value: $0) })]
        }
        return nil
    }

    /// The options with a provisional answer to that question; nil: the user has answered it.
    private func answered(
        _ kind: FileFinding.Question.Kind, _ file: ImportFile, _ options: ImportOptions
    ) throws(ImportError) -> ImportOptions? {
        var answered = options
        switch kind {
        case .participant:
            guard options.participant == nil else { return nil }
            answered.participant = "x"
        case .zone:
            guard options.zone == nil else { return nil }
            answered.zone = "UTC"
        case .dateOrder:
            guard options.dateFormats == nil else { return nil }
            answered.dateFormats = TimeFormat.dayFirst
        case .columns:
            guard options.columns.isEmpty else { return nil }
            var source = try file.open()
            let draft = try surveyor(options).survey(try source.readStart(Surveyor.startLength), path: file.name, drafts: true)
            guard draft.isDraft, !Surveyor.isHeader(draft.header), draft.header.count > 1 else { return nil }
            answered.columns = ["timestamp", "heart-rate"] + Array(repeating: "-", count: draft.header.count - 2)
        case .units: return nil
        }
        return answered
    }

    /// The columns whose unit the numbers leave open.
    private func unitQuestions(_ file: ImportFile, _ options: ImportOptions) throws(ImportError) -> [FileFinding.Question] {
        var source = try file.open()
        var survey = try surveyor(options).survey(try source.readStart(Surveyor.startLength), path: file.name)
        guard [.table, .long, .fhir].contains(survey.profile.layout) else { return [] }
        survey.profile.outerColumns = file.outerColumns
        let silent = survey.profile.layout == .fhir ? [] : try silentQuestions(survey, file, options)
        if !silent.isEmpty { return silent }
        let reader = try read(survey, file, options, asks: true) { _, _ in }
        return reader.questions.compactMap { statistics in
            guard case .open(let words) = statistics.verdict else { return nil }
            return FileFinding.Question(
                kind: .units, column: statistics.question.header, words: words,
                choices: statistics.choices.map { .init(value: $0.unit, words: $0.words, isLikely: $0.isPossible) })
        }
    }

    /// The columns whose headers do not give the metric.
    private func silentQuestions(
        _ survey: FileSurvey, _ file: ImportFile, _ options: ImportOptions
    ) throws(ImportError) -> [FileFinding.Question] {
        var planner = TablePlanner(survey.profile, header: survey.header, options: options, units: survey.units)
        let metrics = MetricCatalogue.standard.definitions.filter { $0.kind == .value || $0.kind == .total }.map(\.name).sorted()
        return try planner.plan(path: file.name, timing: survey.timing).silent.map { header in
            FileFinding.Question(kind: .units, column: header, words: Surveyor.silent(header), choices: metrics.map { .init(value: $0) })
        }
    }

    // MARK: Content

    private func describe(
        _ survey: FileSurvey, _ file: ImportFile, _ options: ImportOptions, _ finding: inout FileFinding
    ) throws(ImportError) {
        finding.profile = survey.profile.name
        finding.title = survey.profile.title
        finding.encoding = survey.dialect.encoding.rawValue
        finding.notes = survey.warnings
        if options.zone == nil, survey.profile.layout == .table || survey.profile.layout == .long {
            var other = options
            other.zone = "UTC"
            // The zone decides which remarks still apply.
            let others = try surveyor(other).study(file, now: now).warnings
            let about = survey.warnings.filter { !others.contains($0) }
            if !about.isEmpty {
                finding.notes.removeAll(where: about.contains)
                finding.questions.append(.init(kind: .zone, words: about.joined(separator: " "), isRequired: false))
            }
        }
        finding.notes = Array(finding.notes.prefix(FileFinding.most))
        guard survey.profile.layout == .table else { return }
        var planner = TablePlanner(survey.profile, header: survey.header, options: options, units: survey.units)
        let plan = try planner.plan(path: file.name, timing: survey.timing)
        finding.columns = plan.columns.prefix(FileFinding.most).map { column in
            .init(header: column.header, metric: plan.metrics[column.metric].name, unit: plan.metrics[column.metric].unit)
        }
        finding.unknown = Array(plan.unknown.prefix(FileFinding.most))
        finding.notes.removeAll { $0 == Surveyor.unknown(plan.unknown) }
    }

    /// Reads the whole file: the number of rows, the metrics, the people and the range of times.
    private func count(
        _ survey: FileSurvey, _ file: ImportFile, _ options: ImportOptions, _ finding: inout FileFinding
    ) throws(ImportError) {
        var counts: [Int] = []
        var (first, last) = (Int64.max, Int64.min)
        // Vigil's own exports.
        var own: [String: (unit: String, count: Int)] = [:]
        var people: Set<String> = []
        let reader = try read(survey, file, options) { block, reader in
            people.formUnion(block.groups.map(\.participant) + block.records.map(\.participant))
            for observation in block.groups.flatMap(\.observations) {
                own[observation.metric, default: (observation.unit, 0)].count += 1
                first = min(first, observation.time.microseconds)
                last = max(last, observation.time.microseconds)
            }
            while counts.count < reader.metrics.count { counts.append(0) }
            for reading in block.readings {
                counts[Int(reading.metric)] += 1
                first = min(first, reading.time)
                last = max(last, reading.time)
            }
        }
        finding.rows = reader.account.rows
        finding.cells = reader.account.cells
        let found: [FileFinding.Metric] = zip(reader.metrics, counts).map { .init(name: $0.name, unit: $0.unit, count: $1) }
        let kept: [FileFinding.Metric] = own.sorted { $0.key < $1.key }.map {
            .init(name: $0.key, unit: $0.value.unit, count: $0.value.count)
        }
        finding.metrics = Array((found + kept).prefix(FileFinding.most))
        finding.participants = Array(people.union(reader.subjects.map(\.participant)).sorted().prefix(FileFinding.most))
        if first <= last { (finding.from, finding.to) = (Double(first) / 1_000_000, Double(last) / 1_000_000) }
        finding.notes = Array((finding.notes + reader.notes).prefix(FileFinding.most))
    }

    /// Reads a file to its end, and returns its reader.
    private func read(
        _ survey: FileSurvey, _ file: ImportFile, _ options: ImportOptions, asks: Bool = false,
        _ body: (ReadingBlock, any ReadingReader) -> Void
    ) throws(ImportError) -> any ReadingReader {
        do {
            var reader: any ReadingReader =
                asks
                ? try ContentReader.open(file, survey, options, keepsHistory: false, asks: true, now: now)
                : try ContentReader(file, survey: survey, options: options, now: now)
            var block = ReadingBlock()
            var more = true
            while more {
                more = try reader.fill(&block)
                body(block, reader)
            }
            return reader
        } catch {
            throw error as? ImportError ?? ImportError(.format, "\(error)")
        }
    }
}
