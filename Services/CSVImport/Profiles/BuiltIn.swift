/// The profiles that come with the importer.
///
/// The order matters: the first that fits a header is taken, so the narrow ones stand before the wide ones.
package enum BuiltIn {
    /// All of them.
    package static let profiles: [Profile] = [
        rejects, vigilExport, vigilJSON, empaticaStudy, healthHacks, sessions, tidepool, dexcomEvents, siDiary, fitabaseHeart, fitabase,
        careLink, whoop, garminSummaries,
        googleFitDaily, googleHealth, libre, dexcom, dexcomTranslated, accuChek, strava, withings, withingsPressure, withingsHeight,
        withingsDays, withingsRaw, beurer,
        omron, ihealth, jawbone,
        healthHacksDate,
        embracePlus, empaticaSamples, empaticaIntervals, empaticaTags, appleHealth, appleECG, fhir, hReader, nightscoutEntries,
        nightscoutTreatments,
        healthAutoExport,
        googleFitPoints, synthea, samsungDays, samsung, fitbitSleep, fitbitWeight, fitbitTakeout, oura, ouraTrends, garmin, polarSamples,
        polar, polarTraining,
        myFitnessPal,
        myFitnessPalExercise, genericLong, generic,
    ]

    /// Returns whether the generic profile has a rule or a meaning for a column of that name.
    static func knows(_ header: String) -> Bool { knownHeaders.contains(HeaderName(header)) }

    /// Returns whether the generic profile knows a column of that name as a count, of which there are no parts.
    static func isCount(_ header: String) -> Bool { counts.contains(HeaderName(HeaderUnit.inBrackets(header)?.name ?? header)) }

    private static let counts = Set(
        generic.columns.filter { $0.metric == "steps" || $0.metric == "floors" }.flatMap(\.headers).map(HeaderName.init))

    private static let knownHeaders = Set((generic.columns.flatMap(\.headers) + generic.time.columns.joined()).map(HeaderName.init))
}

extension BuiltIn {
    /// The importer's home format: a header with `participant-id` and `timestamp`, and a column a metric.
    static let healthHacks: Profile = {
        var profile = Profile(
            name: "health-hacks", title: "health-hacks CSV: participant-id, timestamp, a column a metric",
            time: TimeRule(columns: [["timestamp"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(column: ["participant-id"]), source: NameRule(column: ["source"], constant: "import"))
        profile.session = NameRule(column: ["session-id"])
        profile.requires = [["participant-id"], ["timestamp"]]
        profile.columns = recorders + activity + body + sleepAndFood + wideMinutes + genericColumns
        return profile
    }()

    /// The stress study's files: as the home format, but its thermometer lies on the wrist.
    static let empaticaStudy: Profile = {
        var profile = healthHacks
        profile.name = "health-hacks-empatica"
        profile.title = "health-hacks CSV of an Empatica E4 (skin temperature, intervals in seconds or milliseconds)"
        profile.requires.append(["session-id"])
        profile.requires.append([
            "temperature", "eda", "skin-conductance", "inter-beat-interval", "rr-interval", "heart-rate", "acc-x-axis", "bvp",
        ])
        profile.columns.insert(ColumnRule(["temperature"], metric: "skin-temperature", unit: "Cel", sentinels: [382.18]), at: 0)
        return profile
    }()

    /// The older form: the time is a date.
    static let healthHacksDate: Profile = {
        var profile = healthHacks
        profile.name = "health-hacks-date"
        profile.title = "health-hacks CSV, older form: date (MM/dd/yy) or date-time first"
        profile.time = TimeRule(
            columns: [["date", "date-time"]], formats: [.pattern("M/d/yy"), .pattern("M/d/yy H:mm"), .pattern("M/d/yy h:mm a")])
        profile.time.formats += TimeFormat.monthFirst + TimeFormat.iso8601
        profile.participant = NameRule(column: ["participant-id"], path: ["participant"])
        profile.requires = [["date", "date-time"], ["participant-id", "session-id"]]
        return profile
    }()

    /// A list of sessions.
    static let sessions: Profile = {
        var profile = Profile(
            name: "health-hacks-sessions", title: "health-hacks session list: id, name, desc, startTime, stopTime",
            time: TimeRule(columns: [["startTime"]], formats: [.unix(unit: 1_000_000)] + TimeFormat.iso8601),
            participant: NameRule(path: ["participant"]), source: NameRule(constant: "import"))
        profile.session = NameRule(column: ["id"])
        profile.requires = [["id"], ["name"], ["desc"], ["startTime"], ["stopTime"]]
        profile.isExact = true
        profile.columns = [
            ColumnRule(["name"], metric: "session-name", kind: .text), ColumnRule(["desc"], metric: "session-description", kind: .text),
            ColumnRule(["stopTime"], metric: "session-stop", unit: "s", kind: .automatic),
        ]
        return profile
    }()

    /// A participant by a column that names one, or by a folder's name.
    static let fromPath = NameRule(
        column: ["participant-id", "participant", "patient-id"], path: ["participant", "patient", "subject"])

    /// Starts of headers beside which fat and calories are eaten.
    static let food =
        ["carb", "protein", "meal", "fiber", "sugar", "sodium", "food-name", "saturated"]
        + ["kohlenhydrat", "eiweiß", "glucide", "lipide", "protéine", "hidratos", "proteína", "carboidrat", "węglowodan", "białko"]
        + ["koolhydr", "eiwit", "kolhydrat", "kulhydrat", "karbohydrat", "углевод", "белк", "炭水化物", "たんぱく", "蛋白", "碳水", "탄수화물", "단백질"]

    /// The metrics that a column which only says `temperature` may be of, besides a body's.
    static let otherTemperatures = ["skin-temperature", "ambient-temperature"]

    /// Starts of headers beside which a weight is one that was lifted.
    static let lifting = ["reps", "set-order", "set-index", "exercise-name", "exercise-title"]

    private static let recorders: [ColumnRule] = [
        ColumnRule(["heart-rate", "pulse", "pulse-rate"], metric: "heart-rate"),
        ColumnRule(["resting-heart-rate"], metric: "resting-heart-rate"),
        ColumnRule(["rr-interval"], metric: "rr-interval", unit: "ms"),
        ColumnRule(["inter-beat-interval", "ibi"], metric: "rr-interval", unit: "s"),
        ColumnRule(["eda", "skin-conductance", "gsr"], metric: "skin-conductance", startup: [0]),
        ColumnRule(["body-temperature"], metric: "body-temperature"),
        ColumnRule(["temperature"], metric: "body-temperature", alternatives: otherTemperatures),
        ColumnRule(["skin-temperature"], metric: "skin-temperature", sentinels: [382.18]),
        ColumnRule(["bvp", "blood-volume-pulse"], metric: "blood-volume-pulse"),
        // Empatica counts acceleration in 1/64 g.
        ColumnRule(["acc-x-axis"], metric: "acceleration-x", unit: "g", scale: 1 / 64.0),
        ColumnRule(["acc-y-axis"], metric: "acceleration-y", unit: "g", scale: 1 / 64.0),
        ColumnRule(["acc-z-axis"], metric: "acceleration-z", unit: "g", scale: 1 / 64.0),
        ColumnRule(["spo2", "oxygen-saturation"], metric: "oxygen-saturation"),
        ColumnRule(["bp-systolic", "systolic"], metric: "systolic-pressure"),
        ColumnRule(["bp-diastolic", "diastolic"], metric: "diastolic-pressure"),
        ColumnRule(["notes", "note"], metric: "note", kind: .text),
    ]

    private static let activity: [ColumnRule] = [
        ColumnRule(["steps", "total-steps", "step-total", "step-count"], metric: "steps"),
        ColumnRule(["total-distance"], metric: "distance", unit: "km"),
        ColumnRule(["distance-walk-run", "distance"], metric: "distance", usually: "km"),
        ColumnRule(["floors-climbed", "floors"], metric: "floors"),
        ColumnRule(["calories-burned"], metric: "energy", unit: "kcal"),
        ColumnRule(["calories"], metric: "energy", unit: "kcal", unlessBeside: food),
        ColumnRule(["total-active-minutes"], metric: "active-minutes"),
        ColumnRule(["sedentary-minutes"], metric: "sedentary-minutes"),
        ColumnRule(["activity-calories"], unit: "kcal", kind: .number),
        ColumnRule(["elevation"], unit: "m", kind: .number),
        ColumnRule(
            [
                "tracker-distance", "logged-activities-distance", "very-active-distance", "moderately-active-distance",
                "light-active-distance",
                "sedentary-active-distance",
            ], unit: "km", kind: .number),
        ColumnRule(["very-active-minutes", "fairly-active-minutes", "lightly-active-minutes"], unit: "min", kind: .number),
        ColumnRule(["total-intensity", "average-intensity"], unit: "1", kind: .number),
    ]

    private static let body: [ColumnRule] = [
        ColumnRule(["weight-kg"], metric: "body-weight", unit: "kg", unlessBeside: lifting),
        ColumnRule(["weight"], metric: "body-weight", usually: "kg", unlessBeside: lifting),
        // The same weighing once more: kept, but not as a second body weight.
        ColumnRule(["weight-pounds"], unit: "[lb_av]", kind: .number),
        ColumnRule(["bmi"], metric: "body-mass-index"),
        ColumnRule(["fat-percentage"], metric: "body-fat"), ColumnRule(["fat"], metric: "body-fat", unlessBeside: food),
        ColumnRule(["is-manual-report"], kind: .flag),
        ColumnRule(["log-id"], kind: .number),
    ]

    private static let sleepAndFood: [ColumnRule] = [
        ColumnRule(["minutes-asleep", "total-minutes-asleep"], metric: "sleep-minutes"),
        ColumnRule(
            ["minutes-awake", "time-in-bed", "total-time-in-bed", "minutes-to-fall-asleep", "minutes-after-wakeup"], unit: "min",
            kind: .number),
        ColumnRule(["sleep-start-time"], unit: "min", kind: .clock),
        ColumnRule(["sleep-efficiency"], unit: "%", kind: .number),
        ColumnRule(["number-of-awakenings", "total-sleep-records"], kind: .number),
        ColumnRule(
            ["food-anytime-calories", "food-breakfast-calories", "food-lunch-calories", "food-dinner-calories", "food-total-calories"],
            unit: "kcal", kind: .number),
        ColumnRule(["food-fat-g", "food-fiber-g", "food-carbs-g", "food-protein-g"], unit: "g", kind: .number),
        ColumnRule(["food-sodium-mg"], unit: "mg", kind: .number),
        ColumnRule(["food-water-ml"], unit: "mL", kind: .number),
    ]

    /// One column a minute of the row's hour.
    static let wideMinutes: [ColumnRule] = (0..<60).flatMap { minute in
        let number = minute < 10 ? "0\(minute)" : "\(minute)"
        let delay = Double(minute) * 60
        return [
            ColumnRule(["steps\(number)"], metric: "steps", delay: delay, interval: 60),
            ColumnRule(["calories\(number)"], metric: "energy", unit: "kcal", delay: delay, interval: 60),
            ColumnRule(["intensity\(number)"], metric: "intensity", kind: .number, delay: delay, interval: 60),
        ]
    }
}
