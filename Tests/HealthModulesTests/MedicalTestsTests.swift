import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Medical tests")
struct MedicalTestsTests {
    private func result(_ name: String, _ value: Double, _ unit: String?, age: Double, detail: String? = nil, loinc: String? = nil)
        -> TimelineEntry
    {
        TimelineEntry(
            id: "r\(age)-\(value)", kind: .result, time: Timestamp(seconds: PersonFixture.noon - age), description: name, value: value,
            unit: unit, codes: loinc.map { ["LOINC": [$0]] }, detail: detail)
    }

    @Test("judges results by sex and age, by the laboratory's own range first, and by the change that chance explains")
    func ranges() throws {
        var person = PersonFixture()
        person.list = [
            result("Hemoglobin", 11.2, "g/dL", age: 1000), result("Something", 5.9, "mmol/L", age: 900, loinc: "2823-3"),
            result("Creatinine", 70, "umol/L", age: 800), result("Creatinine", 90, "umol/L", age: 700),
            result("TSH", 4.5, "mU/L", age: 600, detail: "reference 0.4-5.0"), result("Sodium", 140, "furlongs", age: 500),
            result("Unheard of", 1, nil, age: 400),
        ]
        let found = try person.evaluate(MedicalTestsModule())
        #expect(found.text("outside-list") == "haemoglobin low, serum-potassium high")
        #expect(found.number("tests") == 4 && found.text("changed-list") == "serum-creatinine +29 %" && found.number("left-out") == 1)
        #expect(found.message?.kind == .info && found.message?.text.de.contains("Hämoglobin niedrig, Kalium hoch") == true)
        person.profile = ParticipantProfile(birthDate: "2020-01-01")
        // WHO 2024: below 11.5 g/dL from five years on. For a child's creatinine and potassium there is no range here.
        let child = try person.evaluate(MedicalTestsModule())
        #expect(child.text("outside-list") == "haemoglobin low" && child.number("without-range") == 2)
        person.profile = ParticipantProfile()
        #expect(try person.evaluate(MedicalTestsModule()).number("outside") == 0)
        person.profile = ParticipantProfile(birthDate: "1990-01-01", sex: .female, isPregnant: true)
        #expect(try person.evaluate(MedicalTestsModule()).number("outside") == 0)
    }

    @Test("reads results that came as readings beside those that were entered")
    func readings() throws {
        var person = PersonFixture()
        person.list = [result("Total Cholesterol", 189, nil, age: 500_000, loinc: "2093-3")]
        person.add("total-cholesterol", [(PersonFixture.noon - 1000, 250)])
        let found = try person.evaluate(MedicalTestsModule())
        #expect(found.number("tests") == 1 && found.text("outside-list") == "total-cholesterol high")
        #expect(found.text("changed-list") == "total-cholesterol +32 %")
    }

    @Test("guesses no unit: a number alone counts only where a code says in which unit it is, and where it is possible")
    func units() throws {
        for (entry, tests) in [
            (result("Creatinine", 90, nil, age: 10), 0.0), (result("Creatinine", 90, "mg/dL", age: 10), 0),
            (result("Creatinine", 0.9, "mg/dl", age: 10), 1), (result("x", 0.9, nil, age: 10, loinc: "2160-0"), 1),
            (result("x", 90, nil, age: 10, loinc: "2160-0"), 0), (result("x", 90, nil, age: 10, loinc: "14682-9"), 0),
            (result("x", 90, "µmol/L", age: 10, loinc: "14682-9"), 1), (result("Hemoglobin", 130, "g/L", age: 10), 1),
            (result("WBC", 6.1, "x10^9/L", age: 10), 1), (result("WBC", 6100, "/µL", age: 10), 1),
            (result("HbA1c", 42, "mmol/mol", age: 10), 1),
            (result("Calcium", .infinity, "mg/dL", age: 10), 0), (result("Calcium", -3, "mg/dL", age: 10), 0),
        ] {
            var person = PersonFixture()
            person.list = [entry]
            #expect(try person.evaluate(MedicalTestsModule()).number("tests") == tests, "\(entry)")
        }
    }

    /// Unit examples that are published: HbA1c 53 mmol/mol is 7.0 % (IFCC and ADA), creatinine 88.4 µmol/L is 1.0 mg/dL, cholesterol 5.2 mmol/L is 201 mg/dL,
    /// triglycerides 1.7 mmol/L are 150 mg/dL, urate 360 µmol/L is 6.05 mg/dL.
    @Test(
        "converts units as the published examples do",
        arguments: [
            ("hba1c", 53.0, "mmol/mol", 7.0, 0.01), ("serum-creatinine", 88.4, "umol/L", 1.0, 0.001),
            ("total-cholesterol", 5.2, "mmol/L", 201, 0.1),
            ("triglycerides", 1.7, "mmol/L", 150.5, 0.1), ("urate", 360, "umol/L", 6.05, 0.01),
            ("serum-calcium", 2.5, "mmol/L", 10.02, 0.01),
            ("haemoglobin", 8.7, "mmol/L", 14.02, 0.01), ("c-reactive-protein", 1.2, "mg/dL", 12, 0.001),
        ])
    func conversions(id: String, value: Double, unit: String, expected: Double, tolerance: Double) throws {
        let test = try #require(LaboratoryTest.all.first { $0.id == id })
        #expect(abs(try #require(test.converted(value, from: unit)) - expected) < tolerance)
    }

    @Test("warns of what laboratories telephone for, but not of what is long past, nor of a child by an adult's limits")
    func critical() throws {
        var person = PersonFixture()
        person.list = [result("Potassium", 6.8, "mmol/L", age: 3600)]
        #expect(try person.evaluate(MedicalTestsModule()).message?.code == "far-outside")
        person.list = [result("Potassium", 6.8, "mmol/L", age: 90 * 86_400)]
        #expect(try person.evaluate(MedicalTestsModule()).message?.code == "outside")
        person.list = [result("Potassium", 4.2, "mmol/L", age: 3600)]
        #expect(try person.evaluate(MedicalTestsModule()).message == nil)
        person.profile = ParticipantProfile(birthDate: "2026-01-01")
        person.list = [result("Potassium", 6.8, "mmol/L", age: 3600)]
        #expect(try person.evaluate(MedicalTestsModule()).message == nil)
    }

    @Test("has a range with a source for each test in adults, and a name in every language")
    func sources() throws {
        for test in LaboratoryTest.all {
            #expect(test.definition != nil, "\(test.id)")
            for sex in [ParticipantProfile.Sex.female, .male] {
                let range = try #require(test.range(sex: sex, age: 40, isPregnant: false), "\(test.id)")
                #expect(range.low != nil || range.high != nil)
                #expect(range.low ?? 0 < range.high ?? .infinity && !range.source.rawValue.isEmpty)
            }
            #expect(test.range(sex: .female, age: 30, isPregnant: true) == nil)
            #expect(!test.title.de.isEmpty && !test.title.ru.isEmpty && test.within > 0 && test.analytical > 0)
        }
        let thyrotropin = try #require(LaboratoryTest.all.first { $0.id == "thyrotropin" })
        #expect(thyrotropin.range(sex: nil, age: 50, isPregnant: false)?.high == 4)
        #expect(thyrotropin.range(sex: nil, age: 85, isPregnant: false)?.high == 7.5)
        #expect(thyrotropin.range(sex: nil, age: 10, isPregnant: false) == nil)
        #expect(Set(LaboratoryTest.all.map(\.id)).count == LaboratoryTest.all.count)
    }

    /// By hand for creatinine, CVI 4.5 %, CVA 2 %: √24.25 = 4.92 %; Fraser: ±13.65 %; Fokkema: exp(±1.96 √2 · 0.04921) = −12.75 % and +14.62 %. For C-reactive
    /// protein, 34 % and 3 %, Fraser's fall of 94.6 % could hardly happen; Fokkema's is −60 %, +151 %.
    @Test("computes the reference change value")
    func change() throws {
        let creatinine = try #require(LaboratoryTest.all.first { $0.id == "serum-creatinine" }).referenceChange
        #expect(abs(creatinine.rise - 14.62) < 0.02 && abs(creatinine.fall + 12.75) < 0.02)
        let protein = try #require(LaboratoryTest.all.first { $0.id == "c-reactive-protein" }).referenceChange
        #expect(abs(protein.rise - 151) < 0.1 && abs(protein.fall + 60.15) < 0.02)
        #expect(abs((1 + protein.rise / 100) * (1 + protein.fall / 100) - 1) < 1e-9)
    }

    @Test("reads the range that a laboratory wrote")
    func written() {
        #expect(LaboratoryTest.writtenRange("reference: < 5.2")?.high == 5.2 && LaboratoryTest.writtenRange("range 3.5 - 5")?.low == 3.5)
        #expect(LaboratoryTest.writtenRange("taken in the morning") == nil && LaboratoryTest.writtenRange("reference 5-3") == nil)
    }
}
