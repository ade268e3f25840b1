import Foundation
import Testing
import VigilSchema

@testable import CSVImport

/// Samples written for this test, with the facts that public repositories and makers' documents tell of each format.
@Suite("other makers' formats")
struct MakersFormatTests {
    @Test("Nightscout entries: sensor glucose in mg/dL by milliseconds")
    func nightscoutEntries() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                [{"_id":"65","device":"xDrip","date":1698270000000,"dateString":"2023-10-25T21:40:00.000Z","sgv":120,"delta":-3.2,"direction":"Flat","type":"sgv","noise":1},
                 {"_id":"66","device":"xDrip","date":1698270300000,"dateString":"2023-10-25T21:45:00.000Z","mbg":118,"type":"mbg"}]
                """#, name: "entries.json", options: .ofParticipant()
            ).first)
        #expect(decoded.survey.profile.name == "nightscout-entries")
        #expect(
            decoded.values("blood-glucose") == [120, 118] && decoded.rows[0].time == 1_698_270_000 && decoded.rows[0].source == "xDrip")
        #expect(decoded.rows.contains { $0.metric == "glucose-trend" && $0.text == "Flat" })
    }

    @Test("Nightscout treatments: insulin, carbohydrates, glucose in the unit of its row; without one, a question")
    func nightscoutTreatments() throws {
        let text = #"""
            [{"_id":"1","eventType":"Meal Bolus","created_at":"2023-10-25T21:40:00.000Z","insulin":2.5,"carbs":30,"enteredBy":"Loop"},
             {"_id":"2","eventType":"BG Check","created_at":"2023-10-25T21:50:00.000Z","glucose":6.5,"glucoseType":"Finger","units":"mmol","enteredBy":"Loop"},
             {"_id":"3","eventType":"BG Check","created_at":"2023-10-25T21:55:00.000Z","glucose":118,"units":"mg/dl","enteredBy":"Loop"}]
            """#
        let decoded = try #require(try Decoded.all(text, name: "treatments.json", options: .ofParticipant()).first)
        #expect(decoded.survey.profile.name == "nightscout-treatments" && decoded.rejects.isEmpty)
        #expect(decoded.values("insulin") == [2.5] && decoded.values("carbohydrates") == [30])
        #expect(decoded.values("blood-glucose") == [6.5 * 18.016, 118])
        let bare = #expect(throws: ImportError.self) {
            try Decoded.all(text.replacing(#","units":"mmol""#, with: ""), name: "treatments.json", options: .ofParticipant())
        }
        #expect(bare?.code == .ambiguous)
    }

    @Test("Fitbit's archive: values by the file's name, month first, distances in centimetres, a resting rate of 0 for none")
    func fitbit() throws {
        let heart = try #require(
            try Decoded.all(
                #"[{"dateTime":"09/20/19 07:00:03","value":{"bpm":80,"confidence":3}},{"dateTime":"09/20/19 07:00:08","value":{"bpm":81,"confidence":3}}]"#,
                name: "heart_rate-2019-09-20.json", options: .ofParticipant()
            ).first)
        #expect(heart.values("heart-rate") == [80, 81] && heart.rows[0].time == 1_568_962_803)
        let steps = try #require(
            try Decoded.all(#"[{"dateTime":"09/20/19 07:00:00","value":"12"}]"#, name: "x/steps-2019-09-20.json", options: .ofParticipant())
                .first)
        #expect(steps.values("steps") == [12] && steps.rows[0].interval == 60)
        let distance = try #require(
            try Decoded.all(
                #"[{"dateTime":"09/20/19 07:00:00","value":"1230"}]"#, name: "distance-2019-09-20.json", options: .ofParticipant()
            )
            .first)
        #expect(distance.values("distance") == [12.3])
        let resting = try #require(
            try Decoded.all(
                #"[{"dateTime":"09/20/19 00:00:00","value":{"date":"09/20/19","value":62.4,"error":6.8}},{"dateTime":"09/21/19 00:00:00","value":{"date":null,"value":0.0,"error":0.0}}]"#,
                name: "resting_heart_rate-2019-09-20.json", options: .ofParticipant()
            ).first)
        #expect(resting.values("resting-heart-rate") == [62.4] && resting.rejects.count == 1)
        let weight = #expect(throws: ImportError.self) {
            try Decoded.all(
                #"[{"logId":1,"weight":150.1,"date":"09/20/19","time":"23:59:59","source":"Aria"}]"#, name: "weight-1.json",
                options: .ofParticipant())
        }
        #expect(weight?.code == .ambiguous, "pounds or kilograms, as the account has it")
    }

    @Test("Withings' archive: a scale's masses, cells left empty, and pressures beside a heart rate that stands alone")
    func withings() throws {
        let weight = try #require(
            try Decoded.all(
                """
                Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments
                "2024-09-30 07:12:45",84.2,16.4,3.4,63.6,47.1,
                "2024-09-29 07:05:01",84.6,,,,,after the holiday
                """, name: "weight.csv", options: .ofParticipant("Europe/Paris")
            ).first)
        #expect(weight.survey.profile.name == "withings" && weight.rejects.isEmpty)
        #expect(weight.values("body-weight") == [84.2, 84.6] && weight.values("fat-mass") == [16.4] && weight.values("bone-mass") == [3.4])
        #expect(weight.rows[0].time == 1_727_673_165 && weight.rows.contains { $0.metric == "note" && $0.text == "after the holiday" })
        let pressure = try #require(
            try Decoded.all(
                """
                Date,"Heart rate",Systolic,Diastolic,Comments
                "2024-06-20 08:15:00",58,,,
                "2024-06-14 08:15:00",61,128,82,
                """, name: "bp.csv", options: .ofParticipant()
            ).first)
        #expect(pressure.survey.profile.name == "withings-pressure" && pressure.rows.allSatisfy { $0.source == "withings" })
        #expect(pressure.values("heart-rate") == [58, 61] && pressure.values("systolic-pressure") == [128])
    }

    @Test("Oura: nights, days and heart rates, of both versions")
    func oura() throws {
        let first = try Decoded.all(
            #"""
            {"sleep":[{"summary_date":"2020-01-05","bedtime_start":"2020-01-05T23:10:00+01:00","bedtime_end":"2020-01-06T07:10:00+01:00","total":25200,"hr_average":55.4,"hr_lowest":49,"rmssd":48,"breath_average":14.5,"hr_5min":[0,58,57]}],
             "activity":[{"summary_date":"2020-01-05","steps":8123,"cal_total":2345,"daily_movement":6400}]}
            """#, name: "oura.json", options: .ofParticipant())
        try #require(first.map(\.survey.profile.name) == ["oura", "oura"])
        #expect(first[0].values("heart-rate") == [55.4] && first[0].values("sleep-minutes") == [420] && first[0].rows[0].interval == 28_800)
        #expect(first[1].values("distance") == [6400] && first[1].values("steps") == [8123] && first[1].rows[0].interval == 86_400)
        let second = try Decoded.all(
            #"{"data":[{"bpm":60,"source":"awake","timestamp":"2021-01-01T12:43:06+00:00"}],"next_token":null}"#, name: "hr.json",
            options: .ofParticipant())
        #expect(second[0].values("heart-rate") == [60] && second[0].rows[0].source == "oura")
    }

    @Test("Google Fit's data points: nanoseconds, types by name, intervals")
    func googleFit() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                {"Data Source":"derived:com.google.step_count.delta:x","Data Points":[
                 {"fitValue":[{"value":{"intVal":42}}],"originDataSourceId":"watch","endTimeNanos":1577890860000000000,"startTimeNanos":1577890800000000000,"dataTypeName":"com.google.step_count.delta"},
                 {"fitValue":[{"value":{"fpVal":71.5}}],"originDataSourceId":"watch","endTimeNanos":1577890860000000000,"startTimeNanos":1577890860000000000,"dataTypeName":"com.google.heart_rate.bpm"}]}
                """#, name: "fit.json", options: .ofParticipant()
            ).first)
        #expect(decoded.survey.profile.name == "google-fit")
        #expect(decoded.values("steps") == [42] && decoded.values("heart-rate") == [71.5])
        #expect(decoded.rows[0].time == 1_577_890_800 && decoded.rows[0].interval == 60 && decoded.rows[0].source == "watch")
    }

    @Test("Health Auto Export: metrics with units and data")
    func healthAutoExport() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                {"data":{"metrics":[
                 {"name":"step_count","units":"count","data":[{"date":"2023-01-01 00:00:00 +0100","qty":5123,"source":"Watch"}]},
                 {"name":"heart_rate","units":"count/min","data":[{"date":"2023-01-01 10:00:00 +0100","Min":60,"Avg":66.5,"Max":80,"source":"Watch"}]},
                 {"name":"weight_body_mass","units":"lb","data":[{"date":"2023-01-01 10:00:00 +0100","qty":150}]}]}}
                """#, name: "export.json", options: .ofParticipant()
            ).first)
        #expect(decoded.survey.profile.name == "health-auto-export" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("steps") == [5123] && decoded.values("heart-rate") == [66.5])
        #expect(abs(decoded.values("body-weight")[0] - 68.0388555) < 1e-9 && decoded.rows[0].zone == 60)
    }

    @Test("Synthea's observations by LOINC, texts among them")
    func synthea() throws {
        let decoded = try Decoded(
            """
            DATE,PATIENT,ENCOUNTER,CATEGORY,CODE,DESCRIPTION,VALUE,UNITS,TYPE
            2020-01-05T10:00:00Z,8d4c4326-e9de-4f45-9a4c-f8c36bff89ae,e1,vital-signs,8302-2,Body Height,170.2,cm,numeric
            2020-01-05T10:00:00Z,8d4c4326-e9de-4f45-9a4c-f8c36bff89ae,e1,vital-signs,72514-3,Pain severity - 0-10 verbal numeric rating [Score] - Reported,2.0,{score},numeric
            2020-01-05T10:00:00Z,8d4c4326-e9de-4f45-9a4c-f8c36bff89ae,e1,laboratory,2093-3,Total Cholesterol,181.2,mg/dL,numeric
            2020-01-05T10:00:00Z,8d4c4326-e9de-4f45-9a4c-f8c36bff89ae,e1,social-history,72166-2,Tobacco smoking status NHIS,Never smoker,{nominal},text

            """)
        #expect(decoded.survey.profile.name == "synthea" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("body-height") == [170.2] && decoded.values("pain") == [2])
        #expect(decoded.rows.contains { $0.metric == "total-cholesterol" && $0.value == 181.2 && $0.unit == "mg/dL" })
        #expect(decoded.rows.contains { $0.text == "Never smoker" } && decoded.rows[0].participant.hasPrefix("8d4c"))
    }

    @Test("Samsung Health: a row's time is UTC's, as the file of bins beside it says in Unix milliseconds")
    func samsungTimes() throws {
        // A night from 22:53 to 04:44 at UTC-4, whose bins begin at 1788490380000.
        let decoded = try Decoded(
            """
            com.samsung.health.respiratory_rate,7006003,3
            start_time,average,time_offset,deviceuuid,pkg_name,end_time,datauuid
            2026-09-04 02:53:00.000,15.3,UTC-0400,dev,com.sec.android.app.shealth,2026-09-04 08:44:00.000,u

            """, options: .ofParticipant(nil))
        #expect(decoded.rows.allSatisfy { $0.time == 1_788_490_380 && $0.zone == -240 && $0.interval == 21_060 })
        #expect(!decoded.rows.isEmpty)
    }

    @Test("Samsung Health: a line before the header, paths before names, an offset column, an empty field at each row's end")
    func samsung() throws {
        let decoded = try Decoded(
            """
            com.samsung.shealth.tracker.heart_rate,6210011,6
            source,com.samsung.health.heart_rate.create_time,com.samsung.health.heart_rate.start_time,com.samsung.health.heart_rate.time_offset,com.samsung.health.heart_rate.heart_rate,com.samsung.health.heart_rate.end_time,com.samsung.health.heart_rate.deviceuuid,com.samsung.health.heart_rate.datauuid
            ,2022-03-01 08:13:00.000,2022-03-01 08:12:00.000,UTC+0200,71.0,2022-03-01 08:13:00.000,VfS0qUERdZ,0a1b,

            """, options: .ofParticipant(nil))
        #expect(decoded.survey.profile.name == "samsung-health" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("heart-rate") == [71] && decoded.rows[0].time == 1_646_122_320)
        #expect(decoded.rows[0].zone == 120 && decoded.rows[0].interval == 60 && decoded.rows[0].source == "VfS0qUERdZ")
    }

    @Test("Garmin's activities: the distance's unit is the account's, so it is asked for")
    func garmin() throws {
        let text = """
            Activity Type,Date,Favorite,Title,Distance,Calories,Time,Avg HR,Max HR,Steps
            Running,2021-06-05 07:12:11,false,"Morning, run",5.02,312,00:30:12,151,171,"5,120"

            """
        let error = #expect(throws: ImportError.self) { try Decoded(text, options: .ofParticipant()) }
        #expect(error?.code == .ambiguous)
        let decoded = try Decoded(text, options: .ofParticipant("UTC", ["Distance": "km"]))
        #expect(decoded.values("distance") == [5020] && decoded.values("heart-rate") == [151] && decoded.values("steps") == [5120])
    }

    @Test("Polar Flow's training: the session, and a heart rate a second from its start")
    func polar() throws {
        let parts = try Decoded.all(
            """
            Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm),Average speed (km/h),Calories
            Ann,RUNNING,05-06-2021,07:12:11,00:30:12,5.02,151,10.0,312
            Sample rate,Time,HR (bpm),Speed (km/h),Pace (min/km),Cadence,Altitude (m)
            1,00:00:00,88,,,,
            ,00:00:01,89,,,,

            """, name: "polar.csv", options: .ofParticipant())
        try #require(parts.map(\.survey.profile.name) == ["polar", "polar-samples"])
        #expect(parts[0].values("distance") == [5020])
        #expect(parts[1].values("heart-rate") == [88, 89] && parts[1].rows.map(\.time) == [1_622_877_131, 1_622_877_132])
    }

    @Test("MyFitnessPal: food is food")
    func myFitnessPal() throws {
        let decoded = try Decoded(
            "Date,Meal,Calories,Fat (g),Protein (g),Carbohydrates (g),Sodium (mg),Note\n2020-12-29,Breakfast,420.5,12.1,20,50,300,\n",
            options: .ofParticipant())
        #expect(decoded.values("food-energy") == [420.5] && decoded.values("food-fat") == [12.1] && decoded.values("body-fat").isEmpty)
    }

    @Test("Apple Watch electrocardiograms become blocks of a second, in millivolts, with the watch's classification")
    func electrocardiogram() throws {
        let header =
            "Name,Ann\nDate of Birth,1 Jan 1980\nRecorded Date,2021-02-03 08:12:33 +0100\nClassification,Sinus Rhythm\nSymptoms,\nSoftware Version,1.90\nDevice,\"Watch6,1\"\nSample Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n"
        let decoded = try Decoded(
            header + (0..<600).map { "\($0).5\n" }.joined(), name: "electrocardiograms/ecg_2021-02-03.csv", options: .ofParticipant())
        #expect(decoded.survey.profile.name == "apple-ecg")
        let blocks = decoded.rows.filter { $0.metric == "ecg" }
        #expect(blocks.map(\.samples.count) == [512, 88] && blocks[0].samples[1] == 0.0015 && blocks[0].period == 1 / 512)
        #expect(blocks.map(\.time) == [1_612_336_353, 1_612_336_354] && blocks[0].zone == 60 && blocks[0].source == "Watch6,1")
        #expect(decoded.rows.contains { $0.metric == "ecg-classification" && $0.text == "Sinus Rhythm" })
        #expect(decoded.account.rows == 600)
    }

    @Test("electrocardiograms whose facts are named in another language, with a decimal comma")
    func localElectrocardiogram() throws {
        let decoded = try Decoded(
            "Name,Ann\nGeburtsdatum,1. Jan. 1980\nAufnahmedatum,2021-02-03 08:12:33 +0100\nKlassifizierung,Sinusrhythmus\nGerät,\"Watch6,1\"\nAbtastrate,512 Hertz\n\n\nAbleitung,Ableitung I\nEinheit,µV\n\n"
                + (0..<512).map { "\($0),5\n" }.joined(), name: "electrocardiograms/ecg_2021-02-03.csv", options: .ofParticipant())
        let block = try #require(decoded.rows.first { $0.metric == "ecg" })
        #expect(block.samples.count == 512 && block.samples[1] == 0.0015 && block.time == 1_612_336_353 && block.source == "Watch6,1")
    }

    @Test("WHOOP: a cycle's rates, saturation and sleep, over the cycle, at the wearer's offset")
    func whoop() throws {
        let decoded = try Decoded(
            """
            Cycle start time,Cycle end time,Cycle timezone,Recovery score %,Resting heart rate (bpm),Heart rate variability (ms),Skin temp (celsius),Blood oxygen %,Day Strain,Energy burned (cal),Max HR (bpm),Average HR (bpm),Sleep onset,Wake onset,Sleep performance %,Respiratory rate (rpm),Asleep duration (min)
            2026-05-09 23:00:00,2026-05-10 23:00:00,UTC+02:00,72,52,58,33.1,96,12.5,2600,165,75,2026-05-09 23:15:00,2026-05-10 07:00:00,92,15.2,450
            2026-05-11 23:30:00,,UTC+02:00,61,50,48,34.5,97.5,,,,,2026-05-11 23:45:00,2026-05-12 06:45:00,95,14.2,450

            """, name: "physiological_cycles.csv", options: .ofParticipant(nil))
        #expect(decoded.survey.profile.name == "whoop" && decoded.rejects.isEmpty)
        #expect(decoded.values("resting-heart-rate") == [52, 50] && decoded.values("energy") == [2600])
        #expect(decoded.values("heart-rate-variability-rmssd") == [58, 48] && decoded.values("sleep-minutes") == [450, 450])
        #expect(decoded.rows[0].time == 1_778_360_400 && decoded.rows[0].zone == 120 && decoded.rows[0].interval == 86_400)
    }

    @Test("Garmin's account archive: a list in an object in a list, centimetres and milliseconds")
    func garminArchive() throws {
        let decoded = try #require(
            try Decoded.all(
                #"[{"summarizedActivitiesExport":[{"activityId":111,"name":"Morning Run","activityType":"running","beginTimestamp":1700000000000,"duration":1800000.0,"distance":500000.0,"calories":400.0,"avgHr":140.0,"elevationGain":5200.0,"splits":[{"a":1}]},{"activityId":112,"activityType":"walking","beginTimestamp":1700100000000,"duration":60000,"distance":10000}]}]"#,
                name: "x_summarizedActivities.json", options: .ofParticipant()
            ).first)
        #expect(decoded.survey.profile.name == "garmin-summaries" && decoded.rejects.isEmpty)
        #expect(decoded.values("distance") == [5000, 100] && decoded.values("workout-duration") == [30, 1])
        #expect(decoded.rows[0].time == 1_700_000_000 && decoded.values("workout-heart-rate-average") == [140])
        #expect(decoded.rows.filter { $0.metric == "workout" }.map(\.text) == ["running", "walking"])
    }

    @Test("Google Fit's service: points in data sets in buckets; and its archive's days, where a 0 weighs nothing")
    func googleFitServiceAndDays() throws {
        let decoded = try #require(
            try Decoded.all(
                #"{"bucket":[{"startTimeMillis":"1700000000000","dataset":[{"dataSourceId":"d","point":[{"startTimeNanos":"1700000000000000000","endTimeNanos":"1700000060000000000","dataTypeName":"com.google.heart_rate.bpm","value":[{"fpVal":71.5,"mapVal":[]}]}]},{"dataSourceId":"e","point":[{"startTimeNanos":"1700000000000000000","endTimeNanos":"1700003600000000000","dataTypeName":"com.google.step_count.delta","value":[{"intVal":900,"mapVal":[]}]}]}]}]}"#,
                name: "fit.json", options: .ofParticipant()
            ).first)
        #expect(decoded.survey.profile.name == "google-fit")
        #expect(decoded.values("heart-rate") == [71.5] && decoded.values("steps") == [900])
        #expect(decoded.rows.map(\.interval) == [60, 3600])
        let days = try Decoded(
            """
            Date,Move Minutes count,Calories (kcal),Distance (m),Heart Points,Average heart rate (bpm),Max heart rate (bpm),Min heart rate (bpm),Step count,Average weight (kg),Sleep duration (ms)
            2026-09-01,64,2480.5,6200,18,72,141,54,8400,78.4,25200000
            2026-09-03,0,0,0,0,0,0,0,0,0,0

            """, name: "Daily Summaries.csv", options: .ofParticipant())
        #expect(days.survey.profile.name == "google-fit-daily")
        #expect(days.values("steps") == [8400, 0] && days.values("body-weight") == [78.4] && days.values("sleep-minutes") == [420])
        #expect(days.rows.allSatisfy { $0.interval == 86_400 } && days.rejects.count == 5)
    }

    @Test("CareLink: the pump's and the sensor's part below lines of dashes, and what stands above them is no table")
    func careLink() throws {
        let header =
            "Index,Date,Time,New Device Time,BG Source,BG Reading (mg/dL),Linked BG Meter ID,Basal Rate (U/h),Bolus Type,Bolus Volume Delivered (U),BWZ Carb Input (grams),Sensor Glucose (mg/dL),ISIG Value\n"
        let parts = try Decoded.all(
            "Last Name,First Name,Patient ID,Start Date,End Date,Patient DOB,Device,MiniMed 780G\nDoe,Jane,,2024/06/01,2024/06/07,,Serial Number,NG1\n\n-------,,Pump,MMT-1886,,-------\n"
                + header
                + "0.00000,2024/06/01,08:15:00,,,,,0.8,,,,,\n1.00000,2024/06/01,08:20:00,,ENTERED_IN_BG_ENTRY,145,,,,,,,\n2.00000,2024/06/13,08:25:00,,,,,,Normal,4.5,45,,\n-------,,Sensor,,,-------\n"
                + header + "3.00000,2024/06/13,08:30:00,,,,,,,,,132,22.14\n",
            name: "carelink.csv", options: .ofParticipant())
        let decoded = try #require(parts.first)
        #expect(parts.count == 1 && decoded.survey.profile.name == "carelink" && decoded.rejects.isEmpty)
        #expect(decoded.values("blood-glucose") == [145, 132] && decoded.values("insulin") == [4.5])
        #expect(decoded.values("insulin-rate") == [0.8] && decoded.values("carbohydrates") == [45])
        #expect(decoded.rows[0].time == 1_717_229_700)
    }

    @Test("LibreView in American dates; LO and HI, and limits in another unit, are kept as limits of the metric's unit")
    func limits() throws {
        let decoded = try Decoded(
            """
            Glucose Data,Generated on,06-16-2026 08:00 AM UTC,Generated by,Jane Doe
            Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mmol/L,Scan Glucose mmol/L,Notes
            FreeStyle Libre 2,SN-1,06-15-2026 08:00 AM,0,6.5,,
            FreeStyle Libre 2,SN-1,06-15-2026 08:15 PM,1,,LO,
            FreeStyle Libre 2,SN-1,06-15-2026 09:15 PM,1,,HI,

            """, options: .ofParticipant())
        #expect(decoded.survey.profile.name == "libre" && decoded.rejects.isEmpty)
        #expect(decoded.rows.map(\.text) == [nil, "<40", ">500"] && decoded.rows[1].time == 1_781_554_500)
        let meter = try Decoded(
            "Date,Glucose (mmol/L),CRP (mg/L)\n2024-03-25T10:00:00Z,<2.5,<0.3\n2024-03-25T11:00:00Z,6.5,4\n", options: .ofParticipant())
        #expect(meter.rejects.isEmpty && meter.rows.filter { $0.metric == "blood-glucose" }.map(\.text) == ["<45.04", nil])
    }

    @Test("what is counted in rows of days is a day's, and a reading of the day is not")
    func days() throws {
        let decoded = try Decoded("Date,Steps,Weight (kg)\n2024-03-25,8000,70\n2024-03-26,9000,71\n", options: .ofParticipant())
        #expect(decoded.rows.filter { $0.metric == "steps" }.map(\.interval) == [86_400, 86_400])
        #expect(decoded.rows.filter { $0.metric == "body-weight" }.map(\.interval) == [0, 0])
        let timed = try Decoded("Date,Steps\n2024-03-25 00:00,80\n2024-03-25 01:00,90\n", options: .ofParticipant())
        #expect(timed.rows.map(\.interval) == [0, 0])
    }

    @Test("Tidepool: glucose, insulin and carbohydrates by their types, at the wearer's clock; settings are no readings")
    func tidepool() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                [{"type":"cbg","units":"mmol/L","value":8.32613,"time":"2018-02-01T00:00:00.000Z","timezoneOffset":-480,"deviceId":"DexG5","uploadId":"x","id":"a"},
                 {"type":"bolus","subType":"normal","normal":2.5,"time":"2018-02-01T01:05:00.000Z","deviceId":"Pump","id":"c"},
                 {"type":"basal","rate":0.8,"duration":3600000,"time":"2018-02-01T02:00:00.000Z","deviceId":"Pump","id":"d"},
                 {"type":"pumpSettings","time":"2018-02-01T02:00:00.000Z","deviceId":"Pump","id":"e"}]
                """#, name: "tidepool.json", options: .ofParticipant(nil)
            ).first)
        #expect(decoded.survey.profile.name == "tidepool" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("blood-glucose") == [8.32613 * 18.016] && decoded.rows[0].zone == -480 && decoded.rows[0].source == "DexG5")
        #expect(decoded.rows.map(\.metric) == ["blood-glucose", "insulin", "insulin-rate"])
        #expect(decoded.values("insulin") == [2.5] && decoded.rows[2].unit == "[iU]/h")
    }

    @Test("Dexcom's web interface: 39 and 401 are limits, no readings")
    func dexcomEvents() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                {"recordType":"egv","recordVersion":"3.0","userId":"u","records":[
                 {"recordId":"r1","systemTime":"2026-09-24T10:19:47Z","displayTime":"2026-09-24T12:19:47+02:00","value":150,"trend":"flat","trendRate":0.1,"unit":"mg/dL","transmitterGeneration":"g7"},
                 {"recordId":"r2","systemTime":"2026-09-24T10:24:47Z","displayTime":"2026-09-24T12:24:47+02:00","value":39,"status":"low","trend":"flat","trendRate":0.1,"unit":"mg/dL","transmitterGeneration":"g7"}]}
                """#, name: "egvs.json", options: .ofParticipant(nil)
            ).first)
        #expect(decoded.survey.profile.name == "dexcom-egvs" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.rows.filter { $0.metric == "blood-glucose" }.map { $0.text ?? "\($0.value)" } == ["150.0", "<40"])
    }
}
