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

    /// Any table with a time, by what its columns are called.
    static let generic: Profile = {
        let times = [
            "timestamp", "datetime", "date-time", "date/time", "time stamp", "recorded at", "measured at", "measurement time", "start time",
            "startDate", "created at", "date", "time",
        ]
        var profile = Profile(
            name: "generic", title: "any table with a time, by what its columns are called",
            time: TimeRule(columns: [times, ["time", "time of day"]]),
            participant: NameRule(
                column: ["participant-id", "participant", "patient-id", "patient", "subject-id", "subject", "user-id", "user"],
                path: ["participant", "patient", "subject"]), source: NameRule(column: ["source", "device", "sensor"], constant: "import"))
        profile.session = NameRule(column: ["session-id", "session"], path: ["sessionID", "session"])
        profile.requires = [times]
        profile.emptyMarks = ["NA", "N/A", "n/a", "null", "NULL", "-", "--", "nan", "NaN"]
        profile.allowsShortRows = true
        profile.columns = genericColumns + healthHacks.columns
        return profile
    }()

    private static let genericColumns: [ColumnRule] = [
        ColumnRule(["heart rate", "heartrate", "hr", "bpm", "pulse", "puls", "herzfrequenz"], metric: "heart-rate"),
        ColumnRule(["resting heart rate", "rhr"], metric: "resting-heart-rate"),
        ColumnRule(["respiration rate", "respiratory rate", "breathing rate", "resp", "rr breaths"], metric: "respiration-rate"),
        ColumnRule(["rr", "rr interval", "rri", "nn interval"], metric: "rr-interval", unit: "ms"),
        ColumnRule(["hrv", "sdnn"], metric: "heart-rate-variability-sdnn"), ColumnRule(["rmssd"], metric: "heart-rate-variability-rmssd"),
        ColumnRule(["spo2", "blood oxygen", "oxygen saturation", "sao2", "o2 saturation"], metric: "oxygen-saturation"),
        ColumnRule(["systolic", "sys", "systolic pressure", "systolic blood pressure", "sbp"], metric: "systolic-pressure"),
        ColumnRule(["diastolic", "dia", "diastolic pressure", "diastolic blood pressure", "dbp"], metric: "diastolic-pressure"),
        ColumnRule(["glucose", "blood glucose", "blood sugar", "bg", "blutzucker"], metric: "blood-glucose"),
        ColumnRule(["body temperature", "temperature", "temp", "temperatur"], metric: "body-temperature"),
        ColumnRule(["weight", "body weight", "body mass", "gewicht"], metric: "body-weight", unit: "kg"),
        ColumnRule(["height", "body height"], metric: "body-height"), ColumnRule(["body fat", "fat percentage"], metric: "body-fat"),
        ColumnRule(["steps", "step count", "schritte"], metric: "steps"), ColumnRule(["distance"], metric: "distance", unit: "km"),
        ColumnRule(["calories", "energy", "kcal"], metric: "energy"), ColumnRule(["floors", "flights climbed"], metric: "floors"),
        ColumnRule(["gsr", "eda", "skin conductance"], metric: "skin-conductance"), ColumnRule(["pain"], metric: "pain"),
        ColumnRule(["mood"], metric: "mood"), ColumnRule(["comment", "comments", "note", "notes"], metric: "note", kind: .text),
    ]
}
