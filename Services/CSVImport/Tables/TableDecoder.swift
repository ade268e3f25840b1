import VigilSchema

/// Turns a table's records into readings and rejects by a plan.
///
/// The hot path: a cell is parsed where it stands in the reader's buffer, names are compared with the row before, and
/// nothing is allocated for a row of numbers.
///
/// Threading: a value, used by one task.
struct TableDecoder {
    var plan: TablePlan
    private(set) var subjects = Subjects()
    var account = CellCounts()
    /// Of each of the plan's columns.
    var cells: [CellPlan]
    private let metricCount: Int
    /// In a run that only settles units: the numbers of the columns whose unit is in question, by column.
    let asks: Bool
    var statistics: [Int: UnitStatistics] = [:]
    /// Names the columns of a long table as its rows come.
    var planner: TablePlanner?
    var long: [LongKey: Int] = [:]
    var longSeries: [Int: Int] = [:]
    var unitConversions: [UnitKey: (scale: Double, offset: Double)?] = [:]
    /// Rows that are the header once more, or separate parts of a file.
    private(set) var decorations = 0
    /// Whether a second header stands above the present row, whose columns nobody has asked about.
    private var isBelowOtherHeader = false
    /// Rows that say of themselves that they are no measurements.
    private(set) var excluded = 0
    let number: NumberFormat
    var times: TimeParser
    /// The wearer's zone, where the file's times are UTC.
    let wearer: WearerZone?
    var occurrences: Occurrences
    private var correction: MillisecondCorrection?
    /// What other files of the run have said of the same; nil where there are none, or the file names its source.
    let claims: FileClaims?
    /// Headers of the columns that the claims are for; nil: of all.
    private let claimedHeaders: Set<String>?
    private let latest: Int64
    private let earliest: Int64
    /// What the numbers in the column of offsets count.
    let zoneUnit: OffsetUnit
    /// A Boolean value that indicates whether `lastRow` tells of every row from which column its readings are.
    var tellsColumns = false
    var lastRow = RowCells()
    /// The time of the import: of receipt, where a row does not tell its own.
    let now: Timestamp

    /// Whole seconds that the present row speaks for.
    var rowInterval: Int32 = 0
    /// The zone that the last row named.
    var zoneName: String?
    private var memos = (participant: CellMemo(), source: CellMemo(), session: CellMemo())
    var subject = -1
    var series = 0
    /// Per subject and column: whether a number other than a start-up number has come.
    private var started: Set<Int> = []

    /// - Parameter now: times more than a day after it are refused.
    init(
        _ plan: TablePlan, planner: TablePlanner? = nil, dialect: CSVDialect, options: ImportOptions,
        correction: MillisecondCorrection? = nil,
        keepsHistory: Bool, asks: Bool = false, claims: FileClaims? = nil, claimsUnknownOnly: Bool = false, now: Timestamp
    ) throws(ImportError) {
        self.plan = plan
        self.planner = planner
        self.asks = asks
        self.claims = asks ? nil : claims
        claimedHeaders = claimsUnknownOnly ? Set(plan.unknown) : nil
        cells = plan.columns.map { $0.cell(asks: asks) }
        metricCount = plan.metrics.count
        number = NumberFormat(decimal: dialect.decimal)
        zoneUnit = OffsetUnit(header: plan.zoneColumn.map { plan.header[$0] } ?? "")
        earliest = plan.profile.time.isFoundCount ? TableDecoder.firstFoundCount : TableDecoder.earliest
        // What is UTC in the file stays UTC; the user's zone tells where the wearer's clock stood.
        let zone = plan.profile.time.isUTC ? "UTC" : options.zone ?? plan.profile.time.zone
        wearer = plan.profile.time.isUTC ? options.zone.flatMap(WearerZone.init) : nil
        times = try TimeParser(plan.profile.time.formats, zone: try TableDecoder.zone(zone))
        occurrences = Occurrences(keepsHistory: keepsHistory)
        self.correction = correction
        latest = now.advanced(bySeconds: 86400).microseconds
        self.now = now
    }

    /// The units in question, in the order of the columns.
    var questions: [UnitStatistics] { statistics.sorted { $0.key < $1.key }.map(\.value) }
    /// The number of times that a clock which was set back shows twice.
    var doubleTimes: Int { times.doubleCount }

    private static func zone(_ name: String?) throws(ImportError) -> WearerZone? {
        guard let name else { return nil }
        guard let zone = WearerZone(name) else { throw ImportError(.usage, "\(name) is no time zone: give UTC, +02:00 or Europe/Berlin") }
        return zone
    }

    /// Decodes the reader's present record.
    mutating func decode(_ reader: CSVReader, into block: inout ReadingBlock) throws {
        account.rows += 1
        if tellsColumns { lastRow.reset(0) }
        let bytes = reader.buffer.span.bytes
        if let filter = plan.filterColumn, !passes(reader, filter) { return ignoreRow(reader) }
        if !plan.statusColumns.isEmpty, isNoMeasurement(reader) { return ignoreRow(reader) }
        guard reader.fieldCount == plan.header.count || isShortButAllowed(reader) || hasEmptyEnd(reader) else {
            if isDecoration(reader) { return ignoreRow(reader) }
            return refuseRow(reader, "the row has \(reader.fieldCount) fields, the header \(plan.header.count)", into: &block)
        }
        if let place = plan.long?.record, try decodeRecord(place, reader, into: &block) { return }
        guard var time = parseTime(reader, bytes) else {
            noteHeader(reader)
            if isDecoration(reader) { return ignoreRow(reader) }
            let isZone = offset(reader) == nil && !followsZone(reader)
            return refuseRow(
                reader, isZone ? "the time zone is not known" : times.problem, at: isZone ? plan.zoneColumn : plan.timeColumns.first,
                into: &block)
        }
        if isBelowOtherHeader { return refuseRow(reader, TableDecoder.otherHeader, at: plan.timeColumns.first, into: &block) }
        if let reason = try updateSubject(reader, bytes) { return refuseRow(reader, reason, at: plan.participantColumn, into: &block) }
        if times.isUnsettled { time = settle(time, reader) }
        if correction != nil { time.microseconds = correction?.correct(time.microseconds, subject: subject) ?? time.microseconds }
        guard time.microseconds <= latest, time.microseconds >= earliest else {
            return refuseRow(reader, "the time lies in the future or before \(earlyYear)", at: plan.timeColumns.first, into: &block)
        }
        rowInterval = plan.endColumn == nil ? 0 : interval(reader, from: time)
        if let long = plan.long { return try decodeLong(long, reader, bytes, time, &block) }
        account.ignored += plan.ignoredColumns.count
        if tellsColumns || !plan.pressures.isEmpty { return try decodePaired(reader, bytes, time, &block) }
        for place in cells.indices { try decodeCell(place, reader, bytes, time, &block) }
    }

    private static let otherHeader = "the row stands below a second header, which names other columns"

    /// Notes that the rows below are those of another header, which names the time in the same place.
    private mutating func noteHeader(_ reader: CSVReader) {
        let texts = reader.texts().map(\.trimmed)
        guard let place = plan.timeColumns.first, place < texts.count, HeaderName(texts[place]) == HeaderName(plan.header[place]) else {
            return
        }
        isBelowOtherHeader = texts != plan.header && Surveyor.isHeader(texts)
    }

    /// The header once more, or a line that separates parts of a file.
    private mutating func isDecoration(_ reader: CSVReader) -> Bool {
        let texts = reader.texts().map(\.trimmed)
        let first = texts[0]
        let isLine = first.count >= 3 && first.allSatisfy { "-=_*#".contains($0) }
        let isTitle = texts.count == 1 && plan.header.count > 2 && !first.contains(where: \.isNumber)
        guard isLine || isTitle || texts == plan.header || texts.allSatisfy(\.isEmpty) else { return false }
        decorations += 1
        return true
    }

    /// Some programs end each row with a delimiter that the header lacks.
    private func hasEmptyEnd(_ reader: CSVReader) -> Bool {
        reader.fieldCount == plan.header.count + 1 && reader.field(plan.header.count).isEmpty
    }

    /// A line that is no record: all its cells count as refused.
    mutating func refuseLine(_ reader: CSVReader, _ reason: String, into block: inout ReadingBlock) {
        account.rows += 1
        let cells = plan.long == nil ? plan.columns.count : 1
        account.rejected += cells
        account.ignored += plan.ignoredColumns.count
        block.rejects.append(
            RejectedCell(
                line: reader.line, column: 1, offset: reader.offset(of: reader.recordStart), field: nil, reason: reason,
                original: reader.originalRecord(), sequence: 0, time: knownTime, cells: cells))
    }

    private static let earliest: Int64 = -2_208_988_800_000_000
    /// Where nobody says that numbers count from 1970 on, small ones count from somewhere else: 1973-03-03, the first of nine digits.
    private static let firstFoundCount: Int64 = 100_000_000_000_000

    private var earlyYear: String { earliest == TableDecoder.earliest ? "1900" : "1973" }

    /// The time of the present row, where the row alone would not tell it, and where it is one that is taken.
    var knownTime: Int64? {
        guard let time = sampleTime, time <= latest, time >= earliest else { return nil }
        return time
    }

    // MARK: Row

    private func isShortButAllowed(_ reader: CSVReader) -> Bool {
        plan.profile.allowsShortRows && reader.fieldCount < plan.header.count
            && reader.fieldCount > (plan.timeColumns.max() ?? 0)
    }

    private func passes(_ reader: CSVReader, _ filter: Int) -> Bool {
        guard filter < reader.fieldCount, let text = reader.text(filter) else { return false }
        guard let values = plan.profile.rows?.values else { return true }
        return values.isEmpty ? !text.trimmed.isEmpty : values.contains(text.trimmed)
    }

    /// Returns whether a column tells that the row is no measurement, and counts it then.
    private mutating func isNoMeasurement(_ reader: CSVReader) -> Bool {
        let excludes = plan.statusColumns.contains { column in
            column.index < reader.fieldCount && reader.text(column.index).map(column.meaning.excludes) ?? false
        }
        if excludes { excluded += 1 }
        return excludes
    }

    private mutating func ignoreRow(_ reader: CSVReader) {
        account.ignored += (plan.long == nil ? plan.columns.count : 1) + plan.ignoredColumns.count
    }

    @inline(__always)
    private mutating func parseTime(_ reader: CSVReader, _ bytes: RawSpan) -> ParsedTime? {
        guard plan.timing == .columns else { return countedTime(reader, bytes) }
        guard plan.timeColumns.count == 1, plan.zoneColumn == nil, wearer == nil else { return parseJoinedTime(reader) }
        let field = reader.field(plan.timeColumns[0])
        return times.read(bytes, Int(field.start), Int(field.end))
    }

    /// Finds the row's subject, unless it is the last row's.
    /// - Returns: why the row has none, if it has none.
    @inline(__always)
    private mutating func updateSubject(_ reader: CSVReader, _ bytes: RawSpan) throws -> String? {
        var isSame = subject >= 0
        if let place = plan.participantColumn {
            guard place < reader.fieldCount else { return findSubjectAnew(reader) }
            let field = reader.field(place)
            isSame = memos.participant.isSame(bytes, Int(field.start), Int(field.end)) && isSame
        }
        if let place = plan.sourceColumn {
            guard place < reader.fieldCount else { return findSubjectAnew(reader) }
            let field = reader.field(place)
            isSame = memos.source.isSame(bytes, Int(field.start), Int(field.end)) && isSame
        }
        if let place = plan.sessionColumn {
            guard place < reader.fieldCount else { return findSubjectAnew(reader) }
            let field = reader.field(place)
            isSame = memos.session.isSame(bytes, Int(field.start), Int(field.end)) && isSame
        }
        return isSame ? nil : findSubject(reader)
    }

    /// Finds the subject of a row that ends before a name; no row after it may be taken for one of the rows before it.
    @inline(never)
    private mutating func findSubjectAnew(_ reader: CSVReader) -> String? {
        memos = (CellMemo(), CellMemo(), CellMemo())
        return findSubject(reader)
    }

    @inline(never)
    private mutating func findSubject(_ reader: CSVReader) -> String? {
        subject = -1
        let participant = TableDecoder.name(reader, plan.participantColumn) ?? plan.names.participant ?? ""
        guard Name.isValid(participant) else { return "the participant is not 1 to 64 of A-Z a-z 0-9 _ . -" }
        let isOwn = isOwn
        let source =
            TableDecoder.name(reader, plan.sourceColumn).map { isOwn ? TableDecoder.bare($0) : $0 } ?? plan.names.source ?? "import"
        let session = TableDecoder.name(reader, plan.sessionColumn).map { isOwn ? TableDecoder.bare($0) : $0 } ?? plan.names.session
        if !isOwn, let objection = NameLimits.objection(source: source, session: session) { return objection }
        guard source.utf8.count <= 256, session?.utf8.count ?? 0 <= 256 else { return "the source or the session is longer than 256 bytes" }
        subject = subjects.place(participant: participant, source: source, session: session)
        series = subjects.all[subject].series
        return nil
    }

    static func name(_ reader: CSVReader, _ place: Int?) -> String? {
        guard let place, place < reader.fieldCount, let text = reader.text(place)?.trimmed, !text.isEmpty else { return nil }
        return text
    }

    // MARK: Cell

    @inline(__always)
    mutating func decodeCell(
        _ place: Int, _ reader: CSVReader, _ bytes: RawSpan, _ time: ParsedTime, _ block: inout ReadingBlock
    ) throws {
        let cell = cells[place]
        let index = Int(cell.index)
        guard index < reader.fieldCount else { return account.empty += 1 }
        let field = reader.field(index)
        guard !field.isEmpty else { return account.empty += 1 }
        let moment = time.microseconds + cell.delay
        guard let sequence = asks ? 0 : try occurrences.next(series: series * metricCount + Int(cell.metric), time: moment) else {
            throw NeedsHistory()
        }
        var reading = AcceptedCell(
            time: moment, value: 0, subject: Int32(truncatingIfNeeded: subject), metric: cell.metric, sequence: sequence,
            text: AcceptedCell.noText, interval: cell.interval == 0 ? rowInterval : cell.interval, zone: time.zone)
        if cell.isNumeric, field.quoting != .escaped, let value = number.parse(bytes, Int(field.start), Int(field.end)),
            cell.isPlain || !isRefused(value, place)
        {
            reading.value = value * cell.scale + cell.offset
            if reading.value >= cell.lowest, reading.value <= cell.highest {
                if claims != nil { return accept(reading, plan.columns[place], reader, &block) }
                account.accepted += 1
                block.readings.append(reading)
                return
            }
        }
        try decodeOther(place, reader, &reading, &block)
    }

    /// Returns whether the number is a sentinel, or one that the sensor writes until it has started.
    private mutating func isRefused(_ value: Double, _ place: Int) -> Bool {
        if plan.columns[place].sentinels.contains(value) { return true }
        guard !plan.columns[place].startup.isEmpty else { return false }
        let key = subject << 16 | place  // Not by the number of columns: a long table's grows with its rows.
        if started.contains(key) { return false }
        if plan.columns[place].startup.contains(value) { return true }
        started.insert(key)
        return false
    }

    /// Everything but a number that is as it should be.
    @inline(never)
    mutating func decodeOther(
        _ place: Int, _ reader: CSVReader, _ reading: inout AcceptedCell, _ block: inout ReadingBlock
    ) throws {
        let column = plan.columns[place]
        guard let text = reader.text(column.index)?.trimmed else {
            return refuse(column, reader, reading, "the text is not valid UTF-8", into: &block)
        }
        guard !text.isEmpty, !plan.profile.emptyMarks.contains(text) else { return account.empty += 1 }
        if column.precedence.contains(where: { isFilled($0, reader) }) { return account.ignored += 1 }
        if let exception = column.exception, exception.place < reader.fieldCount,
            let other = reader.text(exception.place)?.lowercased(), exception.words.contains(where: other.contains)
        {
            return refuse(column, reader, reading, exception.reason, into: &block)
        }
        if column.kind == .number, let value = numberWithUnit(text, column) {
            reading.value = value
            guard column.plausible.contains(value) else { return refuse(column, reader, reading, implausible(column), into: &block) }
            return accept(reading, column, reader, &block)
        }
        take(CellReader(number: number).read(text, column), place, reader, &reading, &block)
    }

    /// The number of a cell that names its unit itself, `120 mmHg`, in the metric's unit; nil for any other, and for a unit that does not fit.
    private func numberWithUnit(_ text: String, _ column: ColumnPlan) -> Double? {
        guard let cell = HeaderUnit.cell(text), let value = number.parse(cell.number) else { return nil }
        let metric = plan.metrics[column.metric]
        if cell.unit == metric.unit { return value }
        return metric.definition.flatMap { UnitConversion.from(cell.unit, to: $0) }.map { $0(value) }
    }

    private func isFilled(_ place: Int, _ reader: CSVReader) -> Bool {
        guard place < reader.fieldCount, let text = reader.text(place)?.trimmed else { return false }
        return !text.isEmpty && !plan.profile.emptyMarks.contains(text)
    }

    /// Keeps or refuses what a cell says.
    mutating func take(
        _ content: CellReader.Content, _ place: Int, _ reader: CSVReader, _ reading: inout AcceptedCell, _ block: inout ReadingBlock
    ) {
        let column = plan.columns[place]
        switch content {
        case .number(let value) where isRefused(value, place):
            refuse(column, reader, reading, "the sensor writes this where it measures nothing", into: &block)
        case .number(let value):
            guard let conversion = conversion(column, reader) else {
                return refuse(column, reader, reading, "the unit of its row does not fit \(plan.metrics[column.metric].name)", into: &block)
            }
            if asks { ask(column, value, reader) }
            reading.value = value * conversion.scale + conversion.offset
            guard column.plausible.contains(reading.value) else {
                return refuse(column, reader, reading, implausible(column), into: &block)
            }
            accept(reading, column, reader, &block)
        case .text(let text):
            reading.text = Int32(block.texts.count)
            block.texts.append(text)
            accept(reading, column, reader, &block)
        case .refused(let reason):
            refuse(column, reader, reading, reason, into: &block)
        }
    }

    /// Keeps a reading, unless another file of the run says something else of its moment.
    private mutating func accept(_ reading: AcceptedCell, _ column: ColumnPlan, _ reader: CSVReader, _ block: inout ReadingBlock) {
        let names = subjects.all[subject]
        let text = reading.text < 0 ? nil : block.texts[Int(reading.text)]
        let isUnnamed = claims != nil && names.source == plan.names.source && (claimedHeaders?.contains(column.header) ?? true)
        let objection = isUnnamed ? claims?.objection(reading, names, plan.metrics[column.metric], text: text) : nil
        if let objection {
            block.withheld.insert(block.readings.count)
            refuse(column, reader, reading, objection, into: &block)
        } else {
            account.accepted += 1
        }
        block.readings.append(reading)
    }

    private func implausible(_ column: ColumnPlan) -> String {
        let metric = plan.metrics[column.metric]
        return "\(metric.name) lies outside \(column.plausible.lowerBound.short)…\(column.plausible.upperBound.short) \(metric.unit)"
    }
}
