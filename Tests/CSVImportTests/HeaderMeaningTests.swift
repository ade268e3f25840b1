import Testing

@testable import CSVImport

@Suite("Headers that could mean something else")
struct HeaderMeaningTests {
    @Test("PAS beside PAD is a pressure, not steps; FC beside them is a heart rate", arguments: ["PAS;PAD", "TAS;TAD"])
    func romancePressures(names: String) throws {
        let decoded = try Decoded("Date;\(names);FC\n2024-03-25 08:00;135;82;71\n2024-03-26 08:00;131;80;70\n", options: .ofParticipant())
        #expect(decoded.values("systolic-pressure") == [135, 131] && decoded.values("diastolic-pressure") == [82, 80])
        #expect(decoded.values("heart-rate") == [71, 70] && decoded.values("steps").isEmpty)
    }

    @Test("pas alone is steps; beside a heart rate and without its second half it is asked about")
    func alone() throws {
        #expect(try Decoded("date;pas\n2024-03-25;8135\n", options: .ofParticipant()).values("steps") == [8135])
        let error = #expect(throws: ImportError.self) { try Decoded("date;PAS;FC\n2024-03-25 08:00;135;71\n", options: .ofParticipant()) }
        #expect(error?.code == .ambiguous && error?.message.contains("--metric 'PAS=") == true)
        var options = ImportOptions.ofParticipant()
        options.metrics = ["PAS": "systolic-pressure"]
        #expect(try Decoded("date;PAS;FC\n2024-03-25 08:00;135;71\n", options: options).values("systolic-pressure") == [135])
    }

    @Test(
        "a header that says nothing is asked about, and taken as the user says",
        arguments: ["value", "Data Value", "result", "reading", "amount", "qty", "Ergebnis", "Wert", "valeur"])
    func silent(header: String) throws {
        let text = "date,\(header)\n2024-03-25 08:00,61\n2024-03-26 08:00,62\n"
        let error = #expect(throws: ImportError.self) { try Decoded(text, name: "pulse.csv", options: .ofParticipant()) }
        #expect(error?.code == .ambiguous && error?.message.contains("--metric '\(header)=") == true, "\(error?.message ?? "")")
        var options = ImportOptions.ofParticipant()
        options.metrics = [header: "heart-rate"]
        #expect(try Decoded(text, name: "pulse.csv", options: options).values("heart-rate") == [61, 62])
    }

    @Test("from a browser the same is a question with the metrics as its answers")
    func browser() throws {
        let bytes = Array("date,value\n2024-03-25 08:00,61\n2024-03-26 08:00,62\n".utf8)
        let file = ImportFile(name: "pulse.csv") { () throws(ImportError) in MemorySource(bytes) }
        let finding = FileStudy(.ofParticipant(), chosen: nil, now: Decoded.now).finding(of: file)
        let question = try #require(finding.questions.first)
        #expect(finding.problem == nil && question.kind == .units && question.column == "value")
        #expect(question.choices.contains { $0.value == "heart-rate" })
        var answers = ImportOptions.ofParticipant()
        answers.answer("heart-rate", of: "value")
        let answered = FileStudy(answers, chosen: nil, now: Decoded.now).finding(of: file)
        #expect(answered.questions.isEmpty && answered.metrics.map(\.name) == ["heart-rate"])
    }

    @Test("Withings' days are what their file's name says, each a day's")
    func withingsDays() throws {
        let text = "date,value\n2024-03-25,4200\n2024-03-26,5100\n"
        for (name, metric) in [
            ("steps", "steps"), ("distance", "distance"), ("calories_earned", "active-energy"), ("calories_passive", "basal-energy"),
            ("elevation", "elevation-climbed"),
        ] {
            let decoded = try Decoded(text, name: "data/aggregates_\(name).csv", options: .ofParticipant())
            #expect(decoded.survey.profile.name == "withings-days")
            #expect(decoded.values(metric) == [4200, 5100], "\(name)")
            #expect(decoded.rows.allSatisfy { $0.source == "withings" && $0.interval == 86_400 })
        }
        let other = #expect(throws: ImportError.self) { try Decoded(text, name: "data/aggregates_new.csv", options: .ofParticipant()) }
        #expect(other?.code == .ambiguous)
    }

    @Test("0,600 is no group of three digits: where all decimals have three, it tells that commas are decimal")
    func threeDecimals() throws {
        let decoded = try Decoded(
            "timestamp;insulin rate;spo2\n2024-03-25 08:00;0,600;97\n2024-03-25 09:00;1,250;98\n", options: .ofParticipant())
        #expect(decoded.values("insulin-rate") == [0.6, 1.25])
        #expect(NumberFormat(decimal: UInt8(ascii: ".")).parse("0,600") == nil)
        #expect(NumberFormat(decimal: UInt8(ascii: ".")).parse("10,600") == 10_600)
    }

    @Test("mySugr: minutes behind a duration's m, and no unit called Pen")
    func mySugr() throws {
        let decoded = try Decoded(
            """
            Date,Time,Insulin Injection Units (Pen),Insulin Injection Units (Pump),Activity Duration (m),Steps
            2024-03-25,08:00:00,4,1.5,30,4200

            """, options: .ofParticipant())
        let row = try #require(decoded.rows.first { $0.metric.contains("duration") })
        #expect(row.value == 30 && row.unit == "min")
        #expect(decoded.rows.allSatisfy { $0.unit != "Pen" && $0.unit != "Pump" })
        #expect(decoded.values("insulin-injection-units-pen") == [4] && decoded.values("insulin-injection-units-pump") == [1.5])
    }

    @Test("Samsung: what was eaten is food, and strokes are no steps")
    func samsungFood() throws {
        let columns = "com.samsung.health.food_intake.start_time,com.samsung.health.food_intake.time_offset"
        let intake = try Decoded(
            """
            com.samsung.health.food_intake,6113,3
            \(columns),calorie,meal_type,food_info_id,amount,name,pkg_name,datauuid
            2024-03-25 08:00:00.000,UTC+0100,520,100001,x,1,Muesli,com.sec.android.app.shealth,u1,

            """, options: .ofParticipant(nil))
        #expect(intake.values("food-energy") == [520] && intake.values("energy").isEmpty, "\(intake.rows)")
        let nutrition = try Decoded(
            """
            com.samsung.health.nutrition,6113,3
            start_time,time_offset,calorie,carbohydrate,protein,total_fat,title,pkg_name,datauuid
            2024-03-25 08:00:00.000,UTC+0100,700,80,20,30,lunch,com.sec.android.app.shealth,u1,

            """, options: .ofParticipant(nil))
        #expect(nutrition.values("food-energy") == [700] && nutrition.values("energy").isEmpty)
        let exercise = try Decoded(
            """
            com.samsung.shealth.exercise,6113,3
            start_time,time_offset,exercise_type,count,count_type,calorie,pkg_name,datauuid
            2024-03-25 08:00:00.000,UTC+0100,14001,420,30002,210,com.sec.android.app.shealth,u1,
            2024-03-25 18:00:00.000,UTC+0100,1002,5100,30001,310,com.sec.android.app.shealth,u2,

            """, options: .ofParticipant(nil))
        #expect(exercise.values("steps").isEmpty && exercise.values("exercise-count") == [420, 5100])
        #expect(exercise.values("energy") == [210, 310])
    }

    @Test("Garmin: a swim's distance is not in the list's unit, and is refused")
    func garminSwim() throws {
        let decoded = try Decoded(
            """
            Activity Type,Date,Favorite,Title,Distance,Calories,Time,Avg HR,Max HR,Steps
            Running,2021-06-05 07:12:11,false,Morning,5.02,312,00:30:12,151,171,"5,120"
            Pool Swim,2021-06-06 07:12:11,false,Pool,400,112,00:12:12,131,151,--

            """, options: .ofParticipant("UTC", ["Distance": "km"]))
        #expect(decoded.values("distance") == [5020] && decoded.values("heart-rate") == [151, 131])
        #expect(decoded.rejects.count == 1 && decoded.rejects.first?.field == "Distance")
    }
}
