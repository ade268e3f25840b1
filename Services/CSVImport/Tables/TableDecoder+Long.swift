import VigilSchema

extension TableDecoder {
    /// The name, code and unit that a row gives its metric, and the place of its value.
    struct LongKey: Hashable {
        let name: String
        let code: String
        let unit: String
        let place: Int
    }

    /// The most metrics that one long table may name.
    static let mostMetrics = 4000

    /// A row that names its metric: one value, text or block of samples.
    @inline(never)
    mutating func decodeLong(
        _ long: LongPlan, _ reader: CSVReader, _ bytes: RawSpan, _ time: ParsedTime, _ block: inout ReadingBlock
    ) throws {
        if isOwn { return asks ? () : decodeOwn(long, reader, time, &block) }
        let cell = { (place: Int?) -> String in place.flatMap { $0 < reader.fieldCount ? reader.text($0)?.trimmed : nil } ?? "" }
        let marks = plan.profile.emptyMarks
        account.ignored += plan.ignoredColumns.count
        let filled = long.values.first { !cell($0).isEmpty && !marks.contains(cell($0)) }
        let text = cell(long.text), samples = cell(long.samples)
        let (name, code) = (cell(long.metric), cell(long.code))
        guard filled != nil || !text.isEmpty || !samples.isEmpty else {
            if isKnown(name) { return refuseValueless(name, reader, into: &block) }
            return account.empty += 1
        }
        guard !name.isEmpty || !code.isEmpty else {
            return refuseRow(reader, "the row does not say what it measures", at: long.metric, into: &block)
        }
        let key = LongKey(name: name, code: code, unit: cell(long.unit), place: filled ?? long.text ?? long.values[0])
        let place: Int
        do {
            guard let found = try longColumn(key) else {
                return refuseRow(reader, "the file names more than \(TableDecoder.mostMetrics) metrics", at: long.metric, into: &block)
            }
            place = found
        } catch {
            return refuseRow(reader, error.message, at: long.unit ?? long.metric, into: &block)
        }
        let column = plan.columns[place]
        let seriesKey = series << 16 | column.metric
        let dense = longSeries[seriesKey] ?? longSeries.count
        longSeries[seriesKey] = dense
        let counted = asks ? 0 : try occurrences.next(series: dense, time: time.microseconds)
        guard let counted else { throw NeedsHistory() }
        var reading = AcceptedCell(
            time: time.microseconds, value: 0, subject: Int32(truncatingIfNeeded: subject),
            metric: Int32(truncatingIfNeeded: column.metric),
            sequence: long.sequence == nil ? counted : Int32(cell(long.sequence)) ?? 0, text: AcceptedCell.noText,
            interval: column.interval == 0 ? rowInterval : column.interval, zone: offset(reader).map { Int16($0) } ?? time.zone)
        if !samples.isEmpty { return take(samples, period: cell(long.period), column, reader, &reading, &block) }
        if let seconds = Double(decimal: cell(long.period)), seconds >= 1, seconds <= Double(Observation.longestInterval) {
            reading.interval = Int32(seconds)
        }
        if filled != nil {
            try decodeOther(place, reader, &reading, &block)
        } else {
            take(column.kind == .number ? .refused("this is not a number") : .text(text), place, reader, &reading, &block)
        }
    }

    /// Returns whether a row of that name has to have a value, as it has only the members that its kind has.
    private func isKnown(_ name: String) -> Bool {
        guard plan.profile.long.reportsMissing, !asks else { return false }
        return plan.profile.columns.contains { $0.headers.contains { HeaderName($0) == HeaderName(name) } }
    }

    private mutating func longColumn(_ key: LongKey) throws(ImportError) -> Int? {
        if let known = long[key] { return known }
        guard plan.columns.count < TableDecoder.mostMetrics, var namer = planner else { return nil }
        let column = try namer.longColumn(name: key.name, code: key.code, unit: key.unit, place: key.place)
        planner = namer
        plan.metrics = namer.plannedMetrics
        plan.columns.append(column)
        cells.append(column.cell(asks: asks))
        long[key] = plan.columns.count - 1
        return plan.columns.count - 1
    }

    private mutating func take(
        _ samples: String, period: String, _ column: ColumnPlan, _ reader: CSVReader, _ reading: inout AcceptedCell,
        _ block: inout ReadingBlock
    ) {
        let values = CellReader(number: number).samples(samples)
        guard let values, let seconds = Double(decimal: period), seconds >= 1e-6, seconds <= 86400 else {
            return refuse(column, reader, reading, "these are not samples with a period between a microsecond and a day", into: &block)
        }
        if let objection = NameLimits.objection(samples: values, period: seconds) {
            return refuse(column, reader, reading, objection, into: &block)
        }
        reading.text = Int32(-2 - block.samples.count)
        reading.interval = 0
        block.samples.append((values.map { $0 * column.scale + column.offset }, seconds))
        account.accepted += 1
        block.readings.append(reading)
    }

    // MARK: Units

    /// A metric in a unit that a row names.
    struct UnitKey: Hashable {
        let metric: Int
        let unit: String
    }

    /// From the cell's number to the metric's unit; nil where the row names a unit that does not fit.
    mutating func conversion(_ column: ColumnPlan, _ reader: CSVReader) -> (scale: Double, offset: Double)? {
        guard let place = column.unitColumn, place < reader.fieldCount, let text = reader.text(place)?.trimmed, !text.isEmpty else {
            return (column.scale, column.offset)
        }
        let key = UnitKey(metric: column.metric, unit: text)
        if let known = unitConversions[key] { return known }
        let definition = plan.metrics[column.metric].definition
        let found = definition.flatMap { UnitConversion.from(HeaderUnit.canonical(text) ?? text, to: $0) }.map { ($0.scale, $0.offset) }
        unitConversions[key] = .some(found)
        return found
    }

    /// Notes a number of a column whose unit is in question.
    mutating func ask(_ column: ColumnPlan, _ value: Double, _ reader: CSVReader) {
        guard let question = column.question else { return }
        if let place = column.unitColumn, place < reader.fieldCount, !reader.field(place).isEmpty { return }
        let beside: Double? =
            switch question.evidence {
            case .bodyMassIndex(let place), .steps(let place):
                place < reader.fieldCount ? reader.text(place).flatMap { number.parse($0) } : nil
            case nil: nil
            }
        statistics[column.index * 4096 + column.metric, default: UnitStatistics(question)].add(value, beside: beside)
    }
}
