extension PlantedCourse {
    private static let quiet = WardSigns.quiet
    private static let monitors = "IEC 60601-2-27: limit alarms within 10 s"

    /// The deteriorations of adults that rules are tried with.
    package static var adults: [PlantedCourse] {
        [sepsis, opioid, opioidOnOxygen] + arrhythmias
            + [haemorrhage(cuff: 30), haemorrhage(cuff: 60), stroke(.init(), "stroke"), tachypnoea, hypoxia, desaturations]
            + [hypothermia, heatStroke, nightHypoglycaemia, ketoacidosis, silentSensor]
    }

    private static func planted(
        _ course: VitalCourse, onset: Double = quiet, goal: Double, forAll: Bool = true, _ source: String
    ) -> PlantedCourse {
        PlantedCourse(course: course, onset: onset, goal: goal, isGoalForAll: forAll, source: source)
    }

    /// Values without noise first score 5 on NEWS2 71 minutes after the change begins (breathing 21, heart rate 91,
    /// temperature 38.1, saturation 95): that moment counts as the onset.
    private static var sepsis: PlantedCourse {
        var signs = WardSigns()
        signs.heartRate = [.init(quiet, 84), .init(quiet + 5400, 108), .init(quiet + 21600, 132)]
        signs.breathing = [.init(quiet, 16), .init(quiet + 5400, 23), .init(quiet + 21600, 31)]
        signs.temperature = [.init(quiet, 37), .init(quiet + 5400, 38.4), .init(quiet + 21600, 39.4)]
        signs.systolic = [.init(quiet, 124), .init(quiet + 5400, 108), .init(quiet + 21600, 84)]
        signs.saturation = [.init(quiet, 97), .init(quiet + 5400, 94.5), .init(quiet + 21600, 89)]
        signs.consciousness = [(0, "alert"), (quiet + 18000, "confusion")]
        return planted(
            signs.course("sepsis over 6 h", hours: 8), onset: quiet + 71 * 60, goal: 3600, forAll: false,
            "NEWS2 ≥ 5: urgent review within the hour (RCP 2017)")
    }

    private static var opioid: PlantedCourse {
        var signs = WardSigns()
        signs.breathing = WardSigns.change(14, to: 6, over: 40)
        signs.saturation = [.init(quiet + 600, 96), .init(quiet + 2700, 80)]
        return planted(
            signs.course("opioid, on air", hours: 3), onset: quiet + 1500, goal: 600, "Breathing ≤ 8: NEWS2 3 points (RCP 2017)")
    }

    private static var opioidOnOxygen: PlantedCourse {
        var signs = WardSigns()
        signs.breathing = WardSigns.change(14, to: 6, over: 40)
        signs.oxygen = WardSigns.steady(1)
        signs.saturation = WardSigns.steady(97)
        return planted(
            signs.course("opioid, on oxygen", hours: 3), onset: quiet + 1800, goal: 600,
            "Saturation stays normal on oxygen; breathing ≤ 8: NEWS2 3 points")
    }

    private static var arrhythmias: [PlantedCourse] {
        [
            fibrillation(rate: 140, deviation: 12), fibrillation(rate: 115, deviation: 12),
            rate("SVT 190", WardSigns.change(82, to: 190, over: 0.05), goal: 180, "Sustained ≥ 3 min is an arrhythmia to be told"),
            rate("VT 172 for 80 s", WardSigns.episode(82, 172, seconds: 80), goal: 10, monitors),
            rate("heart rate 230", WardSigns.change(82, to: 230, over: 0.05), goal: 10, monitors),
            rate("bradycardia 34", WardSigns.change(70, to: 34, over: 0.5), onset: 25, goal: 60, "Pulse ≤ 40: NEWS2 3 points"),
            rate("heart rate 25", WardSigns.change(70, to: 25, over: 0.1), goal: 10 + 5, monitors),
        ]
    }

    private static func rate(
        _ name: String, _ path: [VitalChannel.Point], onset: Double = 0, goal: Double, _ source: String
    ) -> PlantedCourse {
        var signs = WardSigns()
        signs.heartRate = path
        return planted(signs.course(name, hours: 2), onset: quiet + onset, goal: goal, source)
    }

    private static func fibrillation(rate: Double, deviation: Double) -> PlantedCourse {
        var signs = WardSigns()
        signs.heartRate = WardSigns.change(78, to: rate, over: 0.1)
        signs.heartRateDeviation = deviation
        signs.heartRateTimescale = 4
        let rhythm = VitalChannel.text(
            "rhythm", [(0, "regular"), (quiet + 60, "suspected-atrial-fibrillation")], each: 60, from: "vigil-stress")
        return planted(
            signs.course("atrial fibrillation \(Int(rate))", hours: 2, more: [rhythm]), goal: 180, "The issue's goal: 3 min in every course"
        )
    }

    /// - Parameter cuff: minutes between two measurements.
    static func haemorrhage(cuff: Double, _ person: VitalCourse.Person = .init(), _ name: String = "haemorrhage") -> PlantedCourse {
        var signs = WardSigns()
        signs.cuffInterval = cuff * 60
        signs.heartRate = [.init(quiet, 84), .init(quiet + 7200, 128)]
        signs.breathing = [.init(quiet, 16), .init(quiet + 7200, 25)]
        signs.systolic = [.init(quiet, 122), .init(quiet + 3600, 104), .init(quiet + 7200, 76)]
        signs.diastolic = [.init(quiet, 76), .init(quiet + 7200, 46)]
        // Systolic pressure is 90 without noise 90 minutes after the beginning.
        return planted(
            signs.course("\(name), cuff each \(Int(cuff)) min", person, hours: 5), onset: quiet + 5400, goal: 2 * cuff * 60,
            "Systolic ≤ 90: at most two cuff readings")
    }

    static func stroke(_ person: VitalCourse.Person, _ name: String) -> PlantedCourse {
        var signs = WardSigns()
        signs.consciousness = [(0, "alert"), (quiet, "voice")]
        signs.consciousnessInterval = 600
        signs.systolic = WardSigns.change(124, to: person.age < 16 ? 150 : 205, over: 5)
        signs.diastolic = WardSigns.change(76, to: 104, over: 5)
        if person.age < 16 { signs.asChild() }
        return planted(
            signs.course(name, person, hours: 2), goal: 660, "New loss of consciousness: at the first observation, each 10 min")
    }

    private static var tachypnoea: PlantedCourse {
        var signs = WardSigns()
        signs.breathing = WardSigns.change(17, to: 31, over: 10)
        return planted(signs.course("tachypnoea 31", hours: 2), onset: quiet + 343, goal: 420, "Breathing ≥ 25: NEWS2 3 points")
    }

    private static var hypoxia: PlantedCourse {
        var signs = WardSigns()
        signs.saturation = WardSigns.change(96, to: 83, over: 5)
        return planted(signs.course("hypoxia 83", hours: 2), onset: quiet + 162, goal: 120, "Saturation < 90 for a minute (Taenzer 2010)")
    }

    /// A fall of 16 points to 80 % each minute for an hour, as in severe sleep apnoea.
    private static var desaturations: PlantedCourse {
        var signs = WardSigns()
        var path: [VitalChannel.Point] = [.init(quiet, 96)]
        for minute in 0..<60 {
            let start = quiet + Double(minute) * 60
            path += [.init(start + 10, 96), .init(start + 30, 80), .init(start + 36, 80), .init(start + 45, 96)]
        }
        signs.saturation = path
        return planted(signs.course("60 desaturations an hour", hours: 3), goal: 1800, "Index ≥ 30 an hour: severe (AASM)")
    }

    private static var hypothermia: PlantedCourse {
        var signs = WardSigns()
        signs.temperature = WardSigns.change(36.6, to: 30.5, over: 90)
        signs.heartRate = WardSigns.change(76, to: 52, over: 90)
        return planted(signs.course("hypothermia 30.5", hours: 4), onset: quiet + 1416, goal: 1800, "Temperature ≤ 35.0: NEWS2 3 points")
    }

    private static var heatStroke: PlantedCourse {
        var signs = WardSigns()
        signs.temperature = WardSigns.change(37, to: 41.4, over: 45)
        signs.heartRate = WardSigns.change(84, to: 128, over: 45)
        return planted(signs.course("heat stroke 41.4", hours: 3), onset: quiet + 1841, goal: 900, "Temperature ≥ 40: emergency")
    }

    /// Glucose falls by 1 mg/dL a minute; without noise it is 54 mg/dL 66 minutes after the beginning.
    private static var nightHypoglycaemia: PlantedCourse {
        let path: [VitalChannel.Point] = [.init(quiet, 120), .init(quiet + 66 * 60, 54), .init(quiet + 80 * 60, 42)]
        let course = VitalCourse("night hypoglycaemia", .init(age: 35), length: 3 * 3600, [.glucose(path)])
        return planted(course, onset: quiet + 66 * 60, goal: -15 * 60, "Predicted 15 min before 54 mg/dL (level 2, ADA)")
    }

    private static var ketoacidosis: PlantedCourse {
        var signs = WardSigns()
        signs.breathing = WardSigns.change(17, to: 29, over: 180)
        signs.heartRate = WardSigns.change(84, to: 122, over: 180)
        let glucose = VitalChannel.glucose([.init(quiet, 190), .init(quiet + 7200, 380), .init(quiet + 14400, 480)])
        var ketones = VitalChannel("blood-ketones", from: "meter", each: 3600, in: 0...20)
        ketones.path = [.init(quiet, 0.6), .init(quiet + 10800, 4.2)]
        ketones.step = 0.1
        return planted(
            signs.course("ketoacidosis", .init(age: 24), hours: 6, more: [glucose, ketones]), onset: quiet + 7200, goal: 3600,
            "Ketones ≥ 3.0 mmol/L with hyperglycaemia (JBDS)")
    }

    /// The ECG falls silent while the watch goes on.
    private static var silentSensor: PlantedCourse {
        var signs = WardSigns()
        signs.heartRate = WardSigns.steady(80)
        let watch = VitalChannel.heartRate(WardSigns.steady(80), each: 30, from: "watch")
        var course = signs.course("ECG silent beside a watch", hours: 3, more: [watch])
        course.channels[0].reported = 0..<quiet
        return planted(course, goal: 1800, "Silence is by source")
    }
}
