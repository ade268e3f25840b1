import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

/// A message must not outlive the reading that it speaks of, and what an import brings from years ago must alarm nobody.
@Suite("Messages and the age of readings")
struct StaleMessagesTests {
    private func pressure(age: Double, birthDate: String? = "1980-06-15") throws -> ModuleResult {
        var person = PersonFixture(profile: ParticipantProfile(birthDate: birthDate))
        person.add("systolic-pressure", [(PersonFixture.noon - age, 190)])
        person.add("diastolic-pressure", [(PersonFixture.noon - age, 125)])
        return try person.evaluate(BloodPressureModule())
    }

    @Test("warns of a severe blood pressure of today, tells one of last week, and is silent of one of last year")
    func severe() throws {
        let today = try pressure(age: 3600)
        #expect(today.message?.kind == .warning && today.review == PersonFixture.noon - 3600 + 86_400)
        let week = try pressure(age: 7 * 86_400)
        #expect(week.message?.kind == .info && week.review == PersonFixture.noon + 23 * 86_400)
        let year = try pressure(age: 400 * 86_400)
        #expect(year.message == nil && year.review == nil && year.number("systolic") == 190)
        #expect(try pressure(age: 60, birthDate: "2018-01-01").message == nil)
    }

    @Test("takes a low glucose back when half an hour has passed, and says whom to call when it is very low")
    func glucose() throws {
        var person = PersonFixture()
        person.add("blood-glucose", [(PersonFixture.noon - 60, 62)])
        let low = try person.evaluate(GlucoseModule())
        #expect(low.message?.code == "low" && low.review == PersonFixture.noon + 840)
        #expect(try person.evaluate(GlucoseModule(), at: PersonFixture.noon + 841).review == PersonFixture.noon + 1740)
        let later = try person.evaluate(GlucoseModule(), at: PersonFixture.noon + 1741)
        #expect(later.message == nil && later.review == nil)
        person.add("blood-glucose", [(PersonFixture.noon - 30, 48)])
        let deep = try person.evaluate(GlucoseModule()).message
        #expect(deep?.code == "very-low" && deep?.text.en.contains("emergency") == true && deep?.text.de.contains("Notruf") == true)
    }

    @Test("draws no class from a weight of years ago, and gives no home average of a week of last year")
    func old() throws {
        var person = PersonFixture()
        person.add("body-weight", [(PersonFixture.noon - 800 * 86_400, 60)])
        let body = try person.evaluate(AnthropometryModule())
        #expect(body.number("bmi") == 20.8 && body.message == nil)
        for day in 0..<7 {
            for hour in [7.0, 7.1, 19, 19.1] {
                let time = PersonFixture.noon - Double(300 + day) * 86_400 + hour * 3600
                person.add("systolic-pressure", [(time, 118)])
                person.add("diastolic-pressure", [(time, 70)])
            }
        }
        #expect(try person.evaluate(BloodPressureModule()).number("home-systolic") == nil)
    }

    @Test("gives no class to the home average of children and of pregnant women")
    func home() throws {
        for profile in [
            ParticipantProfile(birthDate: "2015-01-01"), ParticipantProfile(birthDate: "1990-01-01", sex: .female, isPregnant: true),
        ] {
            var person = PersonFixture(profile: profile)
            for day in 1..<8 {
                for hour in [7.0, 7.1, 19, 19.1] {
                    let time = PersonFixture.noon - Double(day) * 86_400 + (hour - 12) * 3600
                    person.add("systolic-pressure", [(time, 138)])
                    person.add("diastolic-pressure", [(time, 88)])
                }
            }
            let found = try person.evaluate(BloodPressureModule())
            #expect(found.number("home-systolic") == 138 && found.text("home-category") == nil && found.message == nil)
        }
    }
}
