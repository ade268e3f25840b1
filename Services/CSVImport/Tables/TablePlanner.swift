import VigilSchema

/// Makes the plan for one file from a profile, the file's header and what the user said.
struct TablePlanner {
    private let profile: Profile
    private let header: [String]
    private let options: ImportOptions
    private let catalogue: MetricCatalogue
    private var isTaken: [Bool]
    private var metrics: [MetricPlan] = []

    init(_ profile: Profile, header: [String], options: ImportOptions, catalogue: MetricCatalogue = .standard) {
        self.profile = profile
        self.header = header.map(\.trimmed)
        self.options = options
        self.catalogue = catalogue
        isTaken = Array(repeating: false, count: header.count)
    }

    /// Whether the header has what the profile requires.
    static func fits(_ profile: Profile, header: [String]) -> Bool {
        let names = Set(header.map(HeaderName.init))
        guard !profile.requires.isEmpty else { return false }
        guard profile.requires.allSatisfy({ $0.contains { names.contains(HeaderName($0)) } }) else { return false }
        return !profile.isExact || (names.count == header.count && header.count == profile.requires.count)
    }

    /// The plan.
    /// - Parameter path: the file's, from which names may be taken.
    /// - Throws: `ImportError` where the header lacks a column that is needed, or a unit does not fit.
    mutating func plan(path: String, timing: RowTiming = .columns) throws(ImportError) -> TablePlan {
        let time = try timeColumns(timing)
        let participant = take(profile.participant.column)
        let source = take(profile.source.column)
        let session = take(profile.session.column)
        let filter = profile.rows.flatMap { take($0.column) }
        let names = names(path: path)
        guard participant != nil || names.participant != nil else {
            throw ImportError(.usage, "neither a column nor the path names the participant: give --participant")
        }
        let (columns, ignored) = try valueColumns()
        return TablePlan(
            profile: profile, header: header, timeColumns: time, timing: timing,
            participantColumn: options.participant == nil ? participant : nil,
            sourceColumn: options.source == nil ? source : nil, sessionColumn: options.session == nil ? session : nil, names: names,
            columns: columns, metrics: metrics, ignoredColumns: ignored, filterColumn: filter)
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
            rule.unit = options.units[header[place]] ?? rule.unit
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
        var places: [Int] = []
        for spellings in profile.time.columns {
            guard let place = take(spellings) else { continue }
            places.append(place)
        }
        guard !places.isEmpty else {
            throw ImportError(.format, "no column holds the time: looked for \(profile.time.columns.joined().joined(separator: ", "))")
        }
        return places
    }

    /// The place of the first column that is free and has one of the spellings, which is free no more.
    private mutating func take(_ spellings: [String]) -> Int? {
        for spelling in spellings {
            let name = HeaderName(spelling)
            if let place = header.indices.first(where: { !isTaken[$0] && HeaderName(header[$0]) == name }) {
                isTaken[place] = true
                return place
            }
        }
        return nil
    }

    private mutating func valueColumns() throws(ImportError) -> (columns: [ColumnPlan], ignored: [Int]) {
        let rules = rulesByHeader
        var columns: [ColumnPlan] = []
        var ignored: [Int] = []
        for place in header.indices where !isTaken[place] {
            let rule = rule(header[place], rules)
            let isIgnored = rule.map { $0.kind == .ignore } ?? (profile.otherColumns == .ignore)
            if isIgnored {
                ignored.append(place)
            } else {
                columns.append(try column(place, rule ?? ColumnRule([header[place]])))
            }
        }
        return (columns, ignored)
    }

    private var rulesByHeader: [HeaderName: ColumnRule] {
        var rules: [HeaderName: ColumnRule] = [:]
        for rule in profile.columns {
            for header in rule.headers where rules[HeaderName(header)] == nil { rules[HeaderName(header)] = rule }
        }
        return rules
    }

    /// For a column that no rule names; nil where such are left out.
    private func ruleForOther(_ place: Int) -> ColumnRule? {
        profile.otherColumns == .keep ? ColumnRule([], metric: metricName(place)) : nil
    }

    private func rule(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        rules[HeaderName(header)] ?? ruleWithUnit(header, rules)
    }

    /// The rule for `Weight (lb)`, where there is one for `weight` and the unit fits its metric.
    private func ruleWithUnit(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        guard let open = header.lastIndex(where: { $0 == "(" || $0 == "[" }), open > header.startIndex else { return nil }
        let unit = String(header[header.index(after: open)...].prefix { $0 != ")" && $0 != "]" }).trimmed
        guard var rule = rules[HeaderName(String(header[..<open]))], let definition = rule.metric.flatMap(catalogue.definition(named:)) else {
            return nil
        }
        guard UnitConversion.from(unit, to: definition) != nil else { return nil }
        rule.unit = unit
        return rule
    }

    private mutating func column(_ place: Int, _ rule: ColumnRule) throws(ImportError) -> ColumnPlan {
        let header = header[place]
        guard let name = rule.metric ?? metricName(place) else {
            throw ImportError(.format, "column \(place + 1) has a header of which no metric's name can be made")
        }
        let definition = catalogue.definition(named: name)
        let unit = options.units[header] ?? rule.unit ?? definition?.unit ?? "1"
        var conversion = (scale: 1.0, offset: 0.0)
        if let definition, definition.kind != .text {
            guard let found = UnitConversion.from(unit, to: definition) else {
                throw ImportError(.usage, "the unit \(unit) of column \(header) does not fit \(name), which is kept in \(definition.unit)")
            }
            conversion = (found.scale, found.offset)
        }
        return ColumnPlan(
            index: place, header: header,
            metric: metricPlace(MetricPlan(name: name, unit: definition?.unit ?? unit, definition: definition)),
            kind: TablePlanner.kind(rule.kind, definition), scale: conversion.scale * rule.scale,
            offset: conversion.scale * rule.add + conversion.offset,
            plausible: definition?.plausible ?? -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude, sentinels: rule.sentinels,
            startup: rule.startup, delay: Int64((rule.delay * 1_000_000).rounded()), vocabulary: Set(definition?.vocabulary ?? []))
    }

    /// What the column's metric is called where no rule says.
    private func metricName(_ place: Int) -> String? {
        HeaderName.metricName(header[place].isEmpty ? "column-\(place + 1)" : header[place])
    }

    private static func kind(_ kind: CellKind, _ definition: MetricDefinition?) -> CellKind {
        guard kind == .automatic, let definition else { return kind }
        return definition.kind == .text ? .text : .number
    }

    private mutating func metricPlace(_ metric: MetricPlan) -> Int {
        if let known = metrics.firstIndex(where: { $0.name == metric.name }) { return known }
        metrics.append(metric)
        return metrics.count - 1
    }
}
