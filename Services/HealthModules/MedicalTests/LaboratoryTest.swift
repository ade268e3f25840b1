import Foundation
package import VigilSchema

/// The facts known of a laboratory test: its names, its usual ranges with their sources, and how much it varies by itself. A result alone makes no diagnosis.
package struct LaboratoryTest: Sendable {
    /// The usual range of a sex, or of both, for an age in years.
    struct Range: Sendable {
        var sex: ParticipantProfile.Sex?
        var ages: Swift.Range<Double> = 18..<200
        let low: Double?
        let high: Double?
        var source = Source.abim
    }

    /// The sources of ranges.
    package enum Source: String, Sendable {
        case laboratory = "the laboratory's own"
        case abim = "American Board of Internal Medicine 2024"
        case worldHealth = "WHO 2024, haemoglobin cutoffs"
        case ironWorldHealth = "WHO 2020, ferritin"
        case diabetes = "American Diabetes Association 2024"
        case lipids = "NCEP ATP III 2002"
        case childLipids = "NHLBI expert panel 2011"
        case thyroid = "Surks and Hollowell 2007"
    }

    /// Its metric in the catalogue.
    package let id: String
    package let title: LocalizedText
    /// Names by which entries speak of it, in lower case.
    let names: [String]
    let ranges: [Range]
    /// Within-person and analytical variation, %.
    package let within: Double
    package let analytical: Double
    /// Beyond these a laboratory calls whoever asked for the test: Royal College of Pathologists, The communication of critical and unexpected pathology
    /// results (2017), for adults.
    let critical: (low: Double?, high: Double?)

    init(
        _ id: String, _ title: LocalizedText, names: [String], variation: (within: Double, analytical: Double),
        critical: (low: Double?, high: Double?) = (nil, nil), _ ranges: Range...
    ) {
        (self.id, self.title, self.names) = (id, title, names)
        (within, analytical) = variation
        (self.ranges, self.critical) = (ranges, critical)
    }

    package var definition: MetricDefinition? { MetricCatalogue.standard.definition(named: id) }
    package var unit: String { definition?.unit ?? "1" }

    /// The range for a person; nil where there is none for the age, where it differs by a sex that is not known, and in pregnancy.
    package func range(sex: ParticipantProfile.Sex?, age: Double?, isPregnant: Bool) -> (low: Double?, high: Double?, source: Source)? {
        guard let age, !isPregnant else { return nil }
        return ranges.first { ($0.sex == nil || $0.sex == sex) && $0.ages.contains(age) }.map { ($0.low, $0.high, $0.source) }
    }

    /// A value in the test's unit; nil for a unit that it does not have, and for a value that nobody has, which is in another unit.
    package func converted(_ value: Double, from given: String) -> Double? {
        guard let definition, let conversion = UnitConversion.from(given, to: definition) else { return nil }
        let converted = conversion(value)
        return definition.plausible?.contains(converted) ?? true ? converted : nil
    }

    /// The fall and the rise from one result to the next that both variations do not explain, in percent: with 95 % confidence in either direction.
    ///
    /// Results vary by factors, so that what doubles by chance also halves by chance: M. M. Fokkema et al., Clin Chem 52 (2006) 1602, after E. K. Harris,
    /// T. Yasaka, Clin Chem 29 (1983) 25. For small variations it is C. G. Fraser's 2.77 √(CVA² + CVI²) in both directions.
    package var referenceChange: (fall: Double, rise: Double) {
        let variation = (within * within + analytical * analytical).squareRoot() / 100
        let reach = 1.96 * 2.0.squareRoot() * log(1 + variation * variation).squareRoot()
        return (100 * (exp(-reach) - 1), 100 * (exp(reach) - 1))
    }

    /// The test that an entry speaks of, by its LOINC code, else by its name.
    package static func of(_ entry: TimelineEntry) -> (test: LaboratoryTest, isByCode: Bool)? {
        let codes = Set((entry.codes ?? [:]).filter { $0.key.uppercased().contains("LOINC") }.flatMap(\.value))
        let coded = all.first { test in
            test.definition?.code.map { codes.contains($0.code) } == true
                || codes.contains { MetricCatalogue.laboratoryCodes[$0] == test.id }
        }
        if let coded { return (coded, true) }
        let name = entry.description.lowercased()
        return all.first { test in
            test.names.contains { name == $0 || name.hasPrefix($0 + " ") || name.hasPrefix($0 + ",") || name.hasPrefix($0 + ":") }
        }.map { ($0, false) }
    }

    /// The range that a laboratory wrote beside a result: "reference 3.5-5.0", "range < 130", "reference >= 40".
    package static func writtenRange(_ text: String) -> (low: Double?, high: Double?)? {
        guard
            let part = text.lowercased().split(separator: ";").map({ $0.trimmingCharacters(in: .whitespaces) }).first(where: {
                $0.hasPrefix("reference") || $0.hasPrefix("range")
            })
        else { return nil }
        let rest = part.drop { !$0.isNumber && !"<>≤≥-".contains($0) }
        let numbers = rest.split { !($0.isNumber || $0 == ".") }.compactMap { Double(decimal: $0) }
        if rest.first == "<" || rest.first == "≤" { return numbers.first.map { (nil, $0) } }
        if rest.first == ">" || rest.first == "≥" { return numbers.first.map { ($0, nil) } }
        guard numbers.count >= 2, numbers[0] <= numbers[1] else { return nil }
        return (numbers[0], numbers[1])
    }
}
