extension BuiltIn {
    /// Fitabase's export of Fitbit data: `Id`, a date and time as in the United States, a column a metric.
    static let fitabase: Profile = {
        var profile = Profile(
            name: "fitabase", title: "Fitabase export of Fitbit data",
            time: TimeRule(
                columns: [["ActivityDate", "ActivityDay", "ActivityHour", "ActivityMinute", "SleepDay", "Date", "Time"]],
                formats: TimeFormat.monthFirst),
            participant: NameRule(column: ["Id"]), source: NameRule(constant: "fitbit"))
        profile.requires = [
            ["Id"], ["ActivityDate", "ActivityDay", "ActivityHour", "ActivityMinute", "SleepDay", "Date", "Time"],
            [
                "TotalSteps", "StepTotal", "Steps", "Calories", "Value", "WeightKg", "TotalIntensity", "Intensity", "METs",
                "TotalMinutesAsleep",
                "Steps00", "Calories00", "Intensity00", "SedentaryMinutes",
            ],
        ]
        profile.columns = fitabaseColumns + wideMinutes
        return profile
    }()

    /// Fitabase's heart rates, whose column is only called `Value`.
    static let fitabaseHeart: Profile = {
        var profile = fitabase
        profile.name = "fitabase-heart-rate"
        profile.title = "Fitabase export of Fitbit heart rates: Id, Time, Value"
        profile.requires = [["Id"], ["Time"], ["Value"]]
        profile.isExact = true
        profile.columns = [ColumnRule(["Value"], metric: "heart-rate")]
        return profile
    }()

    private static let fitabaseColumns: [ColumnRule] = [
        ColumnRule(["TotalSteps"], metric: "steps", interval: 86400), ColumnRule(["StepTotal", "Steps"], metric: "steps"),
        ColumnRule(["TotalDistance"], metric: "distance", unit: "km"),
        ColumnRule(
            [
                "TrackerDistance", "LoggedActivitiesDistance", "VeryActiveDistance", "ModeratelyActiveDistance", "LightActiveDistance",
                "SedentaryActiveDistance",
            ], unit: "km", kind: .number),
        ColumnRule(["VeryActiveMinutes", "FairlyActiveMinutes", "LightlyActiveMinutes", "TotalTimeInBed"], unit: "min", kind: .number),
        ColumnRule(["SedentaryMinutes"], metric: "sedentary-minutes"),
        ColumnRule(["Calories"], metric: "energy", unit: "kcal"),
        ColumnRule(["TotalMinutesAsleep"], metric: "sleep-minutes"),
        ColumnRule(["WeightKg"], metric: "body-weight", unit: "kg"),
        ColumnRule(["WeightPounds"], metric: "weight-pounds", unit: "[lb_av]", kind: .number),
        ColumnRule(["BMI"], metric: "body-mass-index"),
        ColumnRule(["Fat"], metric: "body-fat"),
        ColumnRule(["IsManualReport"], metric: "is-manual-report", kind: .flag),
        ColumnRule(["LogId"], metric: "log-id", kind: .number),
        ColumnRule(["value"], metric: "sleep-stage", kind: .number),
    ]

    /// WHOOP's `physiological_cycles.csv`: a row a cycle of a day and a night, at the wearer's clock, whose offset a column names.
    static let whoop: Profile = {
        var profile = Profile(
            name: "whoop", title: "WHOOP physiological_cycles.csv: a row a cycle",
            time: TimeRule(
                columns: [["Cycle start time"]], formats: [.pattern("yyyy-MM-dd HH:mm:ss")] + TimeFormat.iso8601, ends: ["Cycle end time"],
                zoneColumn: ["Cycle timezone"]),
            participant: NameRule(column: ["participant-id"], path: ["participant"]), source: NameRule(constant: "whoop"))
        profile.requires = [
            ["Cycle start time"], ["Cycle end time"], ["Recovery score %", "Resting heart rate (bpm)", "Sleep performance %"],
        ]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Resting heart rate (bpm)"], metric: "resting-heart-rate"),
            ColumnRule(["Heart rate variability (ms)"], metric: "heart-rate-variability-rmssd", unit: "ms"),
            ColumnRule(["Skin temp (celsius)"], metric: "skin-temperature", unit: "Cel"),
            ColumnRule(["Blood oxygen %"], metric: "oxygen-saturation", unit: "%"),
            // Dietary calories, as their size tells.
            ColumnRule(["Energy burned (cal)"], metric: "energy", unit: "kcal"),
            ColumnRule(["Respiratory rate (rpm)"], metric: "respiration-rate", unit: "/min"),
            ColumnRule(["Asleep duration (min)"], metric: "sleep-minutes", unit: "min"),
            ColumnRule(
                [
                    "In bed duration (min)", "Light sleep duration (min)", "Deep (SWS) duration (min)", "REM duration (min)",
                    "Awake duration (min)", "Sleep need (min)", "Sleep debt (min)",
                ], unit: "min", kind: .number),
            ColumnRule(["Recovery score %", "Sleep performance %", "Sleep efficiency %", "Sleep consistency %"], unit: "%", kind: .number),
            ColumnRule(["Max HR (bpm)", "Average HR (bpm)"], unit: "/min", kind: .number), ColumnRule(["Day Strain"], kind: .number),
            ColumnRule(["Sleep onset", "Wake onset"], kind: .ignore),
        ]
        return profile
    }()

    /// Garmin's account archive: `…_summarizedActivities.json`, with distances in centimetres and durations in milliseconds.
    static let garminSummaries: Profile = {
        var profile = Profile(
            name: "garmin-summaries", title: "Garmin account archive: summarizedActivities.json",
            time: TimeRule(columns: [["beginTimestamp"]], formats: [.unix(unit: 1000)]),
            participant: NameRule(column: ["participant-id"], path: ["participant"]), source: NameRule(constant: "garmin"))
        profile.requires = [["beginTimestamp"], ["activityType"], ["duration"]]
        profile.allowsShortRows = true
        profile.otherColumns = .ignore
        profile.columns = [
            ColumnRule(["activityType"], metric: "workout", kind: .text),
            ColumnRule(["duration"], metric: "workout-duration", unit: "min", kind: .number, scale: 1 / 60_000),
            ColumnRule(["distance"], metric: "distance", unit: "cm"),
            ColumnRule(["avgHr"], metric: "workout-heart-rate-average", unit: "/min", kind: .number),
            ColumnRule(["maxHr"], metric: "workout-heart-rate-maximum", unit: "/min", kind: .number),
            ColumnRule(["elevationGain"], metric: "workout-elevation-gain", unit: "m", kind: .number, scale: 0.01),
            ColumnRule(["steps"], metric: "steps"), ColumnRule(["vO2MaxValue"], metric: "vo2max", kind: .number),
        ]
        return profile
    }()

    /// Google Fit's archive: `Daily activity metrics`, a row a day. Zeros stand for what was not measured.
    static let googleFitDaily: Profile = {
        var profile = Profile(
            name: "google-fit-daily", title: "Google Fit archive: daily activity metrics",
            time: TimeRule(columns: [["Date"]], formats: TimeFormat.iso8601),
            participant: NameRule(column: ["participant-id"], path: ["participant"]), source: NameRule(constant: "google-fit"))
        profile.requires = [["Date"], ["Move Minutes count"], ["Step count", "Calories (kcal)", "Distance (m)"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Step count"], metric: "steps", interval: 86_400),
            ColumnRule(["Move Minutes count"], metric: "active-minutes", unit: "min", interval: 86_400),
            ColumnRule(["Calories (kcal)"], metric: "energy", unit: "kcal", interval: 86_400),
            ColumnRule(["Distance (m)"], metric: "distance", unit: "m", interval: 86_400),
            ColumnRule(["Average weight (kg)"], metric: "body-weight", unit: "kg", sentinels: [0], interval: 86_400),
            ColumnRule(
                ["Average heart rate (bpm)", "Max heart rate (bpm)", "Min heart rate (bpm)"], unit: "/min", kind: .number, sentinels: [0],
                interval: 86_400),
            ColumnRule(["Sleep duration (ms)"], metric: "sleep-minutes", unit: "ms", sentinels: [0], interval: 86_400),
            ColumnRule(["Heart Points"], metric: "heart-points", kind: .number, interval: 86_400),
            ColumnRule(["Heart Minutes"], metric: "heart-minutes", unit: "min", kind: .number, interval: 86_400),
        ]
        return profile
    }()

    /// Google's archive of what Fitbit's devices measured: CSV whose columns spell their units out; the file's name tells a day's value.
    static let googleHealth: Profile = {
        var profile = Profile(
            name: "google-health", title: "Google's archive of Fitbit data: timestamp, beats per minute, …, data source",
            time: TimeRule(columns: [["timestamp", "start time"]], formats: TimeFormat.iso8601, ends: ["end time"]),
            participant: NameRule(column: ["participant-id"], path: ["participant"]),
            source: NameRule(column: ["data source"], constant: "fitbit"))
        let named = [
            "beats per minute", "weight grams", "height millimeters", "breaths per minute", "average percentage",
            "average heart rate variability milliseconds", "root mean square of successive differences milliseconds",
            "oxygen saturation percentage", "temperature celsius", "body fat percentage",
        ]
        profile.requires = [["timestamp", "start time"], named + ["data source"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["beats per minute"], metric: "heart-rate"), ColumnRule(["breaths per minute"], metric: "respiration-rate"),
            ColumnRule(["weight grams"], metric: "body-weight", unit: "g"),
            ColumnRule(["height millimeters"], metric: "body-height", unit: "mm"),
            ColumnRule(["oxygen saturation percentage", "average percentage"], metric: "oxygen-saturation", unit: "%"),
            ColumnRule(
                ["average heart rate variability milliseconds", "root mean square of successive differences milliseconds"],
                metric: "heart-rate-variability-rmssd", unit: "ms"),
            ColumnRule(["body fat percentage"], metric: "body-fat", unit: "%"), ColumnRule(["steps"], metric: "steps"),
            // Metres, as the files beside them tell.
            ColumnRule(["distance"], metric: "distance", unit: "m"), ColumnRule(["calories"], metric: "energy", unit: "kcal"),
            ColumnRule(["temperature celsius"], metric: "body-temperature", unit: "Cel", alternatives: otherTemperatures),
            ColumnRule(["sleep stage"], metric: "sleep-stage", kind: .text),
        ]
        profile.valueByFile = [
            "daily_resting_heart_rate": ColumnRule(["beats per minute"], metric: "resting-heart-rate", interval: 86_400),
            "resting_heart_rate": ColumnRule(["beats per minute"], metric: "resting-heart-rate"),
            "daily_respiratory_rate": ColumnRule(["breaths per minute"], metric: "respiration-rate", interval: 86_400),
            "daily_oxygen_saturation": ColumnRule(["average percentage"], metric: "oxygen-saturation", unit: "%", interval: 86_400),
            "active_energy_burned": ColumnRule(["calories"], metric: "active-energy", unit: "kcal", kind: .number),
        ]
        return profile
    }()

    /// Jawbone UP's yearly export.
    static let jawbone: Profile = {
        var profile = Profile(
            name: "jawbone", title: "Jawbone UP export: DATE, m_…, s_…",
            time: TimeRule(columns: [["DATE"]], formats: [.pattern("yyyyMMdd")] + TimeFormat.iso8601),
            participant: NameRule(column: ["participant-id"], path: ["participant"]), source: NameRule(constant: "jawbone-up"))
        profile.requires = [["DATE"], ["m_steps", "m_distance", "s_duration", "o_count"]]
        profile.columns = [
            ColumnRule(["m_steps"], metric: "steps"), ColumnRule(["m_distance"], metric: "distance", unit: "m"),
            ColumnRule(["m_total_calories"], metric: "energy"), ColumnRule(["m_active_time"], metric: "active-minutes", unit: "s"),
            ColumnRule(["s_duration"], metric: "sleep-minutes", unit: "s"),
            ColumnRule(["s_light", "s_deep", "s_rem", "s_awake", "s_asleep_time", "m_lat", "m_lcat", "m_lcit"], unit: "s", kind: .number),
            ColumnRule(["weight"], metric: "body-weight", unit: "kg"), ColumnRule(["bmi"], metric: "body-mass-index"),
            ColumnRule(["body_fat"], metric: "body-fat"), ColumnRule(["rhr", "avg_bpm"], metric: "resting-heart-rate"),
        ]
        return profile
    }()

    /// Oura's `trends` of the web page: a row a day, durations in seconds, distances in metres.
    static let ouraTrends: Profile = {
        var profile = Profile(
            name: "oura-trends", title: "Oura trends CSV: date, Sleep Score, Total Sleep Duration, …", time: TimeRule(columns: [["date"]]),
            participant: fromPath, source: NameRule(constant: "oura"))
        profile.requires = [
            ["date"], ["Sleep Score", "Readiness Score", "Activity Score"], ["Average HRV", "Total Burn", "Total Sleep Duration"],
        ]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Average Resting Heart Rate"], metric: "resting-heart-rate"),
            ColumnRule(["Lowest Resting Heart Rate"], metric: "heart-rate-lowest", unit: "/min", kind: .number),
            ColumnRule(["Average HRV"], metric: "heart-rate-variability-rmssd", unit: "ms"),
            ColumnRule(["Respiratory Rate"], metric: "respiration-rate"),
            ColumnRule(
                ["Temperature Deviation (°C)", "Temperature Deviation"], metric: "skin-temperature-deviation", unit: "Cel", kind: .number),
            ColumnRule(["Total Sleep Duration"], metric: "sleep-minutes", unit: "s"),
            ColumnRule(["Deep Sleep Duration"], metric: "sleep-deep", unit: "s", kind: .number),
            ColumnRule(["Light Sleep Duration"], metric: "sleep-light", unit: "s", kind: .number),
            ColumnRule(["REM Sleep Duration"], metric: "sleep-rem", unit: "s", kind: .number),
            ColumnRule(["Awake Time"], metric: "sleep-awake", unit: "s", kind: .number),
            ColumnRule(["Total Bedtime", "Total Bedtime "], metric: "time-in-bed", unit: "s", kind: .number),
            ColumnRule(["Steps"], metric: "steps", interval: 86_400),
            ColumnRule(["Equivalent Walking Distance"], metric: "distance", unit: "m", interval: 86_400),
            ColumnRule(["Total Burn"], metric: "energy", unit: "kcal", interval: 86_400),
            ColumnRule(["Activity Burn"], metric: "active-energy", unit: "kcal", kind: .number, interval: 86_400),
        ]
        return profile
    }()

    /// MyFitnessPal's nutrition, which is food: neither body fat nor burned energy. Vitamins come as per cent of a day's need.
    static let myFitnessPal: Profile = {
        var profile = Profile(
            name: "myfitnesspal", title: "MyFitnessPal nutrition: Date, Meal, Calories, …", time: TimeRule(columns: [["Date"], ["Time"]]),
            participant: fromPath,
            source: NameRule(constant: "myfitnesspal"))
        profile.requires = [["Date"], ["Meal"], ["Calories"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Meal"], metric: "meal", kind: .text), ColumnRule(["Calories"], metric: "food-energy", unit: "kcal", kind: .number),
            ColumnRule(["Fat (g)"], metric: "food-fat", unit: "g", kind: .number),
            ColumnRule(["Protein (g)"], metric: "food-protein", unit: "g", kind: .number),
            ColumnRule(["Carbohydrates (g)"], metric: "carbohydrates", unit: "g", kind: .number),
            ColumnRule(["Sodium (mg)", "Potassium"], unit: "mg", kind: .number), ColumnRule(["Note"], metric: "note", kind: .text),
            ColumnRule(
                ["Saturated Fat", "Polyunsaturated Fat", "Monounsaturated Fat", "Trans Fat", "Fiber", "Sugar"], unit: "g", kind: .number),
            ColumnRule(["Cholesterol"], unit: "mg", kind: .number),
            ColumnRule(["Vitamin A", "Vitamin C", "Calcium", "Iron"], unit: "%", kind: .number),
        ]
        return profile
    }()

    /// MyFitnessPal's exercises: energy that was burned, and a day's steps; the weight that was lifted is nobody's body weight.
    static let myFitnessPalExercise: Profile = {
        var profile = Profile(
            name: "myfitnesspal-exercise", title: "MyFitnessPal exercise: Date, Exercise, Type, Exercise Calories, …",
            time: TimeRule(columns: [["Date"]]), participant: fromPath, source: NameRule(constant: "myfitnesspal"))
        profile.requires = [["Date"], ["Exercise"], ["Type"], ["Exercise Calories"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Exercise"], metric: "activity", kind: .text), ColumnRule(["Type"], metric: "activity-type", kind: .text),
            ColumnRule(["Exercise Calories"], metric: "active-energy", unit: "kcal", kind: .number),
            ColumnRule(["Exercise Minutes"], metric: "workout-duration", unit: "min", kind: .number),
            ColumnRule(["Sets", "Reps Per Set"], kind: .number),
            ColumnRule(["Kilograms"], metric: "lifted-weight", unit: "kg", kind: .number),
            ColumnRule(["Pounds"], metric: "lifted-weight", unit: "[lb_av]", kind: .number),
            ColumnRule(["Steps"], metric: "steps", interval: 86_400), ColumnRule(["Note"], metric: "note", kind: .text),
        ]
        return profile
    }()
}
