import Foundation
import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Training and heart")
struct TrainingTests {
    /// Worked examples that are published: 45 min at 150/min, rest 60, maximum 190, a man: 75.36 (calculatorhub.com, TRIMP); 30 min at 130/min, rest 40,
    /// maximum 200: 32 (fellrnr.com, TRIMP, where the reserve is rounded to 0.56).
    @Test("gives the published examples of Banister's impulse")
    func impulse() {
        let first = TrainingFormulas.reserve(150, resting: 60, maximal: 190)
        #expect(abs(TrainingFormulas.impulse(minutes: 45, reserve: first, isFemale: false) - 75.36) < 0.05)
        let second = TrainingFormulas.reserve(130, resting: 40, maximal: 200)
        #expect(abs(TrainingFormulas.impulse(minutes: 30, reserve: second, isFemale: false) - 32) < 0.5)
        #expect(
            TrainingFormulas.impulse(minutes: 30, reserve: 0.5, isFemale: true)
                > TrainingFormulas.impulse(minutes: 30, reserve: 0.5, isFemale: false))
    }

    @Test("gives the formulas' own numbers: Tanaka, Uth, Epley, Williams")
    func formulas() {
        #expect(TrainingFormulas.maximalRate(age: 40) == 180)
        #expect(abs(TrainingFormulas.oxygenUptake(maximal: 190, resting: 50) - 58.14) < 0.01)
        #expect(abs((TrainingFormulas.oneRepetition(weight: 100, repetitions: 6) ?? 0) - 120) < 1e-9)
        #expect(TrainingFormulas.oneRepetition(weight: 100, repetitions: 11) == nil)
        #expect(abs(TrainingFormulas.weightedLoad([100, 0], days: 7) - 18.75) < 1e-9)
    }

    @Test("recognises a session, its load and the recovery after it")
    func session() throws {
        var person = PersonFixture()
        let start = PersonFixture.noon - 7200
        person.add("heart-rate", (0..<30).map { (start + Double($0) * 60, 140.0) })
        person.add("heart-rate", [(start + 1800, 118), (start + 1860, 104), (start + 1920, 96)])
        person.add("resting-heart-rate", (0..<5).map { (PersonFixture.noon - Double($0) * 86_400 - 20_000, 60.0) })
        person.found["heart.resting"] = .number(60)
        let result = try person.evaluate(TrainingModule())
        #expect(result.number("sessions-week") == 1)
        // 46 years: maximum 175.8; 140/min is a reserve of 0.6908 in a woman: 2.08 a minute; the last minute at 118 counts with 0.5.
        #expect(abs((result.number("load-today") ?? 0) - 58) < 4)
        #expect(try person.evaluate(HeartModule()).number("recovery") == 22)
        #expect(result.number("load-ratio") == nil)
    }

    @Test("reads plans and sets as they are written, and nothing else")
    func plans() throws {
        let plan = try #require(TrainingPlan("Squat 3x8x60; bench press 2x10x40.5"))
        #expect(plan.exercises.count == 2 && plan.exercises[1].name == "bench press")
        for text in ["", ";", "squat", "squat 3x8", "squat 3xax60", "squat 0x8x60", "squat 3x8xinf", "squat 3x8xnan", "3x8x60"] {
            #expect(TrainingPlan(text) == nil, "\(text)")
        }
        let sets = ["squat 8x60", "squat 8x65", "squat 7x60", "bench press 10x41"].compactMap(TrainingPlan.set)
        #expect(plan.share(of: sets) == 60)
    }

    @Test("compares the heart with the person's own past, and says when there is too little")
    func heart() throws {
        var person = PersonFixture()
        #expect(try person.evaluate(HeartModule()).number("resting") == nil)
        person.add("resting-heart-rate", (0..<35).map { (PersonFixture.noon - Double($0) * 86_400 - 600, $0 < 7 ? 66.0 : 58) })
        for day in 0..<60 {
            let value: Double = day < 7 ? 25 : 40 + Double(day % 5)
            person.add("heart-rate-variability-rmssd", [(PersonFixture.noon - Double(day) * 86_400 - 30_000, value)])
        }
        let result = try person.evaluate(HeartModule())
        #expect(result.number("resting") == 66 && result.number("resting-change") == 8)
        #expect(result.message?.code == "resting-raised" && result.text("variability-state") == "low")
    }
}

@Suite("Sleep, stress and medication")
struct DailyLifeTests {
    @Test("takes the source that counted most for a day, and knows the weekday's usual")
    func totals() throws {
        let readings = [
            NumberReading(time: 0, value: 500, day: 1, second: 0, source: 0),
            NumberReading(time: 1, value: 700, day: 1, second: 1, source: 0),
            NumberReading(time: 2, value: 1100, day: 1, second: 2, source: 1),
        ]
        #expect(DayTotals(readings).days == [1: 1200])
        var person = PersonFixture()
        person.add("steps", (1..<60).map { (PersonFixture.noon - Double($0) * 86_400, $0 % 7 == 1 ? 12_000.0 : 6000) })
        person.add("sleep-minutes", (0..<14).map { (PersonFixture.noon - Double($0) * 86_400, $0 % 2 == 0 ? 400.0 : 440) })
        let result = try person.evaluate(SleepActivityModule())
        #expect(result.number("steps-usual") == 12_000 && result.number("steps-yesterday") == 12_000)
        #expect(result.number("sleep-mean") == 7 && result.number("sleep-short-days") == 7)
        #expect(result.number("steps-today") == nil)
    }

    @Test("says how yesterday's stress and this morning compare with the person's own days")
    func stress() throws {
        var person = PersonFixture()
        for day in 1..<40 {
            let base = day == 1 ? 0.7 : 0.3 + Double(day % 5) * 0.02
            person.add("stress-level", (0..<40).map { (PersonFixture.noon - Double(day) * 86_400 + Double($0) * 300, base) })
            person.add("sleep-minutes", [(PersonFixture.noon - Double(day) * 86_400, 420 + Double(day % 3) * 20)])
        }
        person.add("sleep-minutes", [(PersonFixture.noon - 18_000, 300)])
        let result = try person.evaluate(StressRecoveryModule())
        #expect(result.number("yesterday-percentile") == 100 && result.message?.code == "stressful-day")
        #expect((result.number("readiness") ?? 100) < 10 && result.text("readiness-from") == "sleep, stress")
        #expect(try PersonFixture().evaluate(StressRecoveryModule()).number("readiness") == nil)
        let calm = (0..<10).map { NumberReading(time: Double($0) * 300, value: $0 == 4 ? 0.9 : 0.1, day: 0, second: 0) }
        #expect(StressRecoveryModule.longestCalm(calm, below: 0.5) == 20)
    }

    @Test("reminds of a dose that is due, tells one that was missed, and counts what was taken")
    func medication() throws {
        var person = PersonFixture(profile: ParticipantProfile(timeZone: "Europe/Berlin"))
        person.settings["medication.plan"] = .text("Metformin 500 mg 08:00 20:00; ramipril 5 mg 12:30")
        for day in 1..<11 {
            person.add("medication-dose", text: "metformin 500 mg", at: PersonFixture.noon - Double(day) * 86_400 - 18_000)
            if day % 2 == 0 { person.add("medication-dose", text: "metformin", at: PersonFixture.noon - Double(day) * 86_400 + 25_200) }
        }
        person.words["medication-dose"]?.sort { $0.time < $1.time }
        person.add("medication-dose", text: "Metformin", at: PersonFixture.noon - 17_000)
        // Noon UTC is 13:00 in Berlin: ramipril has been due for half an hour.
        let result = try person.evaluate(MedicationModule())
        #expect(result.text("due-now") == "ramipril" && result.message?.code == "due")
        #expect(result.number("adherence") == 76 && result.text("next") == "20:00 Metformin 500 mg")
        #expect(result.observations.count { $0.metric == "medication-missed" } == 5)
        let later = try person.evaluate(MedicationModule(), at: PersonFixture.noon + 4 * 3600)
        #expect(later.message?.code == "missed" && later.observations.contains { $0.text == "ramipril" })
        for text in ["", "metformin", "08:00", "a 25:00", "a 08:00; a 09:00"] { #expect(MedicationPlan(text) == nil, "\(text)") }
    }

    @Test("keeps due times on the wall's clock when the clocks change")
    func summerTime() throws {
        let plan = try #require(MedicationPlan("a 02:30 08:00"))
        let calendar = PersonCalendar(zone: try #require(.init(identifier: "Europe/Berlin")))
        let day = try #require(PersonCalendar.day(written: "2026-03-29"))
        let doses = DueDose.match(plan.medications[0], taken: [], days: day...day, until: 2e9, calendar)
        #expect(doses.count == 2 && calendar.place(of: doses[1].due).second == 8 * 3600)
    }
}
