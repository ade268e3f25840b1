/// Texts that strangers chose, on a terminal.
extension String {
    /// The text with everything that a terminal would not print but obey written out: control characters, also those of ISO 6429's upper half, and
    /// what turns the direction of writing.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isObeyed) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if Self.isObeyed(scalar) { result.append(contentsOf: Self.escape(scalar).unicodeScalars) } else { result.append(scalar) }
        }
        return String(result)
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }
}
