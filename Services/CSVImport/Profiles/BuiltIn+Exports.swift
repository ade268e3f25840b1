extension BuiltIn {
    /// Nightscout's `entries`: sensor glucose, always in mg/dL, a finger prick's as `mbg`.
    static let nightscoutEntries: Profile = {
        var profile = Profile(
            name: "nightscout-entries", title: "Nightscout entries: sgv, date",
            time: TimeRule(columns: [["date", "mills"]], formats: [.unix(unit: 1000)]), participant: fromPath,
            source: NameRule(column: ["device"], constant: "nightscout"))
        profile.requires = [["date", "mills"], ["sgv", "mbg"], ["dateString", "type", "direction", "device"]]
        profile.allowsShortRows = true
        profile.columns = [
            // Below 13 is no glucose but a code of the sensor's: not calibrated, no antenna, … Source: cgm-remote-monitor, lib/plugins/errorcodes.js.
            ColumnRule(
                ["sgv"], metric: "blood-glucose", unit: "mg/dL", sentinels: (0...12).map(Double.init) + [39, 401],
                limits: ["39=<40", "401=>400"]),
            ColumnRule(["mbg"], metric: "blood-glucose", unit: "mg/dL"),
            ColumnRule(["direction"], metric: "glucose-trend", kind: .text),
            ColumnRule(["delta"], metric: "glucose-delta", unit: "mg/dL", kind: .number),
            ColumnRule(["notes"], metric: "note", kind: .text),
            ColumnRule(
                [
                    "_id", "dateString", "type", "sysTime", "utcOffset", "filtered", "unfiltered", "rssi", "noise", "trend", "mills",
                    "identifier",
                    "srvModified", "srvCreated", "subject", "isValid", "app",
                ], kind: .ignore),
        ]
        profile.otherColumns = .keep
        return profile
    }()

    /// Nightscout's `treatments`: insulin, carbohydrates, finger pricks in the unit that the row names, and notes.
    static let nightscoutTreatments: Profile = {
        var profile = Profile(
            name: "nightscout-treatments", title: "Nightscout treatments: eventType, created_at",
            time: TimeRule(columns: [["created_at"]], formats: TimeFormat.iso8601), participant: fromPath,
            source: NameRule(column: ["enteredBy", "device"], constant: "nightscout"))
        profile.requires = [["eventType"], ["created_at"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["eventType"], metric: "treatment", kind: .text), ColumnRule(["insulin"], unit: "[iU]", kind: .number),
            ColumnRule(["carbs"], metric: "carbohydrates", unit: "g", kind: .number),
            ColumnRule(["fat"], metric: "food-fat", unit: "g", kind: .number),
            ColumnRule(["protein"], metric: "food-protein", unit: "g", kind: .number),
            ColumnRule(["glucose"], metric: "blood-glucose", unitColumn: ["units"]), ColumnRule(["notes"], metric: "note", kind: .text),
            ColumnRule(["duration"], metric: "treatment-duration", unit: "min", kind: .number),
            ColumnRule(["rate", "absolute"], metric: "insulin-rate", unit: "[iU]/h", kind: .number, isOneValue: true),
            ColumnRule(
                ["units", "_id", "utcOffset", "timestamp", "sysTime", "mills", "identifier", "srvModified", "srvCreated"], kind: .ignore),
        ]
        return profile
    }()

    /// Health Auto Export's JSON: metrics with a name, a unit and data.
    static let healthAutoExport: Profile = {
        var profile = Profile(
            name: "health-auto-export", title: "Health Auto Export: name, units, date, qty",
            time: TimeRule(columns: [["date", "startDate"]], ends: ["endDate"]),
            participant: fromPath, source: NameRule(column: ["source"], constant: "health-auto-export"))
        profile.layout = .long
        profile.requires = [["name"], ["units"], ["date", "startDate"], ["qty", "Avg", "systolic", "asleep", "totalSleep", "value"]]
        profile.allowsShortRows = true
        profile.long.metric = ["name"]
        profile.long.unit = ["units"]
        profile.long.value = ["qty", "Avg", "totalSleep", "asleep", "value"]
        profile.long.reportsMissing = true
        profile.columns = longNames
        return profile
    }()

    /// Google Fit's takeout: data points with a type's name and values of one of two kinds.
    static let googleFitPoints: Profile = {
        var profile = Profile(
            name: "google-fit", title: "Google Fit takeout: Data Points",
            time: TimeRule(columns: [["startTimeNanos"]], formats: [.nanoseconds], ends: ["endTimeNanos"]), participant: fromPath,
            source: NameRule(column: ["originDataSourceId"], constant: "google-fit"))
        profile.layout = .long
        profile.requires = [
            ["dataTypeName"], ["startTimeNanos"], ["fitValue.0.value.fpVal", "fitValue.0.value.intVal", "value.0.fpVal", "value.0.intVal"],
        ]
        profile.allowsShortRows = true
        profile.long.metric = ["dataTypeName"]
        profile.long.value = [
            "fitValue.0.value.fpVal", "fitValue.0.value.intVal", "value.0.fpVal", "value.0.intVal", "fitValue.0.value.stringVal",
        ]
        profile.long.reportsMissing = true
        profile.columns = [
            ColumnRule(["com.google.heart_rate.bpm"], metric: "heart-rate"), ColumnRule(["com.google.step_count.delta"], metric: "steps"),
            ColumnRule(["com.google.weight"], metric: "body-weight", unit: "kg"),
            ColumnRule(["com.google.height"], metric: "body-height", unit: "m"),
            ColumnRule(["com.google.distance.delta"], metric: "distance", unit: "m"),
            ColumnRule(["com.google.calories.expended"], metric: "energy", unit: "kcal"),
            ColumnRule(["com.google.active_minutes"], metric: "active-minutes", unit: "min"),
            ColumnRule(["com.google.body.fat.percentage"], metric: "body-fat", unit: "%"),
            ColumnRule(["com.google.oxygen_saturation"], metric: "oxygen-saturation", unit: "%"),
            ColumnRule(["com.google.body.temperature"], metric: "body-temperature", unit: "Cel"),
            ColumnRule(["com.google.blood_glucose"], metric: "blood-glucose", unit: "mmol/L"),
            ColumnRule(["com.google.heart_minutes"], metric: "heart-minutes"),
            ColumnRule(["com.google.speed"], metric: "speed", unit: "m/s"),
            ColumnRule(["com.google.blood_pressure.systolic"], metric: "systolic-pressure", unit: "mm[Hg]"),
            ColumnRule(["com.google.blood_pressure.diastolic"], metric: "diastolic-pressure", unit: "mm[Hg]"),
        ]
        return profile
    }()

    /// Synthea's `observations.csv`: a row a value, by its LOINC code.
    static let synthea: Profile = {
        var profile = Profile(
            name: "synthea", title: "Synthea observations.csv: DATE, PATIENT, CODE, DESCRIPTION, VALUE, UNITS",
            time: TimeRule(columns: [["DATE"]]),
            participant: NameRule(column: ["PATIENT"]), source: NameRule(constant: "synthea"))
        profile.layout = .long
        profile.requires = [["DATE"], ["PATIENT"], ["CODE"], ["DESCRIPTION"], ["VALUE"], ["UNITS"]]
        profile.long.metric = ["DESCRIPTION"]
        profile.long.code = ["CODE"]
        profile.long.value = ["VALUE"]
        profile.long.unit = ["UNITS"]
        return profile
    }()

    /// Fitbit's account archive: JSON files whose names say what a column `value` holds; dates month first, without a zone.
    static let fitbitTakeout: Profile = {
        var profile = Profile(
            name: "fitbit-takeout", title: "Fitbit account archive: dateTime, value",
            time: TimeRule(columns: [["dateTime"]], formats: TimeFormat.monthFirst + TimeFormat.iso8601),
            participant: fromPath, source: NameRule(constant: "fitbit"))
        profile.requires = [["dateTime"], ["value", "value.bpm", "value.value", "value.restingHeartRate", "value.dailyRmssd"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["value.bpm"], metric: "heart-rate"),
            ColumnRule(["value.confidence"], metric: "heart-rate-confidence", kind: .number),
            ColumnRule(["value.dailyRmssd"], metric: "heart-rate-variability-rmssd"),
            ColumnRule(["value.date", "value.error"], kind: .ignore),
            // A day without a resting heart rate has a 0.
            ColumnRule(["value.value", "value.restingHeartRate"], metric: "resting-heart-rate", sentinels: [0], interval: 86400),
        ]
        profile.valueByFile = [
            "steps": ColumnRule([], metric: "steps", interval: 60),
            "calories": ColumnRule([], metric: "energy", unit: "kcal", interval: 60),
            // Fitbit's archive counts distances in centimetres.
            "distance": ColumnRule([], metric: "distance", unit: "cm", interval: 60),
            "altitude": ColumnRule([], metric: "altitude-gain", unit: "cm", kind: .number),
            "sedentary_minutes": ColumnRule([], metric: "sedentary-minutes", interval: 86400),
            "lightly_active_minutes": ColumnRule([], metric: "lightly-active-minutes", unit: "min", kind: .number, interval: 86400),
            "moderately_active_minutes": ColumnRule([], metric: "moderately-active-minutes", unit: "min", kind: .number, interval: 86400),
            "very_active_minutes": ColumnRule([], metric: "very-active-minutes", unit: "min", kind: .number, interval: 86400),
        ]
        return profile
    }()

    /// Nights of Fitbit's account archive, spread over rows by `FitbitSleep`.
    static let fitbitSleep: Profile = {
        var profile = Profile(
            name: "fitbit-sleep", title: "Fitbit account archive: sleep-….json",
            time: TimeRule(columns: [["sleep start"]], formats: TimeFormat.iso8601, ends: ["until"]), participant: fromPath,
            source: NameRule(constant: "fitbit"))
        profile.layout = .long
        profile.requires = [["sleep start"], ["until"], ["metric"], ["value"], ["unit"]]
        profile.long.metric = ["metric"]
        profile.long.value = ["value"]
        profile.long.unit = ["unit"]
        return profile
    }()

    /// Weights of Fitbit's account archive: dates month first, the unit that of the account, which the file does not name.
    static let fitbitWeight: Profile = {
        var profile = Profile(
            name: "fitbit-weight", title: "Fitbit account archive: weight-….json",
            time: TimeRule(columns: [["date"], ["time"]], formats: TimeFormat.monthFirst + TimeFormat.iso8601), participant: fromPath,
            source: NameRule(constant: "fitbit"))
        profile.requires = [["logId"], ["weight"], ["bmi"], ["date"], ["time"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["weight"], metric: "body-weight", usually: "kg"), ColumnRule(["bmi"], metric: "body-mass-index"),
            ColumnRule(["fat"], metric: "body-fat", unit: "%"), ColumnRule(["logId", "source"], kind: .ignore),
        ]
        return profile
    }()

    /// Oura's JSON and CSV: days, nights and heart rates, with durations in seconds and distances in metres.
    static let oura: Profile = {
        var profile = Profile(
            name: "oura", title: "Oura: summary_date or day, or bpm with a timestamp",
            time: TimeRule(columns: [["timestamp", "bedtime_start", "summary_date", "day", "date"]], ends: ["bedtime_end"]),
            participant: fromPath,
            source: NameRule(constant: "oura"))
        profile.requires = [
            ["summary_date", "day", "bpm"], ["timestamp", "bedtime_start", "summary_date", "day", "date"],
            [
                "bedtime_start", "equivalent_walking_distance", "daily_movement", "cal_total", "score_hr_average", "score_previous_night",
                "bpm",
                "average_hrv", "contributors.recovery_index", "temperature_deviation", "contributors.deep_sleep",
                "contributors.meet_daily_targets",
                "spo2_percentage.average", "rmssd", "score_temperature", "total_sleep_duration",
            ],
        ]
        profile.allowsShortRows = true
        profile.columns = [
            // Each of a day's three tables calls its own so; what else it has tells which it is.
            ColumnRule(["score"], metric: "sleep-score", kind: .number, onlyBeside: ["contributors.deep_sleep", "score_deep"]),
            ColumnRule(
                ["score"], metric: "readiness-score", kind: .number, onlyBeside: ["contributors.recovery_index", "score_previous_night"]),
            ColumnRule(
                ["score"], metric: "activity-score", kind: .number,
                onlyBeside: ["contributors.meet_daily_targets", "score_meet_daily_targets"]),
            ColumnRule(["bpm", "hr_average", "average_heart_rate"], metric: "heart-rate"),
            ColumnRule(["hr_lowest", "lowest_heart_rate"], metric: "heart-rate-lowest", unit: "/min", kind: .number),
            ColumnRule(["rmssd", "average_hrv"], metric: "heart-rate-variability-rmssd"),
            ColumnRule(["breath_average", "average_breath"], metric: "respiration-rate"),
            ColumnRule(["steps"], metric: "steps", interval: 86400),
            ColumnRule(["cal_total", "total_calories"], metric: "energy", unit: "kcal", interval: 86400),
            ColumnRule(["cal_active", "active_calories"], metric: "active-energy", unit: "kcal", kind: .number, interval: 86400),
            ColumnRule(["daily_movement", "equivalent_walking_distance"], metric: "distance", unit: "m", interval: 86400),
            ColumnRule(["total", "total_sleep_duration"], metric: "sleep-minutes", unit: "s"),
            ColumnRule(["deep", "deep_sleep_duration"], metric: "sleep-deep", unit: "s", kind: .number),
            ColumnRule(["light", "light_sleep_duration"], metric: "sleep-light", unit: "s", kind: .number),
            ColumnRule(["rem", "rem_sleep_duration"], metric: "sleep-rem", unit: "s", kind: .number),
            ColumnRule(["awake", "awake_time"], metric: "sleep-awake", unit: "s", kind: .number),
            ColumnRule(["temperature_delta", "temperature_deviation"], metric: "skin-temperature-deviation", unit: "Cel", kind: .number),
            ColumnRule(["spo2_percentage.average"], metric: "oxygen-saturation", unit: "%"),
            ColumnRule(
                [
                    "id", "period_id", "is_longest", "timezone", "source", "hypnogram_5min", "sleep_phase_5_min", "class_5min",
                    "class_5_min", "movement_30_sec",
                    "met.interval", "met.items", "met.timestamp", "met_1min", "hr_5min", "rmssd_5min",
                ], kind: .ignore),
        ]
        return profile
    }()

    /// Swims stand in metres or yards, as the pool has it, in a list of kilometres or miles.
    private static let swims = RowException(
        column: ["Activity Type"],
        words: ["swim", "schwimm", "natation", "natación", "nuoto", "zwem", "simning", "svøm", "uinti", "水泳", "游泳"],
        reason: "a swim's distance is in metres or yards, whatever the list's unit, and the list does not say in which")

    /// Garmin Connect's list of activities: distances in the account's unit, which the file does not name.
    static let garmin: Profile = {
        var profile = Profile(
            name: "garmin-activities", title: "Garmin Connect Activities.csv", time: TimeRule(columns: [["Date"]]), participant: fromPath,
            source: NameRule(constant: "garmin"))
        profile.requires = [["Activity Type"], ["Date"], ["Distance"], ["Calories"], ["Avg HR", "Max HR"]]
        profile.emptyMarks = ["--", "-"]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Activity Type"], metric: "activity", kind: .text),
            ColumnRule(["Distance"], metric: "distance", usually: "km", exception: swims),
            ColumnRule(["Calories"], metric: "energy", unit: "kcal"),
            ColumnRule(["Time", "Elapsed Time", "Moving Time"], unit: "min", kind: .clock),
            ColumnRule(["Avg HR"], metric: "heart-rate"), ColumnRule(["Max HR"], metric: "heart-rate-highest", unit: "/min", kind: .number),
            ColumnRule(["Steps"], metric: "steps"), ColumnRule(["Title"], metric: "activity-title", kind: .text),
            ColumnRule(["Favorite"], kind: .ignore),
        ]
        return profile
    }()

    /// Strava's archive, `activities.csv`: times in UTC. Its second columns of one name are in seconds and metres, its first in the account's units.
    static let strava: Profile = {
        var profile = Profile(
            name: "strava", title: "Strava archive: activities.csv",
            time: TimeRule(columns: [["Activity Date"]], formats: TimeFormat.iso8601, zone: "UTC"), participant: fromPath,
            source: NameRule(constant: "strava"))
        profile.requires = [["Activity ID"], ["Activity Date"], ["Activity Type"]]
        profile.allowsShortRows = true
        profile.numbersRepeats = true
        profile.otherColumns = .ignore
        profile.columns = [
            ColumnRule(["Activity Type"], metric: "activity", kind: .text),
            ColumnRule(["Activity Name"], metric: "activity-title", kind: .text),
            ColumnRule(["Distance 2"], metric: "distance", unit: "m"),
            ColumnRule(["Distance"], metric: "distance", usually: "km", unlessBeside: ["Distance 2"]),
            ColumnRule(["Elapsed Time"], metric: "workout-duration", unit: "min", kind: .number, scale: 1 / 60.0),
            ColumnRule(["Moving Time"], metric: "workout-moving-time", unit: "min", kind: .number, scale: 1 / 60.0),
            ColumnRule(["Calories"], metric: "energy", unit: "kcal"),
            ColumnRule(["Average Heart Rate"], metric: "workout-heart-rate-average", unit: "/min", kind: .number),
            ColumnRule(["Max Heart Rate"], metric: "workout-heart-rate-maximum", unit: "/min", kind: .number),
            ColumnRule(["Elevation Gain"], metric: "workout-elevation-gain", unit: "m", kind: .number),
            ColumnRule(["Total Steps"], metric: "steps"),
        ]
        return profile
    }()

    /// Polar Flow's training: a line about the session.
    static let polar: Profile = {
        var profile = Profile(
            name: "polar", title: "Polar Flow training: Name, Sport, Date, Start time, …",
            time: TimeRule(columns: [["Date"], ["Start time"]], formats: TimeFormat.dayFirst + TimeFormat.iso8601),
            participant: NameRule(column: ["Name"]), source: NameRule(constant: "polar"))
        profile.participant = fromPath
        profile.requires = [["Sport"], ["Date"], ["Start time"], ["Duration"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Sport"], metric: "activity", kind: .text),
            ColumnRule(["Duration"], metric: "exercise-duration", unit: "min", kind: .clock),
            ColumnRule(["Total distance (km)"], metric: "distance", unit: "km"),
            // Of the session, not of the moment at which it began.
            ColumnRule(["Average heart rate (bpm)"], metric: "workout-heart-rate-average", unit: "/min", kind: .number),
            ColumnRule(["Average pace (min/km)"], metric: "workout-pace-average", unit: "min/km", kind: .pace),
            ColumnRule(["Max pace (min/km)"], metric: "workout-pace-maximum", unit: "min/km", kind: .pace),
            ColumnRule(["Calories"], metric: "energy", unit: "kcal"), ColumnRule(["Name"], kind: .ignore),
            ColumnRule(["Notes"], metric: "note", kind: .text),
            // What the account says of the person, not what was measured.
            ColumnRule(["Height (cm)", "Weight (kg)", "HR max", "HR sit", "VO2max"], kind: .ignore),
        ]
        return profile
    }()

    /// A training session of Polar's account archive, once `PolarTraining` has made a table of it.
    static let polarTraining: Profile = {
        var profile = Profile(
            name: "polar-training", title: "Polar account archive: training-session….json",
            time: TimeRule(columns: [["polar time"]], formats: TimeFormat.iso8601, ends: ["until"]), participant: fromPath,
            source: NameRule(column: ["device"], constant: "polar"))
        profile.layout = .long
        profile.requires = [["polar time"], ["until"], ["metric"], ["value"], ["unit"]]
        profile.long.metric = ["metric"]
        profile.long.value = ["value"]
        profile.long.unit = ["unit"]
        return profile
    }()

    /// Polar Flow's training: a line a second below the session's, by a clock that runs from its start.
    static let polarSamples: Profile = {
        var profile = Profile(
            name: "polar-samples", title: "Polar Flow training: Time, HR (bpm), … from the session's start",
            time: TimeRule(columns: [["Time"]]),
            participant: fromPath, source: NameRule(constant: "polar"))
        profile.requires = [["Time"], ["HR (bpm)"], ["Speed (km/h)", "Pace (min/km)", "Cadence", "Altitude (m)"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["HR (bpm)"], metric: "heart-rate"), ColumnRule(["Speed (km/h)"], metric: "speed", unit: "km/h", kind: .number),
            ColumnRule(["Pace (min/km)"], metric: "pace", unit: "min/km", kind: .pace),
            ColumnRule(["Pace (min/mi)"], metric: "pace-by-mile", unit: "min/[mi_i]", kind: .pace),
            ColumnRule(["Cadence"], metric: "cadence", unit: "/min", kind: .number),
            ColumnRule(["Altitude (m)"], metric: "altitude", unit: "m", kind: .number), ColumnRule(["Sample rate"], kind: .ignore),
            ColumnRule(["Distances (m)"], metric: "distance-covered", unit: "m", kind: .number),
            ColumnRule(["Temperatures (C)"], metric: "ambient-temperature", unit: "Cel", kind: .number),
        ]
        return profile
    }()
}
