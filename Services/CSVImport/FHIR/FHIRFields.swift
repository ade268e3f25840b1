import VigilSchema

/// The identity of an Observation in Vigil's own exports, `participant|metric|source|microseconds|seq` and further
/// named parts.
struct FHIRIdentity {
    private(set) var participant: String
    private(set) var metric: String
    private(set) var source: String
    private(set) var time: ParsedTime?
    private(set) var sequence: Int32
    private(set) var interval: Int32?
    private(set) var session: String?

    /// Nil if the resource has none.
    init?(_ resource: JSONNode) {
        guard let text = resource["identifier"]?.elements.first(where: { $0["system"]?.text == "urn:vigil:observation" })?["value"]?.text
        else {
            return nil
        }
        // A source may contain the separator; the resource has it once more.
        var parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        if let device = resource.at("device", "display")?.text, device.contains("|"), parts.count >= 5 {
            let length = device.split(separator: "|", omittingEmptySubsequences: false).count
            guard parts.count >= 4 + length else { return nil }
            parts.replaceSubrange(2..<2 + length, with: [device])
        }
        guard parts.count >= 5, let micros = Int64(parts[3]), let sequence = Int32(parts[4]) else { return nil }
        (participant, metric, source) = (parts[0], parts[1], parts[2])
        time = ParsedTime(microseconds: micros)
        self.sequence = sequence
        interval = parts.count > 5 ? Int32(parts[5]) : nil
        session = resource["identifier"]?.elements.first { $0["system"]?.text == "urn:vigil:session" }?["value"]?.text
    }
}

/// A CodeableConcept.
struct FHIRCode {
    private let node: JSONNode?

    init(_ node: JSONNode?) { self.node = node }

    var codings: [JSONNode] { node?["coding"]?.elements ?? [] }

    /// The metric: by a known code, else by the concept's name.
    var metric: String? {
        for coding in codings { if let metric = coding["code"]?.text.flatMap(PublicCodes.metric(code:)) { return metric } }
        guard let name else { return nil }
        return PublicCodes.metric(description: name) ?? HeaderName.metricName(name)
    }

    /// The text, else the first code.
    var name: String? {
        let display = node?["text"]?.text ?? codings.lazy.compactMap { $0["display"]?.text }.first
        return display ?? codings.first?["code"]?.text
    }

    /// The codes by the usual names of their systems.
    var codes: [String: [String]]? {
        var codes: [String: [String]] = [:]
        for coding in codings {
            guard let code = coding["code"]?.text else { continue }
            let system = coding["system"]?.text ?? "code"
            let own = "urn:vigil:codes:"
            let name = FHIRCode.systems[system] ?? (system.hasPrefix(own) ? String(system.dropFirst(own.count)) : system)
            codes[name, default: []].append(code)
        }
        return codes.isEmpty ? nil : codes
    }

    private static let systems = [
        "http://snomed.info/sct": "SNOMED-CT", "http://loinc.org": "LOINC", "http://hl7.org/fhir/sid/icd-10-cm": "ICD-10-CM",
        "http://hl7.org/fhir/sid/icd-10": "ICD-10", "http://hl7.org/fhir/sid/icd-9-cm": "ICD-9-CM", "http://hl7.org/fhir/sid/cvx": "CVX",
        "http://www.nlm.nih.gov/research/umls/rxnorm": "RxNorm", "http://www.ama-assn.org/go/cpt": "CPT",
    ]
}

/// The value of an Observation or of one of its components.
struct FHIRValue {
    let content: Observation.Content
    let unit: String

    /// Nil if there is no usable value; `objection` says why. A value with only a limit becomes a text: `<40`.
    /// - Parameter isOwn: whether the resource is Vigil's own.
    init?(_ node: JSONNode, isOwn: Bool = false) {
        if isOwn, let text = fhirExtension(node, "urn:vigil:text")?["valueString"]?.text {
            // A text without a letter is in quotes.
            let isQuoted = node["dataAbsentReason"] != nil && text.count >= 2
            (content, unit) = (.text(isQuoted ? String(text.dropFirst().dropLast()) : text), node.at("valueQuantity", "unit")?.text ?? "")
        } else if let sign = node.at("valueQuantity", "comparator")?.text, let value = node.at("valueQuantity", "value")?.text {
            unit = FHIRValue.unit(node["valueQuantity"], isOwn: isOwn)
            content = .text(sign + value)
        } else if let quantity = node["valueQuantity"], quantity["comparator"] == nil, let value = quantity["value"]?.number {
            content = .value(value)
            unit = FHIRValue.unit(quantity, isOwn: isOwn)
        } else if let value = node["valueInteger"]?.number ?? node["valueDecimal"]?.number {
            (content, unit) = (.value(value), "")
        } else if let flag = node["valueBoolean"]?.text {
            (content, unit) = (.value(flag == "true" ? 1 : 0), "")
        } else if let text = node["valueString"]?.text ?? FHIRCode(node["valueCodeableConcept"]).name ?? node["valueDateTime"]?.text {
            (content, unit) = (.text(text), "")
        } else if let samples = node["valueSampledData"],
            let block = FHIRValue.samples(samples, period: fhirExtension(node, "urn:vigil:period")?["valueDecimal"]?.number)
        {
            content = block
            unit = FHIRValue.unit(samples["origin"], isOwn: isOwn)
        } else {
            return nil
        }
    }

    /// The UCUM code; for Vigil's own resources the stored unit.
    private static func unit(_ quantity: JSONNode?, isOwn: Bool) -> String {
        let (code, unit) = (quantity?["code"]?.text, quantity?["unit"]?.text)
        return (isOwn ? unit ?? code : code ?? unit) ?? ""
    }

    static func objection(_ node: JSONNode) -> String {
        if node["valueSampledData"] != nil { return "its samples have several dimensions, or marks in place of numbers" }
        return node["dataAbsentReason"] == nil ? "it has no value" : "it says that its value is absent"
    }

    private static func samples(_ node: JSONNode, period exact: Double?) -> Observation.Content? {
        guard let period = node["period"]?.number, period > 0, (node["dimensions"]?.number ?? 1) == 1, let text = node["data"]?.text else {
            return nil
        }
        let origin = node.at("origin", "value")?.number ?? 0, factor = node["factor"]?.number ?? 1
        var values: [Double] = []
        for part in text.split(separator: " ") {
            guard let value = Double(decimal: part) else { return nil }
            values.append(origin + factor * value)
        }
        return values.isEmpty ? nil : .samples(values, period: exact ?? period / 1000)
    }
}

/// Finds one of Vigil's own extensions; nil: none of that name.
func fhirExtension(_ node: JSONNode, _ url: String) -> JSONNode? {
    node["extension"]?.elements.first { $0["url"]?.text == url }
}

/// The fields of a resource that becomes an entry.
struct FHIREntry {
    private let node: JSONNode
    let kind: TimelineEntry.Kind

    init(_ node: JSONNode, _ kind: TimelineEntry.Kind) {
        self.node = node
        self.kind = kind
    }

    /// The kind of entry for a resource; nil: it becomes none.
    static func kind(of type: String) -> TimelineEntry.Kind? {
        switch type {
        case "Condition": .condition
        case "AllergyIntolerance": .allergy
        case "MedicationStatement", "MedicationRequest", "MedicationAdministration": .medication
        case "Immunization": .immunization
        case "Procedure": .procedure
        case "Encounter": .encounter
        case "DiagnosticReport": .result
        case "CarePlan": .regimen
        case "Communication": .note
        default: nil
        }
    }

    /// Returns whether an Observation is one of Vigil's entries: a finding or a note.
    static func isEntry(_ node: JSONNode) -> Bool { own("entry", node) != nil }

    static func kind(ofObservation node: JSONNode) -> TimelineEntry.Kind {
        node.at("code", "text")?.text == "Note" && node.at("code", "coding") == nil ? .note : .result
    }

    /// The entry's own id in Vigil's exports, else the resource's id after its kind, because ids are unique within a
    /// type only.
    var id: String {
        if let own = own("entry", node)?.split(separator: "|").last.map(String.init), Name.isValid(own) { return own }
        let id = "\(kind.rawValue)-\(node["id"]?.text ?? String(ContentDigest.of(node.json).prefix(24)))"
        return Name.isValid(id) ? id : "\(kind.rawValue)-\(ContentDigest.of(id).prefix(24))"
    }

    private var code: FHIRCode {
        let names = ["code", "vaccineCode", "medicationCodeableConcept", "type", "category", "reasonCode"]
        let found = names.lazy.compactMap { node[$0] }.first { $0.isObject || !$0.elements.isEmpty }
        return FHIRCode(found.flatMap { $0.isObject ? $0 : $0.elements.first })
    }

    var description: String? {
        if kind == .note, node["resourceType"]?.text == "Observation" { return node["valueString"]?.text }
        return code.name ?? node.at("medicationReference", "display")?.text ?? node["title"]?.text ?? node.at("class", "display")?.text
    }

    var codes: [String: [String]]? { code.codes }

    var starts: String? {
        let names = ["onsetDateTime", "effectiveDateTime", "occurrenceDateTime", "performedDateTime", "authoredOn", "sent"]
        let periods = ["onsetPeriod", "effectivePeriod", "performedPeriod", "period"]
        return names.lazy.compactMap { node[$0]?.text }.first ?? periods.lazy.compactMap { node.at($0, "start")?.text }.first
            ?? node["recordedDate"]?.text ?? node["dateAsserted"]?.text ?? node["issued"]?.text
    }

    var ends: String? {
        node["abatementDateTime"]?.text
            ?? ["effectivePeriod", "performedPeriod", "period", "onsetPeriod"].lazy.compactMap { node.at($0, "end")?.text }.first
    }

    var detail: String? {
        var parts = node["note"]?.elements.compactMap { $0["text"]?.text } ?? []
        parts += node["dosage"]?.elements.compactMap { $0["text"]?.text } ?? []
        parts += node["dosageInstruction"]?.elements.compactMap { $0["text"]?.text } ?? []
        parts += node["reaction"]?.elements.flatMap { $0["manifestation"]?.elements.compactMap { FHIRCode($0).name } ?? [] } ?? []
        return parts.isEmpty ? nil : parts.joined(separator: "; ").kept(characters: 4000)
    }

    var value: Double? { node.at("valueQuantity", "value")?.number }
    var unit: String? { node.at("valueQuantity", "code")?.text }
    var text: String? {
        kind == .note ? nil : node["valueString"]?.text ?? node["conclusion"].flatMap { $0.text.map { $0.kept(characters: 500) } }
    }
}

/// The value of one of Vigil's own identifiers.
private func own(_ name: String, _ node: JSONNode) -> String? {
    node["identifier"]?.elements.first { $0["system"]?.text == "urn:vigil:\(name)" }?["value"]?.text
}
