import VigilSchema

/// Units that are not as a mapping takes them to be.
extension MappingRun {
    /// A metric and the unit that stands behind its name, where both are a text of the message or its topic: `weight_lbs`, `bath/scale_weight_st`.
    func nameWithUnit(_ source: Mapping.Source, _ metric: String, in scope: MappingExpression.Scope) -> (metric: String, unit: String)? {
        guard case .expression(let expression) = source.origin, let name = expression.value(in: scope)?.text else { return nil }
        guard let definition = MetricCatalogue.standard.definition(for: metric) else {
            guard let known = KnownName(metric), let unit = known.unit else { return nil }
            return (known.metric, unit)
        }
        return KnownName.unit(endingOf: name, for: definition).map { (metric, $0) }
    }

    /// The reason why a record's own word for the unit speaks against the one that the mapping declares; nil where none does.
    func conflict(of reading: Mapping.Reading, _ metric: String, in scope: MappingExpression.Scope) -> String? {
        guard case .constant(let declared)? = reading.unit?.origin, reading.unit?.table == nil,
            let own = unit(beside: reading, in: scope.record) ?? scope.record.givenUnit,
            mapping.recordKeys.isDisjoint(with: ["unit", "units", "Unit", "Units", "uom", "unit_of_measurement"]),
            let definition = MetricCatalogue.standard.definition(for: metric), let spelled = UnitsBeside.spelled(own, for: definition),
            UnitConversion.from(spelled, to: definition) != UnitConversion.from(declared, to: definition)
        else { return nil }
        return
            "the record names the unit \"\(own.cut(characters: 32))\", and the mapping \(mapping.name) takes the \(metric) for \(declared)"
    }

    /// The unit that a record names for a reading's key alone: `weight_unit`, `weightUnit`.
    private func unit(beside reading: Mapping.Reading, in record: MappingValue) -> String? {
        guard case .expression(.member(let key))? = reading.value?.origin, reading.value?.table == nil else { return nil }
        for ending in ["_unit", "Unit", "_units", "Units"] where !mapping.recordKeys.contains(key.text + ending) {
            if case .string(let unit)? = record[MappingKey(key.text + ending)] { return unit }
        }
        return nil
    }
}
