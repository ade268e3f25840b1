import VigilSchema

/// A patient record of hReader: sections of items, all optional. A member of an unexpected type is reported and
/// skipped.
struct HReaderDocument {
    let first: String?
    let last: String?
    let gender: String?
    let birthdate: LenientScalar?
    private let root: JSONNode

    /// Nil for anything but an object.
    init?(_ root: JSONNode) {
        guard root.isObject else { return nil }
        self.root = root
        first = root["first"]?.text
        last = root["last"]?.text
        gender = root["gender"]?.text
        birthdate = root["birthdate"].map(LenientScalar.init)
    }

    /// The names of sections whose items are imported.
    static let sections = [
        "allergies", "conditions", "encounters", "immunizations", "medications", "procedures", "results", "social_history", "vital_signs",
    ]

    /// Whether it has any of them, or names the patient.
    var isRecord: Bool { HReaderDocument.sections.contains { root[$0] != nil } || first != nil || birthdate != nil }

    /// The items of a section; nil: it is no list; empty: it is missing.
    func items(_ section: String) -> [JSONNode]? {
        switch root[section] {
        case nil, .null?: []
        case .array(let items)?: items
        default: nil
        }
    }
}

/// One item of a patient record, of any section.
struct HReaderItem {
    private(set) var id: String?
    private(set) var description: String?
    private(set) var codes: [String: [String]]?
    private(set) var time: LenientScalar?
    private(set) var startTime: LenientScalar?
    private(set) var endTime: LenientScalar?
    private(set) var scalar: LenientScalar?
    private(set) var units: String?
    private(set) var freeText: String?
    private(set) var reaction: String?
    private(set) var severity: String?
    /// Members of an unexpected type.
    private(set) var odd: [String] = []

    /// Nil for anything but an object.
    init?(_ node: JSONNode) {
        guard node.isObject else { return nil }
        id = text(node, "_id")
        description = text(node, "description")
        codes = codes(node["codes"])
        time = scalar(node, "time")
        startTime = scalar(node, "start_time")
        endTime = scalar(node, "end_time")
        freeText = text(node, "freeTextSig")
        reaction = text(node, "reaction")
        severity = text(node, "severity")
        switch node["value"] {
        case nil, .null?: break
        case .object?:
            scalar = node.at("value", "scalar").map(LenientScalar.init)
            units = node.at("value", "units")?.text
        default: odd.append("value")
        }
    }

    /// A text, also from an object that describes itself.
    private mutating func text(_ node: JSONNode, _ name: String) -> String? {
        switch node[name] {
        case nil, .null?: return nil
        case .string(let text)?, .literal(let text)?: return text
        case .object?:
            if let text = node.at(name, "description")?.text ?? node.at(name, "text")?.text ?? node.at(name, "$oid")?.text { return text }
        default: break
        }
        odd.append(name)
        return nil
    }

    private mutating func scalar(_ node: JSONNode, _ name: String) -> LenientScalar? {
        switch node[name] {
        case nil, .null?: return nil
        case .string?, .literal?: return node[name].map(LenientScalar.init)
        default:
            odd.append(name)
            return nil
        }
    }

    private mutating func codes(_ node: JSONNode?) -> [String: [String]]? {
        guard let node, node != .null else { return nil }
        guard case .object(let members) = node else {
            odd.append("codes")
            return nil
        }
        var codes: [String: [String]] = [:]
        for member in members { codes[member.name] = member.value.text.map { [$0] } ?? member.value.elements.compactMap(\.text) }
        return codes
    }
}

/// A JSON scalar as in real records: numbers may be strings, and anything may be null.
struct LenientScalar: Hashable {
    /// The number, also from a string; nil: none.
    let number: Double?
    /// The text, if it is no number.
    let text: String?

    init(_ node: JSONNode) {
        let trimmed = node.text?.trimmed ?? ""
        number = Double(decimal: trimmed)
        text = number == nil && !trimmed.isEmpty ? node.text : nil
    }
}
