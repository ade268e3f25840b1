import Foundation

/// The growth of children as the World Health Organization describes it: a measure's z-score for age and sex, from birth to nineteen years.
///
/// Under five years by the Child Growth Standards (2006), how children grow who are breastfed and well; from five years by the growth reference
/// (2007), how children did grow. With L, M and S of the age, a value X has z = ((X/M)^L − 1) / (L·S) (T. J. Cole, P. J. Green, Stat Med 11 (1992)
/// 1305). Beyond ±3 the z-score goes on in steps of the distance between 2 and 3 standard deviations, as the WHO computes it. Under 731 days a
/// child's length is measured lying, from then on its height standing.
package enum GrowthReference {
    /// The measures that have tables.
    package enum Measure: String, Sendable, CaseIterable {
        /// In kg, to ten years.
        case weight
        /// In cm.
        case height
        /// In kg/m².
        case bodyMassIndex
    }

    /// The days of a month, as the WHO counts them.
    static let month = 30.4375
    /// The age at which the standards end and the reference begins, in days.
    static let fiveYears = 60 * month
    /// The last day of the standards' tables.
    private static let lastDay = 1826.0

    /// The z-score of a value at an age in days; nil outside the tables' ages, and for a value that is none.
    package static func z(_ value: Double, _ measure: Measure, days: Double, isFemale: Bool) -> Double? {
        guard value > 0, value.isFinite, days >= 0, days <= (measure == .weight ? 120 : 228) * month else { return nil }
        let isSmall = days < fiveYears
        let pair = isSmall ? small[measure] : large[measure]
        guard let table = isFemale ? pair?.girls : pair?.boys, let entry = entry(table, at: isSmall ? min(days, lastDay) : days / month)
        else { return nil }
        let z = entry.z(value)
        return z.isFinite ? z : nil
    }

    /// The z-scores that the WHO holds possible; what lies outside is more likely an error of measurement, unit or birth date (Child Growth
    /// Standards 2006; growth reference 2007).
    package static func plausible(_ measure: Measure) -> ClosedRange<Double> {
        switch measure {
        case .weight: -6...5
        case .height: -6...6
        case .bodyMassIndex: -5...5
        }
    }

    /// L, M and S at an age, in days or months.
    private struct Entry {
        let age: Double
        let l: Double
        let m: Double
        let s: Double

        func z(_ value: Double) -> Double {
            let z = abs(l) < 1e-6 ? log(value / m) / s : (pow(value / m, l) - 1) / (l * s)
            if z > 3 { return 3 + (value - self.value(3)) / (self.value(3) - self.value(2)) }
            if z < -3 { return -3 + (value - self.value(-3)) / (self.value(-2) - self.value(-3)) }
            return z
        }

        private func value(_ z: Double) -> Double { abs(l) < 1e-6 ? m * exp(s * z) : m * pow(1 + l * s * z, 1 / l) }
    }

    private static func entry(_ table: [Entry], at age: Double) -> Entry? {
        guard let first = table.first, age >= first.age, let next = table.firstIndex(where: { $0.age >= age }) else { return nil }
        guard next > 0, table[next].age > age else { return table[next] }
        let (low, high) = (table[next - 1], table[next])
        let part = (age - low.age) / (high.age - low.age)
        return Entry(age: age, l: low.l + part * (high.l - low.l), m: low.m + part * (high.m - low.m), s: low.s + part * (high.s - low.s))
    }

    private static let small: [Measure: (boys: [Entry], girls: [Entry])] = [
        .weight: pair(GrowthTables.weightUnderFive), .height: pair(GrowthTables.lengthUnderFive),
        .bodyMassIndex: pair(GrowthTables.indexUnderFive),
    ]
    private static let large: [Measure: (boys: [Entry], girls: [Entry])] = [
        .weight: pair(GrowthTables.weightFromFive), .height: pair(GrowthTables.heightFromFive),
        .bodyMassIndex: pair(GrowthTables.indexFromFive),
    ]

    private static func pair(_ texts: (String, String)) -> (boys: [Entry], girls: [Entry]) { (table(texts.0), table(texts.1)) }

    private static func table(_ text: String) -> [Entry] {
        text.split(separator: ",").compactMap { entry in
            let numbers = entry.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            switch numbers.count {
            case 3: return Entry(age: numbers[0], l: 1, m: numbers[1], s: numbers[2])
            case 4: return Entry(age: numbers[0], l: numbers[1], m: numbers[2], s: numbers[3])
            default: return nil
            }
        }
    }
}
