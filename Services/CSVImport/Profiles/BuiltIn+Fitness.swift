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
