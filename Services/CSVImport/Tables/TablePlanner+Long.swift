import VigilSchema

/// The columns of long tables, which their rows name.
extension TablePlanner {
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
}
