import VigilSchema

/// Units that are not as a mapping takes them to be.
extension MappingRun {
    /// Refuses a glucose that may be in either unit: 12.5 mg/dL is a danger of death, and 12.5 mmol/L far too much.
    func checkUnit(_ unit: String, of metric: String, _ content: Observation.Content) throws(PayloadError) {
        guard unit.isEmpty, case .value(let number) = content, (10..<36).contains(number),
            MetricCatalogue.standard.definition(for: metric)?.name.hasPrefix("blood-glucose") == true
        else { return }
        let reason = "a glucose between 10 and 36 without its unit may be in mg/dL or in mmol/L"
        throw PayloadError(.unknownUnit, reason + ": send the unit beside it, or say which in a mapping")
    }

    /// The reason why a record's own word for the unit speaks against the one that the mapping declares; nil where none does.
    func conflict(of reading: Mapping.Reading, _ metric: String, in scope: MappingExpression.Scope) -> String? {
        guard case .constant(let declared)? = reading.unit?.origin, reading.unit?.table == nil, let own = scope.record.givenUnit,
            mapping.recordKeys.isDisjoint(with: ["unit", "units", "Unit", "Units", "uom", "unit_of_measurement"]),
            let definition = MetricCatalogue.standard.definition(for: metric), let spelled = UnitsBeside.spelled(own, for: definition),
            UnitConversion.from(spelled, to: definition) != UnitConversion.from(declared, to: definition)
        else { return nil }
        return "the record names the unit \"\(own.prefix(32))\", and the mapping \(mapping.name) takes the \(metric) for \(declared)"
    }
}
