/// Numbers as people and programs write them down: decimal digits, a sign, a point, an exponent.
package enum DecimalText {
    /// Returns whether the byte may stand in a decimal number.
    @inline(__always)
    package static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }

    /// Returns whether all of the text may stand in a decimal number.
    package static func isPossible(_ text: Substring) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isPart) }
}

extension Double {
    /// The finite number that a text spells in decimal digits; nil for `0x1F`, `inf`, `nan` and `1e999`, which `Double.init` takes.
    package init?(decimal text: Substring) {
        guard DecimalText.isPossible(text), let number = Double(text), number.isFinite else { return nil }
        self = number
    }

    /// The finite number that a text spells in decimal digits.
    package init?(decimal text: String) { self.init(decimal: text[...]) }
}
