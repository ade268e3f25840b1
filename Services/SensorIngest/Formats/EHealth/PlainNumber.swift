import VigilSchema

/// Decimal numbers in plain text.
enum PlainNumber {
    /// Whether the byte may stand in a decimal number; keeps out `nan`, `inf` and hexadecimal, which `Double` would take.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }

    /// The finite number that the bytes hold, blanks around it left aside; nil where they hold none.
    static func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
        let text = String(decoding: bytes, range)
        let bare = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        let word = String(bare)
        guard !word.isEmpty, word.utf8.allSatisfy(isAllowed), let value = Double(word), value.isFinite else { return nil }
        return value
    }
}
