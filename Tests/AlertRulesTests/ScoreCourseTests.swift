import Testing

@testable import AlertRules

/// Scores as they come of single vital signs: what is derived at which second.
@Suite("Scores over time")
struct ScoreCourseTests {
    private static let start = EngineHarness.start

    /// `3 news2-at-least 5`, with the time of measurement behind an `@` where it differs.
    private static func derived(_ scores: String, _ steps: String, profile: PersonFacts? = nil) throws -> [String] {
        var harness = try EngineHarness("{scores: {\(scores)}, rules: [{id: \"z\", metric: \"x-z\", severity: \"notice\", above: 1}]}")
        if let profile { try harness.command(.setProfile(profile), rule: "z") }
        var told: [String] = []
        for step in steps.split(separator: ";") {
            try harness.play(String(step))
            for value in harness.takeDerived() {
                let (time, now) = (value.time / 1_000_000 - start, harness.now - start)
                let content: String =
                    switch value.content {
                    case .number(let number): AlertTexts.number(number)
                    case .text(let text): text
                    }
                told.append("\(now) \(value.metric) \(content)" + (time == now ? "" : " @\(time)"))
            }
        }
        return told
    }

    @Test("NEWS2 says what is known, and what is missing, whenever that changes")
    func news2() throws {
        #expect(
            try Self.derived(
                "news2: {staleAfter: \"1m\"}",
                "0 respiration-rate 25; 1 respiration-rate 26; 5 heart-rate 95 -1; 61 heart-rate 95; 62 heart-rate 95") == [
                    "0 news2-at-least 3", "0 news2-highest-parameter 3", "0 news2-risk low-medium",
                    "0 news2-missing oxygen-saturation,supplemental-oxygen,systolic-pressure,heart-rate,consciousness,body-temperature",
                    "5 news2-at-least 4 @4",
                    "5 news2-missing oxygen-saturation,supplemental-oxygen,systolic-pressure,consciousness,body-temperature @4",
                    // The breathing of 1 s is just as old as it may be at 61 s.
                    "62 news2-at-least 1", "62 news2-highest-parameter 1", "62 news2-risk incomplete",
                    "62 news2-missing respiration-rate,oxygen-saturation,supplemental-oxygen,systolic-pressure,consciousness,body-temperature",
                ])
    }

    private static func born(yearsAgo years: Double) -> PersonFacts {
        var facts = PersonFacts()
        facts.born = start * 1_000_000 - Int64(years * 31_556_952e6)
        return facts
    }

    @Test("a child has no class of adults, an adolescent that of the pressure", arguments: [(3.0, false), (15, true), (40, true)])
    func childrensClasses(age: Double, isClassed: Bool) throws {
        let told = try Self.derived(
            "bloodPressure: {}, bodyMassIndex: true", "0 systolic-pressure 118; 0 diastolic-pressure 75; 1 body-mass-index 16",
            profile: Self.born(yearsAgo: age))
        #expect(
            told == [
                "0 blood-pressure-category \(isClassed ? "normal" : "no-class-for-children")",
                "1 body-mass-index-category \(age < 18 ? "no-class-for-children" : "underweight")",
            ])
    }

    @Test("pregnancy and the six weeks after birth have no class of adults; glucose has the range of pregnancy until the birth")
    func pregnancysClasses() throws {
        let steps = "0 systolic-pressure 118; 0 diastolic-pressure 75; 1 body-mass-index 26; 2 blood-glucose 150"
        var facts = Self.born(yearsAgo: 30)
        facts.isPregnant = true
        for delivered in [nil, Self.start - 40 * 86_400, Self.start - 43 * 86_400] {
            facts.delivered = delivered.map { $0 * 1_000_000 }
            let isOver = delivered.map { $0 < Self.start - 42 * 86_400 } ?? false
            #expect(
                try Self.derived("bloodPressure: {}, bodyMassIndex: true, glucose: true", steps, profile: facts) == [
                    "0 blood-pressure-category \(isOver ? "normal" : "no-class-in-pregnancy")",
                    "1 body-mass-index-category \(isOver ? "overweight" : "no-class-in-pregnancy")",
                    "2 glucose-category \(delivered == nil ? "high" : "in-range")",
                ])
        }
    }

    @Test("NEWS2 is whole once every vital sign is known")
    func whole() throws {
        let found = try Self.derived(
            "news2: {}",
            """
            0 respiration-rate 16; 0 oxygen-saturation 98; 0 supplemental-oxygen 0; 0 systolic-pressure 120; 0 heart-rate 70; \
            0 body-temperature 37; 1 consciousness alert; 2 consciousness alert; 3 consciousness confusion; 4 body-temperature 39.5
            """)
        #expect(
            found.suffix(10) == [
                "1 news2-risk low", "1 news2-missing none", "1 news2-score 0", "3 news2-at-least 3", "3 news2-highest-parameter 3",
                "3 news2-risk low-medium", "3 news2-score 3", "4 news2-at-least 5", "4 news2-risk medium", "4 news2-score 5",
            ])
    }

    @Test("what comes late is not the present, unless what is known is too old itself")
    func late() throws {
        #expect(
            try Self.derived(
                "news2: {staleAfter: \"1m\"}", "100 heart-rate 70; 101 heart-rate 140 -2; 160 heart-rate 140 -100; 161 heart-rate 140 -100"
            ).filter {
                $0.contains("at-least")
            } == ["100 news2-at-least 0"])
        // A sensor's clock was ahead by 100 s and is right again.
        #expect(
            try Self.derived("news2: {staleAfter: \"1m\"}", "100 heart-rate 70 100; 160 heart-rate 140; 161 heart-rate 140").filter {
                $0.contains("at-least")
            } == ["100 news2-at-least 0", "160 news2-at-least 3"])
    }

    @Test(
        "a reading counts unless it was measured before the one that is known, however far ahead a clock was then",
        arguments: [
            // Of one time the later heard.
            ("0 heart-rate 70; 0 heart-rate 140", true), ("10 heart-rate 70; 10 heart-rate 140 -1", false),
            // A minute ahead is not off, so that what is measured before then is late; more is.
            ("100 heart-rate 70 60; 130 heart-rate 140", false), ("100 heart-rate 70 60; 160 heart-rate 140", true),
            ("100 heart-rate 70 61; 130 heart-rate 140", true),
            // What a clock that was ahead has measured counts from when it came.
            ("100 heart-rate 70 100; 130 heart-rate 140 -30", true), ("100 heart-rate 70 100; 130 heart-rate 140 -31", false),
        ])
    func order(steps: String, isTaken: Bool) throws {
        let found = try Self.derived("news2: {}", steps).filter { $0.contains("at-least") }.map { $0.split(separator: " ")[2] }
        #expect(found == (isTaken ? ["0", "3"] : ["0"]))
    }

    @Test("NEWS2 is worked out when one of its vital signs comes, and of no other")
    func others() throws {
        let found = try Self.derived(
            "news2: {staleAfter: \"1m\"}, bloodPressure: {}",
            "0 respiration-rate 25; 100 diastolic-pressure 70; 101 blood-glucose 90; 102 body-weight 80; 103 body-mass-index 24")
        #expect(found.count == 4 && found.allSatisfy { $0.hasPrefix("0 news2-") })
    }

    private static func age(_ years: Double) -> PersonFacts {
        var facts = PersonFacts()
        facts.born = start * 1_000_000 - Int64(years * 31_556_952e6)
        return facts
    }

    @Test("NEWS2 is for people of sixteen and more", arguments: [(15.99, 0), (16, 4), (16.01, 4), (40, 4)] as [(Double, Int)])
    func ages(years: Double, count: Int) throws {
        #expect(try Self.derived("news2: {}", "0 heart-rate 95", profile: Self.age(years)).count == count)
    }

    @Test("a blood pressure has a category of two values of one minute", arguments: ["", "guideline: \"esc-2024\""])
    func pressure(guideline: String) throws {
        let names = guideline.isEmpty ? ["normal", "elevated", "hypertension-stage-2"] : ["elevated", "elevated", "hypertension"]
        let found = try Self.derived(
            "bloodPressure: {\(guideline)}",
            """
            0 systolic-pressure 118; 60 diastolic-pressure 75; 61 systolic-pressure 125; 122 systolic-pressure 145; 123 diastolic-pressure 75
            """)
        let wanted = [
            "60 blood-pressure-category \(names[0])", "61 blood-pressure-category \(names[1])", "123 blood-pressure-category \(names[2])",
        ]
        #expect(found == (guideline.isEmpty ? wanted : [wanted[0], wanted[2]]))
    }

    @Test("a weight has a category with the person's height, a body-mass index its own")
    func bodyMassIndex() throws {
        var facts = PersonFacts()
        facts.height = 2
        // 99.9 ÷ 4 is just under 25.
        #expect(
            try Self.derived(
                "bodyMassIndex: true", "0 body-weight 99.9; 1 body-weight 100; 2 body-mass-index 24; 3 body-mass-index 24", profile: facts)
                == ["0 body-mass-index-category normal", "1 body-mass-index-category overweight", "2 body-mass-index-category normal"])
        for height in [nil, 0] as [Double?] {
            facts.height = height
            #expect(try Self.derived("bodyMassIndex: true", "0 body-weight 99.9", profile: facts).isEmpty)
        }
        #expect(try Self.derived("temperature: true", "0 body-temperature 38; 1 body-weight 80") == ["0 temperature-category fever"])
        #expect(try Self.derived("glucose: true", "0 blood-glucose 69; 1 body-temperature 38") == ["0 glucose-category low"])
        #expect(
            try Self.derived(
                "temperature: true", "0 blood-glucose 69; 1 body-mass-index 20; 2 systolic-pressure 120; 3 diastolic-pressure 70"
            ).isEmpty)
    }

    @Test("ten millimoles of glucose are not above 180, whatever they are converted with")
    func millimoles() throws {
        #expect(
            try Self.derived("glucose: true", "0 blood-glucose 180.16; 1 blood-glucose 180.5") == [
                "0 glucose-category in-range", "1 glucose-category high",
            ])
    }
}

@Suite("Categories of glucose readings over time")
struct TimeInRangeTests {
    private static let hour: Int64 = 3_600_000_000

    @Test("the share within 70 to 180 is told when an hour begins, of twelve readings and more of a day")
    func share() {
        var range = TimeInRange()
        var told: [Double?] = []
        for value in [69.9, 70, 180, 180.1] + Array(repeating: 100, count: 7) { told.append(range.add(value, at: 10 * Self.hour)) }
        #expect(told.allSatisfy { $0 == nil })
        // Eleven are not enough.
        #expect(range.add(100, at: 11 * Self.hour) == nil)
        let (second, third) = (range.add(200, at: 12 * Self.hour), range.add(100, at: 12 * Self.hour + 1))
        #expect(abs((second ?? 0) - 1000 / 12) < 1e-9 && third == nil)
        #expect(
            range.hours == [
                .init(number: 10, readings: 11, inRange: 9), .init(number: 11, readings: 1, inRange: 1),
                .init(number: 12, readings: 2, inRange: 1),
            ])
        // A reading of an hour that is known counts there, one of an hour before it, of which there were none, does not.
        #expect(range.add(100, at: 11 * Self.hour + 5) == nil && range.hours[1].readings == 2)
        #expect(range.add(100, at: 9 * Self.hour) == nil && range.hours.count == 3)
        range = TimeInRange()
        for hour in [10, 12, 11] as [Int64] { _ = range.add(100, at: hour * Self.hour) }
        #expect(range.hours.map(\.number) == [10, 12])
    }

    @Test("a day has 24 hours", arguments: [(33, 3), (34, 2), (35, 1)] as [(Int64, Int)])
    func day(last: Int64, count: Int) {
        var range = TimeInRange()
        for hour in [10, 11, last] { _ = range.add(100, at: hour * Self.hour) }
        #expect(range.hours.count == count)
    }

    @Test(
        "a reading in millimoles is taken back to what the tables say",
        arguments: [(180.16, 180), (250.4224, 250), (70.2624, 70), (180, 180), (70, 70), (180.5, 180.5), (100.3, 100.3), (99.088, 99)]
            as [(Double, Double)])
    func judged(measured: Double, judged: Double) {
        #expect(GlucoseUnit.judged(measured) == judged)
    }

    @Test(
        "each category begins with its limit",
        arguments: [(53.99, "very-low"), (54, "low"), (70, "in-range"), (180.01, "high"), (250.01, "very-high")] as [(Double, String)])
    func glucose(value: Double, name: String) { #expect(Categories.glucose(value) == name) }
}
