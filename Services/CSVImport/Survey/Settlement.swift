package import VigilSchema

/// Looks at whole files for what their first rows leave open, before anything of them is imported.
extension Surveyor {
    /// Looks at a file: at its start, and at all of it where units or the order of dates have to be settled.
    /// - Throws: `ImportError`, of the code `ambiguous` where the user has to say which of several readings holds.
    package func study(_ file: ImportFile, now: Timestamp) throws(ImportError) -> FileSurvey {
        var source = try file.open()
        return try settled(try survey(try source.readStart(Surveyor.startLength), path: file.name), file, now: now)
    }

    /// The survey with its open questions answered.
    func settled(_ survey: FileSurvey, _ file: ImportFile, now: Timestamp) throws(ImportError) -> FileSurvey {
        var survey = survey
        if survey.profile.layout == .fhir { try settleUnits(&survey, file, now: now) }
        guard survey.profile.layout == .table || survey.profile.layout == .long, !survey.isDraft else { return survey }
        survey.profile.outerColumns = file.outerColumns
        if !file.hasBins { survey.profile.bins = [] }
        if survey.hasOpenDateOrder { try settleDates(&survey, file, now: now) }
        var planner = TablePlanner(survey.profile, header: survey.header, options: options, units: survey.units)
        let plan = try planner.plan(path: file.name, timing: survey.timing)
        if !plan.silent.isEmpty {
            throw ImportError(.ambiguous, "\(file.name) was not imported:\n  " + plan.silent.map(Surveyor.silent).joined(separator: "\n  "))
        }
        if let question = persons(plan, survey) {
            throw ImportError(.ambiguous, "\(file.name) was not imported:\n  " + question)
        }
        if let column = plan.columns.first(where: { hasOpenPoint($0, plan, survey) }) {
            throw ImportError(.ambiguous, "\(file.name) was not imported:\n  " + Surveyor.openPoint(column.header))
        }
        if !plan.outer.isEmpty { survey.warnings.append(Surveyor.outer(plan.outer)) }
        if !plan.unknown.isEmpty { survey.warnings.append(Surveyor.unknown(plan.unknown)) }
        let isOpen = plan.columns.contains { column in
            column.question.map { !$0.isNamed || !$0.alternatives.isEmpty || Surveyor.looksWrong($0, column, survey) } ?? false
        }
        if isOpen || survey.profile.layout == .long { try settleUnits(&survey, file, now: now) }
        return survey
    }

    /// The question of a table of any maker that names several persons, where the user said one.
    private func persons(_ plan: TablePlan, _ survey: FileSurvey) -> String? {
        guard let place = plan.personColumn, [BuiltIn.generic.name, BuiltIn.genericLong.name].contains(plan.profile.name) else {
            return nil
        }
        let names = Set(survey.rows.compactMap { place < $0.count ? HeaderName.folded($0[place]) : nil }.filter { !$0.isEmpty })
        guard names.count > 1 else { return nil }
        return "column \"\(plan.header[place])\" names \(names.count) persons, and --participant says one: split it into a file a person"
            + (plan.profile.participant.column.contains { HeaderName($0) == HeaderName(plan.header[place]) }
                ? ", or leave --participant out to take the names of the rows" : "")
    }

    /// Returns whether a point in a column of energies or steps may stand before decimals or between thousands: all numbers are written as `2.412`, and
    /// nothing else in the file tells. Of the day of a person the one is as much as a thousandth of the other.
    private func hasOpenPoint(_ column: ColumnPlan, _ plan: TablePlan, _ survey: FileSurvey) -> Bool {
        guard options.decimal == nil, survey.dialect.decimal == UInt8(ascii: "."), isCounted(plan.metrics[column.metric].unit) else {
            return false
        }
        let cells = survey.rows.compactMap { column.index < $0.count ? $0[column.index].trimmed : nil }.filter { !$0.isEmpty }
        return !cells.isEmpty && cells.allSatisfy { DialectSniffer.isGrouped($0, ".") }
    }

    private func isCounted(_ unit: String) -> Bool { unit == "kcal" || unit == "{steps}" }

    private static func openPoint(_ header: String) -> String {
        "column \"\(header)\": the point may stand before decimals or between thousands. Say which by --decimal . or --decimal ,"
    }

    /// The remark on columns that no rule names.
    static func unknown(_ headers: [String]) -> String {
        let names = quoted(headers)
        return headers.count == 1
            ? "1 column was unknown and is kept under its own name: \(names)"
            : "\(headers.count) columns were unknown and are kept under their own names: \(names)"
    }

    /// The remark on names in a long table's rows that no rule has.
    private static func unknownNames(_ names: [String]) -> String {
        "\(names.count) names of its rows were unknown and are kept as they are: \(quoted(names))"
    }

    /// The question of a column whose header says nothing.
    static func silent(_ header: String) -> String {
        "column \"\(header)\" does not say what was measured. Say it by --metric '\(header)=NAME' (`vigil metrics` lists the names), "
            + "and the unit by --unit where it is another than the metric's, or in a profile"
    }

    /// The remark on what a document says once, around its lists.
    private static func outer(_ headers: [String]) -> String {
        "what stands around the list is not a reading of each of its rows, and is left out: " + quoted(headers)
    }

    private static func quoted(_ headers: [String]) -> String {
        headers.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ") + (headers.count > 8 ? ", …" : "")
    }

    // MARK: Units

    /// Returns whether most of a column's first numbers cannot be believed in the unit that it is said to be in.
    private static func looksWrong(_ question: UnitQuestion, _ column: ColumnPlan, _ survey: FileSurvey) -> Bool {
        let number = NumberFormat(decimal: survey.dialect.decimal)
        let values = survey.rows.compactMap { column.index < $0.count ? number.parse($0[column.index].trimmed) : nil }
        let wrong = values.count { !column.plausible.contains($0 * column.scale + column.offset) }
        return !values.isEmpty && wrong * 2 > values.count
    }

    /// Reads all of the file for the numbers of the columns whose unit is in question.
    private func settleUnits(_ survey: inout FileSurvey, _ file: ImportFile, now: Timestamp) throws(ImportError) {
        var reader = try ContentReader.open(file, survey, options, keepsHistory: false, asks: true, now: now)
        var block = ReadingBlock()
        do {
            while try reader.fill(&block) {}
        } catch {
            // Where a document breaks off, what stands before is imported all the same; whoever reads it says so.
            if survey.profile.layout != .fhir { throw error as? ImportError ?? ImportError(.format, "\(error)") }
        }
        let unknown = survey.profile.layout == .long ? reader.metrics.filter { $0.definition == nil }.map(\.name) : []
        if !unknown.isEmpty { survey.warnings.append(Surveyor.unknownNames(unknown)) }
        var open: [String] = []
        for statistics in reader.questions {
            switch statistics.verdict {
            case .settled(let note): if let note { survey.warnings.append(note) }
            case .open(let message): open.append(message)
            }
        }
        guard open.isEmpty else { throw ImportError(.ambiguous, "\(file.name) was not imported:\n  " + open.joined(separator: "\n  ")) }
    }

    // MARK: Dates

    /// The times of a column under one order of day and month.
    private struct DateReading {
        let name: String
        let formats: [TimeFormat]
        var parser: TimeParser
        var first: Int64?
        var last: Int64 = 0
        var rises = 0
        var falls = 0
        /// Times that can be read so and not in the other way.
        var own = 0

        init(_ name: String, _ formats: [TimeFormat], zone: WearerZone?) throws(ImportError) {
            self.name = name
            self.formats = formats
            parser = try TimeParser(formats, zone: zone)
        }

        /// Takes a time; false where it cannot be read so.
        mutating func add(_ text: String, latest: Int64) -> Bool {
            guard let time = parser.parse(text)?.microseconds, time <= latest else { return false }
            if first != nil {
                if time > last { rises += 1 }
                if time < last { falls += 1 }
            }
            first = first ?? time
            last = time
            return true
        }

        var isInOrder: Bool { rises == 0 || falls == 0 }
    }

    /// Finds out from all rows if month or day comes first, or asks.
    private func settleDates(_ survey: inout FileSurvey, _ file: ImportFile, now: Timestamp) throws(ImportError) {
        let zone = (options.zone ?? survey.profile.time.zone).flatMap(WearerZone.init)
        var readings = [
            try DateReading("month first (--date-order mdy)", TimeFormat.monthFirst, zone: zone),
            try DateReading("day first (--date-order dmy)", TimeFormat.dayFirst, zone: zone),
        ]
        let latest = now.advanced(bySeconds: 86400).microseconds
        var planner = TablePlanner(survey.profile, header: survey.header, options: options, units: survey.units)
        let places = try planner.plan(path: file.name, timing: survey.timing).timeColumns
        var reader = CSVReader(try FileExpander.text(file, mark: survey.markLength, survey.dialect.encoding), dialect: survey.dialect)
        for _ in 0..<survey.headerRecord + 1 { _ = try reader.next() }
        var rows = 0
        while true {
            let event = try reader.next()
            if event == .end { break }
            guard event == .record else { continue }
            let text = places.filter { $0 < reader.fieldCount }.compactMap { reader.text($0)?.trimmed }.joined(separator: " ").trimmed
            guard !text.isEmpty else { continue }
            rows += 1
            let fits = (readings[0].add(text, latest: latest), readings[1].add(text, latest: latest))
            if fits == (true, false) { readings[0].own += 1 }
            if fits == (false, true) { readings[1].own += 1 }
        }
        if readings[0].own > 0, readings[1].own > 0 {
            throw ImportError(
                .format,
                "\(file.name) was not imported: some of its dates can only be read with the day first, and some only with the month first; "
                    + "split it into a file of each, or write the dates as 2024-03-25")
        }
        // One date that has no thirteenth month tells them all.
        var possible = readings.filter { $0.own > 0 }
        if possible.isEmpty { possible = readings }
        // A file in order under one reading and in a jumble under the other was written in the first.
        if possible.count == 2, possible[0].isInOrder != possible[1].isInOrder, rows >= 3 { possible = possible.filter { $0.isInOrder } }
        guard possible.count == 1, let found = possible.first else {
            let ranges = readings.map { reading in
                "\(reading.name) from \(Surveyor.day(reading.first ?? 0)) to \(Surveyor.day(reading.last))"
            }
            throw ImportError(.ambiguous, "\(file.name) was not imported: its dates can be read \(ranges.joined(separator: ", or "))")
        }
        survey.profile.time.formats = found.formats
    }

    private static func day(_ microseconds: Int64) -> String {
        CivilDate(daysSince1970: Int(microseconds.flooredQuotient(by: 86_400_000_000))).text
    }
}
