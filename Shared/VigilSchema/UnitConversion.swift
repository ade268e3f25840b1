/// Turns a value from one unit into another: `value × scale + offset`.
public struct UnitConversion: Hashable, Sendable {
    /// Multiplied first.
    public let scale: Double
    /// Added then.
    public let offset: Double

    /// The value in the other unit.
    public func callAsFunction(_ value: Double) -> Double { value * scale + offset }

    /// The conversion into a metric's canonical unit, or nil where the units do not fit.
    /// - Parameters:
    ///   - unit: a UCUM unit or a common other spelling (`bpm`, `mmHg`, `°C`).
    ///   - metric: decides what depends on the substance: 1 mmol/L of glucose is 18.016 mg/dL.
    public static func from(_ unit: String, to metric: MetricDefinition) -> UnitConversion? {
        let unit = canonicalSpelling[unit] ?? unit
        if unit == metric.unit { return UnitConversion(scale: 1, offset: 0) }
        if unit == "mmol/L", glucose.contains(metric.name) { return UnitConversion(scale: 18.016, offset: 0) }
        if let substance = ofSubstance(unit, to: metric) { return substance }
        return table[Pair(from: unit, to: metric.unit)]
    }

    /// Metrics of the same substance.
    static let glucose: Set<String> = ["blood-glucose", "blood-glucose-minimum", "blood-glucose-maximum"]

    private struct Pair: Hashable {
        let from: String
        let to: String
    }

    /// Spellings that devices use for a UCUM unit.
    private static let canonicalSpelling: [String: String] = [
        "bpm": "/min", "beats/min": "/min", "BPM": "/min", "1/min": "/min", "{beats}/min": "/min", "{breaths}/min": "/min",
        "breaths/min": "/min", "brpm": "/min", "°C": "Cel", "C": "Cel", "degC": "Cel", "°F": "[degF]", "F": "[degF]", "degF": "[degF]",
        "mmHg": "mm[Hg]", "lb": "[lb_av]", "lbs": "[lb_av]", "in": "[in_i]", "mi": "[mi_i]", "µS": "uS", "μS": "uS", "µV": "uV",
        "microsiemens": "uS", "percent": "%", "steps": "{steps}", "floors": "{floors}", "Cal": "kcal", "kmh": "km/h", "kph": "km/h",
        "ohm": "Ohm", "seconds": "s", "minutes": "min", "hours": "h", "kg/m^2": "kg/m2", "m/s^2": "m/s2", "mph": "[mi_i]/h", "": "1",
        "mg/dl": "mg/dL", "mmol/l": "mmol/L", "count": "1", "count/min": "/min", "ml/(kg·min)": "mL/kg/min",
        "mL/min·kg": "mL/kg/min", "ml/kg/min": "mL/kg/min", "hr": "h", "hrs": "h", "minute": "min", "hour": "h", "IU": "[iU]", "U": "[iU]",
        "Ω": "Ohm", "ohms": "Ohm", "st": "[stone_av]", "ft": "[ft_i]", "breaths": "/min", "beats": "/min", "kilocalories": "kcal",
        "Kcal": "kcal", "meters": "m", "kilograms": "kg", "pounds": "[lb_av]", "jin": "[jin]", "stones": "[stone_av]", "rpm": "/min",
        "ºC": "Cel", "degrees": "Cel", "K": "K", "celsius": "Cel", "Celsius": "Cel", "°c": "Cel", "fahrenheit": "[degF]",
        "Fahrenheit": "[degF]",
        "mmhg": "mm[Hg]", "mm Hg": "mm[Hg]", "MMHG": "mm[Hg]", "Kg": "kg", "KG": "kg", "kgs": "kg", "LB": "[lb_av]", "LBS": "[lb_av]",
        "Percent": "%",
        "Bpm": "/min", "mmol": "mmol/L", "mgdl": "mg/dL", "MG/DL": "mg/dL", "MMOL/L": "mmol/L",
    ]

    private static let table: [Pair: UnitConversion] = {
        let rows: [(String, String, Double, Double)] = [
            ("[degF]", "Cel", 5.0 / 9, -160.0 / 9), ("K", "Cel", 1, -273.15),
            ("/s", "/min", 60, 0), ("Hz", "/min", 60, 0), ("/h", "/min", 1.0 / 60, 0),
            ("s", "ms", 1000, 0), ("us", "ms", 0.001, 0), ("s", "min", 1.0 / 60, 0), ("h", "min", 60, 0), ("ms", "min", 1.0 / 60000, 0),
            ("kPa", "mm[Hg]", 7.500_615_758_456_564, 0),
            ("hPa", "mm[Hg]", 0.750_061_575_845_656_4, 0), ("Pa", "mm[Hg]", 0.007_500_615_758_456_564, 0),
            ("mbar", "mm[Hg]", 0.750_061_575_845_656_4, 0), ("g/L", "mg/dL", 100, 0),
            ("g", "kg", 0.001, 0), ("[lb_av]", "kg", 0.453_592_37, 0), ("[stone_av]", "kg", 6.350_293_18, 0),
            ("[jin]", "kg", 0.5, 0), ("[oz_av]", "kg", 0.028_349_523_125, 0), ("mg", "kg", 1e-6, 0), ("t", "kg", 1000, 0),
            ("m", "cm", 100, 0), ("mm", "cm", 0.1, 0), ("[in_i]", "cm", 2.54, 0), ("[ft_i]", "cm", 30.48, 0),
            ("km", "m", 1000, 0), ("cm", "m", 0.01, 0), ("[mi_i]", "m", 1609.344, 0), ("[ft_i]", "m", 0.3048, 0),
            ("kJ", "kcal", 1 / 4.184, 0), ("J", "kcal", 1 / 4184.0, 0), ("cal", "kcal", 0.001, 0),
            ("S", "uS", 1_000_000, 0), ("mS", "uS", 1000, 0), ("nS", "uS", 0.001, 0), ("kOhm", "Ohm", 1000, 0), ("MOhm", "Ohm", 1e6, 0),
            ("V", "mV", 1000, 0), ("uV", "mV", 0.001, 0), ("g", "m/s2", 9.80665, 0), ("[g]", "m/s2", 9.80665, 0),
            ("m/s", "km/h", 3.6, 0), ("[mi_i]/h", "km/h", 1.609344, 0), ("1", "%", 100, 0), ("%", "1", 0.01, 0),
            ("1", "{steps}", 1, 0), ("1", "{floors}", 1, 0), ("1", "{score}", 1, 0), ("s2", "ms2", 1_000_000, 0),
        ]
        return Dictionary(
            uniqueKeysWithValues: rows.map { (Pair(from: $0.0, to: $0.1), UnitConversion(scale: $0.2, offset: $0.3)) })
    }()
}
