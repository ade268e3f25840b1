import VigilSchema

/// The rule for each column, by its header, the headers beside it and the file's name.
extension TablePlanner {
    /// The rule for the number behind the slash in the cells of a column.
    func otherHalf(of rule: ColumnRule, _ header: String) -> ColumnRule? {
        let names = [header, HeaderUnit.inBrackets(header)?.name ?? header].map(HeaderName.init)
        var second = profile.columns.first { $0.kind == .afterSlash && $0.headers.contains { names.contains(HeaderName($0)) } }
        second?.unit = rule.unit
        return second
    }

    /// The rule that the file's name gives for a column: for one called as the rule says, or `value`.
    func ruleByFile(_ rule: ColumnRule?, _ header: String) -> ColumnRule? {
        guard let rule else { return nil }
        let headers = rule.headers.isEmpty ? ["value"] : rule.headers
        return headers.contains { HeaderName($0) == HeaderName(header) } ? rule : nil
    }

    /// The rule for a column `value` of a file whose name says what it holds.
    func ruleByFile(_ path: String) -> ColumnRule? {
        let name = TablePlanner.fileName(path)
        return profile.valueByFile.filter { name.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
    }

    /// The file's own name in its path, in small letters.
    static func fileName(_ path: String) -> String {
        (path.split { $0 == "/" || $0 == "!" }.last(where: { $0.contains(".") }) ?? Substring(path)).lowercased()
    }

    /// For a column that no rule names: its own name, in the unit that its header gives. What stands in brackets and is no unit, `(Pen)`, is a part
    /// of its name.
    func otherRule(_ header: String) -> ColumnRule {
        guard let (name, unit) = HeaderUnit.inBrackets(header), HeaderUnit.isUnit(unit), let metric = HeaderName.metricName(name) else {
            return ColumnRule([header])
        }
        if let definition = catalogue.definition(for: metric) {
            let fits =
                TablePlanner.fitting(unit, definition) != nil && MetricCatalogue.ambiguity(of: metric) == nil && !isOtherwise(definition)
            // A share of what the catalogue knows as a mass, and the like, is another metric, and keeps its unit.
            return fits
                ? ColumnRule([header], metric: definition.name, unit: unit)
                : ColumnRule([header], metric: HeaderName.metricName(header), unit: unit)
        }
        // Nobody measures how long something took in metres.
        let isTime = ["duration", "dauer", "durée", "duración", "durata"].contains { name.lowercased().contains($0) }
        let isPace = ["min/km", "min/mi", "min/mile"].contains(unit.lowercased())
        return ColumnRule([header], metric: metric, unit: isTime && unit == "m" ? "min" : unit, kind: isPace ? .pace : .automatic)
    }

    /// Headers that do not say what was measured: files of one folder that have them would be taken for one another's.
    private static let silentHeaders: Set<HeaderName> = Set(
        [
            "value", "values", "data", "data value", "result", "results", "reading", "readings", "measurement", "measure", "amount", "qty",
            "quantity", "numeric value", "valuenum", "average", "avg", "mean", "wert", "werte", "messwert", "ergebnis",
            "valor", "valores", "resultado", "medida", "valeur", "résultat", "mesure", "valore", "risultato", "waarde", "värde", "verdi",
            "værdi", "arvo", "değer", "wartość", "hodnota", "значение", "値", "数值", "pas", "tas", "pad", "tad",
        ].map(HeaderName.init))

    /// Returns whether a header leaves open what was measured: of any table, and of makers' files that all call their values so. A profile that somebody
    /// wrote or chose to say so may keep it.
    func saysNothing(_ header: String) -> Bool {
        guard profile.name == BuiltIn.generic.name || !profile.valueByFile.isEmpty else { return false }
        let name = HeaderUnit.inBrackets(header)?.name ?? header
        return TablePlanner.silentHeaders.contains(HeaderName(header)) || TablePlanner.silentHeaders.contains(HeaderName(name))
    }

    /// The first rule for each header that holds beside the other columns.
    var rulesByHeader: [HeaderName: ColumnRule] {
        var rules: [HeaderName: ColumnRule] = [:]
        for rule in profile.columns where holds(rule) {
            for header in rule.headers where rules[HeaderName(header)] == nil { rules[HeaderName(header)] = rule }
        }
        return rules
    }

    /// For a column that no rule names; nil where such are left out.
    func ruleForOther(_ place: Int) -> ColumnRule? {
        guard profile.otherColumns == .keep else { return nil }
        var rule = otherRule(header[place])
        rule.metric = rule.metric ?? metricName(place)
        return rule
    }

    func rule(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        let found = rules[HeaderName(header)] ?? ruleWithUnit(header, rules) ?? ruleByCatalogue(header)
        guard let metric = options.metric(of: header) else { return found }
        // The unit may stand in the header still.
        return ColumnRule([header], metric: metric, unit: found?.unit ?? HeaderUnit.inBrackets(header)?.unit)
    }

    /// Returns whether no column stands beside it that gives the name another meaning, and one that gives it this one, where it needs one.
    func holds(_ rule: ColumnRule) -> Bool {
        let stands = { (word: String) in header.contains { HeaderName($0).hasPrefix(HeaderName(word)) } }
        return !rule.unlessBeside.contains(where: stands) && (rule.onlyBeside.isEmpty || rule.onlyBeside.contains(where: stands))
    }

    /// The rule for `Weight (lb)`, where there is one for `weight` and the unit fits its metric.
    func ruleWithUnit(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        for (name, unit) in unitCandidates(header) {
            guard var rule = TablePlanner.names(name).lazy.compactMap({ rules[HeaderName($0)] }).first,
                let definition = rule.metric.flatMap(catalogue.definition(named:)), let unit = TablePlanner.fitting(unit, definition)
            else { continue }
            rule.unit = unit
            return rule
        }
        return TablePlanner.names(header).dropFirst().lazy.compactMap { rules[HeaderName($0)] }.first
    }

    /// The rule for a header that is the catalogue's own name of a metric, or one that can mean nothing else: `Muscle Mass (kg)`.
    private func ruleByCatalogue(_ header: String) -> ColumnRule? {
        guard isOfAnyTable else { return nil }
        for (name, unit) in unitCandidates(header) {
            guard MetricCatalogue.ambiguity(of: name) == nil, let definition = catalogue.definition(for: name), definition.kind != .text,
                !isOtherwise(definition),
                let unit = TablePlanner.fitting(unit, definition)
            else { continue }
            return ColumnRule([header], metric: definition.name, unit: unit)
        }
        guard MetricCatalogue.ambiguity(of: header) == nil, let definition = catalogue.definition(for: header), !isOtherwise(definition)
        else { return nil }
        return ColumnRule([header], metric: definition.name)
    }

    /// Returns whether the columns beside it give the metric's usual names another meaning: a weight beside repetitions was lifted.
    private func isOtherwise(_ definition: MetricDefinition) -> Bool {
        profile.columns.contains { $0.metric == definition.name && !holds($0) }
    }

    /// A Boolean value that indicates whether the table is no maker's, and its columns are known by their words alone.
    private var isOfAnyTable: Bool { profile.name == BuiltIn.generic.name }

    private func unitCandidates(_ header: String) -> [(name: String, unit: String)] {
        (HeaderUnit.inBrackets(header).map { [$0] } ?? []) + HeaderUnit.atEnd(header)
    }

    /// The unit in which a metric comes that a header names; nil where they do not fit.
    private static func fitting(_ unit: String, _ definition: MetricDefinition) -> String? {
        let unit = unit == "count" && definition.kind == .total ? definition.unit : HeaderUnit.ofRate(unit, definition)
        return UnitConversion.from(unit, to: definition) == nil ? nil : unit
    }

    /// A header, and it without the words that only say that something was measured.
    private static func names(_ header: String) -> [String] {
        let mean = withoutMean(header), bare = withoutFillers(header)
        return [header] + (mean == header ? [] : [mean]) + (bare == header || bare == mean ? [] : [bare])
    }

    private static func withoutFillers(_ name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let kept = words.filter { !Vocabulary.fillers.contains(HeaderName(String($0))) }
        return kept.isEmpty || kept.count == words.count ? name : kept.joined(separator: " ")
    }

    /// The name without the word for a mean: `Heart Rate [Avg]`, `avg_heart_rate`. Lowest and highest values are others.
    static func withoutMean(_ name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let kept = words.filter { !["avg", "average", "mean"].contains($0.lowercased()) }
        return kept.isEmpty || kept.count == words.count ? name : kept.joined(separator: " ")
    }
}
