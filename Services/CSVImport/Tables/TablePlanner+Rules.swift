import VigilSchema

/// Finds the rule for each column by its header, the other headers and the file's name.
extension TablePlanner {
    /// The rule for the number after the slash in a column's cells.
    func otherHalf(of rule: ColumnRule, _ header: String) -> ColumnRule? {
        let names = [header, HeaderUnit.inBrackets(header)?.name ?? header].map(HeaderName.init)
        var second = profile.columns.first { $0.kind == .afterSlash && $0.headers.contains { names.contains(HeaderName($0)) } }
        second?.unit = rule.unit
        return second
    }

    /// The rule for a column that the file's name gives, for the rule's header or `value`.
    func ruleByFile(_ rule: ColumnRule?, _ header: String) -> ColumnRule? {
        guard let rule else { return nil }
        let headers = rule.headers.isEmpty ? ["value"] : rule.headers
        return headers.contains { HeaderName($0) == HeaderName(header) } ? rule : nil
    }

    /// The rule for a column `value` in a file whose name gives its metric.
    func ruleByFile(_ path: String) -> ColumnRule? {
        let name = TablePlanner.fileName(path)
        return profile.valueByFile.filter { name.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
    }

    /// The file's name without its folder, in lower case.
    static func fileName(_ path: String) -> String {
        (path.split { $0 == "/" || $0 == "!" }.last(where: { $0.contains(".") }) ?? Substring(path)).lowercased()
    }

    /// The rule for a column without a rule: its own name, in the unit of its header. A suffix in brackets that is no
    /// unit, such as `(Pen)`, is a part of the name.
    func otherRule(_ header: String) -> ColumnRule {
        guard let (name, unit) = HeaderUnit.inBrackets(header), HeaderUnit.isUnit(unit), let metric = HeaderName.metricName(name) else {
            return ColumnRule([header])
        }
        if let definition = catalogue.definition(for: metric) {
            let fits =
                TablePlanner.fitting(unit, definition) != nil && MetricCatalogue.ambiguity(of: metric) == nil && !isOtherwise(definition)
            // A share of what the catalogue knows as a mass is another metric and keeps its unit.
            return fits
                ? ColumnRule([header], metric: definition.name, unit: unit)
                : ColumnRule([header], metric: HeaderName.metricName(header), unit: unit)
        }
        // A duration is never measured in metres.
        let isTime = ["duration", "dauer", "durée", "duración", "durata"].contains { name.lowercased().contains($0) }
        let isPace = ["min/km", "min/mi", "min/mile"].contains(unit.lowercased())
        return ColumnRule([header], metric: metric, unit: isTime && unit == "m" ? "min" : unit, kind: isPace ? .pace : .automatic)
    }

    /// Headers without a meaning. Equal headers in files of one folder would be taken for the same metric.
    private static let silentHeaders: Set<HeaderName> = Set(
        [
            "value", "values", "data", "data value", "result", "results", "reading", "readings", "measurement", "measure", "amount", "qty",
            "quantity", "numeric value", "valuenum", "average", "avg", "mean", "wert", "werte", "messwert", "ergebnis",
            "valor", "valores", "resultado", "medida", "valeur", "résultat", "mesure", "valore", "risultato", "waarde", "värde", "verdi",
            "værdi", "arvo", "değer", "wartość", "hodnota", "значение", "値", "数值", "pas", "tas", "pad", "tad",
        ].map(HeaderName.init))

    /// Returns whether a header leaves the metric open, in any table or in files of makers that call every value so. A
    /// profile of the user may keep it.
    func saysNothing(_ header: String) -> Bool {
        guard profile.name == BuiltIn.generic.name || !profile.valueByFile.isEmpty else { return false }
        let name = HeaderUnit.inBrackets(header)?.name ?? header
        return TablePlanner.silentHeaders.contains(HeaderName(header)) || TablePlanner.silentHeaders.contains(HeaderName(name))
    }

    /// The first rule for each header that applies next to the other columns.
    var rulesByHeader: [HeaderName: ColumnRule] {
        var rules: [HeaderName: ColumnRule] = [:]
        for rule in profile.columns where holds(rule) {
            for header in rule.headers where rules[HeaderName(header)] == nil { rules[HeaderName(header)] = rule }
        }
        return rules
    }

    /// The rule for a column without a rule; nil: such columns are left out.
    func ruleForOther(_ place: Int) -> ColumnRule? {
        guard profile.otherColumns == .keep else { return nil }
        var rule = otherRule(header[place])
        rule.metric = rule.metric ?? metricName(place)
        return rule
    }

    func rule(_ header: String, _ rules: [HeaderName: ColumnRule]) -> ColumnRule? {
        let found = rules[HeaderName(header)] ?? ruleWithUnit(header, rules) ?? ruleByCatalogue(header)
        guard let metric = options.metric(of: header) else { return found }
        // The unit may still be in the header.
        return ColumnRule([header], metric: metric, unit: found?.unit ?? HeaderUnit.inBrackets(header)?.unit)
    }

    /// Returns whether no other column gives the header another meaning, and one gives it this one if the rule requires
    /// it.
    func holds(_ rule: ColumnRule) -> Bool {
        let stands = { (word: String) in header.contains { HeaderName($0).hasPrefix(HeaderName(word)) } }
        return !rule.unlessBeside.contains(where: stands) && (rule.onlyBeside.isEmpty || rule.onlyBeside.contains(where: stands))
    }

    /// The rule for `Weight (lb)`, if there is one for `weight` and the unit fits its metric.
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

    /// The rule for a header that is a metric's name, or that can mean nothing else: `Muscle Mass (kg)`.
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

    /// Returns whether other columns give the metric's usual names another meaning: a weight next to repetitions was
    /// lifted.
    private func isOtherwise(_ definition: MetricDefinition) -> Bool {
        profile.columns.contains { $0.metric == definition.name && !holds($0) }
    }

    /// Whether the table has the generic profile, and its columns are known by their words only.
    private var isOfAnyTable: Bool { profile.name == BuiltIn.generic.name }

    private func unitCandidates(_ header: String) -> [(name: String, unit: String)] {
        (HeaderUnit.inBrackets(header).map { [$0] } ?? []) + HeaderUnit.atEnd(header)
    }

    /// The unit of a metric that a header names; nil: they do not fit.
    private static func fitting(_ unit: String, _ definition: MetricDefinition) -> String? {
        let unit = unit == "count" && definition.kind == .total ? definition.unit : HeaderUnit.ofRate(unit, definition)
        return UnitConversion.from(unit, to: definition) == nil ? nil : unit
    }

    /// A header, and the header without words that only mean "measured".
    private static func names(_ header: String) -> [String] {
        let mean = withoutMean(header), bare = withoutFillers(header)
        return [header] + (mean == header ? [] : [mean]) + (bare == header || bare == mean ? [] : [bare])
    }

    private static func withoutFillers(_ name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let kept = words.filter { !Vocabulary.fillers.contains(HeaderName(String($0))) }
        return kept.isEmpty || kept.count == words.count ? name : kept.joined(separator: " ")
    }

    /// The name without a word for the mean: `Heart Rate [Avg]`, `avg_heart_rate`. Minimum and maximum are other
    /// metrics.
    static func withoutMean(_ name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let kept = words.filter { !["avg", "average", "mean"].contains($0.lowercased()) }
        return kept.isEmpty || kept.count == words.count ? name : kept.joined(separator: " ")
    }
}
