import VigilSchema

/// Makes the plan for one file from a profile, the file's header and what the user said.
struct TablePlanner {
    private let profile: Profile
    private let header: [String]
    private let options: ImportOptions
    private let catalogue: MetricCatalogue
    /// Units that stand in a row of their own below the header, by column.
    private let units: [String]
    private var isTaken: [Bool]
    private var metrics: [MetricPlan] = []

    init(_ profile: Profile, header: [String], options: ImportOptions, units: [String] = [], catalogue: MetricCatalogue = .standard) {
        self.profile = profile
        self.header = header.map(\.trimmed)
        self.units = units
        self.options = options
        self.catalogue = catalogue
        isTaken = Array(repeating: false, count: header.count)
    }

    /// Returns whether the header has what the profile requires.
    static func fits(_ profile: Profile, header: [String]) -> Bool {
        let names = Set(header.map(HeaderName.init) + header.compactMap(HeaderName.init(inZone:)))
        guard !profile.requires.isEmpty else { return false }
        guard profile.requires.allSatisfy({ $0.contains { names.contains(HeaderName($0)) } }) else { return false }
        return !profile.isExact || (names.count == header.count && header.count == profile.requires.count)
    }

    /// The plan.
    /// - Parameter path: the file's, from which names may be taken.
    /// - Throws: `ImportError` where the header lacks a column that is needed, or a unit does not fit.
    mutating func plan(path: String, timing: RowTiming = .columns) throws(ImportError) -> TablePlan {
        let time = try timeColumns(timing)
        let (end, zone) = (endPlace(), take(profile.time.zoneColumn))
        let participant = take(profile.participant.column)
        let source = take(profile.source.column)
        let session = take(profile.session.column)
        let filter = profile.rows.flatMap { take($0.column) }
        let names = names(path: path)
        guard participant != nil || names.participant != nil else {
            throw ImportError(.usage, "neither a column nor the path names the participant: give --participant")
        }
        let long = profile.layout == .long ? try longPlan() : nil
        let columns = try profile.layout == .long ? (known: [], ignored: leftOver, unknown: []) : valueColumns(path)
        return TablePlan(
            profile: profile, header: header, timeColumns: time, timing: timing,
            participantColumn: options.participant == nil ? participant : nil,
            sourceColumn: options.source == nil ? source : nil, sessionColumn: options.session == nil ? session : nil, names: names,
            columns: columns.known, metrics: metrics, ignoredColumns: columns.ignored, filterColumn: filter, endColumn: end,
            zoneColumn: zone,
            long: long, unknown: columns.unknown)
    }

    private var leftOver: [Int] { header.indices.filter { !isTaken[$0] } }

    private mutating func longPlan() throws(ImportError) -> LongPlan {
        let long = profile.long
        let plan = LongPlan(
            metric: take(long.metric), code: take(long.code), values: long.value.compactMap { take([$0]) }, unit: take(long.unit),
            text: take(long.text), samples: take(long.samples), period: take(long.period), sequence: take(long.sequence),
            zone: take(long.zone), received: take(long.received), record: take(long.record), detail: take(long.detail))
        guard plan.metric != nil || plan.code != nil, !plan.values.isEmpty else {
            throw ImportError(.format, "no column names the metric, or none has the value")
        }
        return plan
    }

    /// The places of the columns that make a row's time, and none where the header has none.
    var timePlaces: [Int] {
        mutating get { (try? timeColumns(.columns)) ?? [] }
    }

    /// The place of the column in which rows end, once those of their times are taken: none where yet another says when they begin, as
    /// beside the date of a night.
    mutating func endPlace() -> Int? {
        let starts = ["start", "start time", "start date", "begin", "from", "von"].map(HeaderName.init)
        let beginsElsewhere = header.indices.contains { !isTaken[$0] && starts.contains(HeaderName(header[$0])) }
        return beginsElsewhere ? nil : take(profile.time.ends)
    }

    /// A Boolean value that indicates whether a column tells the clock's offset from UTC.
    var hasZoneColumn: Bool {
        let spellings = (profile.time.zoneColumn + profile.long.zone).map(HeaderName.init)
        return header.contains { spellings.contains(HeaderName($0)) }
    }

    /// The rules of the columns that are neither time nor identity, each for that column alone and with what the user said of it.
    mutating func rules() -> [ColumnRule] {
        _ = try? timeColumns(.columns)
        for column in [profile.participant.column, profile.source.column, profile.session.column, profile.rows?.column ?? []] {
            _ = take(column)
        }
        let rules = rulesByHeader
        return header.indices.filter { !isTaken[$0] && !header[$0].isEmpty }.compactMap { place in
            guard var rule = rule(header[place], rules) ?? ruleForOther(place) else { return nil }
            rule.headers = [header[place]]
            rule.unit = options.unit(of: header[place], metric: rule.metric ?? "") ?? rule.unit
            return rule
        }
    }

    private func names(path: String) -> TablePlan.Names {
        TablePlan.Names(
            participant: options.participant ?? profile.participant.name(inPath: path) ?? profile.participant.constant,
            source: options.source ?? profile.source.name(inPath: path) ?? profile.source.constant ?? "import",
            session: options.session ?? profile.session.name(inPath: path) ?? profile.session.constant)
    }

    private mutating func timeColumns(_ timing: RowTiming) throws(ImportError) -> [Int] {
        if case .samples = timing { return [] }
        if profile.layout == .marks { return [0] }
        let places = profile.time.columns.compactMap { take($0) }
        guard !places.isEmpty else {
            throw ImportError(.format, "no column holds the time: looked for \(profile.time.columns.joined().joined(separator: ", "))")
        }
        return places
    }

    /// The place of the first column that is free and has one of the spellings, which is free no more.
    private mutating func take(_ spellings: [String]) -> Int? {
        for spelling in spellings + spellings.flatMap({ ["\($0) utc", "\($0) gmt", "\($0) local"] }) {
            let name = HeaderName(spelling)
            if let place = header.indices.first(where: { !isTaken[$0] && HeaderName(header[$0]) == name }) {
                isTaken[place] = true
                return place
            }
        }
        return nil
    }

    private mutating func valueColumns(_ path: String) throws(ImportError) -> (known: [ColumnPlan], ignored: [Int], unknown: [String]) {
        let rules = rulesByHeader
        var columns: [ColumnPlan] = []
        var ignored: [Int] = []
        var unknown: [String] = []
        let byFile = ruleByFile(path)
        for place in header.indices where !isTaken[place] {
            let rule = ruleByFile(byFile, header[place]) ?? rule(header[place], rules)
            let isIgnored = rule.map { $0.kind == .ignore } ?? (profile.otherColumns == .ignore || header[place].isEmpty)
            if isIgnored {
                ignored.append(place)
                continue
            }
            if rule == nil { unknown.append(header[place]) }
            columns.append(try column(place, rule ?? otherRule(header[place])))
            if let rule, rule.kind == .beforeSlash, let second = otherHalf(of: rule, header[place]) {
                columns.append(try column(place, second))
            }
        }
        return (columns, ignored, unknown)
    }

    /// The rule for the number behind the slash in the cells of a column.
    private func otherHalf(of rule: ColumnRule, _ header: String) -> ColumnRule? {
        let names = [header, HeaderUnit.inBrackets(header)?.name ?? header].map(HeaderName.init)
        var second = profile.columns.first { $0.kind == .afterSlash && $0.headers.contains { names.contains(HeaderName($0)) } }
        second?.unit = rule.unit
        return second
    }

    /// The rule that the file's name gives for a column: for one called as the rule says, or `value`.
    private func ruleByFile(_ rule: ColumnRule?, _ header: String) -> ColumnRule? {
        guard let rule else { return nil }
        let headers = rule.headers.isEmpty ? ["value"] : rule.headers
        return headers.contains { HeaderName($0) == HeaderName(header) } ? rule : nil
    }

    /// The rule for a column `value` of a file whose name says what it holds.
    private func ruleByFile(_ path: String) -> ColumnRule? {
        let name = (path.split { $0 == "/" || $0 == "!" }.last(where: { $0.contains(".") }) ?? Substring(path)).lowercased()
        return profile.valueByFile.filter { name.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
    }

    /// For a column that no rule names: its own name, in the unit that its header gives.
    private func otherRule(_ header: String) -> ColumnRule {
        guard let (name, unit) = HeaderUnit.inBrackets(header), let metric = HeaderName.metricName(name),
            catalogue.definition(named: metric) == nil
        else { return ColumnRule([header]) }
        return ColumnRule([header], metric: metric, unit: unit)
    }

    /// The first rule for each header that holds beside the other columns.
    private var rulesByHeader: [HeaderName: ColumnRule] {
        var rules: [HeaderName: ColumnRule] = [:]
        for rule in profile.columns where holds(rule) {
            for header in rule.headers where rules[HeaderName(header)] == nil { rules[HeaderName(header)] = rule }
        }
        return rules
    }

    /// For a column that no rule names; nil where such are left out.
    private func ruleForOther(_ place: Int) -> ColumnRule? {
        profile.otherColumns == .keep ? ColumnRule([], metric: metricName(place)) : nil
    }

    private func rule(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        let found = rules[HeaderName(header)] ?? ruleWithUnit(header, rules)
        guard let metric = options.metric(of: header) else { return found }
        // The unit may stand in the header still.
        return ColumnRule([header], metric: metric, unit: found?.unit ?? HeaderUnit.inBrackets(header)?.unit)
    }

    /// Returns whether no column stands beside it that gives the name another meaning.
    private func holds(_ rule: ColumnRule) -> Bool {
        !rule.unlessBeside.contains { word in header.contains { HeaderName($0).hasPrefix(HeaderName(word)) } }
    }

    /// The rule for `Weight (lb)`, where there is one for `weight` and the unit fits its metric.
    private func ruleWithUnit(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        for (name, unit) in (HeaderUnit.inBrackets(header).map { [$0] } ?? []) + HeaderUnit.atEnd(header) {
            guard var rule = rules[HeaderName(name)] ?? rules[HeaderName(TablePlanner.withoutMean(name))],
                let definition = rule.metric.flatMap(catalogue.definition(named:))
            else { continue }
            let unit = unit == "count" && definition.kind == .total ? definition.unit : unit
            guard UnitConversion.from(unit, to: definition) != nil else { continue }
            rule.unit = unit
            return rule
        }
        return TablePlanner.withoutMean(header) == header ? nil : rules[HeaderName(TablePlanner.withoutMean(header))]
    }

    /// The name without the word for a mean: `Heart Rate [Avg]`, `avg_heart_rate`. Lowest and highest values are others.
    private static func withoutMean(_ name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let kept = words.filter { !["avg", "average", "mean"].contains($0.lowercased()) }
        return kept.isEmpty || kept.count == words.count ? name : kept.joined(separator: " ")
    }

    private mutating func column(_ place: Int, _ rule: ColumnRule) throws(ImportError) -> ColumnPlan {
        let header = header[place]
        guard let name = rule.metric ?? metricName(place) else {
            throw ImportError(.format, "column \(place + 1) has a header of which no metric's name can be made")
        }
        let below = place < units.count && !units[place].isEmpty ? units[place] : nil
        return try column(place, header, name, rule, unit: options.unit(of: header, metric: name) ?? below ?? rule.unit)
    }

    /// - Parameter said: the unit that the user, the file or the profile names.
    private mutating func column(
        _ place: Int, _ header: String, _ name: String, _ rule: ColumnRule, unit said: String?
    ) throws(ImportError) -> ColumnPlan {
        let definition = catalogue.definition(named: name)
        let unit = said ?? rule.usually ?? definition?.unit ?? "1"
        var conversion = (scale: 1.0, offset: 0.0)
        if let definition, definition.kind != .text {
            let known = HeaderUnit.bare(unit, for: definition) ?? HeaderUnit.canonical(unit) ?? unit
            guard let found = UnitConversion.from(known, to: definition) ?? UnitConversion.from(unit, to: definition) else {
                throw ImportError(.usage, "the unit \(unit) of column \(header) does not fit \(name), which is kept in \(definition.unit)")
            }
            conversion = (found.scale, found.offset)
        }
        let unitColumn =
            rule.unitColumn.isEmpty
            ? nil : self.header.firstIndex { name in rule.unitColumn.contains { HeaderName($0) == HeaderName(name) } }
        return ColumnPlan(
            index: place, header: header,
            metric: metricPlace(MetricPlan(name: name, unit: definition?.unit ?? unit, definition: definition)),
            kind: TablePlanner.kind(rule.kind, definition), scale: conversion.scale * rule.scale,
            offset: conversion.scale * rule.add + conversion.offset,
            plausible: definition?.plausible ?? -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude, sentinels: rule.sentinels,
            startup: rule.startup, delay: Int64((rule.delay * 1_000_000).rounded()), interval: interval(rule, definition),
            unitColumn: unitColumn,
            question: question(header, definition, unit, isNamed: said != nil, rule), vocabulary: Set(definition?.vocabulary ?? []),
            limits: Dictionary(rule.limits.compactMap(ColumnRule.limit), uniquingKeysWith: { first, _ in first }))
    }

    /// A count in a row that names a day only is that day's.
    private func interval(_ rule: ColumnRule, _ definition: MetricDefinition?) -> Int32 {
        rule.interval == 0 && profile.time.isOfDays && definition?.kind == .total ? 86_400 : rule.interval
    }

    /// The question of the unit, unless nothing else than the assumed one is usual.
    private func question(_ header: String, _ definition: MetricDefinition?, _ unit: String, isNamed: Bool, _ rule: ColumnRule)
        -> UnitQuestion?
    {
        guard let definition, definition.kind == .value || definition.kind == .total, rule.scale == 1, rule.add == 0 else { return nil }
        let isNamed = isNamed || UnitQuestion.usualUnits(of: definition.name).isEmpty
        guard UnitQuestion.possibleUnits(of: definition).count > 1 else { return nil }
        return UnitQuestion(
            header: header, definition: definition, assumed: HeaderUnit.canonical(unit) ?? unit, isNamed: isNamed,
            evidence: evidence(for: definition.name), alternatives: rule.alternatives)
    }

    private func evidence(for metric: String) -> UnitQuestion.Evidence? {
        let place = { (names: [String]) in self.header.firstIndex { header in names.contains { HeaderName($0) == HeaderName(header) } } }
        switch metric {
        case "body-weight": return place(["bmi", "body-mass-index"]).map { .bodyMassIndex($0) }
        case "distance": return place(["steps", "step-count", "total-steps", "step-total"]).map { .steps($0) }
        default: return nil
        }
    }

    // MARK: Long tables

    /// The column for the values that a long table's rows give under one name and in one unit.
    /// - Parameters:
    ///   - code: a LOINC or SNOMED CT code, which counts before the name.
    ///   - place: the value's column.
    mutating func longColumn(name: String, code: String, unit: String, place: Int) throws(ImportError) -> ColumnPlan {
        var rule = rulesByHeader[HeaderName(name)] ?? ColumnRule([name])
        if let said = options.metric(of: name) { rule = ColumnRule([name], metric: said) }
        // A row has one value, and its pair is kept as it stands.
        if rule.kind == .beforeSlash || rule.kind == .afterSlash { rule = ColumnRule([name]) }
        guard let metric = PublicCodes.metric(code: code) ?? rule.metric ?? HeaderName.metricName(name.isEmpty ? code : name) else {
            throw ImportError(.format, "the metric has a name of which none of Vigil's can be made")
        }
        let said = options.unit(of: name, metric: metric) ?? (unit.isEmpty ? rule.unit : unit)
        return try column(place, name.isEmpty ? metric : name, metric, rule, unit: said)
    }

    /// The metrics that its columns have so far.
    var plannedMetrics: [MetricPlan] { metrics }

    /// The metric's name where no rule says one.
    private func metricName(_ place: Int) -> String? {
        // A header of another script has no letters for a metric's name.
        HeaderName.metricName(header[place]) ?? "column-\(place + 1)"
    }

    private static func kind(_ kind: CellKind, _ definition: MetricDefinition?) -> CellKind {
        guard kind == .automatic, let definition else { return kind }
        return definition.kind == .text ? .text : .number
    }

    private mutating func metricPlace(_ metric: MetricPlan) -> Int {
        if let known = metrics.firstIndex(where: { $0.name == metric.name && $0.unit == metric.unit }) { return known }
        metrics.append(metric)
        return metrics.count - 1
    }
}
