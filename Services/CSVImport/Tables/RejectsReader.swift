import VigilSchema

/// Reads this importer's own rejects once they have been corrected: each row by its own profile and header, and of the row the cell
/// that was refused, under the identity that it would have had.
struct RejectsReader: ReadingReader {
    private static let blockSize = 1024

    private var reader: CSVReader
    private var decoders: [RejectedRow.Origin: TableDecoder] = [:]
    private var shared = Subjects()
    private var places: [MetricPlan: Int] = [:]
    private let profiles: [Profile]
    private let options: ImportOptions
    private let now: Timestamp

    private(set) var metrics: [MetricPlan] = []
    private(set) var account = CellCounts()

    /// - Parameter profiles: those that rows may name.
    init(_ source: any ByteSource, survey: FileSurvey, profiles: [Profile], options: ImportOptions, now: Timestamp) throws(ImportError) {
        reader = CSVReader(source, dialect: survey.dialect, offset: survey.markLength)
        self.profiles = profiles
        self.options = options
        self.now = now
        _ = try reader.next()
    }

    var subjects: [Subjects.Subject] { shared.all }
    var offset: Int { reader.offset(of: reader.recordEnd) }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        while block.count < RejectsReader.blockSize, block.rejects.count < RejectsReader.blockSize {
            switch try reader.next() {
            case .end: return false
            case .malformed(let malformation): refuse(malformation.reason, &block)
            case .record: try take(&block)
            }
        }
        return true
    }

    private mutating func take(_ block: inout ReadingBlock) throws {
        account.rows += 1
        guard let row = RejectedRow(reader.texts()) else { return refuse("the row is none of this importer's rejects", &block) }
        guard let profile = profiles.first(where: { $0.name == row.origin.profile }) else {
            return refuse("the profile \(row.origin.profile) is not known; --profile FILE names one of your own", &block)
        }
        switch profile.layout {
        case .appleHealth: try takeRecord(row, profile, &block)
        case .table, .long, .samples, .intervals, .marks: try takeCells(row, profile, &block)
        case .appleECG, .fhir, .hReader, .vigilJSON:
            refuse("correct it where it is from: rejects of \(profile.title) cannot be imported", &block)
        case .rejects: refuse("the row names no profile of a file", &block)
        }
    }

    /// A cell of a table, or all of a row's.
    private mutating func takeCells(_ row: RejectedRow, _ profile: Profile, _ block: inout ReadingBlock) throws {
        guard row.time != nil || RejectsReader.timing(profile.layout) == .columns else {
            return refuse("the rejects do not tell when the row was measured: correct it where it is from", &block)
        }
        var decoder = try decoders[row.origin] ?? decoder(row, profile)
        var line = CSVReader(MemorySource(Array(row.text.utf8)), dialect: row.origin.dialect, capacity: 1024)
        guard try line.next() == .record else { return refuse("the row is empty, or its quoting is broken", &block) }
        var part = ReadingBlock()
        try decoder.decode(line, into: &part)
        // A row that could not be read at all, as its time is none, tells nothing of how the others are.
        if !part.rejects.contains(where: { $0.field == nil }) { decoders[row.origin] = decoder }
        // A long table's row has one value.
        if let field = row.field, profile.layout != .long {
            guard let wanted = RejectsReader.columns(row, field, decoder.plan) else {
                return refuse(
                    "several columns are called \(field), and the row does not say which is meant: import the file itself again", &block)
            }
            let kept = Set(wanted.compactMap(decoder.lastRow.taken))
            part.readings = part.readings.indices.filter(kept.contains).map { part.readings[$0] }
            let cells = wanted.map { RejectsReader.cell(decoder.plan.columns[$0], decoder.plan) }
            part.rejects.removeAll { reject in reject.cell.map { !cells.contains($0) } ?? false }
        }
        keep(part, decoder.subjects.all, decoder.plan.metrics, row, &block)
    }

    /// The columns of the plan that a row's cell is of: one, or both halves of `120/80` in a row of an earlier version; nil where several may be meant.
    private static func columns(_ row: RejectedRow, _ field: String, _ plan: TablePlan) -> [Int]? {
        if let cell = row.cell { return plan.columns.indices.filter { RejectsReader.cell(plan.columns[$0], plan) == cell } }
        let called = plan.columns.indices.filter { plan.columns[$0].header == field }
        return Set(called.map { plan.columns[$0].index }).count > 1 ? nil : called
    }

    private static func cell(_ column: ColumnPlan, _ plan: TablePlan) -> RejectedCell.Cell {
        RejectedCell.Cell(place: column.index, metric: plan.metrics[column.metric].name)
    }

    /// A record of Apple Health.
    private mutating func takeRecord(_ row: RejectedRow, _ profile: Profile, _ block: inout ReadingBlock) throws {
        let survey = FileSurvey(dialect: row.origin.dialect, markLength: 0, profile: profile, headerRecord: -1, header: [])
        var record = try HealthReader(
            MemorySource(Array(row.text.utf8)), survey: survey, path: row.origin.file, options: options, keepsHistory: true, now: now)
        var part = ReadingBlock()
        _ = try record.fill(&part)
        keep(part, record.subjects, record.metrics, row, &block)
    }

    private mutating func keep(
        _ part: ReadingBlock, _ subjects: [Subjects.Subject], _ metrics: [MetricPlan], _ row: RejectedRow, _ block: inout ReadingBlock
    ) {
        for reading in part.readings {
            var reading = reading
            if row.field != nil { reading.sequence = row.sequence }
            if let time = row.time { reading.move(to: time) }
            let subject = subjects[Int(reading.subject)]
            reading.subject = Int32(shared.place(participant: subject.participant, source: subject.source, session: subject.session))
            reading.metric = Int32(place(metrics[Int(reading.metric)]))
            switch part.content(of: reading) {
            case .value: break
            case .text(let text):
                block.texts.append(text)
                reading.text = Int32(block.texts.count - 1)
            case .samples(let values, let period):
                reading.text = Int32(-2 - block.samples.count)
                block.samples.append((values, period))
            }
            block.readings.append(reading)
            account.accepted += 1
        }
        for group in part.groups {
            for observation in group.observations { block.add(observation, of: group) }
            account.accepted += group.observations.count
        }
        block.records += part.records
        account.accepted += part.records.count
        for cell in part.rejects { refuse(cell.reason, &block) }
    }

    private mutating func place(_ metric: MetricPlan) -> Int {
        if let known = places[metric] { return known }
        metrics.append(metric)
        places[metric] = metrics.count - 1
        return metrics.count - 1
    }

    private func decoder(_ row: RejectedRow, _ profile: Profile) throws(ImportError) -> TableDecoder {
        let origin = row.origin
        var profile = profile
        profile.time.formats = origin.timeFormats
        if profile.layout == .intervals, let first = origin.header.first { profile.time.columns = [[first]] }
        var sniffer = TablePlanner(profile, header: origin.header, options: options)
        var line = CSVReader(MemorySource(Array(row.text.utf8)), dialect: origin.dialect, capacity: 1024)
        if try line.next() == .record {
            let cells = line.texts(), places = sniffer.timePlaces.filter { $0 < cells.count }
            profile.time.isOfDays =
                sniffer.endPlace() == nil
                && TimeSniffer.isDay(places.map { cells[$0].trimmed }.filter { !$0.isEmpty }.joined(separator: " "))
        }
        var planner = TablePlanner(profile, header: origin.header, options: options)
        let plan = try planner.plan(path: origin.file, timing: RejectsReader.timing(profile.layout))
        var decoder = try TableDecoder(
            plan, planner: planner, dialect: origin.dialect, options: options,
            keepsHistory: true, now: now)
        decoder.tellsColumns = true
        return decoder
    }

    /// The time that stands in where rows are counted and the rejects name it; any will do.
    private static func timing(_ layout: Profile.Layout) -> RowTiming {
        switch layout {
        case .samples: .samples(start: 0, rate: 1)
        case .intervals: .offsets(start: 0)
        case .table, .long, .marks, .appleHealth, .appleECG, .fhir, .hReader, .vigilJSON, .rejects: .columns
        }
    }

    private mutating func refuse(_ reason: String, _ block: inout ReadingBlock) {
        account.rejected += 1
        block.rejects.append(
            RejectedCell(
                line: reader.line, column: 1, offset: reader.offset(of: reader.recordStart), field: nil, reason: reason,
                original: reader.originalRecord(), sequence: 0, cells: 1))
    }
}

extension AcceptedCell {
    /// Takes the time at which it was measured, and for its zone the one in which the clock showed at that time what its row says.
    fileprivate mutating func move(to moment: Int64) {
        let minutes = (time - moment) / 60_000_000
        if zone != ParsedTime.noZone, abs(minutes) <= 180 { zone += Int16(minutes) }
        time = moment
    }
}

/// A row of this importer's own rejects, as its user may have corrected it.
struct RejectedRow {
    /// The file that it is from, and how that was read: the same for many rows.
    struct Origin: Hashable {
        let file: String
        let profile: String
        let timeFormats: [TimeFormat]
        let dialect: CSVDialect
        let header: [String]
    }

    let origin: Origin
    /// The refused cell's column; nil where all of the row was refused.
    let field: String?
    /// The cell itself, where the row says it: the header alone does not where several columns have it.
    let cell: RejectedCell.Cell?
    /// The cell's number among those of its series and time.
    let sequence: Int32
    /// The time at which it was measured, in microseconds since 1970, where that was known.
    let time: Int64?
    /// The row as it stands in its file.
    let text: String

    /// - Parameter fields: in the order of `RejectFile.header`; nil comes back for a row of something else.
    init?(_ fields: [String]) {
        let headers = [RejectFile.header] + RejectFile.earlierHeaders
        guard let header = headers.first(where: { $0.count == fields.count }) else { return nil }
        let values = Dictionary(zip(header, fields)) { first, _ in first }
        guard let sequence = values["sequence"].flatMap({ Int32($0) }), let dialect = RejectedRow.dialect(values) else { return nil }
        let formats = values["time-formats"].map { RejectedRow.split($0, CSVDialect(delimiter: UInt8(ascii: "|"))) } ?? []
        origin = Origin(
            file: values["reject-file"] ?? "", profile: values["profile"] ?? "", timeFormats: TimeFormat.all(named: formats),
            dialect: dialect, header: RejectedRow.split(values["header"] ?? "", dialect))
        field = values["field"].flatMap { $0.isEmpty ? nil : $0 }
        let place = values["place"].flatMap { Int($0) }
        cell = place.map { RejectedCell.Cell(place: $0 - 1, metric: values["metric"] ?? "") }
        self.sequence = sequence
        let time = Array((values["time"] ?? "").utf8)
        self.time = UnixTime.parse(time.span.bytes, 0, time.count, unit: 1_000_000)
        text = values["row"] ?? ""
    }

    private static func dialect(_ values: [String: String]) -> CSVDialect? {
        guard let delimiter = values["delimiter"]?.utf8.first, let decimal = values["decimal"]?.utf8.first,
            let quote = values["quote"]?.utf8.first
        else { return nil }
        return CSVDialect(delimiter: delimiter, quote: quote, decimal: decimal)
    }

    private static func split(_ record: String, _ dialect: CSVDialect) -> [String] {
        DialectSniffer.records(Array(record.utf8) + [0x0A], dialect, limit: 1).first ?? []
    }
}
