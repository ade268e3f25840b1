import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Body measures")
struct BodyTests {
    /// Worked examples: Du Bois 1916 (70 kg, 170 cm: 1.81 m²), Mosteller 1987 (same: 1.82), Devine for a man of 70 inches: 73 kg.
    @Test("gives the books' examples")
    func formulas() {
        #expect(abs(BodyFormulas.surfaceDuBois(weight: 70, height: 170) - 1.8097) < 0.001)
        #expect(abs(BodyFormulas.surfaceMosteller(weight: 70, height: 170) - 1.8181) < 0.001)
        #expect(abs(BodyFormulas.devine(height: 177.8, isFemale: false) - 73) < 1e-9)
        #expect(abs(BodyFormulas.robinson(height: 177.8, isFemale: false) - 71) < 1e-9)
        #expect(abs(BodyFormulas.miller(height: 177.8, isFemale: false) - 70.3) < 1e-9)
        #expect(abs(BodyFormulas.hamwi(height: 177.8, isFemale: false) - 75) < 1e-9)
        #expect(BodyFormulas.broca(height: 164, age: 30) == 64 && BodyFormulas.broca(height: 170, age: 41) == 70)
        #expect(BodyFormulas.broca(height: 180, age: nil) == 70)
    }

    @Test("says what it lacks: birth date, sex, height, weight")
    func missing() throws {
        var person = PersonFixture(profile: ParticipantProfile(height: 170))
        #expect(try person.evaluate(AnthropometryModule()).number("bmi") == nil)
        person.add("body-weight", [(PersonFixture.noon - 60, 65)])
        let result = try person.evaluate(AnthropometryModule())
        #expect(result.number("bmi") == 22.5 && result.text("bmi-class") == nil && result.number("ideal-devine") == nil)
        person.profile = ParticipantProfile(birthDate: "2016-02-29", sex: .male, height: 140)
        #expect(try person.evaluate(AnthropometryModule()).text("bmi-class") == nil)
        person.add("body-height", [(PersonFixture.noon - 86_400, 140)])
        let child = try person.evaluate(AnthropometryModule())
        #expect(child.number("bmi-z") ?? 0 > 2 && child.text("bmi-class") == "obesity" && child.number("ideal-broca") == nil)
        person.profile.birthDate = "2030-01-01"
        #expect(try person.evaluate(AnthropometryModule()).text("bmi-class") == nil)
    }
}

@Suite("Blood pressure")
struct PressureTests {
    /// ACC/AHA 2017, table 6, and ESC 2024, table 5: the ends of each class.
    @Test(
        "classifies as the guidelines' tables do",
        arguments: [
            (119.0, 79.0, "normal", "elevated", "elevated"), (119, 69, "normal", "non-elevated", "non-elevated"),
            (120, 79, "elevated", "elevated", "elevated"), (130, 70, "stage-1", "elevated", "elevated"),
            (118, 80, "stage-1", "elevated", "elevated"),
            (135, 70, "stage-1", "elevated", "hypertension"), (140, 70, "stage-2", "hypertension", "hypertension"),
            (118, 90, "stage-2", "hypertension", "hypertension"), (181, 90, "severe", "hypertension", "hypertension"),
            (150, 121, "severe", "hypertension", "hypertension"), (180, 120, "stage-2", "hypertension", "hypertension"),
        ])
    func classes(systolic: Double, diastolic: Double, american: String, office: String, home: String) {
        #expect(PressureCategory.american(systolic, diastolic).rawValue == american)
        #expect(PressureCategory.europeanOffice(systolic, diastolic).rawValue == office)
        #expect(PressureCategory.europeanHome(systolic, diastolic).rawValue == home)
    }

    @Test("leaves the first day out of a week at home, and asks for three days")
    func home() throws {
        var person = PersonFixture()
        for day in 0..<7 {
            for hour in [7.0, 7.05, 19, 19.05] {
                let time = PersonFixture.noon - 43_200 - Double(7 - day) * 86_400 + hour * 3600
                person.add("systolic-pressure", [(time, day == 0 ? 180 : hour < 12 ? 130 : 126)])
                person.add("diastolic-pressure", [(time, day == 0 ? 110 : 80)])
            }
        }
        let result = try person.evaluate(BloodPressureModule())
        #expect(result.number("home-systolic") == 128 && result.number("home-diastolic") == 80)
        #expect(result.number("morning-systolic") == 130 && result.number("evening-systolic") == 126)
        #expect(result.text("home-category") == "elevated")
        #expect(HomeAverage((0..<9).map { PressureReading(systolic: 120, diastolic: 80, day: $0 / 5) }) == nil)
    }

    @Test("pairs what one device measured at one time, and no impossible pair")
    func pairs() {
        var person = PersonFixture()
        person.add("systolic-pressure", [(10, 120), (20, 60), (30, 130)])
        person.add("diastolic-pressure", [(10, 80), (20, 80), (31, 85)])
        let pairs = PressureReading.pairs(person.readings(of: "systolic-pressure"), person.readings(of: "diastolic-pressure"))
        #expect(pairs.map(\.systolic) == [120])
        #expect(abs(pairs[0].meanArterial - 93.333) < 0.001 && pairs[0].pulsePressure == 40)
    }

    @Test("names the night's pattern, and only from enough readings")
    func night() throws {
        #expect(
            NightDip.percent(day: Array(repeating: 130, count: 20), night: Array(repeating: 112, count: 7)).map { NightDip.pattern($0) }
                == "dipping")
        #expect(NightDip.percent(day: Array(repeating: 130, count: 19), night: Array(repeating: 112, count: 7)) == nil)
        #expect([25.0, 15, 5, -2].map(NightDip.pattern) == ["extreme", "dipping", "reduced", "rising"])
        #expect(averageRealVariability([120, 130, 125]) == 7.5)
    }
}
