extension BuiltIn {
    /// Abbott's LibreView, in the words of its languages: columns of glucose, a line or two of other text before the header.
    static let libre: Profile = {
        let device = ["Device", "Gerät", "Appareil", "Dispositivo", "Apparaat"]
        let serial = ["Serial Number", "Seriennummer", "Numéro de série", "Número de serie", "Número de serial", "Numero di serie"]
        let time = [
            "Device Timestamp", "Gerätezeitstempel", "Horodatage de l'appareil", "Sello de tiempo del dispositivo",
            "Marca de hora del dispositivo", "Timestamp del dispositivo",
        ]
        let kind = ["Record Type", "Aufzeichnungstyp", "Type d'enregistrement", "Tipo de registro", "Tipo di registrazione"]
        let glucose = [
            "Historic Glucose", "Scan Glucose", "Strip Glucose", "Glukosewert-Verlauf", "Glukose-Scan", "Teststreifen-Blutzucker",
            "Glukose-Teststreifen", "Historique de la glycémie", "Numérisation de la glycémie", "Scan de glycémie",
            "Glycémie de la bandelette", "Bandelette de glycémie", "Historial de glucosa", "Escaneo de glucosa", "Escanear glucosa",
            "Tira reactiva para glucosa", "Storico del glucosio", "Scansione del glucosio", "Striscia reattiva per glucosio",
        ]
        var profile = Profile(
            name: "libre", title: "LibreView export of a FreeStyle Libre glucose sensor", time: TimeRule(columns: [time]),
            participant: fromPath, source: NameRule(column: device, constant: "freestyle-libre"))
        profile.requires = [device, serial, time, kind]
        profile.allowsShortRows = true
        let readings: [ColumnRule] = ["mg/dL", "mmol/L"].map { (unit: String) in
            ColumnRule(glucose.map { "\($0) \(unit)" }, metric: "blood-glucose", unit: unit, limits: libreLimits)
        }
        profile.columns = readings + libreEntries
        profile.columns.append(ColumnRule(serial + kind, kind: .ignore))
        return profile
    }()

    /// What a person enters beside the sensor's readings.
    private static let libreEntries = [
        ColumnRule(
            ["Ketone mmol/L", "Keton mmol/L", "Cétone mmol/L", "Cuerpos cetónicos mmol/L", "Cetonas mmol/L", "Chetoni mmol/L"],
            metric: "blood-ketone", unit: "mmol/L", kind: .number),
        ColumnRule(
            [
                "Rapid-Acting Insulin (units)", "Schnellwirkendes Insulin (Einheiten)", "Insuline à action rapide (unités)",
                "Insulina de acción rápida (unidades)", "Insulina ad azione rapida (unità)",
            ], metric: "insulin-rapid", unit: "[iU]", kind: .number),
        ColumnRule(
            [
                "Long-Acting Insulin (units)", "Long-Acting Insulin Value (units)", "Depotinsulin (Einheiten)",
                "Insuline à action lente (unités)", "Insuline à action longue (unités)", "Insulina de acción larga (unidades)",
                "Insulina de acción prolongada (unidades)", "Insulina ad azione lenta (unità)",
            ], metric: "insulin-long", unit: "[iU]", kind: .number),
        ColumnRule(
            ["Carbohydrates (grams)", "Kohlenhydrate (Gramm)", "Glucides (grammes)", "Carbohidratos (gramos)", "Carboidrati (grammi)"],
            metric: "carbohydrates", unit: "g", kind: .number),
        ColumnRule(["Notes", "Notizen", "Notas", "Note"], metric: "note", kind: .text),
    ]

    /// The sensors tell 40 to 500 mg/dL.
    private static let libreLimits = ["LO=<40", "HI=>500", "Low=<40", "High=>500", "Niedrig=<40", "Hoch=>500"]
    /// The sensors tell 40 to 400 mg/dL.
    private static let dexcomLimits: [String] =
        ["Low", "Niedrig", "Bajo", "Basso", "Bas"].map { "\($0)=<40" } + ["High", "Hoch", "Alto", "Élevé"].map { "\($0)=>400" }

    /// Medtronic's CareLink: a pump's and a sensor's lines, each part below a line of dashes with the same header once more.
    static let careLink: Profile = {
        var profile = Profile(
            name: "carelink", title: "Medtronic CareLink export of a pump and a glucose sensor",
            time: TimeRule(columns: [["Date", "Datum"], ["Time", "Zeit"]]), participant: fromPath,
            source: NameRule(constant: "carelink"))
        profile.requires = [
            ["Index"], ["Date", "Datum"], ["Time", "Zeit"],
            ["Sensor Glucose (mg/dL)", "Sensor Glucose (mmol/L)", "Sensorglukose (mg/dL)", "Sensorglukose (mmol/L)"],
            ["BG Reading (mg/dL)", "BG Reading (mmol/L)", "ISIG Value", "BZ-Messwert (mg/dL)", "BZ-Messwert (mmol/L)"],
        ]
        profile.allowsShortRows = true
        profile.otherColumns = .ignore
        profile.columns = [
            ColumnRule(
                ["Sensor Glucose (mg/dL)", "BG Reading (mg/dL)", "Sensorglukose (mg/dL)", "BZ-Messwert (mg/dL)"], metric: "blood-glucose",
                unit: "mg/dL"),
            ColumnRule(
                ["Sensor Glucose (mmol/L)", "BG Reading (mmol/L)", "Sensorglukose (mmol/L)", "BZ-Messwert (mmol/L)"],
                metric: "blood-glucose", unit: "mmol/L"),
            ColumnRule(["Bolus Volume Delivered (U)", "Abgegebene Bolusmenge (IE)"], metric: "insulin", unit: "[iU]", kind: .number),
            ColumnRule(["Basal Rate (U/h)", "Basalrate (IE/h)"], metric: "insulin-rate", unit: "[iU]/h", kind: .number),
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

    /// Dexcom Clarity in German, Spanish and Italian. Rows of settings have no time; every row that has one counts, whatever its event is called.
    static let dexcomTranslated: Profile = {
        let time = [
            "Zeitstempel (JJJJ-MM-TTThh:mm:ss)", "Marca temporal (AAAA-MM-DDThh:mm:ss)", "Fecha y hora (AAAA-MM-DDThh:mm:ss)",
            "Data e ora (AAAA-MM-GGThh:mm:ss)", "Horodatage (AAAA-MM-JJThh:mm:ss)",
        ]
        let glucose = [
            "Glukosewert", "Nivel de glucosa", "Valor de glucosa", "Valore del glucosio", "Valeur du glucose", "Valeur de glycémie",
        ]
        var profile = dexcom
        profile.name = "dexcom-translated"
        profile.title = "Dexcom Clarity export in German, Spanish, Italian or French"
        profile.time = TimeRule(columns: [time], formats: TimeFormat.iso8601)
        profile.source = NameRule(
            column: ["Quellgeräte-ID", "ID del dispositivo de origen", "ID dispositivo di origine", "ID dispositivo origine"],
            constant: "dexcom")
        let values: [String] = glucose.flatMap { ["\($0) (mg/dL)", "\($0) (mmol/L)"] }
        profile.requires = [time, values]
        profile.rows = Profile.RowFilter(column: time, values: [])
        profile.otherColumns = .ignore
        let readings: [ColumnRule] = ["mg/dL", "mmol/L"].map { (unit: String) in
            ColumnRule(glucose.map { "\($0) (\(unit))" }, metric: "blood-glucose", unit: unit, limits: dexcomLimits)
        }
        let entries: [ColumnRule] = [
            ColumnRule(
                ["Insulinwert (IE)", "Valor de insulina (u)", "Valore insulina (u)"], metric: "insulin", unit: "[iU]", kind: .number),
            ColumnRule(
                ["Kohlenhydratwert (Gramm)", "Valor de carbohidratos (gramos)", "Valore carboidrati (grammi)"],
                metric: "carbohydrates", unit: "g", kind: .number),
            ColumnRule(
                ["Dauer (hh:mm:ss)", "Duración (hh:mm:ss)", "Durata (hh:mm:ss)"], metric: "exercise-duration", unit: "min", kind: .clock
            ),
        ]
        profile.columns = readings + entries
        return profile
    }()

    /// Roche's Accu-Chek: a unit in each row, and marks for what was measured of a control solution.
    static let accuChek: Profile = {
        var profile = Profile(
            name: "accu-chek", title: "Accu-Chek export: Date, Time, Result, Unit, …",
            time: TimeRule(columns: [["Date", "Datum"], ["Time", "Uhrzeit"]]),
            participant: fromPath, source: NameRule(constant: "accu-chek"))
        profile.requires = [
            ["Date", "Datum"], ["Time", "Uhrzeit"], ["Result", "Ergebnis"], ["Unit", "Einheit"],
            [
                "Temperature warning", "Out of target", "Out of target range", "Before meal", "Control test", "Temperaturwarnung",
                "Kontrolltest",
            ],
        ]
        profile.allowsShortRows = true
        profile.otherColumns = .ignore
        profile.columns = [
            ColumnRule(["Result", "Ergebnis"], metric: "blood-glucose", unitColumn: ["Unit", "Einheit"], limits: ["LO=<10", "HI=>600"])
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
