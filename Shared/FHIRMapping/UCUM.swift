/// Units as UCUM writes them (https://ucum.org/ucum): FHIR takes no other codes.
package enum UCUM {
    /// The code of a unit, or nil where there is none: then a quantity names its unit in words only.
    package static func code(_ unit: String) -> String? {
        if let known = spellings[unit] { return known }
        if isValid(unit) { return unit }
        // As people write it, what stands behind a stroke is all below it: `mL/min·kg` is `mL/(min.kg)`.
        var text = unit
        for sign in ["·", "⋅", "*"] { text = text.replacing(sign, with: ".") }
        if let stroke = text.firstIndex(of: "/"), text[stroke...].contains(".") {
            text = text[..<stroke] + "/(" + text[text.index(after: stroke)...] + ")"
        }
        return isValid(text) ? text : nil
    }

    /// Spellings that are common, and are not UCUM's or mean something else there.
    private static let spellings = [
        "bpm": "/min", "count/min": "/min", "count": "{count}", "°C": "Cel", "degC": "Cel", "°F": "[degF]", "degF": "[degF]",
        "mmHg": "mm[Hg]",
        "lb": "[lb_av]", "oz": "[oz_av]", "mi": "[mi_i]", "ft": "[ft_i]", "in": "[in_i]", "µS": "uS", "µV": "uV", "µg": "ug", "Ω": "Ohm",
        "dBASPL": "dB[SPL]", "Cal": "kcal", "hr": "h", "sec": "s", "IU": "[iU]", "fl_oz_us": "[foz_us]", "fl_oz_imp": "[foz_br]",
    ]

    /// Returns whether a text is a UCUM term of units that are used in medicine.
    package static func isValid(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        var parser = Parser(rest: text[...])
        return parser.term() && parser.rest.isEmpty
    }

    private struct Parser {
        var rest: Substring

        mutating func term() -> Bool {
            if take("/") {
                guard component() else { return false }
            } else if !component() {
                return false
            }
            while rest.first == "." || rest.first == "/" {
                rest.removeFirst()
                guard component() else { return false }
            }
            return true
        }

        private mutating func component() -> Bool {
            if take("(") { return term() && take(")") }
            if rest.first == "{" { return annotation() }
            if !unit(), !number() { return false }
            return rest.first == "{" ? annotation() : true
        }

        private mutating func annotation() -> Bool {
            guard take("{"), let end = rest.firstIndex(of: "}"), !rest[..<end].contains("{") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }

        private mutating func number() -> Bool {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest[digits.endIndex...]
            return !digits.isEmpty
        }

        /// An atom, with a prefix where it is metric, and an exponent.
        private mutating func unit() -> Bool {
            // The longest spelling wins: `min` is no `m` with an `in`.
            let end = rest.firstIndex { "./(){".contains($0) } ?? rest.endIndex
            var symbol = rest[..<end]
            if UCUM.isAtom(symbol) {
                rest = rest[end...]
                return true
            }
            let exponent = symbol.reversed().prefix { $0.isASCII && $0.isNumber }.count
            guard exponent > 0 else { return false }
            symbol = symbol.dropLast(exponent)
            if symbol.last == "-" || symbol.last == "+" { symbol = symbol.dropLast() }
            guard UCUM.isAtom(symbol) else { return false }
            rest = rest[end...]
            return true
        }

        private mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }
    }

    private static func isAtom(_ symbol: Substring) -> Bool {
        if metric.contains(String(symbol)) || plain.contains(String(symbol)) { return true }
        return prefixes.contains { symbol.hasPrefix($0) && metric.contains(String(symbol.dropFirst($0.count))) }
    }

    private static let prefixes = ["da", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "u", "n", "p", "f", "a", "z", "y"]
    private static let metric: Set<String> = [
        "m", "s", "g", "rad", "K", "C", "cd", "mol", "sr", "Hz", "N", "Pa", "J", "W", "A", "V", "F", "Ohm", "S", "Wb", "Cel", "T", "H",
        "lm",
        "lx", "Bq", "Gy", "Sv", "l", "L", "ar", "t", "bar", "u", "eV", "cal", "m[Hg]", "m[H2O]", "eq", "osm", "kat", "U", "[iU]", "[IU]",
        "B", "B[SPL]", "B[V]", "Np", "bit", "By", "Bd", "st", "g%", "[arb'U]", "Lmb", "P", "dyn", "erg",
    ]
    private static let plain: Set<String> = [
        "10*", "10^", "[pi]", "%", "[ppth]", "[ppm]", "[ppb]", "min", "h", "d", "wk", "mo", "a", "a_j", "mo_j", "deg", "'", "''", "gon",
        "[in_i]", "[ft_i]", "[yd_i]", "[mi_i]", "[nmi_i]", "[kn_i]", "[lb_av]", "[oz_av]", "[st_av]", "[gr]", "[foz_us]", "[pt_us]",
        "[cup_us]", "[tbs_us]", "[tsp_us]", "[foz_br]", "[degF]", "[Cal]", "[pH]", "[g]", "atm", "[psi]", "[drp]", "[diop]", "[MET]",
        "[HPF]", "[LPF]", "[CFU]", "[PFU]",
    ]
}
