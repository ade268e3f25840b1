import VigilSchema

/// How SenML names become metrics.
enum SenMLName {
    /// RFC 8428, section 4.5.1.
    static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, isAlphanumeric(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isAlphanumeric(byte) || byte == 0x2D || byte == 0x3A || byte == 0x2E || byte == 0x2F || byte == 0x5F
        }
    }

    /// The metric that a name means: the name itself where the catalogue has it, else what stands behind its last slash or
    /// colon (`urn:dev:ow:10e2073a01080063:heart-rate`), else behind its last underscore (RFC 9039 puts a device's parts there).
    static func metric(of name: String, in catalogue: MetricCatalogue) -> String {
        if catalogue.definition(named: name) != nil { return name }
        let segment = name.split { $0 == "/" || $0 == ":" }.last ?? ""
        let part = segment.split(separator: "_", omittingEmptySubsequences: false).last.map(String.init)
        guard catalogue.definition(named: String(segment)) == nil, let part, catalogue.definition(named: part) != nil else {
            return String(segment)
        }
        return part
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
