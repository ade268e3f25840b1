import VigilSchema

/// Collects the readings of formats that are not tables: names, units, numbers among equal times, and the account.
///
/// Threading: a value, used by one task.
struct ReadingCollector {
    private static let earliest: Int64 = -2_208_988_800_000_000

    /// A reading as a format has it, before its unit is converted.
    struct Item {
        var metric: String
        var content: Observation.Content
        var unit: String
        var time: ParsedTime
        var interval: Int32 = 0
        /// Its number among readings of one time, where the format says it.
        var sequence: Int32?
    }

    /// The place of an item in its file, for those who look for it.
    struct Origin {
        let line: Int
        let offset: Int
        let path: String
        let original: String
    }

    private var subjects = Subjects()
    private var places: [String: Int] = [:]
    private var series: [Int: Int] = [:]
    private var occurrences: Occurrences
    private let latest: Int64

    private(set) var metrics: [MetricPlan] = []
    var account = CellCounts()

    /// - Parameter now: times more than a day after it are refused.
    init(keepsHistory: Bool, now: Timestamp) {
        occurrences = Occurrences(keepsHistory: keepsHistory)
        latest = now.advanced(bySeconds: 86400).microseconds
    }

    var allSubjects: [Subjects.Subject] { subjects.all }

    /// Keeps a reading, or refuses it and says why.
    mutating func add(
        _ item: Item, participant: String, source: String, session: String? = nil, at place: Origin, to block: inout ReadingBlock
    ) throws {
        guard Name.isValid(participant) else { return refuse("the participant is not 1 to 64 of A-Z a-z 0-9 _ . -", place, &block) }
        guard Name.isValid(item.metric) else { return refuse("the metric has a name of which none of Vigil's can be made", place, &block) }
        guard item.time.microseconds <= latest, item.time.microseconds >= ReadingCollector.earliest else {
            return refuse("the time lies in the future or before 1900", place, &block)
        }
        let definition = MetricCatalogue.standard.definition(named: item.metric)
        guard let (content, unit) = converted(item, definition) else {
            return refuse("the unit \(item.unit) does not fit \(item.metric)", place, &block)
        }
        if let reason = ReadingCollector.objection(content, definition) { return refuse(reason, place, &block) }
        let (source, session) = (
            String(source.prefix(60)).kept(NameLimits.source), session.map { String($0.prefix(60)).kept(NameLimits.session) }
        )
        let objection = NameLimits.objection(source: source, session: session) ?? NameLimits.objection(unit: unit)
        if let objection { return refuse(objection, place, &block) }
        let subject = subjects.place(participant: participant, source: source, session: session)
        let metric = metricPlace(item.metric, unit, definition)
        let key = subjects.all[subject].series << 20 | metric
        let dense = series[key] ?? series.count
        series[key] = dense
        guard let counted = try occurrences.next(series: dense, time: item.time.microseconds) else { throw NeedsHistory() }
        var reading = AcceptedCell(
            time: item.time.microseconds, value: 0, subject: Int32(subject), metric: Int32(metric), sequence: item.sequence ?? counted,
            text: AcceptedCell.noText, interval: item.interval, zone: item.time.zone)
        switch content {
        case .value(let value): reading.value = value
        case .text(let text):
            reading.text = Int32(block.texts.count)
            block.texts.append(text)
        case .samples(let values, let period):
            reading.text = Int32(-2 - block.samples.count)
            reading.interval = 0
            block.samples.append((values, period))
        }
        account.accepted += 1
        block.readings.append(reading)
    }

    mutating func refuse(_ reason: String, _ place: Origin, _ block: inout ReadingBlock) {
        account.rejected += 1
        block.rejects.append(
            RejectedCell(
                line: place.line, column: 1, offset: place.offset, field: place.path, reason: reason,
                original: place.original.cut(characters: 4000),
                sequence: 0, cells: 1))
    }

    private func converted(_ item: Item, _ definition: MetricDefinition?) -> (Observation.Content, String)? {
        let given = HeaderUnit.canonical(item.unit) ?? (item.unit.isEmpty ? definition?.unit ?? "1" : item.unit)
        guard let definition else { return (item.content, given) }
        if definition.kind == .text { return (item.content, definition.unit) }
        guard let conversion = UnitConversion.from(HeaderUnit.bare(item.unit, for: definition) ?? given, to: definition) else { return nil }
        switch item.content {
        case .value(let value): return (.value(conversion(value)), definition.unit)
        case .samples(let values, let period): return (.samples(values.map { conversion($0) }, period: period), definition.unit)
        case .text(let text): return (.text(limit(text, conversion)), definition.unit)
        }
    }

    /// A limit in the metric's unit: `<2.2` mmol/L of glucose is `<39.6`. Other texts stay as they are.
    private func limit(_ text: String, _ conversion: UnitConversion) -> String {
        let sign = text.prefix { "<>=".contains($0) }
        guard !sign.isEmpty, let value = Double(decimal: text.dropFirst(sign.count)) else { return text }
        return sign + conversion(value).six.short
    }

    /// The reason for which a number cannot be right.
    static func implausibility(_ content: Observation.Content, _ definition: MetricDefinition?) -> String? {
        guard case .value(let value) = content, let definition, let plausible = definition.plausible, !plausible.contains(value) else {
            return nil
        }
        return "\(definition.name) lies outside \(plausible.lowerBound.short)…\(plausible.upperBound.short) \(definition.unit)"
    }

    private static func objection(_ content: Observation.Content, _ definition: MetricDefinition?) -> String? {
        switch content {
        case .value: return implausibility(content, definition)
        case .text(let text):
            if let objection = NameLimits.objection(text: text) { return objection }
            // Of a sensor at its end only a limit is known: `<40`.
            let isLimit = text.hasPrefix("<") || text.hasPrefix(">")
            if !isLimit, let definition, definition.kind == .value || definition.kind == .total { return "this is not a number" }
            guard let definition, !definition.vocabulary.isEmpty, !definition.vocabulary.contains(text) else { return nil }
            return "this is none of \(definition.vocabulary.joined(separator: ", "))"
        case .samples(let values, let period): return NameLimits.objection(samples: values, period: period)
        }
    }

    private mutating func metricPlace(_ name: String, _ unit: String, _ definition: MetricDefinition?) -> Int {
        let key = "\(name) \(unit)"
        if let known = places[key] { return known }
        metrics.append(MetricPlan(name: name, unit: unit, definition: definition))
        places[key] = metrics.count - 1
        return metrics.count - 1
    }
}
