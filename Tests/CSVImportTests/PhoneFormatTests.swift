import Foundation
import Testing

@testable import CSVImport

/// Samples written for this test, with the headers and spellings that public repositories show of people's own exports.
@Suite("exports of phones and their makers")
struct PhoneFormatTests {
    @Test("Omron: dates with a month's name and dashes for nothing; and times beside the name of their zone")
    func omron() throws {
        let report = try Decoded(
            "Date,Time,Systolic (mmHg),Diastolic (mmHg),Pulse (bpm),Symptoms,Consumed,TruRead,Notes\nJan 12 2025,08:12,114,74,47,-,-,-,-\nJan 6 2025,08:46,117,76,50,-,-,-,after tea\n",
            options: .ofParticipant())
        #expect(report.survey.profile.name == "omron" && report.values("systolic-pressure") == [114, 117] && report.rejects.isEmpty)
        #expect(report.rows[0].time == 1_736_669_520 && report.rows.contains { $0.text == "after tea" })
        let zoned = try Decoded(
            "Measurement Date,Timezone,SYS(mmHg),DIA(mmHg),Pulse(bpm),Device\n2024/11/03 07:30,Asia/Manila,121,79,66,HEM-7156T\n2024/11/04 07:30,Europe/Berlin,122,80,67,HEM-7156T\n2024/11/05 07:30,Atlantis,123,80,67,HEM-7156T\n",
            options: .ofParticipant(nil))
        #expect(zoned.values("systolic-pressure") == [121, 122] && zoned.rows[0].time == 1_730_590_200 && zoned.rows[0].zone == 480)
        #expect(
            zoned.rows.first { $0.value == 122 }?.time == 1_730_701_800 && zoned.rejects.map(\.reason) == ["the time zone is not known"])
    }

    @Test("Polar's account archive: channels with an interval and a bare NaN, and lists of times, both on the wearer's clock")
    func polarTraining() throws {
        let channels = try #require(
            try Decoded.all(
                #"{"identifier":{"id":"1"},"startTime":"2020-08-18T10:23:06","stopTime":"2020-08-18T10:33:06","timezoneOffsetMinutes":120,"durationMillis":600000,"calories":39,"hrAvg":123,"product":{"modelName":"Polar Vantage M"},"exercises":[{"startTime":"2020-08-18T10:23:06","durationMillis":600000,"distanceMeters":1873.5,"timezoneOffsetMinutes":120,"sport":{"id":"11"},"samples":{"samples":[{"type":"HEART_RATE","intervalMillis":1000,"values":[88,NaN,90]},{"type":"SPEED","intervalMillis":1000,"values":[NaN,18.0]}]}}]}"#,
                name: "training-session_2020.json", options: .ofParticipant(nil)
            ).first)
        #expect(channels.survey.profile.name == "polar-training" && channels.rejects.isEmpty, "\(channels.rejects.map(\.reason))")
        let rates = channels.rows.filter { $0.metric == "heart-rate" }
        #expect(rates.map(\.value) == [88, 90] && rates.map(\.time) == [1_597_738_986, 1_597_738_988] && rates[0].zone == 120)
        #expect(
            rates[0].source == "Polar Vantage M" && channels.values("workout-distance") == [1873.5]
                && channels.values("workout-energy") == [39])
        let lists = try #require(
            try Decoded.all(
                #"{"exportVersion":"1.0","name":"Ann","exercises":[{"startTime":"2014-01-27T18:00:00.000","stopTime":"2014-01-27T18:30:00.000","timezoneOffset":60,"sport":"RUNNING","kiloCalories":300,"heartRate":{"min":80,"avg":140,"max":170},"samples":{"heartRate":[{"dateTime":"2014-01-27T18:00:01.000","value":88}],"speed":[{"dateTime":"2014-01-27T18:00:01.000","value":9.5}]}}]}"#,
                name: "training-session-2014.json", options: .ofParticipant(nil)
            ).first)
        #expect(lists.values("heart-rate") == [88] && lists.values("workout-heart-rate-mean") == [140])
        #expect(lists.rows.first { $0.metric == "workout" }?.text == "RUNNING" && lists.rows[0].time == 1_390_842_000)
    }

    @Test("an interval of Polar's that leads out of all time ends nothing: the values behind the first are refused")
    func polarInterval() throws {
        let decoded = try #require(
            try Decoded.all(
                #"{"startTime":"2020-08-18T10:23:06","timezoneOffsetMinutes":120,"durationMillis":600000,"exercises":[{"startTime":"2020-08-18T10:23:06","durationMillis":600000,"timezoneOffsetMinutes":120,"samples":{"samples":[{"type":"HEART_RATE","intervalMillis":1e300,"values":[88,89,90]}]}}]}"#,
                name: "training-session_2020.json", options: .ofParticipant(nil)
            ).first)
        #expect(decoded.values("heart-rate") == [88] && decoded.rejects.count == 2, "\(decoded.rejects.map(\.reason))")
    }

    @Test("Samsung: times are UTC's and the offset the wearer's; a day's steps are the wearer's day's")
    func samsung() throws {
        let days = try Decoded(
            """
            com.samsung.shealth.tracker.pedometer_day_summary,6315005,2
            create_sh_ver,step_count,binning_data,active_time,run_step_count,update_time,create_time,speed,distance,calorie,walk_step_count,deviceuuid,day_time,pkg_name,datauuid,
            6315005,8456,x.json,2700000,0,2022-03-01 23:59:00.000,2022-03-01 05:00:00.000,1.3,5919.2,338.24,8456,W4tch,1646092800000,com.sec.android.app.shealth,u1,

            """, options: .ofParticipant("America/New_York"))
        #expect(days.survey.profile.name == "samsung-health-days" && days.rejects.isEmpty)
        let steps = try #require(days.rows.first { $0.metric == "steps" })
        #expect(steps.value == 8456 && steps.interval == 86_400 && steps.time == 1_646_110_800 && steps.zone == -300)
        #expect(days.values("distance") == [5919.2] && days.values("active-minutes") == [45])
    }

    @Test("MyFitnessPal: meals with and without a time, vitamins in per cent, exercises, and a weight whose unit is asked for")
    func myFitnessPal() throws {
        let meals = try Decoded(
            "\u{FEFF}Date,Meal,Time,Calories,Fat (g),Saturated Fat,Cholesterol,Sodium (mg),Carbohydrates (g),Protein (g),Vitamin A,Iron\n2018-07-01,Breakfast,10:00 AM,40.0,0.6,0.0,0.0,0.0,5.8,1.8,278.8,7.8\n2018-07-01,Lunch,,547.9,38.1,6.6,0.0,2824.5,24.2,25.8,0.0,0.0\n",
            options: .ofParticipant())
        #expect(meals.survey.profile.name == "myfitnesspal" && meals.values("food-energy") == [40, 547.9] && meals.rejects.isEmpty)
        #expect(meals.rows[0].time == 1_530_439_200 && meals.rows.contains { $0.unit == "%" && $0.value == 278.8 })
        let exercise = try Decoded(
            "Date,Exercise,Type,Exercise Calories,Exercise Minutes,Sets,Reps Per Set,Kilograms,Steps,Note\n2024-07-02,Health Connect calorie adjustment,Cardio,573.0,1,,,,9840,\n2024-07-03,\"\"\"Walking, 3.5 mph\"\"\",Cardio,178.0,18,,,,,\n2024-07-03,Squats,Strength,,,3,10,20.0,,\n",
            options: .ofParticipant())
        #expect(exercise.survey.profile.name == "myfitnesspal-exercise" && exercise.values("steps") == [9840])
        #expect(exercise.values("lifted-weight") == [20] && exercise.values("body-weight").isEmpty)
        let weight = #expect(throws: ImportError.self) {
            try Decoded("Date,Weight\n2024-07-02,85.5\n2024-07-04,84.5\n", options: .ofParticipant())
        }
        #expect(weight?.code == .ambiguous)
    }

    @Test("Google's archive of Fitbit data: units in words, and a resting rate told by the file's name")
    func googleHealth() throws {
        let rates = try Decoded(
            "timestamp,beats per minute,data source\n2026-09-12T18:29:59Z,60,Google Fitbit Air\n",
            name: "Takeout/heart_rate_2026-09-12.csv",
            options: .ofParticipant())
        #expect(
            rates.survey.profile.name == "google-health" && rates.values("heart-rate") == [60]
                && rates.rows[0].source == "Google Fitbit Air")
        let resting = try Decoded(
            "timestamp,beats per minute\n2026-05-27T22:01:13Z,51.0\n", name: "daily_resting_heart_rate_2026-05-27.csv",
            options: .ofParticipant())
        #expect(resting.values("resting-heart-rate") == [51] && resting.rows[0].interval == 86_400)
        let weight = try Decoded("timestamp,weight grams,data source\n2026-05-27T05:33:27Z,93400,YAZIO\n", options: .ofParticipant())
        #expect(weight.values("body-weight") == [93.4])
        let distance = try Decoded("timestamp,distance,data source\n2026-08-01T01:15:09.096319Z,8.80,Phone\n", options: .ofParticipant())
        #expect(distance.values("distance") == [8.8])
    }

    @Test("Withings' lists of durations and values become readings, each over its duration; lists that do not agree are refused")
    func withingsLists() throws {
        let parts = try Decoded.all(
            "start,duration,value\n2024-06-07T09:22:00+02:00,\"[60,60,30]\",\"[61,62,63]\"\n2024-06-07T10:00:00+02:00,\"[60]\",\"[61,62]\"\n2022-01-06T12:50:26+01:00,[60],[70]\n",
            name: "data/raw_hr_hr.csv", options: .ofParticipant(nil))
        let decoded = try #require(parts.first)
        #expect(decoded.survey.profile.name == "withings-raw" && decoded.values("heart-rate") == [61, 62, 63, 70])
        #expect(decoded.rows.map(\.time).prefix(3) == [1_717_744_920, 1_717_744_980, 1_717_745_040])
        #expect(decoded.rows.map(\.interval).prefix(3) == [60, 60, 30] && decoded.rows[0].zone == 120 && decoded.rejects.count == 1)
        let unknown = try Decoded.all(
            "start,duration,value\n2024-06-07T09:22:00+02:00,\"[60]\",\"[5]\"\n", name: "raw_tracker_vertical-radius.csv",
            options: .ofParticipant())
        #expect(unknown.first?.rows.map(\.metric) == ["raw_tracker_vertical-radius"])
        let height = try Decoded("Date,\"Height (m)\",Comments\n\"2022-08-17 10:47:50\",1.84,\n", options: .ofParticipant())
        #expect(height.values("body-height") == [184])
    }

    @Test("Beurer: columns that are called as their unit, behind the title that its header is glued to")
    func beurer() throws {
        let decoded = try Decoded(
            "WeightDate;Time;kg;BMI;Body fat;Water;Muscles;Bones;Medication;Comment\n\"13.11.2020\";\"08:57\";\"69.8\";\"20.8\";\"20.5\";\"54\";\"37.4\";\"12\";\"\";\"\"\n\"12.02.2021\";\"08:35\";\"70.2\";\"21\";\"\";\"\";\"\";\"\";\"\";\"\"\n",
            options: .ofParticipant("Europe/Berlin"))
        #expect(decoded.survey.profile.name == "beurer" && decoded.rejects.isEmpty)
        #expect(
            decoded.values("body-weight") == [69.8, 70.2] && decoded.values("body-fat") == [20.5] && decoded.rows[0].time == 1_605_254_220)
    }

    @Test("Health Auto Export's CSV: means, counts and units in brackets; the lowest and the highest are others")
    func healthAutoExport() throws {
        let decoded = try Decoded(
            "Date/Time,Active Energy (kJ),Flights Climbed (count),Heart Rate [Min] (count/min),Heart Rate [Max] (count/min),Heart Rate [Avg] (count/min),Step Count (count),Weight (kg)\n2024-03-25 10:00:00,120.5,2,55,91,66.5,812,70.2\n",
            options: .ofParticipant())
        #expect(decoded.values("heart-rate") == [66.5] && decoded.values("steps") == [812] && decoded.values("floors") == [2])
        #expect(decoded.values("body-weight") == [70.2] && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
    }

    @Test("Oura's trends: durations in seconds, a day's steps, nights with nothing")
    func ouraTrends() throws {
        let decoded = try Decoded(
            "date,Total Sleep Duration,Total Bedtime,REM Sleep Duration,Deep Sleep Duration,Average HRV,Lowest Resting Heart Rate,Steps,Sleep Score\n2026-08-22,26100,28800,5400,4500,48,54,8231,79\n2026-08-24,,,,,,,9004,\n",
            options: .ofParticipant())
        #expect(
            decoded.survey.profile.name == "oura-trends" && decoded.values("sleep-minutes") == [435]
                && decoded.values("steps") == [8231, 9004])
        #expect(decoded.values("heart-rate-variability-rmssd") == [48] && decoded.rejects.isEmpty)
    }

    @Test("pressures in one cell become two readings")
    func pressures() throws {
        let decoded = try Decoded(
            "Date,Time,Blood Sugar Measurement (mg/dL),Blood pressure\n\"Mar 25, 2024\",10:00:00 AM,118,120/80\n\"Mar 26, 2024\",10:00:00 AM,,\"118 / 79 mmHg\"\n\"Mar 27, 2024\",10:00:00 AM,,high\n",
            options: .ofParticipant())
        #expect(decoded.values("systolic-pressure") == [120, 118] && decoded.values("diastolic-pressure") == [80, 79])
        #expect(decoded.values("blood-glucose") == [118] && decoded.rejects.count == 2)
    }

    @Test("Health Auto Export's JSON: both pressures, the parts of a night, and the lowest beside the mean")
    func healthAutoExportParts() throws {
        let decoded = try #require(
            try Decoded.all(
                #"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[{"date":"2023-01-01 00:00:00 +0100","totalSleep":7.5,"asleep":0,"core":4,"deep":1,"rem":2.5,"inBed":8,"source":"Watch"}]},{"name":"blood_pressure","units":"mmHg","data":[{"date":"2023-01-01 10:00:00 +0100","systolic":121,"diastolic":79}]},{"name":"heart_rate","units":"count/min","data":[{"date":"2023-01-01 10:00:00 +0100","Min":55,"Avg":66.5,"Max":91}]},{"name":"blood_glucose","units":"mmol/L","data":[{"date":"2023-01-01 10:00:00 +0100","qty":5.5}]}]}}"#,
                name: "export.json", options: .ofParticipant()
            ).first)
        #expect(decoded.survey.profile.name == "health-auto-export" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("systolic-pressure") == [121] && decoded.values("diastolic-pressure") == [79])
        #expect(
            decoded.values("sleep-minutes") == [450] && decoded.values("sleep_deep") == [1]
                && decoded.values("blood-glucose") == [5.5 * 18.016])
        #expect(decoded.values("heart-rate") == [66.5] && decoded.values("heart_rate_minimum") == [55])
    }

    @Test("a diary of pressures, pulse, weight and temperature is nobody's in particular, and loses nothing")
    func diary() throws {
        let decoded = try Decoded(
            "Date,Time,Sys (mmHg),Dia (mmHg),HR (bpm),SpO2 %,Weight (lbs),Temp (F)\n03/25/2024,08:00 AM,121,79,66,97,154.3,98.4\n",
            options: .ofParticipant())
        #expect(decoded.survey.profile.name == "generic" && decoded.survey.warnings.allSatisfy { !$0.contains("unknown") })
        #expect(
            decoded.values("heart-rate") == [66] && decoded.values("systolic-pressure") == [121]
                && decoded.values("oxygen-saturation") == [97])
        #expect(decoded.values("body-weight").map { ($0 * 10).rounded() / 10 } == [70] && decoded.values("body-temperature").count == 1)
        let german = try Decoded(
            "\u{FEFF}\"Datum und Uhrzeit\";\"Puls (bpm)\"\n\"25.03.2024, 08:00:00\";\"66\"\n", options: .ofParticipant())
        #expect(german.values("heart-rate") == [66])
    }

    @Test("a weight that was lifted is no body weight")
    func lifting() throws {
        let strong = try Decoded(
            "Date,Workout Name,Exercise Name,Set Order,Weight,Reps\n2020-09-15 11:22:57,Chest,Bench Press,1,45.0,5\n",
            options: .ofParticipant())
        #expect(strong.values("body-weight").isEmpty && strong.rows.contains { $0.metric == "Weight" && $0.value == 45 })
        let hevy = try Decoded(
            "\"title\",\"start_time\",\"end_time\",\"exercise_title\",\"set_index\",\"weight_kg\",\"reps\"\n\"Day\",\"30 Jun 2025, 19:56\",\"30 Jun 2025, 20:58\",\"Press\",0,48,13\n",
            options: .ofParticipant())
        #expect(hevy.values("body-weight").isEmpty && hevy.rows.contains { $0.value == 48 })
    }

    @Test("LibreView in German")
    func libre() throws {
        let decoded = try Decoded(
            "Glukose-Werte,Erstellt am,16-06-2026 08:00 UTC,Erstellt von,Jane\nGerät,Seriennummer,Gerätezeitstempel,Aufzeichnungstyp,Glukosewert-Verlauf mg/dL,Glukose-Scan mg/dL\nFreeStyle LibreLink,ABC,15-06-2026 08:00,0,105,\nFreeStyle LibreLink,ABC,15-06-2026 08:15,1,,110\n",
            options: .ofParticipant("Europe/Berlin"))
        #expect(decoded.survey.profile.name == "libre" && decoded.values("blood-glucose") == [105, 110] && decoded.rejects.isEmpty)
    }
}
