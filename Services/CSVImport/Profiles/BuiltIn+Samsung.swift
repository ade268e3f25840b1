extension BuiltIn {
    /// Samsung Health's CSV files: a line of their own name, columns with a path before their names, an empty field at each row's end.
    ///
    /// Their times are UTC's, the offset beside them is the wearer's: Samsung's data types say so of `start_time` and `end_time` ("UTC
    /// milliseconds when the measurement is started"; `time_offset` "to show the measured time properly"), and exports bear it out: the file of
    /// bins that a row names counts in Unix milliseconds, and has the row's own time where that is read as UTC's (found by two independent
    /// importers, for exports of 2025 and 2026). Days (`day_time`) are the wearer's.
    /// Source: https://developer.samsung.com/health/server/api/data-types/heart-rate
    static let samsung: Profile = {
        var profile = Profile(
            name: "samsung-health", title: "Samsung Health export: start_time, time_offset, …",
            time: TimeRule(columns: [["start_time", "create_time"]], ends: ["end_time"], zoneColumn: ["time_offset"]),
            participant: fromPath, source: NameRule(column: ["deviceuuid"], constant: "samsung-health"))
        profile.requires = [["start_time"], ["time_offset", "deviceuuid", "datauuid"], ["datauuid", "pkg_name", "deviceuuid"]]
        profile.time.zone = "UTC"
        profile.time.isUTC = true
        profile.allowsShortRows = true
        profile.columns = [
            ColumnRule(["heart_rate"], metric: "heart-rate"), ColumnRule(["spo2", "oxygen_saturation"], metric: "oxygen-saturation"),
            // Of an exercise it counts strides, strokes or repetitions, as `count_type` says; its strides are among the pedometer's steps.
            ColumnRule(["count"], metric: "steps", unlessBeside: ["count_type"]),
            ColumnRule(["count"], metric: "exercise-count", kind: .number), ColumnRule(["step_count"], metric: "steps"),
            ColumnRule(["distance"], metric: "distance", unit: "m"),
            // Of what was eaten there is a table of meals, and one of their nutrients.
            ColumnRule(["calorie", "calories"], metric: "energy", unit: "kcal", unlessBeside: food + ["food_info"]),
            ColumnRule(["calorie", "calories"], metric: "food-energy", unit: "kcal", kind: .number),
            ColumnRule(["weight"], metric: "body-weight", unit: "kg"),
            ColumnRule(["height"], metric: "body-height", unit: "cm"), ColumnRule(["body_fat"], metric: "body-fat", unit: "%"),
            ColumnRule(["systolic"], metric: "systolic-pressure"), ColumnRule(["diastolic"], metric: "diastolic-pressure"),
            ColumnRule(["pulse"], metric: "pulse-rate"), ColumnRule(["glucose"], metric: "blood-glucose", unit: "mmol/L"),
            ColumnRule(["floor"], metric: "floors"), ColumnRule(["active_time"], metric: "active-minutes", unit: "ms"),
            ColumnRule(["score"], metric: "samsung-stress-score", kind: .number), ColumnRule(["comment"], metric: "note", kind: .text),
            ColumnRule(["sleep_duration"], metric: "sleep-minutes", unit: "min"), ColumnRule(["speed"], unit: "m/s", kind: .number),
            ColumnRule(
                [
                    "create_time", "update_time", "modify_sh_ver", "create_sh_ver", "pkg_name", "datauuid", "binning_data", "custom",
                    "custom_id",
                    "source", "source_type", "source_pkg_name", "tag_id", "client_data_id", "client_data_ver", "heart_beat_count", "min",
                    "max",
                    "algorithm", "live_data", "location_data", "data_version", "version",
                ], kind: .ignore),
        ]
        return profile
    }()

    /// Samsung Health's days: steps, distances and energy of a day, by when the day began.
    static let samsungDays: Profile = {
        var profile = samsung
        profile.name = "samsung-health-days"
        profile.title = "Samsung Health export of days: day_time, step_count, …"
        profile.time = TimeRule(columns: [["day_time"]], formats: [.clock(unit: 1000)] + TimeFormat.iso8601)
        profile.requires = [["day_time"], ["datauuid", "pkg_name", "deviceuuid", "step_count"]]
        for place in profile.columns.indices where profile.columns[place].kind != .ignore { profile.columns[place].interval = 86_400 }
        profile.columns.append(
            ColumnRule(
                ["run_step_count", "walk_step_count", "healthy_step"], kind: .number, interval: 86_400))
        profile.columns.append(ColumnRule(["source_info", "achievement", "recommendation", "source_package_name"], kind: .ignore))
        return profile
    }()
}
