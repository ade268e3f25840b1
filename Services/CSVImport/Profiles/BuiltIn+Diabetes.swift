extension BuiltIn {
    /// Tidepool's data as JSON: glucose of sensors and meters, insulin, carbohydrates; what else it holds is settings.
    static let tidepool: Profile = {
        var profile = Profile(
            name: "tidepool", title: "Tidepool: type, time, value, units, deviceId",
            time: TimeRule(columns: [["time"]], formats: TimeFormat.iso8601), participant: fromPath,
            source: NameRule(column: ["deviceId"], constant: "tidepool"))
        profile.layout = .long
        profile.requires = [["type"], ["time"], ["deviceId"], ["uploadId", "deviceTime", "timezoneOffset", "conversionOffset"]]
        profile.allowsShortRows = true
        profile.long.metric = ["type"]
        profile.long.value = ["value", "normal", "rate", "nutrition.carbohydrate.net", "carbInput", "dose.total"]
        profile.long.period = [TidepoolRow.period]
        profile.long.reportsMissing = true
        profile.long.unit = ["units"]
        profile.long.zone = ["timezoneOffset"]
        profile.columns = [
            ColumnRule(["cbg", "smbg"], metric: "blood-glucose"),
            ColumnRule(["bolus", "insulin"], metric: "insulin", unit: "[iU]", kind: .number),
            ColumnRule(["bolus-extended"], metric: "insulin-extended", unit: "[iU]", kind: .number),
            ColumnRule(["basal"], metric: "insulin-rate", unit: "[iU]/h", kind: .number),
            ColumnRule(["food", "wizard"], metric: "carbohydrates", unit: "g", kind: .number),
        ]
        return profile
    }()

    /// Dexcom's web interface (`egvs`, version 3): always mg/dL, with 39 and 401 for what lies outside of the sensor's range.
    static let dexcomEvents: Profile = {
        var profile = Profile(
            name: "dexcom-egvs", title: "Dexcom web interface: systemTime, displayTime, value",
            time: TimeRule(columns: [["systemTime"]], formats: TimeFormat.iso8601, zone: "UTC"), participant: fromPath,
            source: NameRule(column: ["transmitterGeneration"], constant: "dexcom"))
        profile.requires = [["systemTime"], ["displayTime"], ["value"], ["trendRate", "trend"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(
                ["value"], metric: "blood-glucose", unit: "mg/dL", sentinels: [39, 401], limits: ["39=<40", "401=>400"]),
            ColumnRule(["trend"], metric: "glucose-trend", kind: .text),
        ]
        profile.otherColumns = .ignore
        return profile
    }()

    /// SiDiary's CSV, which xDrip+ writes too: days first, glucose in the unit of its settings.
    static let siDiary: Profile = {
        var profile = Profile(
            name: "sidiary", title: "SiDiary and xDrip+: DAY, TIME, UDT_CGMS, BG_LEVEL",
            time: TimeRule(columns: [["DAY"], ["TIME"]], formats: TimeFormat.dayFirst + TimeFormat.iso8601), participant: fromPath,
            source: NameRule(constant: "sidiary"))
        profile.requires = [["DAY"], ["TIME"], ["BG_LEVEL", "UDT_CGMS"]]
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["UDT_CGMS", "BG_LEVEL"], metric: "blood-glucose"),
            ColumnRule(["CH_GR"], metric: "carbohydrates", unit: "g", kind: .number),
            ColumnRule(["BOLUS"], metric: "insulin", unit: "[iU]", kind: .number),
            ColumnRule(["BASAL"], metric: "insulin-basal", unit: "[iU]", kind: .number),
            ColumnRule(["REMARK"], metric: "note", kind: .text),
        ]
        return profile
    }()
}
