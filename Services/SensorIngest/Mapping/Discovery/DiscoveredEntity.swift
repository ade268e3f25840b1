/// A sensor as a bridge announces it to Home Assistant: `homeassistant/sensor/…/config`, retained.
///
/// Both ways of announcing are read: a message a sensor, and a message a device with its `components`; long names and their abbreviations.
struct DiscoveredEntity: Hashable, Sendable {
    /// The topic of its state.
    let topic: String
    /// The way to its value within a JSON message; nil where the message is the value.
    let path: String?
    /// The name that it gives itself, where it gives one.
    let names: [String]
    let unit: String?
    let deviceClass: String?
    /// The part that names the device.
    let device: String?
    /// Its other names: its device's identifiers, addresses and name, and its own.
    let identifiers: [String]
    /// The reason why its value cannot be found by a path; nil where it can.
    let objection: String?

    /// The sensors that a message announces; empty where it announces none.
    static func read(_ payload: [UInt8], topic: String) -> [DiscoveredEntity] {
        let levels = topic.split(separator: "/")
        guard levels.count >= 3, levels.last == "config", let document = try? MappingFormat.json.read(payload, columns: [], separator: ",")
        else {
            return []
        }
        let component = levels.count >= 4 ? levels[levels.count - (levels.count > 4 ? 4 : 3)] : levels[levels.count - 2]
        let base = document["~"]?.text
        if let parts = document.first("components", "cmps"), case .object(let members) = parts {
            return members.compactMap { member in
                guard member.value.first("platform", "p")?.text == "sensor" else { return nil }
                let inherited = document.first("state_topic", "stat_t")?.text
                return entity(member.value, of: document, base: base, inherited: inherited, name: member.key.text)
            }
        }
        guard component == "sensor" || levels.contains("sensor") else { return [] }
        return [entity(document, of: document, base: base, inherited: nil, name: String(levels[levels.count - 2]))].compactMap(\.self)
    }

    private static func entity(
        _ value: MappingValue, of document: MappingValue, base: String?, inherited: String?, name: String
    ) -> DiscoveredEntity? {
        guard let given = value.first("state_topic", "stat_t")?.text ?? inherited else { return nil }
        let topic =
            base.map { base in
                given.hasPrefix("~") ? base + given.dropFirst() : given.hasSuffix("~") ? given.dropLast() + base : given
            } ?? given
        let device = document.first("device", "dev")
        let template = value.first("value_template", "val_tpl")?.text
        let path = template.map { TemplatePath($0) }
        let names = [
            path?.keys.last, value.first("object_id", "obj_id")?.text, name, value["name"]?.text, value.first("unique_id", "uniq_id")?.text,
        ].compactMap(\.self)
        let addresses = (device?.first("identifiers", "ids")?.texts ?? []) + (device?.first("connections", "cns")?.texts ?? [])
        return DiscoveredEntity(
            topic: topic, path: path?.text, names: names, unit: value.first("unit_of_measurement", "unit_of_meas")?.text,
            deviceClass: value.first("device_class", "dev_cla")?.text,
            device: device?.first("name")?.text ?? device?.first("identifiers", "ids")?[0]?.text
                ?? device?.first("identifiers", "ids")?.text,
            identifiers: addresses + [device?["name"]?.text, value.first("unique_id", "uniq_id")?.text, name].compactMap(\.self),
            objection: path.flatMap { $0.isPlain ? nil : "its template \(template ?? "") computes the value" })
    }
}

/// A template that only looks a value up: `{{ value_json.body['fat'] | float }}`.
struct TemplatePath {
    private(set) var keys: [String] = []
    /// False where it does more than that.
    private(set) var isPlain = false

    init(_ template: String) {
        let inner = template.trimming("{} ").split(separator: "|").map { String($0).trimming(" ") }
        guard let first = inner.first, first.hasPrefix("value") else { return }
        let filters = inner.dropFirst().allSatisfy { Self.harmless.contains($0.prefix { $0.isLetter || $0 == "_" }.lowercased()) }
        var rest = Substring(first)
        if rest == "value" {
            isPlain = filters
            return
        }
        guard rest.hasPrefix("value_json") else { return }
        rest = rest.dropFirst("value_json".count)
        while let mark = rest.first {
            if mark == "." {
                let key = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                guard !key.isEmpty else { return }
                keys.append(String(key))
                rest = rest.dropFirst(key.count + 1)
            } else if mark == "[", let end = rest.firstIndex(of: "]") {
                let key = String(rest[rest.index(after: rest.startIndex)..<end]).trimming("'\" ")
                guard !key.isEmpty, !key.contains("["), !key.contains("(") else { return }
                keys.append(key)
                rest = rest[rest.index(after: end)...]
            } else {
                return
            }
        }
        isPlain = filters
    }

    /// As a mapping has it; nil for the message itself.
    var text: String? {
        guard !keys.isEmpty else { return nil }
        return keys.map { key in
            key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == " " } ? key : "[\"\(key)\"]"
        }.reduce("") { $0.isEmpty || $1.hasPrefix("[") ? $0 + $1 : $0 + "." + $1 }
    }

    private static let harmless: Set<String> = ["float", "int", "round", "default", "string", "is_defined"]
}

extension MappingValue {
    /// All texts in it.
    fileprivate var texts: [String] {
        if case .array(let elements) = self { return elements.prefix(16).flatMap(\.texts) }
        return [text].compactMap(\.self)
    }

    /// The member of the first of the names that is there.
    fileprivate func first(_ names: MappingKey...) -> MappingValue? { names.lazy.compactMap { self[$0] }.first { !$0.isNull } }
}

extension String {
    /// Without these characters around it.
    fileprivate func trimming(_ characters: String) -> String {
        var bare = Substring(self)
        while let first = bare.first, characters.contains(first) || first.isNewline { bare.removeFirst() }
        while let last = bare.last, characters.contains(last) || last.isNewline { bare.removeLast() }
        return String(bare)
    }
}
