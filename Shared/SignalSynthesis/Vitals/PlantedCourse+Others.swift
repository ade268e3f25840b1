extension PlantedCourse {
    private static let pregnancy = VitalCourse.Person(age: 31, isPregnant: true)

    /// Children's and pregnant women's deteriorations.
    package static var childrenAndPregnancy: [PlantedCourse] {
        [
            haemorrhage(cuff: 30, pregnancy, "haemorrhage, pregnant"),
            stroke(pregnancy, "stroke, pregnant"), stroke(.init(age: 8), "stroke, child of 8"),
            pregnantSepsis, preeclampsia, asthma,
        ]
    }

    /// The case that the first rules missed: 84/50 hourly, saturation 92, breathing 24, 35.2 °C, confused.
    private static var pregnantSepsis: PlantedCourse {
        var signs = WardSigns()
        signs.cuffInterval = 3600
        signs.heartRate = WardSigns.change(90, to: 98, over: 5)
        signs.breathing = WardSigns.change(17, to: 24, over: 5)
        signs.saturation = WardSigns.change(97, to: 92, over: 5)
        signs.temperature = WardSigns.change(36.8, to: 35.2, over: 5)
        signs.systolic = WardSigns.change(116, to: 84, over: 5)
        signs.diastolic = WardSigns.change(70, to: 50, over: 5)
        signs.consciousness = [(0, "alert"), (WardSigns.quiet, "confusion")]
        signs.consciousnessInterval = 3600
        return PlantedCourse(
            course: signs.course("sepsis, pregnant", pregnancy, hours: 5), onset: WardSigns.quiet, goal: 3900, isGoalForAll: true,
            source: "Any red sign of a maternity early-warning score: at once")
    }

    private static var preeclampsia: PlantedCourse {
        var signs = WardSigns()
        signs.cuffInterval = 900
        signs.systolic = WardSigns.change(124, to: 170, over: 5)
        signs.diastolic = WardSigns.change(78, to: 114, over: 5)
        return PlantedCourse(
            course: signs.course("severe pre-eclampsia", pregnancy, hours: 3), onset: WardSigns.quiet, goal: 2100, isGoalForAll: true,
            source: "≥ 160/110 confirmed within 15 min: emergency (ACOG 767)")
    }

    private static var asthma: PlantedCourse {
        var signs = WardSigns()
        signs.asChild()
        signs.heartRate = WardSigns.change(95, to: 148, over: 30)
        signs.breathing = WardSigns.change(22, to: 46, over: 30)
        signs.saturation = WardSigns.change(97, to: 90, over: 30)
        return PlantedCourse(
            course: signs.course("asthma, child of 6", .init(age: 6), hours: 3), onset: WardSigns.quiet + 1800, goal: 300,
            isGoalForAll: true, source: "Acute severe asthma: saturation < 92, breathing > 30, heart rate > 125 (BTS/SIGN)")
    }
}

extension WardSigns {
    /// Values of a school child at rest where a course does not change them.
    mutating func asChild() {
        heartRate = Self.steady(92)
        breathing = Self.steady(21)
        if systolic.count == 1 { systolic = Self.steady(102) }
        if diastolic.count == 1 { diastolic = Self.steady(64) }
    }
}
