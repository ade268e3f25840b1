import VigilSchema

/// A unit in a column's header, `Weight (lb)`, `glucose_mg_dl` or `Temp, °F`, and in the row of units below one.
enum HeaderUnit {
    /// The header without its unit, and the unit in UCUM; nil where it names none in brackets.
    static func inBrackets(_ header: String) -> (name: String, unit: String)? {
        guard let open = header.lastIndex(where: { $0 == "(" || $0 == "[" }), open > header.startIndex else { return nil }
        let inner = header[header.index(after: open)...].prefix { $0 != ")" && $0 != "]" }
        let unit = String(inner).trimmed
        guard !unit.isEmpty, unit.utf8.count <= 20 else { return nil }
        return (String(header[..<open]).trimmed, canonical(unit) ?? unit)
    }

    /// The ways in which the end of a header may be a unit: `glucose_mg_dl` as `glucose` in `mg/dL`.
    static func atEnd(_ header: String) -> [(name: String, unit: String)] {
        let words = header.split { " _-,/:.".contains($0) }.map(String.init)
        var found: [(name: String, unit: String)] = []
        for count in [2, 1] where words.count > count {
            guard let unit = canonical(words.suffix(count).joined(separator: "/")) else { continue }
            found.append((words.dropLast(count).joined(separator: " "), unit))
        }
        return found
    }

    /// The units of a row that stands below the header, by column; nil where it is no such row: it has a number, or a text that is no unit.
    static func row(_ cells: [String]) -> [String]? {
        var units: [String] = []
        var known = 0, others = 0
        for cell in cells {
            let text = String(cell.trimmed.drop { $0 == "(" || $0 == "[" }.prefix { $0 != ")" && $0 != "]" })
            if text.isEmpty || text == "-" {
                units.append("")
            } else if let unit = canonical(text) {
                units.append(unit)
                known += 1
            } else if text.contains(where: \.isNumber) || text.count > 24 {
                return nil
            } else {
                // Names of time formats and the like say nothing of a unit.
                units.append("")
                others += 1
            }
        }
        return known > others ? units : nil
    }

    /// The unit of a count or a score, however the file calls what is counted, as the metric's own; nil for a unit that measures.
    static func bare(_ unit: String, for definition: MetricDefinition) -> String? {
        guard definition.unit == "1" || definition.unit.hasPrefix("{") else { return nil }
        return unit == "1" || unit.hasPrefix("{")
            || ["count", "counts", "score", "points", "n", "steps", "floors"].contains(unit.lowercased()) ? definition.unit : nil
    }

    /// Returns whether what stands in brackets behind a name can be a unit: one that is known, or one that is written like one, `nmol/L`.
    static func isUnit(_ text: String) -> Bool {
        if canonical(text) != nil || Set(spellings.values).contains(text) { return true }
        return !text.contains(where: { $0 == " " || $0 == "," || $0 == ":" }) && text.contains { "/%°^*[·".contains($0) }
    }

    /// The UCUM unit of a spelling, upper and lower case alike; nil for a text that is no unit which is met in health files.
    static func canonical(_ text: String) -> String? {
        let key = text.trimmed.lowercased().replacing("º", with: "°").replacing("μ", with: "µ").replacing(" ", with: "")
        return spellings[key]
    }

    private static let spellings: [String: String] = {
        let rows: [(String, String)] = [
            ("kg", "kg kgs kilogram kilograms kilo kilos"), ("g", "g gram grams gramm"), ("[lb_av]", "lb lbs pound pounds [lb_av]"),
            ("[stone_av]", "st stone stones [stone_av]"), ("cm", "cm centimeter centimeters centimetre centimetres"),
            ("m", "m meter meters metre metres"), ("mm", "mm millimeter millimeters"), ("[in_i]", "in inch inches [in_i]"),
            ("[ft_i]", "ft foot feet [ft_i]"), ("km", "km kilometer kilometers kilometre kilometres"), ("[mi_i]", "mi mile miles [mi_i]"),
            ("kcal", "kcal cal calories calorie kilocalories kilokalorien"), ("kJ", "kj kilojoule kilojoules"),
            ("mg/dL", "mg/dl mgdl mg%"), ("mmol/L", "mmol/l mmoll mmol"), ("Cel", "c °c ℃ degc celsius cel gradcelsius degreescelsius"),
            ("[degF]", "f °f ℉ degf fahrenheit [degf] degreesfahrenheit"),
            ("/min", "bpm /min 1/min beats/min brpm breaths/min count/min rpm beatsperminute min-1 回/分 拍/分"),
            ("mm[Hg]", "mmhg mm[hg]"), ("kPa", "kpa"), ("ms", "ms msec millisecond milliseconds"), ("s", "s sec secs second seconds sek"),
            ("min", "min mins minute minutes minuten"), ("h", "h hr hrs hour hours std"), ("%", "% percent pct prozent"),
            ("uS", "µs μs us microsiemens"), ("mV", "mv"), ("uV", "µv μv uv"), ("km/h", "km/h kmh kph"), ("m/s", "m/s"),
            ("[mi_i]/h", "mph"),
            ("mL", "ml milliliter milliliters"), ("L", "l liter liters litre litres"), ("mg", "mg"), ("ug", "µg μg ug mcg"), ("[iU]", "iu"),
            ("{steps}", "steps"), ("{floors}", "floors"), ("W", "w watt watts"), ("kg/m2", "kg/m2 kg/m² kg/m^2"), ("g/L", "g/l"),
            ("d", "d day days"),
        ]
        return Dictionary(rows.flatMap { row in row.1.split(separator: " ").map { (String($0), row.0) } }) { first, _ in first }
    }()
}
