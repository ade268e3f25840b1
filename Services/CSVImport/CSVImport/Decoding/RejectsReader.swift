import VigilSchema

/// Reads this importer's own rejects once they have been corrected: each row by its own profile and header, and of the row the cell
/// that was refused, under the identity that it would have had.
struct RejectsReader: ReadingReader {
    private static let blockSize = 1024

    private struct Table: Hashable {
        let file: String
        let profile: String
        let header: String
        let delimiter: String
        let decimal: String
    }

    private var reader: CSVReader
    private var decoders: [Table: TableDecoder] = [:]
    private var shared = Subjects()
    private var places: [MetricPlan: Int] = [:]
    private let profiles: [Profile]
    private let options: ImportOptions
    private let now: Timestamp

    private(set) var metrics: [MetricPlan] = []
    private(set) var account = Account()

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
        while block.readings.count < RejectsReader.blockSize, block.rejects.count < RejectsReader.blockSize {
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
        let fields = reader.texts()
        guard fields.count == RejectFile.header.count, let sequence = Int32(fields[5]) else {
            return refuse("the row is none of this importer's rejects", &block)
        }
        let table = Table(file: fields[0], profile: fields[8], header: fields[11], delimiter: fields[9], decimal: fields[10])
        guard let dialect = RejectsReader.dialect(table), var decoder = try decoders[table] ?? decoder(table, dialect) else {
            return refuse("the profile \(table.profile) is not known", &block)
        }
        var row = CSVReader(MemorySource(Array(fields[12].utf8)), dialect: dialect, capacity: 1024)
        guard try row.next() == .record else { return refuse("the row is empty, or its quoting is broken", &block) }
        var part = ReadingBlock()
        try decoder.decode(row, into: &part)
        decoders[table] = decoder
        keep(part, of: decoder, field: fields[4], sequence: sequence, &block)
    }

    /// Takes over the cell that was refused; all of the row's where the row was.
    private mutating func keep(
        _ part: ReadingBlock, of decoder: TableDecoder, field: String, sequence: Int32, _ block: inout ReadingBlock
    ) {
        let metric = decoder.plan.columns.first { $0.header == field }?.metric
        for reading in part.readings where field.isEmpty || Int(reading.metric) == metric {
            var reading = reading
            if !field.isEmpty { reading.sequence = sequence }
            let subject = decoder.subjects.all[Int(reading.subject)]
            reading.subject = Int32(shared.place(participant: subject.participant, source: subject.source, session: subject.session))
            reading.metric = Int32(place(decoder.plan.metrics[Int(reading.metric)]))
            if reading.text != Reading.noText {
                block.texts.append(part.texts[Int(reading.text)])
                reading.text = Int32(block.texts.count - 1)
            }
            block.readings.append(reading)
            account.accepted += 1
        }
        for cell in part.rejects where field.isEmpty || cell.field == field || cell.field == nil { refuse(cell.reason, &block) }
    }

    private mutating func place(_ metric: MetricPlan) -> Int {
        if let known = places[metric] { return known }
        metrics.append(metric)
        places[metric] = metrics.count - 1
        return metrics.count - 1
    }

    private static func dialect(_ table: Table) -> CSVDialect? {
        guard let delimiter = table.delimiter.utf8.first, let decimal = table.decimal.utf8.first else { return nil }
        return CSVDialect(delimiter: delimiter, decimal: decimal)
    }

    private func decoder(_ table: Table, _ dialect: CSVDialect) throws(ImportError) -> TableDecoder? {
        guard var profile = profiles.first(where: { $0.name == table.profile }), profile.layout == .table else { return nil }
        if profile.time.formats.isEmpty { profile.time.formats = TimeFormat.iso8601 + TimeFormat.monthFirst + TimeFormat.dayFirst }
        let header = DialectSniffer.records(Array(table.header.utf8) + [0x0A], dialect, limit: 1).first ?? []
        var planner = TablePlanner(profile, header: header, options: options)
        return try TableDecoder(try planner.plan(path: table.file), dialect: dialect, options: options, keepsHistory: true, now: now)
    }

    private mutating func refuse(_ reason: String, _ block: inout ReadingBlock) {
        account.rejected += 1
        block.rejects.append(
            RejectedCell(
                line: reader.line, column: 1, offset: reader.offset(of: reader.recordStart), field: nil, reason: reason,
                original: reader.originalRecord(), sequence: 0, cells: 1))
    }
}
