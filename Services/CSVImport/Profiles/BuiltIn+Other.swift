extension BuiltIn {
    /// An Empatica E4's own files: `EDA.csv`, `HR.csv`, `TEMP.csv`, `BVP.csv`, `ACC.csv`.
    static let empaticaSamples: Profile = {
        var profile = Profile(
            name: "empatica-samples", title: "Empatica E4's own files: a start, a rate, then samples",
            time: TimeRule(columns: [], formats: [.unix(unit: 1_000_000)]), participant: NameRule(path: ["participant", "subject", "S"]),
            source: NameRule(constant: "empatica"))
        profile.layout = .samples
        profile.session = NameRule(path: ["sessionID", "session"])
        profile.columns = empaticaStudy.columns
        return profile
    }()

    /// An Empatica E4's own `IBI.csv`.
    static let empaticaIntervals: Profile = {
        var profile = empaticaSamples
        profile.name = "empatica-intervals"
        profile.title = "Empatica E4's own IBI.csv: a start, then offset and interval"
        profile.layout = .intervals
        return profile
    }()

    /// An Empatica E4's own `tags.csv`: when its button was pressed.
    static let empaticaTags: Profile = {
        var profile = empaticaSamples
        profile.name = "empatica-tags"
        profile.title = "Empatica E4's own tags.csv: a time a line"
        profile.layout = .marks
        // Whatever the time, the mark is a 1.
        profile.columns = [ColumnRule(["timestamp"], metric: "event-mark", kind: .number, scale: 0, add: 1)]
        return profile
    }()

    /// Empatica's EmbracePlus: aggregates a minute, `1-1-001_2026-03-05_pulse-rate.csv` and its kind, in UTC. The file says what was not measured.
    static let embracePlus: Profile = {
        var profile = Profile(
            name: "embrace-plus", title: "Empatica EmbracePlus: timestamp_unix, participant_full_id, a measure a file",
            time: TimeRule(columns: [["timestamp_unix"]], formats: [.unix(unit: 1000)]),
            participant: NameRule(column: ["participant_full_id"]), source: NameRule(constant: "embrace-plus"))
        profile.requires = [["timestamp_unix"], ["participant_full_id"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["pulse_rate_bpm"], metric: "pulse-rate", interval: 60),
            ColumnRule(["respiratory_rate_brpm"], metric: "respiration-rate", interval: 60),
            ColumnRule(["eda_scl_usiemens"], metric: "skin-conductance-level", unit: "uS", interval: 60),
            ColumnRule(["temperature_celsius"], metric: "skin-temperature", unit: "Cel", interval: 60),
            ColumnRule(["prv_rmssd_ms"], metric: "heart-rate-variability-rmssd", unit: "ms", interval: 60),
            ColumnRule(["step_counts", "steps_count"], metric: "steps", interval: 60),
            ColumnRule(["timestamp_iso", "missing_value_reason"], kind: .ignore),
        ]
        return profile
    }()

    /// Apple Health's `export.xml`.
    static let appleHealth: Profile = {
        var profile = Profile(
            name: "apple-health", title: "Apple Health's export.xml",
            time: TimeRule(columns: [], formats: [.pattern("yyyy-MM-dd HH:mm:ss Z")]),
            participant: NameRule(path: ["participant"]), source: NameRule(constant: "apple-health"))
        profile.layout = .appleHealth
        return profile
    }()

    /// This importer's own rejects.
    static let rejects: Profile = {
        var profile = Profile(
            name: "vigil-rejects", title: "cells that this importer refused, corrected", time: TimeRule(columns: []),
            participant: NameRule(),
            source: NameRule())
        profile.layout = .rejects
        return profile
    }()

    /// An electrocardiogram of an Apple Watch, as `export.zip` has it.
    static let appleECG: Profile = {
        var profile = Profile(
            name: "apple-ecg", title: "Apple Watch electrocardiogram: ecg_….csv", time: TimeRule(columns: [], formats: TimeFormat.iso8601),
            participant: NameRule(path: ["participant"]), source: NameRule(constant: "apple-watch"))
        profile.layout = .appleECG
        return profile
    }()

    /// FHIR R4: Observations, and what becomes entries.
    static let fhir: Profile = {
        var profile = Profile(
            name: "fhir", title: "FHIR R4: a Bundle, resources a line, or one resource",
            time: TimeRule(columns: [], formats: TimeFormat.iso8601),
            participant: NameRule(path: ["participant", "patient"]), source: NameRule(constant: "fhir"))
        profile.layout = .fhir
        return profile
    }()

    /// hReader's patient records.
    static let hReader: Profile = {
        var profile = Profile(
            name: "hreader", title: "hReader patient record", time: TimeRule(columns: []), participant: NameRule(),
            source: NameRule(constant: "hreader"))
        profile.layout = .hReader
        return profile
    }()

    /// Vigil's own exports, CSV, and JSON once its groups are spread over rows.
    static let vigilExport: Profile = {
        var profile = Profile(
            name: "vigil", title: "Vigil's own export: participant-id, time, metric, value, unit, …",
            time: TimeRule(columns: [["time"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(column: ["participant-id", "participant"]),
            source: NameRule(column: ["source"], constant: "import"))
        profile.session = NameRule(column: ["session-id", "session"])
        profile.layout = .long
        profile.requires = [["time"], ["metric"], ["unit"], ["source"], ["value", "text", "samples"], ["participant-id", "participant"]]
        profile.allowsShortRows = true
        profile.long.metric = ["metric"]
        profile.long.value = ["value"]
        profile.long.unit = ["unit"]
        profile.long.text = ["text"]
        profile.long.samples = ["samples"]
        profile.long.period = ["period"]
        profile.long.sequence = ["seq"]
        profile.long.zone = ["zone"]
        profile.long.received = ["received"]
        profile.long.record = ["record"]
        profile.long.detail = ["detail"]
        return profile
    }()

    /// Vigil's own JSON export.
    static let vigilJSON: Profile = {
        var profile = Profile(
            name: "vigil-json", title: "Vigil's own export as JSON: groups of observations, then records", time: TimeRule(columns: []),
            participant: NameRule(), source: NameRule(constant: "import"))
        profile.layout = .vigilJSON
        return profile
    }()

    private static let times = wordsForTime + Vocabulary.moments + Vocabulary.starts + Vocabulary.clocks
    private static let clocks = ["time", "time of day", "uhrzeit", "zeit", "hora", "heure", "ora"] + Vocabulary.clocks

    private static let wordsForTime = [
        "timestamp", "datetime", "date-time", "date/time", "time stamp", "recorded at", "measured at", "measurement time", "start time",
        "startDate", "created at", "date and time", "date time", "date of measurement", "measurement date", "time of measurement",
        "datum und uhrzeit", "datum und zeit", "datum en tijd", "date et heure", "fecha y hora",
        "data e ora", "data e hora", "datum och tid", "dato og tid",
        "charttime", "測定日時", "測定日", "日時", "日付", "采集时间", "测量时间",
        "observation date", "effective date", "effectiveDateTime", "recorded", "zeitstempel", "zeitpunkt", "datum/uhrzeit", "datum uhrzeit",
        "messzeitpunkt", "date", "datum", "fecha", "data", "dato", "tarih", "päivämäärä", "time", "zeit", "hora", "heure", "ora", "start",
        "begin",
    ]

    /// A table with a row a value: columns for the time, the metric's name and the value.
    static let genericLong: Profile = {
        var profile = Profile(
            name: "generic-long", title: "any table with a row a value: time, metric, value",
            time: TimeRule(
                columns: [times, clocks], ends: ends, zoneColumn: zones),
            participant: generic.participant, source: generic.source)
        profile.session = generic.session
        profile.layout = .long
        let names = [
            "metric", "measure", "measurement", "parameter", "observation", "test", "test name", "analyte", "variable", "vital",
            "vital sign", "signal",
            "type", "data type", "display", "item", "label", "description", "name", "messgröße", "parametername", "kind",
        ]
        profile.requires = [
            times, names,
            ["value", "result", "reading", "wert", "valor", "valeur", "valuenum", "numeric value", "qty", "quantity", "amount"],
        ]
        profile.emptyMarks = generic.emptyMarks
        profile.allowsShortRows = true
        profile.long.metric = names
        profile.long.code = ["loinc", "loinc code", "code"]
        profile.long.value = [
            "valuenum", "value", "numeric value", "result", "reading", "wert", "valor", "valeur", "qty", "quantity", "amount",
        ]
        profile.long.unit = ["unit", "units", "uom", "valueuom", "einheit", "unidad", "unité"]
        profile.columns = longNames
        return profile
    }()

    /// The names that long tables give to metrics.
    static var longNames: [ColumnRule] {
        [
            ColumnRule(["heart_rate_variability", "HeartRateVariabilitySDNN"], metric: "heart-rate-variability-sdnn"),
            ColumnRule(["blood_oxygen_saturation", "OxygenSaturation"], metric: "oxygen-saturation"),
            ColumnRule(["weight_body_mass", "BodyMass", "body weight", "weight"], metric: "body-weight", usually: "kg"),
            ColumnRule(["body_mass_index"], metric: "body-mass-index"), ColumnRule(["step_count", "StepCount", "steps"], metric: "steps"),
            ColumnRule(["walking_running_distance", "DistanceWalkingRunning"], metric: "distance"),
            ColumnRule(["flights_climbed"], metric: "floors"), ColumnRule(["active_energy"], metric: "active-energy", kind: .number),
            ColumnRule(["basal_energy_burned"], metric: "basal-energy", kind: .number),
            ColumnRule(["apple_exercise_time"], metric: "active-minutes"),
            ColumnRule(["sleep_analysis"], metric: "sleep-minutes"), ColumnRule(["body_fat_percentage"], metric: "body-fat"),
            ColumnRule(["dietary_energy"], metric: "food-energy", kind: .number),
            ColumnRule(["respiratory_rate"], metric: "respiration-rate"),
        ] + generic.columns
    }

    /// Any table with a time, by the names of its columns.
    static let generic: Profile = {
        var profile = Profile(
            name: "generic", title: "any table with a time, by what its columns are called",
            time: TimeRule(
                columns: [times, clocks],
                ends: ends,
                zoneColumn: zones),
            participant: NameRule(
                column: [
                    "participant-id", "participant", "patient-id", "patient", "subject-id", "subject", "user-id", "user", "person",
                    "person id", "proband",
                    "patient name", "paciente", "mrn",
                ] + Vocabulary.participants,
                path: ["participant", "patient", "subject"]),
            source: NameRule(column: ["source", "device", "sensor", "gerät", "device name"] + Vocabulary.sources, constant: "import"))
        profile.session = NameRule(column: ["session-id", "session"], path: ["sessionID", "session"])
        profile.requires = [times]
        profile.emptyMarks = ["NA", "N/A", "n/a", "null", "NULL", "-", "--", "nan", "NaN", "None", "—", "–", "#N/A", "."]
        profile.allowsShortRows = true
        profile.columns = genericColumns + Vocabulary.columns + healthHacks.columns
        return profile
    }()

    /// The names of columns in which a row's interval ends.
    private static let ends = wordsForEnd + Vocabulary.ends
    private static let wordsForEnd = [
        "end", "end time", "endDate", "end timestamp", "end datetime", "ends", "ended", "ended at", "finished at", "stop", "stop time",
        "stop date", "until", "time to", "ende", "bis", "fin", "fine", "fecha fin", "date fin",
    ]

    /// Headers of columns of offsets from UTC, in hours or minutes, or of zones' names.
    private static let zones: [String] =
        ["time_offset", "utc offset", "gmt offset", "timezone offset", "time zone offset", "tz offset", "offset from utc"].flatMap { name in
            [name] + ["min", "minutes", "h", "hours"].map { "\(name) (\($0))" }
        } + ["timezone", "time zone", "tz", "zeitzone"]

    /// Headers of columns whose cells are `120/80`.
    private static let slashed = [
        "blood pressure", "bp", "blutdruck", "presión arterial", "tension artérielle", "pressione", "bloeddruk", "血圧",
    ]

    /// The names that columns have anywhere, in several languages.
    static let genericColumns: [ColumnRule] = [
        ColumnRule(
            [
                "heart rate", "heartrate", "hr", "bpm", "pulse", "puls", "herzfrequenz", "beats per minute", "pulso", "pouls",
                "frequenza cardiaca",
                "frecuencia cardiaca", "fréquence cardiaque", "hartslag", "heart rate bpm", "avg heart rate", "心拍数", "脈拍", "脈拍数",
            ], metric: "heart-rate"),
        ColumnRule(["resting heart rate", "rhr", "ruhepuls"], metric: "resting-heart-rate"),
        ColumnRule(
            ["respiration rate", "respiratory rate", "breathing rate", "resp", "rr breaths", "atemfrequenz"], metric: "respiration-rate"),
        ColumnRule(["rr", "rr interval", "rri", "nn interval"], metric: "rr-interval", unit: "ms"),
        ColumnRule(["hrv", "sdnn"], metric: "heart-rate-variability-sdnn"), ColumnRule(["rmssd"], metric: "heart-rate-variability-rmssd"),
        ColumnRule(
            ["spo2", "blood oxygen", "oxygen saturation", "sao2", "o2 saturation", "sauerstoffsättigung", "saturation", "o2sat"],
            metric: "oxygen-saturation"),
        ColumnRule(
            [
                "systolic", "sys", "systolic pressure", "systolic blood pressure", "sbp", "systolisch", "systole", "bp systolic",
                "blood pressure systolic", "sistolica", "sistólica", "最高血圧", "収縮期血圧",
            ],
            metric: "systolic-pressure"),
        ColumnRule(
            [
                "diastolic", "dia", "diastolic pressure", "diastolic blood pressure", "dbp", "diastolisch", "diastole", "bp diastolic",
                "blood pressure diastolic", "diastolica", "diastólica", "最低血圧", "拡張期血圧",
            ],
            metric: "diastolic-pressure"),
        ColumnRule(
            [
                "glucose", "blood glucose", "blood sugar", "bg", "blutzucker", "glukose", "glucosa", "glycémie", "glicemia",
                "sensor glucose", "glucose value", "glucose level", "bg reading", "cgm glucose value", "blood sugar measurement", "cbg",
                "smbg", "血糖値", "血糖值",
            ],
            metric: "blood-glucose"),
        ColumnRule(
            ["body temperature", "body temp", "körpertemperatur", "temperatura corporal", "température corporelle", "体温"],
            metric: "body-temperature"),
        ColumnRule(
            ["temperature", "temp", "temperatur", "temperatura", "température"], metric: "body-temperature", alternatives: otherTemperatures
        ),
        ColumnRule(["skin temperature", "skin temp", "hauttemperatur", "wrist temperature"], metric: "skin-temperature"),
        ColumnRule(["ambient temperature", "room temperature", "air temperature", "raumtemperatur"], metric: "ambient-temperature"),
        ColumnRule(slashed, metric: "systolic-pressure", kind: .beforeSlash),
        ColumnRule(slashed, metric: "diastolic-pressure", kind: .afterSlash),
        ColumnRule(
            ["weight", "body weight", "body mass", "gewicht", "körpergewicht", "peso", "poids", "体重"], metric: "body-weight", usually: "kg",
            unlessBeside: lifting),
        ColumnRule(["height", "body height", "größe", "körpergröße", "altura", "taille"], metric: "body-height"),
        ColumnRule(["body fat", "fat percentage", "körperfett", "体脂肪率"], metric: "body-fat"),
        ColumnRule(["steps", "step count", "schritte", "pasos", "passi", "歩数"], metric: "steps"),
        // French steps, or a systolic pressure (PAS, TAS) in four languages, which stands beside the diastolic one, and the heart's frequency.
        ColumnRule(["pas", "tas"], metric: "systolic-pressure", onlyBeside: ["pad", "tad"]),
        ColumnRule(["pad", "tad"], metric: "diastolic-pressure", onlyBeside: ["pas", "tas"]),
        ColumnRule(["pas"], metric: "steps", unlessBeside: ["pad", "tad", "fc", "pouls", "pulso", "fréquence", "frecuencia", "frequenza"]),
        ColumnRule(["fc"], metric: "heart-rate", onlyBeside: ["pas", "tas", "pad", "tad"]),
        ColumnRule(["distance", "strecke", "distanz", "distancia"], metric: "distance", usually: "km"),
        ColumnRule(["calories", "kcal", "calories burned", "active calories"], metric: "energy", unit: "kcal", unlessBeside: food),
        ColumnRule(["energy", "energie"], metric: "energy", unlessBeside: food),
        ColumnRule(
            ["calories", "kcal", "energy", "calories consumed", "calories eaten"], metric: "food-energy", kind: .number, usually: "kcal"),
        ColumnRule(["fat"], metric: "body-fat", unlessBeside: food),
        ColumnRule(["fat"], metric: "food-fat", kind: .number, usually: "g"), ColumnRule(["floors", "flights climbed"], metric: "floors"),
        ColumnRule(["gsr", "eda", "skin conductance"], metric: "skin-conductance"), ColumnRule(["pain", "schmerz"], metric: "pain"),
        ColumnRule(["mood", "stimmung"], metric: "mood"),
        ColumnRule(["comment", "comments", "note", "notes", "bemerkung", "notiz", "kommentar", "remarks"], metric: "note", kind: .text),
    ]
}
