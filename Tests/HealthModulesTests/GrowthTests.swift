import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Growth of children")
struct GrowthTests {
    /// A child of a survey as the WHO's own program anthro judged it: sex, age in days, weight, length, and three z-scores (0 where it gave none).
    struct Surveyed: Sendable {
        let isFemale: Bool
        let days: Double
        let weight: Double
        let length: Double
        let scores: (weight: Double, length: Double, index: Double)
    }

    /// From the survey that the WHO ships with anthro, among them the rows that lie furthest out. All 485 weights, 471 lengths and 464 indices of it agree
    /// to within 0.01.
    static let survey: [Surveyed] = [
        .init(isFemale: false, days: 389, weight: 10.5, length: 76.199996948, scores: (0.61, -0.19, 0.98)),
        .init(isFemale: false, days: 1670, weight: 17.200000763, length: 105.20000153, scores: (-0.13, -0.44, 0.23)),
        .init(isFemale: true, days: 1460, weight: 15.800000191, length: 101.80000305, scores: (-0.12, -0.21, -0.01)),
        .init(isFemale: false, days: 828, weight: 16.399999619, length: 92.400001526, scores: (2.14, 0.81, 2.31)),
        .init(isFemale: true, days: 156, weight: 6.5, length: 62.099998474, scores: (-0.55, -0.97, 0)),
        .init(isFemale: true, days: 922, weight: 16.399999619, length: 91.199996948, scores: (1.91, 0.08, 2.65)),
        .init(isFemale: true, days: 653, weight: 11.699999809, length: 83.5, scores: (0.53, -0.19, 0.9)),
        .init(isFemale: false, days: 423, weight: 9.1999998093, length: 75.400001526, scores: (-0.82, -1.03, -0.3)),
        .init(isFemale: false, days: 1082, weight: 12, length: 89.400001526, scores: (-1.44, -1.73, -0.5)),
    ]

    @Test("gives the z-scores under five years that the WHO's program gives", arguments: survey)
    func standards(_ child: Surveyed) throws {
        let index = BodyFormulas.bodyMassIndex(weight: child.weight, height: child.length)
        for (measure, value, expected) in [
            (GrowthReference.Measure.weight, child.weight, child.scores.weight), (.height, child.length, child.scores.length),
            (.bodyMassIndex, index, child.scores.index),
        ] {
            let z = try #require(GrowthReference.z(value, measure, days: child.days, isFemale: child.isFemale))
            #expect(abs(z - expected) < 0.011, "\(measure) \(z)")
        }
    }

    /// anthroplus for R, the WHO's own program: tests/testthat/test-zscores.R (60.32 and 60.911701 months), and its survey of 933 children, of which all
    /// 258 weights, 920 heights and 915 indices agree to within 0.011.
    @Test(
        "gives the z-scores from five years that the WHO's program gives",
        arguments: [
            (true, 60.32, 113.8, 18.7, nil, nil, -0.58), (true, 60.911701, 113.6, 20.5, nil, nil, 0.42),
            (true, 158.68, 152.5, 43.4, nil, -0.69, -0.13), (false, 116.8, 151.3, 40.6, 1.66, 2.37, 0.74),
            (false, 84.78, 135.8, 48, 5.11, 2.58, 4.68), (true, 207.64, 171.7, 169.7, nil, 1.32, 6.07),
            (true, 89.39, 125.9, 25.6, 0.53, 0.45, 0.36), (false, 173.9, 164.2, 84.3, nil, -0.26, 2.74),
        ] as [(Bool, Double, Double, Double, Double?, Double?, Double?)])
    func reference(isFemale: Bool, months: Double, height: Double, weight: Double, ofWeight: Double?, ofHeight: Double?, ofIndex: Double?)
        throws
    {
        let days = months * GrowthReference.month
        for (measure, value, expected) in [
            (GrowthReference.Measure.weight, weight, ofWeight), (.height, height, ofHeight),
            (.bodyMassIndex, BodyFormulas.bodyMassIndex(weight: weight, height: height), ofIndex),
        ] {
            guard let expected else { continue }
            let z = try #require(GrowthReference.z(value, measure, days: days, isFemale: isFemale))
            #expect(abs(z - expected) < 0.011, "\(measure) \(z)")
        }
    }

    /// rcpchgrowth (PyPI), the Royal College of Paediatrics and Child Health's program with WHO's tables: sds_for_measurement("who", …).
    @Test(
        "agrees with the Royal College's program",
        arguments: [
            (389.0, false, GrowthReference.Measure.weight, 10.5, 0.608), (389, false, .height, 76.2, -0.193),
            (828, false, .bodyMassIndex, 19.209, 2.311),
            (922, true, .bodyMassIndex, 19.718, 2.650), (3000, true, .height, 125, -0.478), (3000, false, .weight, 25, -0.266),
            (5000, false, .bodyMassIndex, 19, 0.103), (6000, true, .bodyMassIndex, 22, 0.366),
        ])
    func secondOpinion(days: Double, isFemale: Bool, measure: GrowthReference.Measure, value: Double, expected: Double) throws {
        let z = try #require(GrowthReference.z(value, measure, days: days, isFemale: isFemale))
        #expect(abs(z - expected) < 0.006, "\(z)")
    }

    /// WHO, simplified field tables: medians and ±2 standard deviations, which are rounded to a tenth.
    @Test(
        "gives the printed medians and deviations of the field tables",
        arguments: [
            (GrowthReference.Measure.weight, false, 0.0, 3.3, 0.0), (.weight, false, 0, 2.5, -2), (.weight, false, 0, 4.4, 2),
            (.weight, false, 365, 9.6, 0), (.weight, true, 365, 8.9, 0), (.height, true, 0, 49.1, 0), (.height, false, 731, 87.1, 0),
            (.height, false, 731, 81.0, -2), (.height, true, 1826, 109.4, 0), (.bodyMassIndex, false, 0, 13.4, 0),
            (.bodyMassIndex, true, 731, 18.7, 2), (.bodyMassIndex, false, 1826, 15.2, 0),
        ])
    func fieldTables(measure: GrowthReference.Measure, isFemale: Bool, days: Double, value: Double, z: Double) throws {
        let low = try #require(GrowthReference.z(value - 0.06, measure, days: days, isFemale: isFemale))
        let high = try #require(GrowthReference.z(value + 0.06, measure, days: days, isFemale: isFemale))
        #expect(low <= z && z <= high, "\(low)…\(high)")
    }

    @Test("knows every age from birth to nineteen years, and none outside")
    func ages() {
        for sex in [true, false] {
            for day in stride(from: 0.0, through: 6939, by: 0.5) {
                let height = GrowthReference.z(50 + day / 50, .height, days: day, isFemale: sex)
                #expect(height?.isFinite == true, "\(day)")
                #expect(GrowthReference.z(16, .bodyMassIndex, days: day, isFemale: sex)?.isFinite == true, "\(day)")
                #expect((GrowthReference.z(20, .weight, days: day, isFemale: sex) != nil) == (day <= 120 * GrowthReference.month))
            }
        }
        for days in [-1, 6940, .nan, .infinity] {
            #expect(GrowthReference.z(16, .bodyMassIndex, days: days, isFemale: false) == nil)
        }
        for value in [0, -1, .nan, Double.infinity] { #expect(GrowthReference.z(value, .weight, days: 100, isFemale: true) == nil) }
    }

    private func child(born: String, weight: Double?, height: Double?, heightAge: Double = 1) -> PersonFixture {
        var person = PersonFixture(profile: ParticipantProfile(birthDate: born, sex: .female, height: 90))
        if let weight { person.add("body-weight", [(PersonFixture.noon - 60, weight)]) }
        if let height { person.add("body-height", [(PersonFixture.noon - heightAge * 86_400, height)]) }
        return person
    }

    @Test("says where a small child is, without alarm and without calm where there is no ground for either")
    func messages() throws {
        let module = AnthropometryModule()
        let well = try child(born: "2024-11-22", weight: 11.5, height: 86).evaluate(module)
        #expect(well.text("bmi-class") == "normal" && well.number("weight-z") != nil && well.number("height-percentile") != nil)
        #expect(well.message?.code == "bmi-normal")
        let light = try child(born: "2024-11-22", weight: 8, height: 86).evaluate(module)
        #expect(light.message?.code == "growth-low" && light.message?.kind == .info)
        let pounds = try child(born: "2024-11-22", weight: 25, height: 86).evaluate(module)
        #expect(pounds.number("weight-z") == nil && pounds.number("bmi-z") == nil && pounds.text("bmi-class") == nil)
        // The height of half a year ago is not that of today, and the profile's has no date.
        let stale = try child(born: "2024-11-22", weight: 11.5, height: 80, heightAge: 180).evaluate(module)
        #expect(stale.number("bmi") == nil && stale.number("weight-z") != nil && stale.message?.code == "growth")
        let undated = try child(born: "2024-11-22", weight: 11.5, height: nil).evaluate(module)
        #expect(undated.number("bmi") == nil && undated.number("height-z") == nil)
    }

    @Test("speaks of overweight a step later under five years than from five on")
    func classes() {
        let small = [-3.1, -2.1, 0, 1, 1.1, 2.1, 3.1].map { BodyFormulas.childClass($0, isUnderFive: true).code }
        #expect(small == ["severe-thinness", "thinness", "normal", "normal", "overweight-risk", "overweight", "obesity"])
        let large = [-3.1, -2.1, 0, 1, 1.1, 2.1, 3.1].map { BodyFormulas.childClass($0, isUnderFive: false).code }
        #expect(large == ["severe-thinness", "thinness", "normal", "normal", "overweight", "obesity", "obesity"])
    }
}
