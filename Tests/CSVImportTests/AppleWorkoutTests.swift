import Testing

@testable import CSVImport

@Suite("Apple Health: workouts, shares and nights")
struct AppleWorkoutTests {
    private static let run = #"startDate="2024-05-04 08:00:00 +0200" endDate="2024-05-04 08:46:00 +0200""#
    private static let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"

    private static func statistics(_ sum: String, _ dates: String = run, type: String = energy, unit: String = "kcal") -> String {
        "<WorkoutStatistics type=\"\(type)\" \(dates) sum=\"\(sum)\" unit=\"\(unit)\"/>"
    }

    private static func workout(_ inner: String, _ dates: String = run, type: String = "Running") -> String {
        "<Workout workoutActivityType=\"HKWorkoutActivityType\(type)\" duration=\"46\" durationUnit=\"min\" sourceName=\"W\" \(dates)>\(inner)</Workout>"
    }

    private func decoded(_ body: String) throws -> Decoded {
        var options = ImportOptions()
        options.participant = "ann"
        return try Decoded("<?xml version=\"1.0\"?>\n<HealthData>\n\(body)\n</HealthData>", name: "export.xml", options: options)
    }

    @Test("what a workout's only activity repeats is counted once, in whatever order they stand", arguments: [true, false])
    func repeated(activityFirst: Bool) throws {
        let activity =
            "<WorkoutActivity uuid=\"a\" \(Self.run) duration=\"46\" durationUnit=\"min\">\(Self.statistics("512.4"))</WorkoutActivity>"
        let own = Self.statistics("512.4")
        let decoded = try decoded(Self.workout(activityFirst ? activity + own : own + activity))
        #expect(decoded.values("workout-active-energy-burned") == [512.4] && decoded.rejects.isEmpty)
        #expect(decoded.rows.allSatisfy { $0.sequence == 0 && $0.time == 1_714_802_400 })
    }

    @Test("what only the activity says of the whole workout is the workout's")
    func onlyInside() throws {
        let decoded = try decoded(Self.workout("<WorkoutActivity uuid=\"a\">\(Self.statistics("330"))</WorkoutActivity>"))
        let row = try #require(decoded.rows.first { $0.metric == "workout-active-energy-burned" })
        #expect(row.value == 330 && row.interval == 2760)
    }

    @Test("the parts of a triathlon have their own times, and are not added to the whole")
    func parts() throws {
        let swim = #"startDate="2024-05-04 08:00:00 +0200" endDate="2024-05-04 08:20:00 +0200""#
        let ride = #"startDate="2024-05-04 08:20:00 +0200" endDate="2024-05-04 08:46:00 +0200""#
        let decoded = try decoded(
            Self.workout(
                "<WorkoutActivity uuid=\"a\" \(swim)>\(Self.statistics("200", swim))</WorkoutActivity>"
                    + "<WorkoutActivity uuid=\"b\" \(ride)>\(Self.statistics("300", ride))</WorkoutActivity>" + Self.statistics("500")))
        #expect(decoded.values("workout-active-energy-burned") == [500])
        let parts = decoded.rows.filter { $0.metric == "workout-part-active-energy-burned" }
        #expect(parts.map(\.value) == [200, 300] && parts.map(\.time) == [1_714_802_400, 1_714_803_600])
        #expect(parts.map(\.interval) == [1200, 1560])
    }

    @Test("what stands in a workout whose start is refused does not land on the one before")
    func refusedStart() throws {
        let future = #"startDate="2999-01-01 08:00:00 +0200" endDate="2999-01-01 09:00:00 +0200""#
        let decoded = try decoded(
            Self.workout(Self.statistics("512.4")) + Self.workout(Self.statistics("99", future), future, type: "Swimming")
                + Self.statistics("7"))
        #expect(decoded.values("workout-active-energy-burned") == [512.4])
        #expect(decoded.rejects.count == 3, "\(decoded.rejects.map(\.reason))")
    }

    @Test("shares of 1 are per cents, whatever the catalogue knows")
    func shares() throws {
        let record = { (type: String, value: String) in
            "<Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"W\" unit=\"%\" startDate=\"2024-05-04 08:00:00 +0200\" value=\"\(value)\"/>"
        }
        let decoded = try decoded(
            record("WalkingDoubleSupportPercentage", "0.287") + record("PeripheralPerfusionIndex", "0.0125")
                + record("OxygenSaturation", "0.97"))
        #expect(decoded.rows.map(\.metric) == ["walking-double-support-percentage", "perfusion-index", "oxygen-saturation"])
        #expect(decoded.rows.map(\.value) == [28.7, 1.25, 97] && decoded.rows.allSatisfy { $0.unit == "%" })
    }

    @Test("a night that ends before it begins is refused")
    func backwards() throws {
        let decoded = try decoded(
            "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"W\" startDate=\"2024-05-04 08:00:00 +0200\" endDate=\"2024-05-04 07:00:00 +0200\" value=\"HKCategoryValueSleepAnalysisAsleepREM\"/>"
        )
        #expect(decoded.rows.isEmpty && decoded.rejects.map(\.reason) == ["the record ends before it begins"])
    }

    @Test("a source's name is cut by bytes, as the store counts them")
    func longSource() throws {
        let family = String(repeating: "👨‍👩‍👧‍👦", count: 60)
        let decoded = try decoded(
            "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"\(family)\" unit=\"count/min\" startDate=\"2024-05-04 08:00:00 +0200\" value=\"61\"/>"
        )
        let row = try #require(decoded.rows.first)
        #expect(row.value == 61 && row.source.utf8.count <= 128 && !row.source.isEmpty)
        let unit = try self.decoded(
            "<Record type=\"HKQuantityTypeIdentifierNew\" sourceName=\"W\" unit=\"\(String(repeating: "x", count: 300))\" startDate=\"2024-05-04 08:00:00 +0200\" value=\"61\"/>"
        )
        #expect(unit.rows.isEmpty && unit.rejects.map(\.reason) == ["the unit is longer than 128 bytes"])
    }
}
