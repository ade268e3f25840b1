import VigilSchema

/// The units of numbers without one: the code's, else the user's, else a question.
extension FHIRReader {
    /// The unit of an Observation's value: its own, or the code's, or the user's; empty: unknown.
    func unit(of value: FHIRValue, _ part: JSONNode, _ metric: String) -> String {
        if !value.unit.isEmpty { return value.unit }
        return FHIRCode(part["code"]).unit ?? options.unit(of: metric, metric: metric) ?? ""
    }

    /// Notes the numbers of a resource without a unit, if several units are usual.
    mutating func ask(_ resource: JSONNode) {
        guard resource["resourceType"]?.text == "Observation", FHIRStatus.objection(resource, "Observation") == nil,
            !FHIREntry.isEntry(resource), FHIRIdentity(resource) == nil
        else { return }
        for part in [resource] + (resource["component"]?.elements ?? []) {
            guard let value = FHIRValue(part), let number = value.number(of: part), FHIRIdentity(part) == nil,
                let metric = FHIRCode(part["code"]).metric, unit(of: value, part, metric).isEmpty,
                let definition = MetricCatalogue.standard.definition(named: metric), definition.kind == .value || definition.kind == .total,
                UnitQuestion.possibleUnits(of: definition).count > 1
            else { continue }
            let question = UnitQuestion(
                header: metric, definition: definition, assumed: definition.unit, isNamed: UnitQuestion.usualUnits(of: metric).isEmpty,
                evidence: nil)
            statistics[metric, default: UnitStatistics(question)].add(number, beside: nil)
        }
    }
}

extension FHIRValue {
    /// The number, or the number of a limit; nil for other texts and samples.
    fileprivate func number(of part: JSONNode) -> Double? {
        if case .value(let number) = content { return number }
        return part.at("valueQuantity", "comparator") == nil ? nil : part.at("valueQuantity", "value")?.number
    }
}

extension FHIRCode {
    /// The unit that the code fixes; nil: values in several units have this code.
    var unit: String? {
        let units = Set(codings.compactMap { $0["code"]?.text.flatMap(PublicCodes.unit(code:)) })
        return units.count == 1 ? units.first : nil
    }
}
