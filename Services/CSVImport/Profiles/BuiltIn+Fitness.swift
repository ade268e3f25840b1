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
            ColumnRule(["Heart Points", "Heart Minutes"], metric: "heart-points", kind: .number, interval: 86_400),
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
}
