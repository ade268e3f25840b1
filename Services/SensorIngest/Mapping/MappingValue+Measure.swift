import VigilSchema

extension MappingValue {
    /// The key under which a record finds the one around it.
    static let parentKey: MappingKey = "parent"

    /// A number and the unit behind it, where a text has one: `36.6 °C`, `98%`.
    var measure: (number: Double, unit: String)? {
        if let number { return (number, "") }
        // Most texts are none, and every one is asked.
        guard case .string(let text) = self, let first = text.utf8.first, (0x2B...0x39).contains(first) else { return nil }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
        let unit = text[digits.endIndex...].drop { $0 == " " }
        guard let first = unit.first, first.isLetter || "%°µμº{".contains(first) || unit.hasPrefix("/min") else { return nil }
        return MappingValue.string(String(digits)).number.map { ($0, String(unit)) }
    }

    /// The number of a metric's reading and its unit. True and false are one only of a metric that says yes or no.
    func measure(of metric: String) -> (number: Double, unit: String)? {
        if case .boolean = self {
            let definition = MetricCatalogue.standard.definition(for: metric)
            guard definition == nil || definition?.unit == "1" && definition?.plausible == 0...1 else { return nil }
        }
        return measure
    }

    func with(parent: MappingValue) -> MappingValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != Self.parentKey } + [Member(key: Self.parentKey, value: parent)])
    }
}

extension Name {
    /// A name that may stand in a topic, made of any text: every other character becomes `-`.
    static func valid(_ text: String) -> String {
        if isValid(text) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(maximumLength)
        for byte in text.utf8 {
            // Every scalar begins with a byte that is none of these: what follows it is left out.
            if byte & 0xC0 == 0x80 { continue }
            guard bytes.count < maximumLength else { break }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                bytes.append(byte)
            default: bytes.append(UInt8(ascii: "-"))
            }
        }
        return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
    }
}
