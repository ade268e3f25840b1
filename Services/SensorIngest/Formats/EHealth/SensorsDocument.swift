import VigilSchema

/// The envelope of an e-Health server's document.
enum SensorsDocument {
    /// Whether the key is `Sensors`, in any case.
    static func isEnvelope(_ key: RawString, _ bytes: Span<UInt8>) -> Bool {
        let word: [UInt8] = Array("sensors".utf8)
        guard !key.isEscaped, key.range.count == word.count else { return false }
        return word.indices.allSatisfy { bytes[key.range.lowerBound + $0] | 0x20 == word[$0] }
    }

    /// The sensors in a document: what stands under `Sensors`, else the document itself where that is allowed.
    static func sensors(_ document: JSONTree, requiresEnvelope: Bool) -> (path: String, members: [JSONTree.Member])? {
        guard case .object(let members) = document.content else { return nil }
        if let envelope = members.first(where: { $0.key.lowercased() == "sensors" }) {
            guard case .object(let sensors) = envelope.value.content else { return nil }
            return ("$.\(envelope.key)", sensors)
        }
        return requiresEnvelope ? nil : ("$", members)
    }
}
