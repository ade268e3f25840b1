extension BuiltIn {
    /// Abbott's LibreView: two columns of glucose, a line of other text before the header.
    static let libre: Profile = {
        var profile = Profile(
            name: "libre", title: "LibreView export of a FreeStyle Libre glucose sensor",
            time: TimeRule(columns: [["Device Timestamp", "Gerätezeitstempel"]]), participant: fromPath,
            source: NameRule(column: ["Device", "Gerät"], constant: "freestyle-libre"))
        profile.requires = [
            ["Device", "Gerät"], ["Serial Number", "Seriennummer"], ["Device Timestamp", "Gerätezeitstempel"],
            ["Record Type", "Aufzeichnungstyp"],
        ]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(
                [
                    "Historic Glucose mg/dL", "Scan Glucose mg/dL", "Strip Glucose mg/dL", "Historic Glucose(mg/dL)", "Scan Glucose(mg/dL)",
                    "Glukosewert-Verlauf mg/dL", "Glukose-Scan mg/dL", "Teststreifen-Blutzucker mg/dL",
                ],
                metric: "blood-glucose", unit: "mg/dL", limits: libreLimits),
            ColumnRule(
                [
                    "Historic Glucose mmol/L", "Scan Glucose mmol/L", "Strip Glucose mmol/L", "Historic Glucose(mmol/L)",
                    "Scan Glucose(mmol/L)", "Glukosewert-Verlauf mmol/L", "Glukose-Scan mmol/L", "Teststreifen-Blutzucker mmol/L",
                ],
                metric: "blood-glucose", unit: "mmol/L", limits: libreLimits),
            ColumnRule(["Ketone mmol/L"], metric: "blood-ketone", unit: "mmol/L", kind: .number),
            ColumnRule(
                ["Rapid-Acting Insulin (units)", "Schnellwirkendes Insulin (Einheiten)"], metric: "insulin-rapid", unit: "[iU]",
                kind: .number),
            ColumnRule(
                ["Long-Acting Insulin (units)", "Long-Acting Insulin Value (units)"], metric: "insulin-long", unit: "[iU]", kind: .number),
            ColumnRule(["Carbohydrates (grams)"], metric: "carbohydrates", unit: "g", kind: .number),
            ColumnRule(["Notes", "Notizen"], metric: "note", kind: .text),
            ColumnRule(["Serial Number", "Record Type", "Seriennummer", "Aufzeichnungstyp"], kind: .ignore),
        ]
        return profile
    }()

    /// The sensors tell 40 to 500 mg/dL.
    private static let libreLimits = ["LO=<40", "HI=>500", "Low=<40", "High=>500"]
    /// The sensors tell 40 to 400 mg/dL.
    private static let dexcomLimits = ["Low=<40", "High=>400"]

    /// Medtronic's CareLink: a pump's and a sensor's lines, each part below a line of dashes with the same header once more.
    static let careLink: Profile = {
        var profile = Profile(
            name: "carelink", title: "Medtronic CareLink export of a pump and a glucose sensor",
            time: TimeRule(columns: [["Date"], ["Time"]]), participant: fromPath, source: NameRule(constant: "carelink"))
        profile.requires = [
            ["Index"], ["Date"], ["Time"], ["Sensor Glucose (mg/dL)", "Sensor Glucose (mmol/L)"],
            ["BG Reading (mg/dL)", "BG Reading (mmol/L)", "ISIG Value"],
        ]
        profile.allowsShortRows = true
        profile.otherColumns = .ignore
        profile.columns = [
            ColumnRule(["Sensor Glucose (mg/dL)", "BG Reading (mg/dL)"], metric: "blood-glucose", unit: "mg/dL"),
            ColumnRule(["Sensor Glucose (mmol/L)", "BG Reading (mmol/L)"], metric: "blood-glucose", unit: "mmol/L"),
            ColumnRule(["Bolus Volume Delivered (U)"], metric: "insulin", unit: "[iU]", kind: .number),
            ColumnRule(["Basal Rate (U/h)"], metric: "insulin-rate", unit: "[iU]/h", kind: .number),
            ColumnRule(["BWZ Carb Input (grams)", "BWZ Carb Input (g)"], metric: "carbohydrates", unit: "g", kind: .number),
        ]
        return profile
    }()

    /// Dexcom Clarity: rows of settings and of the patient's name before those of glucose.
    static let dexcom: Profile = {
        let time = "Timestamp (YYYY-MM-DDThh:mm:ss)"
        var profile = Profile(
            name: "dexcom", title: "Dexcom Clarity export of a glucose sensor",
            time: TimeRule(columns: [[time]], formats: TimeFormat.iso8601),
            participant: fromPath, source: NameRule(column: ["Source Device ID"], constant: "dexcom"))
        profile.requires = [[time], ["Event Type"], ["Glucose Value (mg/dL)", "Glucose Value (mmol/L)"]]
        profile.rows = Profile.RowFilter(column: ["Event Type"], values: ["EGV", "Calibration", "Insulin", "Carbs", "Exercise"])
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Glucose Value (mg/dL)"], metric: "blood-glucose", unit: "mg/dL", limits: dexcomLimits),
            ColumnRule(["Glucose Value (mmol/L)"], metric: "blood-glucose", unit: "mmol/L", limits: dexcomLimits),
            ColumnRule(["Insulin Value (u)"], metric: "insulin", unit: "[iU]", kind: .number),
            ColumnRule(["Carb Value (grams)"], metric: "carbohydrates", unit: "g", kind: .number),
            ColumnRule(["Duration (hh:mm:ss)"], metric: "exercise-duration", unit: "min", kind: .clock),
            ColumnRule(["Glucose Rate of Change (mg/dL/min)"], metric: "glucose-rate", unit: "mg/dL/min", kind: .number),
            ColumnRule(["Glucose Rate of Change (mmol/L/min)"], metric: "glucose-rate", unit: "mmol/L/min", kind: .number),
            ColumnRule(
                [
                    "Index", "Event Subtype", "Patient Info", "Device Info", "Transmitter Time (Long Integer)", "Transmitter ID",
                    "Transmitter Time",
                ], kind: .ignore),
        ]
        return profile
    }()

    /// Omron Connect: a date and a time, or both in one with the zone's name beside; `-` for nothing. The cuff's remarks are flags.
    static let omron: Profile = {
        var profile = Profile(
            name: "omron", title: "Omron Connect export of a blood-pressure monitor",
            time: TimeRule(
                columns: [["Date", "Measurement Date", "Date/Time", "Date Time", "測定日時", "測定日"], ["Time", "Measurement Time", "測定時刻"]],
                zoneColumn: ["Timezone", "Time Zone", "タイムゾーン"]),
            participant: fromPath, source: NameRule(column: ["Device", "Device Model Name", "測定機器", "機器名称"], constant: "omron"))
        profile.requires = [
            ["Date", "Measurement Date", "Date/Time", "Date Time", "測定日時", "測定日"],
            ["Systolic (mmHg)", "SYS(mmHg)", "Systolic", "最高血圧(mmHg)"], ["Diastolic (mmHg)", "DIA(mmHg)", "Diastolic", "最低血圧(mmHg)"],
            // What only Omron writes: dates and pressures alone are anybody's.
            [
                "Symptoms", "Consumed", "TruRead", "Irregular heartbeat", "IHB detection count", "Body Movement", "Cuff wrap guide",
                "Measurement Date", "Device Model Name", "Measurement Mode", "測定日時", "測定日",
            ],
        ]
        profile.emptyMarks = ["-", "--"]
        profile.allowsShortRows = true
        profile.columns =
            [
                ColumnRule(["Systolic (mmHg)", "SYS(mmHg)", "Systolic", "最高血圧(mmHg)"], metric: "systolic-pressure"),
                ColumnRule(["Diastolic (mmHg)", "DIA(mmHg)", "Diastolic", "最低血圧(mmHg)"], metric: "diastolic-pressure"),
                ColumnRule(["Pulse (bpm)", "Pulse(bpm)", "Pulse", "Pulse(Beats/Min)", "脈拍(bpm)"], metric: "heart-rate"),
                ColumnRule(["Notes", "Note", "メモ"], metric: "note", kind: .text),
                // Around the cuff, not of the body.
                ColumnRule(["Room temperature(°C)", "Room temperature(°C", "室温(°C)"], metric: "ambient-temperature", unit: "Cel"),
                ColumnRule(["Symptoms", "Consumed", "Measurement Mode", "Body Position"], kind: .text),
                ColumnRule(["IHB detection count"], metric: "irregular-heartbeats", kind: .number),
            ] + genericColumns
        return profile
    }()

    /// Beurer's HealthManager: below each part's title a table with a date and a time, and of weights columns that are called as their units.
    static let beurer: Profile = {
        var profile = Profile(
            name: "beurer", title: "Beurer HealthManager export: Date;Time;kg;BMI;Body fat;…",
            time: TimeRule(columns: [["Date", "WeightDate", "Datum"], ["Time", "Uhrzeit", "Zeit"]]), participant: fromPath,
            source: NameRule(constant: "beurer"))
        profile.requires = [["Date", "WeightDate", "Datum"], ["Time", "Uhrzeit", "Zeit"], ["kg", "lb"], ["BMI"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["kg"], metric: "body-weight", unit: "kg"), ColumnRule(["lb"], metric: "body-weight", unit: "[lb_av]"),
            ColumnRule(["BMI"], metric: "body-mass-index"), ColumnRule(["Body fat", "Körperfett"], metric: "body-fat", unit: "%"),
            ColumnRule(["Water", "Wasser"], metric: "body-water", unit: "%", kind: .number),
            ColumnRule(["Muscles", "Muskeln"], metric: "muscle-share", unit: "%", kind: .number),
            // In per cent or kilograms, by the scale: kept as it stands.
            ColumnRule(["Bones", "Knochen"], metric: "bones", kind: .number),
            ColumnRule(["Medication", "Medikamente"], metric: "medication-note", kind: .text),
            ColumnRule(["Comment", "Kommentar"], metric: "note", kind: .text),
        ]
        return profile
    }()

    /// Withings' archive: a scale's `weight.csv`, at the wearer's clock. Water in kilograms is kept as it is called there.
    static let withings: Profile = {
        var profile = Profile(
            name: "withings", title: "Withings archive: weight.csv of a scale",
            time: TimeRule(columns: [["Date"]], formats: [.pattern("yyyy-MM-dd HH:mm:ss")]), participant: fromPath,
            source: NameRule(constant: "withings"))
        profile.requires = [["Date"], ["Weight (kg)", "Weight (lb)"], ["Fat mass (kg)", "Fat mass (lb)"], ["Comments"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["Weight (kg)"], metric: "body-weight", unit: "kg"),
            ColumnRule(["Weight (lb)"], metric: "body-weight", unit: "[lb_av]"),
            ColumnRule(["Fat mass (kg)"], metric: "fat-mass", unit: "kg"),
            ColumnRule(["Fat mass (lb)"], metric: "fat-mass", unit: "[lb_av]"),
            ColumnRule(["Bone mass (kg)"], metric: "bone-mass", unit: "kg"),
            ColumnRule(["Bone mass (lb)"], metric: "bone-mass", unit: "[lb_av]"),
            ColumnRule(["Muscle mass (kg)"], metric: "muscle-mass", unit: "kg"),
            ColumnRule(["Muscle mass (lb)"], metric: "muscle-mass", unit: "[lb_av]"), ColumnRule(["Comments"], metric: "note", kind: .text),
        ]
        return profile
    }()

    /// Withings' archive: a blood-pressure monitor's `bp.csv`, where a heart rate may stand alone.
    static let withingsPressure: Profile = {
        var profile = withings
        profile.name = "withings-pressure"
        profile.title = "Withings archive: bp.csv of a blood-pressure monitor"
        profile.requires = [["Date"], ["Heart rate"], ["Systolic"], ["Diastolic"], ["Comments"]]
        profile.columns = [
            ColumnRule(["Heart rate"], metric: "heart-rate"), ColumnRule(["Systolic"], metric: "systolic-pressure"),
            ColumnRule(["Diastolic"], metric: "diastolic-pressure"), ColumnRule(["Comments"], metric: "note", kind: .text),
        ]
        return profile
    }()

    /// Withings' archive: `height.csv`.
    static let withingsHeight: Profile = {
        var profile = withings
        profile.name = "withings-height"
        profile.title = "Withings archive: height.csv"
        profile.requires = [["Date"], ["Height (m)", "Height (cm)", "Height (ft-in)"], ["Comments"]]
        profile.columns = [
            ColumnRule(["Height (m)"], metric: "body-height", unit: "m"), ColumnRule(["Height (cm)"], metric: "body-height", unit: "cm"),
            ColumnRule(["Comments"], metric: "note", kind: .text),
        ]
        return profile
    }()

    /// Withings' archive: `aggregates_….csv`, a value a day, each called `value`: what it is the file's name says.
    static let withingsDays: Profile = {
        var profile = Profile(
            name: "withings-days", title: "Withings archive: aggregates_….csv, a value a day",
            time: TimeRule(columns: [["date"]], formats: TimeFormat.iso8601), participant: fromPath, source: NameRule(constant: "withings"))
        profile.requires = [["date"], ["value"]]
        profile.isExact = true
        profile.fileNames = ["aggregates_"]
        profile.valueByFile = [
            "aggregates_steps": ColumnRule([], metric: "steps", interval: 86_400),
            "aggregates_distance": ColumnRule([], metric: "distance", unit: "m", interval: 86_400),
            "aggregates_calories_earned": ColumnRule([], metric: "active-energy", unit: "kcal", kind: .number, interval: 86_400),
            "aggregates_calories_passive": ColumnRule([], metric: "basal-energy", unit: "kcal", kind: .number, interval: 86_400),
            // Metres or floors: Withings' own description says neither.
            "aggregates_elevation": ColumnRule([], metric: "elevation-climbed", kind: .number, interval: 86_400),
        ]
        return profile
    }()

    /// Withings' archive: `raw_hr_hr.csv` and its kind, once their lists are spread over rows (`ListRowsSource`); the file's name is the column's.
    static let withingsRaw: Profile = {
        var profile = Profile(
            name: "withings-raw", title: "Withings archive: raw_….csv, lists of durations and values from a start",
            time: TimeRule(columns: [["start"]], formats: TimeFormat.iso8601, ends: ["until"]), participant: fromPath,
            source: NameRule(constant: "withings"))
        profile.requires = [
            ["start"], ["until"],
            [
                "raw_hr_hr", "raw_tracker_hr", "raw_bed_hr", "raw_bed_respiratory-rate", "raw_spo2_auto-spo2", "raw_tracker_spo2",
                "raw_tracker_steps", "raw_tracker_distance", "raw_tracker_calories-earned", "raw_tracker_elevation",
                "raw_tracker_sleep-state", "raw_bed_sleep-state", "raw_bed_snoring", "raw_location_latitude", "raw_location_longitude",
                "raw_tracker_latitude", "raw_tracker_longitude",
            ],
        ]
        profile.columns = [
            ColumnRule(["raw_hr_hr", "raw_tracker_hr", "raw_bed_hr"], metric: "heart-rate"),
            ColumnRule(["raw_bed_respiratory-rate"], metric: "respiration-rate"),
            ColumnRule(["raw_spo2_auto-spo2", "raw_tracker_spo2"], metric: "oxygen-saturation", unit: "%"),
            ColumnRule(["raw_tracker_steps"], metric: "steps"), ColumnRule(["raw_tracker_distance"], metric: "distance", unit: "m"),
            ColumnRule(["raw_tracker_calories-earned"], metric: "active-energy", unit: "kcal", kind: .number),
            ColumnRule(["raw_tracker_elevation"], metric: "elevation", unit: "m", kind: .number),
            ColumnRule(["raw_tracker_sleep-state", "raw_bed_sleep-state"], metric: "sleep-state", kind: .number),
            ColumnRule(["raw_bed_snoring"], metric: "snoring", kind: .number),
            // Places are no measurements.
            ColumnRule(
                ["raw_location_latitude", "raw_location_longitude", "raw_tracker_latitude", "raw_tracker_longitude"], kind: .ignore),
        ]
        return profile
    }()

    /// iHealth's own export of a pulse oximeter.
    static let ihealth: Profile = {
        var profile = Profile(
            name: "ihealth", title: "iHealth export of a pulse oximeter",
            time: TimeRule(columns: [["Measurement time", "Date", "Date/Time"], ["Time"]]), participant: fromPath,
            source: NameRule(column: ["Device"], constant: "ihealth"))
        profile.requires = [
            ["Measurement time", "Date", "Date/Time"], ["SpO2", "SpO2(%)", "Blood Oxygen (%)"],
            ["PR(bpm)", "Pulse Rate", "Pulse Rate (bpm)", "Heart Rate (bpm)"],
        ]
        profile.columns =
            [
                ColumnRule(["SpO2", "SpO2(%)", "Blood Oxygen (%)"], metric: "oxygen-saturation"),
                ColumnRule(["PR(bpm)", "Pulse Rate", "Pulse Rate (bpm)", "Heart Rate (bpm)"], metric: "heart-rate"),
                ColumnRule(["PI", "Perfusion Index"], metric: "perfusion-index", unit: "%", kind: .number),
                ColumnRule(["Note", "Notes"], metric: "note", kind: .text),
            ] + genericColumns
        profile.emptyMarks = ["-", "--"]
        return profile
    }()
}
