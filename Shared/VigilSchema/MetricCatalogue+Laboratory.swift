extension MetricCatalogue {
    /// Laboratory tests of blood. The names say what they are of: a diet's potassium is none of these. What is possible is what has been measured in
    /// somebody alive; a value outside is more likely given in another unit.
    static let laboratory = [
        value("haemoglobin", "Haemoglobin", "g/dL", loinc("718-7"), 2...25),
        value("leukocytes", "Leukocytes", "10*3/uL", loinc("6690-2"), 0.1...500),
        value("platelets", "Platelets", "10*3/uL", loinc("777-3"), 1...3000),
        value("serum-sodium", "Sodium in serum", "mmol/L", loinc("2951-2"), 90...200),
        value("serum-potassium", "Potassium in serum", "mmol/L", loinc("2823-3"), 1...12),
        value("serum-creatinine", "Creatinine in serum", "mg/dL", loinc("2160-0"), 0.1...30),
        value("fasting-glucose", "Fasting glucose", "mg/dL", loinc("1558-6"), 10...800),
        value("hba1c", "Haemoglobin A1c (NGSP)", "%", loinc("4548-4"), 3...20),
        value("total-cholesterol", "Total cholesterol", "mg/dL", loinc("2093-3"), 40...1000),
        value("ldl-cholesterol", "LDL cholesterol", "mg/dL", loinc("2089-1"), 5...800),
        value("hdl-cholesterol", "HDL cholesterol", "mg/dL", loinc("2085-9"), 3...200),
        value("triglycerides", "Triglycerides", "mg/dL", loinc("2571-8"), 10...10_000),
        value("alanine-aminotransferase", "Alanine aminotransferase", "U/L", loinc("1742-6"), 1...20_000),
        value("aspartate-aminotransferase", "Aspartate aminotransferase", "U/L", loinc("1920-8"), 1...20_000),
        value("thyrotropin", "Thyrotropin (TSH)", "m[IU]/L", loinc("3016-3"), 0.001...500),
        value("ferritin", "Ferritin", "ng/mL", loinc("2276-4"), 1...100_000),
        value("c-reactive-protein", "C-reactive protein", "mg/L", loinc("1988-5"), 0.01...700),
        value("urate", "Urate in serum", "mg/dL", loinc("3084-1"), 0.3...30),
        value("serum-calcium", "Calcium in serum", "mg/dL", loinc("17861-6"), 3...20),
        value("serum-albumin", "Albumin in serum", "g/dL", loinc("1751-7"), 0.5...7),
    ]
}

extension UnitConversion {
    /// The conversion of a laboratory test's unit, which depends on the substance's molar mass, on the test's own definition, or on spelling alone.
    static func ofSubstance(_ unit: String, to metric: MetricDefinition) -> UnitConversion? {
        guard MetricCatalogue.laboratoryNames.contains(metric.name) else { return nil }
        let bare = bareUnit(unit)
        if bare == bareUnit(metric.unit) { return UnitConversion(scale: 1, offset: 0) }
        // IFCC to NGSP: the master equation (W. Hoelzel et al., Clin Chem 50 (2004) 166).
        if metric.name == "hba1c", bare == "mmol/mol" { return UnitConversion(scale: 0.09148, offset: 2.152) }
        let scale = bySubstance[metric.name]?[bare] ?? byUnit[bareUnit(metric.unit)]?[bare]
        return scale.map { UnitConversion(scale: $0, offset: 0) }
    }

    private static let superscripts: [Character: Character] = ["⁰": "0", "³": "3", "⁶": "6", "⁹": "9", "¹": "1", "²": "2"]

    /// A unit without case, braces, and the many ways of writing a millionth and a power of ten.
    private static func bareUnit(_ unit: String) -> String {
        var bare = String(unit.lowercased().filter { !" {}[]^".contains($0) }.map { superscripts[$0] ?? $0 })
        for (written, plain) in [
            ("µ", "u"), ("μ", "u"), ("×", ""), ("x10e", "10*"), ("x10*", "10*"), ("x10", "10*"), ("10e", "10*"), ("mcg", "ug"),
        ] {
            bare = bare.replacing(written, with: plain)
        }
        return bare.hasPrefix("10") && !bare.hasPrefix("10*") ? "10*" + bare.dropFirst(2) : bare
    }

    /// From molar masses: creatinine 113.12 g/mol, cholesterol 386.65, triglycerides (as triolein) 885.4, urate 168.11, calcium 40.08, glucose 180.16,
    /// haemoglobin's monomer 16,114.
    private static let bySubstance: [String: [String: Double]] = [
        "haemoglobin": ["mmol/l": 1.6114], "serum-creatinine": ["umol/l": 0.011312], "fasting-glucose": ["mmol/l": 18.016],
        "total-cholesterol": ["mmol/l": 38.665], "ldl-cholesterol": ["mmol/l": 38.665], "hdl-cholesterol": ["mmol/l": 38.665],
        "triglycerides": ["mmol/l": 88.54], "urate": ["umol/l": 0.016811, "mmol/l": 16.811], "serum-calcium": ["mmol/l": 4.008],
        "serum-sodium": ["meq/l": 1], "serum-potassium": ["meq/l": 1], "ferritin": ["pmol/l": 0.445],
        "alanine-aminotransferase": ["ukat/l": 60], "aspartate-aminotransferase": ["ukat/l": 60],
    ]

    private static let byUnit: [String: [String: Double]] = [
        "g/dl": ["g/l": 0.1, "mg/dl": 0.001], "mg/dl": ["mg/l": 0.1, "g/l": 100], "ng/ml": ["ug/l": 1, "mg/l": 1000],
        "mg/l": ["mg/dl": 10, "ug/ml": 1],
        "10*3/ul": ["10*9/l": 1, "/ul": 0.001, "k/ul": 1, "g/l": 1, "/nl": 1, "/mm3": 0.001],
        "miu/l": ["uiu/ml": 1, "mu/l": 1, "uu/ml": 1],
        "u/l": ["iu/l": 1],
    ]
}

extension MetricCatalogue {
    /// Further LOINC codes of the same tests: in moles, by another method, of another part of the blood.
    public static let laboratoryCodes: [String: String] = [
        "59260-0": "haemoglobin", "20509-6": "haemoglobin", "30350-3": "haemoglobin", "26464-8": "leukocytes", "804-5": "leukocytes",
        "26515-7": "platelets", "778-1": "platelets", "20567-4": "ferritin", "2947-0": "serum-sodium", "6298-4": "serum-potassium",
        "49765-1": "serum-calcium", "38483-4": "serum-creatinine", "14682-9": "serum-creatinine", "14933-6": "urate",
        "14771-0":
            "fasting-glucose", "17856-6": "hba1c", "59261-8": "hba1c", "14647-2": "total-cholesterol", "13457-7": "ldl-cholesterol",
        "18262-6":
            "ldl-cholesterol", "22748-8": "ldl-cholesterol", "14646-4": "hdl-cholesterol", "14927-8": "triglycerides",
        "1743-4":
            "alanine-aminotransferase", "1744-2": "alanine-aminotransferase", "30239-8": "aspartate-aminotransferase",
        "11580-8": "thyrotropin",
        "11579-0": "thyrotropin", "30522-7": "c-reactive-protein",
    ]

    static let laboratoryNames = Set(laboratory.map(\.name))
}
