import VigilSchema

/// Makes the plan for one file from a profile, the file's header and what the user said.
struct TablePlanner {
    let profile: Profile
    let header: [String]
    let options: ImportOptions
    let catalogue: MetricCatalogue
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

    /// The source of what names none.
    static let unnamedSource = "import"

    /// Returns whether the header has what the profile requires.
    /// - Parameter path: the file's; without it no profile fits that is for files of some names only.
    static func fits(_ profile: Profile, header: [String], path: String = "") -> Bool {
        let names = Set(header.map(HeaderName.init) + header.compactMap(HeaderName.init(inZone:)))
        guard !profile.requires.isEmpty, isNamed(profile, path) else { return false }
        guard profile.requires.allSatisfy({ $0.contains { names.contains(HeaderName($0)) } }) else { return false }
        return !profile.isExact || (names.count == header.count && header.count == profile.requires.count)
    }

    private static func isNamed(_ profile: Profile, _ path: String) -> Bool {
        profile.fileNames.isEmpty || profile.fileNames.contains { fileName(path).hasPrefix($0) }
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
        let filter = profile.rows.flatMap { take($0.column) ?? placeOf($0.column) }
        let names = names(path: path)
        guard participant != nil || names.participant != nil else {
            throw ImportError(.usage, "neither a column nor the path names the participant: give --participant")
        }
        let long = profile.layout == .long ? try longPlan() : nil
        let columns = try profile.layout == .long ? ValueColumns(ignored: leftOver) : valueColumns(path)
        return TablePlan(
            profile: profile, header: header, timeColumns: time, timing: timing,
            participantColumn: options.participant == nil ? participant : nil,
            sourceColumn: options.source == nil ? source : nil, sessionColumn: options.session == nil ? session : nil, names: names,
            columns: columns.known, metrics: metrics, pressures: PressurePair.pairs(of: columns.known, metrics),
            ignoredColumns: columns.ignored, filterColumn: filter, endColumn: end,
            zoneColumn: zone,
            long: long, unknown: columns.unknown, silent: columns.silent, outer: columns.outer, statusColumns: statusColumns(long),
            personColumn: options.participant == nil ? nil : participant ?? personPlace(columns.known))
    }

    /// The place of a column that may name persons in other words: `Name` beside what is measured of bodies, not of meals or sports.
    private func personPlace(_ columns: [ColumnPlan]) -> Int? {
        let bodily: Set<String> = [
            "body-weight", "systolic-pressure", "oxygen-saturation", "blood-glucose", "body-temperature", "body-fat",
        ]
        guard columns.contains(where: { bodily.contains(metrics[$0.metric].name) }) else { return nil }
        return placeOf(["name", "first name", "member", "family member", "profile", "profil", "vorname", "mitglied", "nutzer", "benutzer"])
    }

    /// The columns that tell of rows that are no measurements: none that the profile reads as a value, an identity or a filter.
    private func statusColumns(_ long: LongPlan?) -> [StatusColumn] {
        let read = Set(profile.columns.filter { $0.kind != .ignore }.flatMap(\.headers).map(HeaderName.init))
        guard profile.name != BuiltIn.vigilExport.name else { return [] }
        let bins = placeOf(profile.bins).map { [StatusColumn(index: $0, meaning: .unlessEmpty)] } ?? []
        return bins
            + header.indices.compactMap { place in
                guard !isTaken[place] || long != nil, place != long?.metric, !read.contains(HeaderName(header[place])) else { return nil }
                return RowStatus.meaning(header[place]).map { StatusColumn(index: place, meaning: $0) }
            }
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
        return header.indices.filter { !isTaken[$0] && !header[$0].isEmpty }.flatMap { place -> [ColumnRule] in
            let named = rule(header[place], rules)
            // Without a rule the import asks what it is, or leaves out the rows that it marks.
            if named == nil, saysNothing(header[place]) || RowStatus.meaning(header[place]) != nil { return [] }
            guard var rule = named ?? ruleForOther(place) else { return [] }
            var second = rule.kind == .beforeSlash ? otherHalf(of: rule, header[place]) : nil
            second?.headers = [header[place]]
            rule.headers = [header[place]]
            rule.unit = options.unit(of: header[place], metric: rule.metric ?? "") ?? rule.unit
            return [rule] + (second.map { [$0] } ?? [])
        }
    }

    private func names(path: String) -> TablePlan.Names {
        TablePlan.Names(
            participant: options.participant ?? profile.participant.name(inPath: path) ?? profile.participant.constant,
            source: options.source ?? profile.source.name(inPath: path) ?? profile.source.constant ?? TablePlanner.unnamedSource,
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

    /// The columns of values, and what becomes of the others.
    private struct ValueColumns {
        var known: [ColumnPlan] = []
        var ignored: [Int] = []
        var unknown: [String] = []
        var silent: [String] = []
        var outer: [String] = []
        /// The places of the columns for each value of which the header has several.
        var ofOneValue: [[String]: [Int]] = [:]
    }

    private mutating func valueColumns(_ path: String) throws(ImportError) -> ValueColumns {
        let rules = rulesByHeader
        var columns = ValueColumns()
        let byFile = ruleByFile(path)
        for place in header.indices where !isTaken[place] {
            let rule = ruleByFile(byFile, header[place]) ?? rule(header[place], rules)
            let isIgnored = rule.map { $0.kind == .ignore } ?? (profile.otherColumns == .ignore || header[place].isEmpty)
            let isOuter = profile.outerColumns.contains(header[place])
            if isIgnored || isOuter {
                columns.ignored.append(place)
                if !isIgnored { columns.outer.append(header[place]) }
                continue
            }
            try append(place, rule, to: &columns)
        }
        return columns
    }

    private mutating func append(_ place: Int, _ rule: ColumnRule?, to columns: inout ValueColumns) throws(ImportError) {
        guard let rule else {
            columns.unknown.append(header[place])
            if profile.layout == .table, saysNothing(header[place]) { columns.silent.append(header[place]) }
            columns.known.append(try column(place, otherRule(header[place])))
            return
        }
        let precedence = rule.isOneValue ? columns.ofOneValue[rule.headers] ?? [] : []
        if rule.isOneValue { columns.ofOneValue[rule.headers] = precedence + [place] }
        columns.known.append(try column(place, rule, behind: precedence))
        if rule.kind == .beforeSlash, let second = otherHalf(of: rule, header[place]) { columns.known.append(try column(place, second)) }
    }

    /// - Parameter precedence: columns for the same value, which count before it.
    private mutating func column(_ place: Int, _ rule: ColumnRule, behind precedence: [Int] = []) throws(ImportError) -> ColumnPlan {
        let header = header[place]
        guard let name = rule.metric ?? metricName(place) else {
            throw ImportError(.format, "column \(place + 1) has a header of which no metric's name can be made")
        }
        let below = place < units.count && !units[place].isEmpty ? units[place] : nil
        let said = options.unit(of: header, metric: name) ?? below ?? rule.unit
        return try column(place, header, name, rule, unit: said, behind: precedence)
    }

    /// - Parameter said: the unit that the user, the file or the profile names.
    mutating func column(
        _ place: Int, _ header: String, _ name: String, _ rule: ColumnRule, unit said: String?, behind precedence: [Int] = []
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
        if definition == nil, let objection = NameLimits.objection(unit: unit) { throw ImportError(.format, objection) }
        return ColumnPlan(
            index: place, header: header,
            metric: metricPlace(MetricPlan(name: name, unit: definition?.unit ?? unit, definition: definition)),
            kind: TablePlanner.kind(rule.kind, definition), scale: conversion.scale * rule.scale,
            offset: conversion.scale * rule.add + conversion.offset,
            plausible: definition?.plausible ?? -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude, sentinels: rule.sentinels,
            startup: rule.startup, delay: Int64((rule.delay * 1_000_000).rounded()), interval: interval(rule, definition),
            unitColumn: placeOf(rule.unitColumn),
            question: question(header, definition, unit, isNamed: said != nil, rule), vocabulary: Set(definition?.vocabulary ?? []),
            limits: Dictionary(rule.limits.compactMap(ColumnRule.limit), uniquingKeysWith: { first, _ in first }), precedence: precedence,
            exception: (rule.exception ?? ownExclusion(header)).flatMap { exception in
                placeOf(exception.column).map { ($0, exception.words, exception.reason) }
            })
    }

    /// The rows in which another column excludes this one alone: `temperature.exclude` beside `temperature.value`.
    private func ownExclusion(_ header: String) -> RowException? {
        guard let dot = header.lastIndex(of: ".") else { return nil }
        let names = ["exclude", "excluded"].map { header[..<dot] + "." + $0 }.map(String.init).filter(self.header.contains)
        return names.isEmpty || names.contains(header)
            ? nil : RowException(column: names, words: ["true", "yes", "1"], reason: "the file excludes this value")
    }

    /// The place of a column by its spellings, whatever else it is.
    private func placeOf(_ spellings: [String]) -> Int? {
        spellings.isEmpty ? nil : header.firstIndex { name in spellings.contains { HeaderName($0) == HeaderName(name) } }
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
        switch metric {
        case "body-weight": return placeOf(["bmi", "body-mass-index"]).map { .bodyMassIndex($0) }
        case "distance": return placeOf(["steps", "step-count", "total-steps", "step-total"]).map { .steps($0) }
        default: return nil
        }
    }

    /// The metrics that its columns have so far.
    var plannedMetrics: [MetricPlan] { metrics }

    /// The metric's name where no rule says one.
    func metricName(_ place: Int) -> String? {
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
