import VigilSchema

/// Reads Apple Health's `export.xml`: every `Record`, in order. Those inside a `Correlation` stand once more outside, and are passed over.
struct HealthReader: ReadingReader {
    static let blockSize = 4096
    static let earliest: Int64 = -2_208_988_800_000_000

    var tags: XMLTagReader
    private var occurrences: Occurrences
    private var times: TimeParser
    var table = Subjects()
    private var places: [String: Int] = [:]
    /// The meaning of each type in each unit, and the name of each device's text: a file has few of them and millions of records.
    private var kinds: [KindKey: Kind] = [:]
    private var devices: [Substring: String?] = [:]
    private var series: [SeriesKey: Int] = [:]
    private var correlations = 0
    /// Whole seconds that the present record speaks for.
    var interval: Int32 = 0
    /// The workout that is open, and the activity of it.
    var workout: AppleWorkout?
    /// A Boolean value that indicates whether the document has been opened and not closed.
    private var isOpen = false
    let participant: String
    let session: String?
    private let source: String?
    let latest: Int64
    private let number = NumberFormat(decimal: UInt8(ascii: "."))

    private(set) var metrics: [MetricPlan] = []
    var account = CellCounts()

    private struct KindKey: Hashable {
        let type: String
        let unit: String
    }

    private struct Kind {
        let metric: Int
        let definition: MetricDefinition?
        let conversion: (scale: Double, offset: Double)?
    }

    private struct SeriesKey: Hashable {
        let subject: Int
        let metric: Int
    }

    init(_ bytes: any ByteSource, survey: FileSurvey, path: String, options: ImportOptions, keepsHistory: Bool, now: Timestamp)
        throws(ImportError)
    {
        guard let participant = options.participant ?? survey.profile.participant.name(inPath: path), Name.isValid(participant) else {
            throw ImportError(.usage, "Apple Health does not name the participant: give --participant")
        }
        self.participant = participant
        session = options.session
        source = options.source
        tags = XMLTagReader(bytes)
        occurrences = Occurrences(keepsHistory: keepsHistory)
        times = try TimeParser(survey.profile.time.formats + TimeFormat.iso8601, zone: options.zone.flatMap(WearerZone.init))
        latest = now.advanced(bySeconds: 86400).microseconds
    }

    var subjects: [Subjects.Subject] { table.all }
    var offset: Int { tags.offset }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        while block.readings.count < HealthReader.blockSize, block.rejects.count < HealthReader.blockSize {
            let event = try tags.next()
            if event == .finished {
                guard !isOpen else { throw ImportError(.format, "the export ends in its middle: </HealthData> is missing") }
                return false
            }
            if tags.isNamed("HealthData") {
                isOpen = event == .start
            } else if tags.isNamed("Correlation") {
                correlations += event == .start ? 1 : -1
            } else if correlations == 0, event != .end, tags.isNamed("Record") {
                try take(&block)
            } else if tags.isNamed("Workout") {
                try event == .end ? closeWorkout(&block) : takeWorkout(&block)
            } else if tags.isNamed("WorkoutActivity") {
                event == .end ? workout?.closeActivity() : openActivity()
            } else if event != .end, tags.isNamed("WorkoutStatistics") {
                try takeStatistics(&block)
            }
        }
        return true
    }

    private mutating func take(_ block: inout ReadingBlock) throws {
        account.rows += 1
        guard let type = tags.attribute("type"), let text = tags.attribute("value") ?? (isCategory(type) ? "" : nil) else {
            return refuse("the record has no type or no value", "type", &block)
        }
        guard let time = moment("startDate"), time.microseconds <= latest, time.microseconds >= HealthReader.earliest else {
            return refuse("the start date is missing, cannot be read, lies in the future or before 1900", "startDate", &block)
        }
        let subject = table.place(participant: participant, source: sourceName(), session: session)
        interval = interval(from: time)
        let unit = tags.attribute("unit") ?? "1"
        let names = table.all[subject]
        let objection =
            NameLimits.objection(source: names.source, session: names.session) ?? NameLimits.objection(unit: unit)
            ?? (ends(before: time) ? "the record ends before it begins" : nil)
        if let objection { return refuse(objection, "value", &block) }
        if let minutes = sleepMinutes(type, time) {
            let metric = place(HealthType.hyphenated(HealthType.shortName(text)), unit: "min", definition: nil)
            return try append(.number(minutes), metric, subject, time, "value", &block)
        }
        let kind = kind(KindKey(type: type, unit: unit))
        try append(content(text, unit, kind), kind.metric, subject, time, "value", &block)
    }

    /// Whole seconds from the start of the present record to its end; 0 where it has none.
    mutating func interval(from start: ParsedTime) -> Int32 {
        guard let end = moment("endDate") else { return 0 }
        let seconds = (end.microseconds - start.microseconds) / 1_000_000
        return seconds > 0 && seconds <= Int64(Observation.longestInterval) ? Int32(seconds) : 0
    }

    private mutating func kind(_ key: KindKey) -> Kind {
        if let known = kinds[key] { return known }
        let name = HealthType.metric(key.type)
        let definition = MetricCatalogue.standard.definition(named: name)
        let kept = HealthType.kept(key.unit)
        let unit = definition?.unit ?? kept.unit
        let kind = Kind(
            metric: place(name, unit: unit, definition: definition), definition: definition,
            conversion: definition == nil ? (scale: kept.scale, offset: 0) : definition.flatMap { HealthType.conversion(key.unit, to: $0) })
        kinds[key] = kind
        return kind
    }

    private func content(_ text: String, _ unit: String, _ kind: Kind) -> CellReader.Content {
        let definition = kind.definition
        let bytes = Array(text.utf8)
        guard let value = number.parse(bytes.span.bytes, 0, bytes.count) else {
            guard definition == nil else { return .refused("this is not a number") }
            return .text(HealthType.hyphenated(HealthType.shortName(text)))
        }
        // Apple's per cents are shares of 1.
        guard let definition else { return .number(unit == "%" ? value * 100 : value * (kind.conversion?.scale ?? 1)) }
        guard let conversion = kind.conversion else {
            return .refused("the unit \(unit) does not fit \(definition.name)")
        }
        let converted = value * conversion.scale + conversion.offset
        guard let plausible = definition.plausible, !plausible.contains(converted) else { return .number(converted) }
        return .refused("\(definition.name) lies outside \(plausible.lowerBound.short)…\(plausible.upperBound.short) \(definition.unit)")
    }

    mutating func append(
        _ content: CellReader.Content, _ metric: Int, _ subject: Int, _ time: ParsedTime, _ attribute: StaticString,
        _ block: inout ReadingBlock
    ) throws {
        let key = SeriesKey(subject: table.all[subject].series, metric: metric)
        let place = series[key] ?? series.count
        series[key] = place
        guard let sequence = try occurrences.next(series: place, time: time.microseconds) else { throw NeedsHistory() }
        var reading = AcceptedCell(
            time: time.microseconds, value: 0, subject: Int32(subject), metric: Int32(metric), sequence: sequence,
            text: AcceptedCell.noText,
            interval: interval, zone: time.zone)
        switch content {
        case .refused(let reason): return refuse(reason, attribute, sequence: sequence, &block)
        case .number(let value): reading.value = value
        case .text(let text):
            reading.text = Int32(block.texts.count)
            block.texts.append(text)
        }
        account.accepted += 1
        block.readings.append(reading)
    }

    mutating func refuse(_ reason: String, _ attribute: StaticString, sequence: Int32? = nil, _ block: inout ReadingBlock) {
        account.rejected += 1
        let start = tags.offset(ofAttribute: attribute) ?? tags.tagOffset
        block.rejects.append(
            RejectedCell(
                line: tags.line, column: start - tags.tagOffset + 1, offset: start, field: sequence.map { _ in attribute.description },
                reason: reason, original: tags.text, sequence: sequence ?? 0, cells: 1))
    }

    /// The time a record of sleep lasted, in minutes; nil for other records.
    private mutating func sleepMinutes(_ type: String, _ start: ParsedTime) -> Double? {
        guard type == "HKCategoryTypeIdentifierSleepAnalysis", let end = moment("endDate") else { return nil }
        return Double(end.microseconds - start.microseconds) / 60_000_000
    }

    /// Returns whether the present record's end lies before its start.
    private mutating func ends(before start: ParsedTime) -> Bool { moment("endDate").map { $0.microseconds < start.microseconds } ?? false }

    private func isCategory(_ type: String) -> Bool { type.hasPrefix("HKCategoryTypeIdentifier") }

    mutating func moment(_ attribute: StaticString) -> ParsedTime? {
        guard let text = tags.attribute(attribute) else { return nil }
        let bytes = Array(text.utf8)
        return times.parse(bytes.span.bytes, 0, bytes.count)
    }

    /// The app's or device's name as its owner gave it, and the hardware.
    mutating func sourceName() -> String {
        if let source { return source }
        let given = tags.attribute("sourceName") ?? ""
        let name = given.isEmpty ? "apple-health" : given
        let hardware = tags.attribute("device").flatMap { deviceName($0) }
        return String((hardware.map { "\(name)/\($0)" } ?? name).prefix(60)).kept(NameLimits.source)
    }

    /// The address in memory differs from record to record; what follows the first comma does not.
    private mutating func deviceName(_ text: String) -> String? {
        guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")) else { return DeviceText.name(text) }
        if let known = devices[text[comma...]] { return known }
        let name = DeviceText.name(text)
        devices[Substring(String(text[comma...]))] = name
        return name
    }

    mutating func place(_ name: String, unit: String, definition: MetricDefinition?) -> Int {
        let key = "\(name) \(unit)"
        if let known = places[key] { return known }
        metrics.append(MetricPlan(name: name, unit: unit, definition: definition))
        places[key] = metrics.count - 1
        return metrics.count - 1
    }
}
