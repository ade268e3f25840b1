import Foundation
package import VigilSchema

/// The facts known of a laboratory test: its names, its unit, its usual range, and how much it varies by itself.
///
/// Ranges: adults, conventional units, after the reference tables of the American Board of Internal Medicine (January 2024) unless noted; a laboratory's own
/// range goes before these. Variation within a person (CVI) and the error of a good analyser (CVA), in percent: EFLM Biological Variation Database
/// (A. K. Aarsand et al., biologicalvariation.eu), rounded. A result alone makes no diagnosis.
package struct LaboratoryTest: Sendable {
    /// The usual range of a sex, or of both, from an age in years on.
    struct Range: Sendable {
        var sex: ParticipantProfile.Sex?
        var fromAge = 18
        let low: Double?
        let high: Double?
    }

    package let id: String
    let loinc: [String]
    let names: [String]
    package let unit: String
    /// Other units, with the number to multiply by.
    let conversions: [String: Double]
    let ranges: [Range]
    /// Within-person and analytical variation, %.
    package let within: Double
    package let analytical: Double

    init(
        _ id: String, _ loinc: [String], _ names: [String], _ unit: String, _ conversions: [String: Double] = [:], within: Double,
        analytical: Double,
        _ ranges: Range...
    ) {
        (self.id, self.loinc, self.names, self.unit, self.conversions) = (id, loinc, names, unit, conversions)
        (self.ranges, self.within, self.analytical) = (ranges, within, analytical)
    }

    /// The range for a person; nil for a child, and where it differs by a sex that is not known.
    package func range(sex: ParticipantProfile.Sex?, age: Int?) -> (low: Double?, high: Double?)? {
        guard let age else { return nil }
        let fitting = ranges.filter { ($0.sex == nil || $0.sex == sex) && age >= $0.fromAge }
        return fitting.max { $0.fromAge < $1.fromAge }.map { ($0.low, $0.high) }
    }

    /// A value in the test's unit; nil for a unit that is not known.
    package func converted(_ value: Double, from given: String?) -> Double? {
        guard let given, !given.isEmpty, Self.plain(given) != Self.plain(unit) else { return value }
        return conversions.first { Self.plain($0.key) == Self.plain(given) }.map { value * $0.value }
    }

    private static func plain(_ unit: String) -> String {
        unit.lowercased().replacing("µ", with: "u").filter { !" {}[]".contains($0) }
    }

    /// The difference between two results that is more than both variations explain, in percent of the first: with 95 % confidence, in either direction.
    /// Source: E. K. Harris, T. Yasaka, Clin Chem 29 (1983) 25; C. G. Fraser, Biological variation (2001): 1.96 √2 √(CVA² + CVI²).
    package var referenceChange: Double { 1.96 * 2.0.squareRoot() * (within * within + analytical * analytical).squareRoot() }

    /// The test that an entry speaks of, by its LOINC code, else by its name.
    package static func of(_ entry: TimelineEntry) -> LaboratoryTest? {
        let codes = Set((entry.codes ?? [:]).filter { $0.key.uppercased().contains("LOINC") }.flatMap(\.value))
        if let found = all.first(where: { !codes.isDisjoint(with: $0.loinc) }) { return found }
        let name = entry.description.lowercased()
        return all.first { test in
            test.names.contains { name == $0 || name.hasPrefix($0 + " ") || name.hasPrefix($0 + ",") || name.hasPrefix($0 + ":") }
        }
    }

    package static let all: [LaboratoryTest] = [
        .init(
            "haemoglobin", ["718-7"], ["haemoglobin", "hemoglobin", "hämoglobin", "гемоглобин"], "g/dL", ["g/L": 0.1, "mmol/L": 1.611],
            within: 2.7, analytical: 1, .init(sex: .female, low: 12, high: 16), .init(sex: .male, low: 14, high: 18)),
        .init(
            "leukocytes", ["6690-2"], ["leukocytes", "leukozyten", "white blood cell", "wbc", "лейкоциты"], "10*3/uL",
            ["10*9/L": 1, "/uL": 0.001], within: 11, analytical: 2, .init(low: 4, high: 11)),
        .init(
            "platelets", ["777-3"], ["platelets", "platelet count", "thrombozyten", "тромбоциты"], "10*3/uL", ["10*9/L": 1], within: 7.5,
            analytical: 3, .init(low: 150, high: 450)),
        .init(
            "sodium", ["2951-2"], ["sodium", "natrium", "натрий"], "mmol/L", ["meq/L": 1], within: 0.5, analytical: 0.6,
            .init(low: 136, high: 145)),
        .init(
            "potassium", ["2823-3"], ["potassium", "kalium", "калий"], "mmol/L", ["meq/L": 1], within: 4.1, analytical: 1,
            .init(low: 3.5, high: 5)),
        .init(
            "creatinine", ["2160-0"], ["creatinine", "kreatinin", "креатинин"], "mg/dL", ["umol/L": 0.01131], within: 4.5, analytical: 2,
            .init(sex: .female, low: 0.5, high: 1.1), .init(sex: .male, low: 0.7, high: 1.3)),
        .init(
            "fasting-glucose", ["1558-6"], ["fasting glucose", "nüchternglukose", "глюкоза натощак"], "mg/dL", ["mmol/L": 18.016],
            within: 4.7, analytical: 2, .init(low: 70, high: 99)),
        .init(
            "hba1c", ["4548-4", "17856-6"], ["hba1c", "hemoglobin a1c", "haemoglobin a1c"], "%", [:], within: 1.2, analytical: 1.5,
            .init(low: 4, high: 5.6)),
        .init(
            "cholesterol", ["2093-3"], ["total cholesterol", "cholesterol", "cholesterin", "gesamtcholesterin", "холестерин"], "mg/dL",
            ["mmol/L": 38.67], within: 5.3, analytical: 2, .init(low: nil, high: 200)),
        .init(
            "ldl", ["2089-1", "13457-7", "18262-6"], ["ldl", "ldl cholesterol", "ldl-cholesterin", "лпнп"], "mg/dL", ["mmol/L": 38.67],
            within: 8.3, analytical: 3, .init(low: nil, high: 130)),
        .init(
            "hdl", ["2085-9"], ["hdl", "hdl cholesterol", "hdl-cholesterin", "лпвп"], "mg/dL", ["mmol/L": 38.67], within: 5.8,
            analytical: 3, .init(sex: .female, low: 50, high: nil), .init(sex: .male, low: 40, high: nil)),
        .init(
            "triglycerides", ["2571-8"], ["triglycerides", "triglyzeride", "триглицериды"], "mg/dL", ["mmol/L": 88.57], within: 20,
            analytical: 2.5, .init(low: nil, high: 150)),
        .init(
            "alt", ["1742-6"], ["alt", "alanine aminotransferase", "gpt", "алт"], "U/L", ["ukat/L": 60], within: 10, analytical: 3,
            .init(low: 10, high: 40)),
        .init(
            "ast", ["1920-8"], ["ast", "aspartate aminotransferase", "got", "аст"], "U/L", ["ukat/L": 60], within: 9.6, analytical: 3,
            .init(low: 10, high: 40)),
        .init(
            "tsh", ["3016-3", "11580-8"], ["tsh", "thyrotropin", "ттг"], "m[IU]/L", ["uU/mL": 1, "mU/L": 1, "uIU/mL": 1], within: 18,
            analytical: 4, .init(low: 0.5, high: 4)),
        .init(
            "ferritin", ["2276-4"], ["ferritin", "ферритин"], "ng/mL", ["ug/L": 1], within: 12.8, analytical: 4,
            .init(sex: .female, low: 24, high: 307), .init(sex: .male, low: 24, high: 336)),
        .init(
            "crp", ["1988-5", "30522-7"], ["crp", "c-reactive protein", "c-reaktives protein", "срб"], "mg/L", ["mg/dL": 10], within: 34,
            analytical: 3, .init(low: nil, high: 8)),
        .init(
            "urate", ["3084-1"], ["uric acid", "urate", "harnsäure", "мочевая кислота"], "mg/dL", ["umol/L": 0.01681], within: 8.3,
            analytical: 2, .init(sex: .female, low: 2.5, high: 7), .init(sex: .male, low: 4, high: 8)),
        .init(
            "calcium", ["17861-6"], ["calcium", "kalzium", "кальций"], "mg/dL", ["mmol/L": 4.008], within: 1.8, analytical: 1,
            .init(low: 8.6, high: 10.2)),
        .init(
            "albumin", ["1751-7"], ["albumin", "альбумин"], "g/dL", ["g/L": 0.1], within: 2.6, analytical: 2, .init(low: 3.5, high: 5.5)),
    ]
}

/// The range that a laboratory wrote beside a result: "3.5-5.0", "< 130", ">= 40".
package func writtenRange(_ text: String) -> (low: Double?, high: Double?)? {
    guard
        let part = text.lowercased().split(separator: ";").map({ $0.trimmingCharacters(in: .whitespaces) }).first(where: {
            $0.hasPrefix("reference") || $0.hasPrefix("range")
        })
    else { return nil }
    let rest = part.drop { !$0.isNumber && !"<>≤≥-".contains($0) }
    let numbers = rest.split { !($0.isNumber || $0 == ".") }.compactMap { Double($0) }
    if rest.first == "<" || rest.first == "≤" { return numbers.first.map { (nil, $0) } }
    if rest.first == ">" || rest.first == "≥" { return numbers.first.map { ($0, nil) } }
    guard numbers.count >= 2, numbers[0] <= numbers[1] else { return nil }
    return (numbers[0], numbers[1])
}
