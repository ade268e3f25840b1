import Testing

@testable import VigilSchema

/// Each conversion by the definition of its units: SI, the international pound and yard (1959), the thermochemical calorie, and for laboratory tests the
/// substance's molar mass.
@Suite("Table of units")
struct UnitTableTests {
    private func metric(_ unit: String, named name: String = "x") -> MetricDefinition {
        MetricDefinition(name: name, title: "", kind: .value, unit: unit, code: nil, plausible: nil, vocabulary: [])
    }

    @Test(
        "one of the unit, and nought of it, is so much of the other",
        arguments: [
            ("[degF]", "Cel", -155.0 / 9, -160.0 / 9), ("K", "Cel", -272.15, -273.15), ("/s", "/min", 60, 0), ("Hz", "/min", 60, 0),
            ("/h", "/min", 0.016_666_666_666_666_666, 0), ("s", "ms", 1000, 0), ("us", "ms", 0.001, 0),
            ("s", "min", 0.016_666_666_666_666_666, 0), ("h", "min", 60, 0), ("ms", "min", 0.000_016_666_666_666_666_667, 0),
            ("kPa", "mm[Hg]", 7.500_615_758_456_564, 0), ("hPa", "mm[Hg]", 0.750_061_575_845_656, 0),
            ("Pa", "mm[Hg]", 0.007_500_615_758_456_56, 0), ("mbar", "mm[Hg]", 0.750_061_575_845_656, 0), ("g/L", "mg/dL", 100, 0),
            ("g", "kg", 0.001, 0), ("[lb_av]", "kg", 0.453_592_37, 0), ("[stone_av]", "kg", 6.350_293_18, 0), ("[jin]", "kg", 0.5, 0),
            ("[oz_av]", "kg", 0.028_349_523_125, 0), ("mg", "kg", 0.000_001, 0), ("t", "kg", 1000, 0), ("m", "cm", 100, 0),
            ("mm", "cm", 0.1, 0), ("[in_i]", "cm", 2.54, 0), ("[ft_i]", "cm", 30.48, 0), ("km", "m", 1000, 0), ("cm", "m", 0.01, 0),
            ("[mi_i]", "m", 1609.344, 0), ("[ft_i]", "m", 0.3048, 0), ("kJ", "kcal", 0.239_005_736_137_667_3, 0),
            ("J", "kcal", 0.000_239_005_736_137_667_3, 0), ("cal", "kcal", 0.001, 0), ("S", "uS", 1_000_000, 0), ("mS", "uS", 1000, 0),
            ("nS", "uS", 0.001, 0), ("kOhm", "Ohm", 1000, 0), ("MOhm", "Ohm", 1_000_000, 0), ("V", "mV", 1000, 0), ("uV", "mV", 0.001, 0),
            ("g", "m/s2", 9.80665, 0), ("[g]", "m/s2", 9.80665, 0), ("m/s", "km/h", 3.6, 0), ("[mi_i]/h", "km/h", 1.609344, 0),
            ("1", "%", 100, 0), ("%", "1", 0.01, 0), ("1", "{steps}", 1, 0), ("1", "{floors}", 1, 0), ("1", "{score}", 1, 0),
            ("s2", "ms2", 1_000_000, 0), ("°F", "Cel", -155.0 / 9, -160.0 / 9), ("bpm", "/min", 1, 0), ("kg", "kg", 1, 0),
        ] as [(String, String, Double, Double)])
    func factors(from: String, to: String, one: Double, nought: Double) throws {
        let conversion = try #require(UnitConversion.from(from, to: metric(to)))
        #expect(abs(conversion(1) - one) <= 1e-12 * max(abs(one), 1e-3))
        #expect(abs(conversion(0) - nought) <= 1e-12 * abs(nought))
        #expect(abs(conversion(3) - (nought + 3 * (one - nought))) <= 1e-11 * max(abs(one), 1e-3))
    }

    @Test(
        "a laboratory's unit counts by the substance",
        arguments: [
            ("haemoglobin", "mmol/L", 1.6114), ("haemoglobin", "g/L", 0.1), ("haemoglobin", "mg/dL", 0.001),
            ("serum-creatinine", "umol/L", 0.011312), ("serum-creatinine", "µmol/L", 0.011312), ("fasting-glucose", "mmol/L", 18.016),
            ("total-cholesterol", "mmol/L", 38.665), ("total-cholesterol", "g/L", 100), ("total-cholesterol", "mg/L", 0.1),
            ("triglycerides", "mmol/L", 88.54), ("urate", "umol/L", 0.016811), ("urate", "mmol/L", 16.811),
            ("serum-calcium", "mmol/L", 4.008), ("serum-sodium", "mEq/L", 1), ("serum-potassium", "meq/l", 1),
            ("ferritin", "pmol/L", 0.445), ("ferritin", "ug/L", 1), ("ferritin", "mcg/L", 1), ("ferritin", "mg/L", 1000),
            ("alanine-aminotransferase", "ukat/L", 60), ("aspartate-aminotransferase", "µkat/L", 60),
            ("alanine-aminotransferase", "IU/L", 1), ("c-reactive-protein", "mg/dL", 10), ("c-reactive-protein", "ug/mL", 1),
            ("leukocytes", "10^9/L", 1), ("leukocytes", "10e9/L", 1), ("leukocytes", "×10^9/L", 1), ("leukocytes", "x10^3/µL", 1),
            ("leukocytes", "10*3/uL", 1), ("leukocytes", "/uL", 0.001), ("leukocytes", "K/uL", 1), ("platelets", "G/L", 1),
            ("platelets", "/nL", 1), ("platelets", "/mm3", 0.001), ("thyrotropin", "uIU/mL", 1), ("thyrotropin", "mU/L", 1),
            ("thyrotropin", "µU/mL", 1), ("thyrotropin", "mIU/L", 1), ("serum-albumin", "g/L", 0.1), ("blood-glucose", "mmol/L", 18.016),
            ("blood-glucose-minimum", "mmol/L", 18.016), ("blood-glucose-maximum", "mmol/l", 18.016), ("leukocytes", "x10E3/uL", 1),
            ("platelets", "x10*9/L", 1), ("leukocytes", "10⁹/L", 1), ("leukocytes", "×10⁹/L", 1), ("platelets", "x10^9/L", 1),
        ] as [(String, String, Double)])
    func laboratory(name: String, unit: String, factor: Double) throws {
        let metric = try #require(MetricCatalogue.standard.definition(named: name))
        let conversion = try #require(UnitConversion.from(unit, to: metric))
        #expect(abs(conversion(1) - factor) <= 1e-12 * factor && conversion(0) == 0)
    }

    @Test("HbA1c of 48 mmol/mol is 6.5 %, of the master equation NGSP = 0.09148 IFCC + 2.152")
    func haemoglobin() throws {
        let metric = try #require(MetricCatalogue.standard.definition(named: "hba1c"))
        let conversion = try #require(UnitConversion.from("mmol/mol", to: metric))
        #expect(abs(conversion(48) - 6.543_04) < 1e-9 && abs(conversion(0) - 2.152) < 1e-12)
        #expect(UnitConversion.from("%", to: metric)?(6.5) == 6.5)
    }

    @Test(
        "no unit is converted where it does not fit",
        arguments: [
            ("heart-rate", "kg"), ("body-weight", "mmol/L"), ("heart-rate", "mmol/mol"), ("haemoglobin", "mmol/mol"),
            ("serum-sodium", "mg/dL"), ("blood-glucose", "umol/L"), ("body-weight", "meq/L"), ("leukocytes", "10^6/L"),
        ] as [(String, String)])
    func misfits(name: String, unit: String) throws {
        let metric = try #require(MetricCatalogue.standard.definition(named: name))
        #expect(UnitConversion.from(unit, to: metric) == nil)
    }
}
