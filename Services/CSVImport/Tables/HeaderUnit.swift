import VigilSchema

/// A unit in a column's header, `Weight (lb)`, `glucose_mg_dl` or `Temp, °F`, and in the row of units below one.
enum HeaderUnit {
    /// The header without its unit, and the unit in UCUM; nil where it names none in brackets. What follows the brackets belongs to the name:
    /// `SpO2 (%) alarm limit` is no SpO2.
    static func inBrackets(_ header: String) -> (name: String, unit: String)? {
        guard let open = header.lastIndex(where: { "([（［【".contains($0) }), open > header.startIndex else { return nil }
        let inner = header[header.index(after: open)...].prefix { !")]）］】".contains($0) }
        let unit = String(inner).trimmed
        guard !unit.isEmpty, unit.utf8.count <= 40 else { return nil }
        let rest = String(header[open...].drop { !")]）］】".contains($0) }.dropFirst()).trimmed
        return (String(header[..<open]).trimmed + (rest.isEmpty ? "" : " \(rest)"), canonical(unit) ?? unit)
    }

    /// The ways in which the end of a header may be a unit: `glucose_mg_dl` as `glucose` in `mg/dL`.
    static func atEnd(_ header: String) -> [(name: String, unit: String)] {
        let words = header.split { " _-,/:.".contains($0) }.map(String.init)
        var found: [(name: String, unit: String)] = []
        for count in [2, 1] where words.count > count {
            let last = words.suffix(count).joined(separator: "/")
            guard let unit = canonical(last) ?? (rates.contains(last.lowercased()) ? last : nil) else { continue }
            var name = words.dropLast(count)
            // `Körpergewicht in kg`
            if name.count > 1, let last = name.last, ["in", "en", "em", "w", "i", "v", "в"].contains(last.lowercased()) {
                name.removeLast()
            }
            found.append((name.joined(separator: " "), unit))
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

    /// Abbreviations of beats by the minute in Spanish, Portuguese and Italian, which elsewhere are litres by the minute and parts of a million.
    private static let rates: Set<String> = ["lpm", "ppm", "bat/min", "puls/min"]

    /// The unit as it is meant of a metric that is a rate.
    static func ofRate(_ unit: String, _ definition: MetricDefinition) -> String {
        definition.unit == "/min" && rates.contains(unit.lowercased()) ? "/min" : unit
    }

    /// The UCUM unit of a spelling, upper and lower case alike; nil for a text that is no unit which is met in health files.
    static func canonical(_ text: String) -> String? {
        let key = text.trimmed.lowercased().replacing("º", with: "°").replacing("μ", with: "µ").replacing(" ", with: "")
            .replacing("\u{A0}", with: "")
        return spellings[key] ?? spellings[key.replacing(".", with: "")] ?? (isPerMinute(key) ? "/min" : nil)
    }

    /// Returns whether something is counted by the minute, however that is called: `slag/min`, `уд/мин`, `回/分`. Nobody calls it by a unit of its own.
    private static func isPerMinute(_ key: String) -> Bool {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, minutes.contains(String(parts[1])), spellings[String(parts[0])] == nil else { return false }
        return parts[0].unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0 == "." || $0.properties.generalCategory == .nonspacingMark
        }
    }

    private static let minutes: Set<String> = [
        "min", "min.", "minute", "minut", "minuut", "мин", "мин.", "хв", "dk", "dak", "分", "分钟", "分鐘", "분", "λεπτό", "मिनट",
    ]

    /// The number and the unit of a cell that has both, `120 mmHg`; nil for any other.
    static func cell(_ text: String) -> (number: String, unit: String)? {
        guard let first = text.unicodeScalars.first, first == "-" || first == "+" || ("0"..."9").contains(first) else { return nil }
        let number = text.prefix { $0.isASCII && ($0.isNumber || "+-.,' ".contains($0)) }
        guard number.count < text.count, let unit = canonical(String(text.dropFirst(number.count))) else { return nil }
        return (String(number).trimmed, unit)
    }

    private static let spellings: [String: String] = {
        let rows: [(String, String)] = [
            ("kg", "kg kgs kilogram kilograms kilo kilos kilogramm kilogrammes kilogramos kilogrammi кг 公斤 千克 キロ 킬로그램 كجم كغ किग्रा किलो"),
            ("g", "g gram grams gramm"), ("[lb_av]", "lb lbs pound pounds [lb_av] фунт 磅"), ("[jin]", "jin 斤"),
            ("[stone_av]", "st stone stones [stone_av]"), ("cm", "cm centimeter centimeters centimetre centimetres см 厘米 公分 センチ"),
            ("m", "m meter meters metre metres"), ("mm", "mm millimeter millimeters"), ("[in_i]", "in inch inches [in_i]"),
            ("[ft_i]", "ft foot feet [ft_i]"),
            ("km", "km kilometer kilometers kilometre kilometres kilómetros quilômetros chilometri км 公里 千米 キロメートル 킬로미터"),
            ("[mi_i]", "mi mile miles [mi_i]"),
            ("kcal", "kcal cal calories calorie kilocalories kilokalorien ккал 千卡 大卡 kilocalorías"), ("kJ", "kj kilojoule kilojoules"),
            ("mg/dL", "mg/dl mgdl mg% мг/дл 毫克/分升"), ("mmol/L", "mmol/l mmoll mmol ммоль/л ммоль 毫摩尔/升"),
            ("Cel", "c °c ℃ degc celsius cel gradcelsius degreescelsius 摄氏度 度"),
            ("[degF]", "f °f ℉ degf fahrenheit [degf] degreesfahrenheit"),
            ("/min", "bpm /min 1/min beats/min brpm breaths/min count/min rpm beatsperminute min-1"),
            ("mm[Hg]", "mmhg mm[hg] ммртст 毫米汞柱"), ("kPa", "kpa"), ("ms", "ms msec millisecond milliseconds"),
            ("s", "s sec secs second seconds sek sekunden secondes segundos secondi seconden сек с 秒 초"),
            ("min", "min mins minute minutes minuten minutos minuti minuter minuty мин 分 分钟 分鐘 분"),
            ("h", "h hr hrs hour hours std stunden heures horas ore uur timmar timer godz ч 小时 小時 時間 시간"), ("%", "% percent pct prozent ％"),
            ("uS", "µs μs us microsiemens"), ("mV", "mv"), ("uV", "µv μv uv"), ("km/h", "km/h kmh kph"), ("m/s", "m/s"),
            ("[mi_i]/h", "mph"),
            ("mL", "ml milliliter milliliters"), ("L", "l liter liters litre litres"), ("mg", "mg"), ("ug", "µg μg ug mcg"), ("[iU]", "iu"),
            ("{steps}", "steps schritte pasos passi passos stappen kroki шаги шагов 步 歩 보"), ("{floors}", "floors"), ("W", "w watt watts"),
            ("kg/m2", "kg/m2 kg/m² kg/m^2"), ("g/L", "g/l"),
            ("d", "d day days"),
        ]
        return Dictionary(rows.flatMap { row in row.1.split(separator: " ").map { (String($0), row.0) } }) { first, _ in first }
    }()
}
