/// Whole days of people to whom nothing happens: what alarms cost.
package enum PersonDays {
    private static let length = 86_400.0

    /// A day at home of somebody well: walks and stairs by day, a quiet night, a cuff four times.
    /// - Parameter index: which of them; decides age and resting values.
    package static func well(_ index: UInt64) -> VitalCourse {
        var random = SeededGenerator(seed: 0x3E11_0000 &+ index)
        let rest = 56 + 20 * random.uniform()
        let pressure = 108 + 26 * random.uniform()
        var course = VitalCourse(
            "well", .init(age: 22 + 60 * random.uniform()), length: length,
            [
                .heartRate(daily(night: rest - 6, day: rest + 6), each: 10),
                .saturation(daily(night: 95.5, day: 97.2), each: 10),
                .breathing(daily(night: 13, day: 15.5), each: 15),
                .temperature(daily(night: 36.3, day: 36.9)),
            ]
                + VitalChannel.cuff(
                    daily(night: pressure - 12, day: pressure), daily(night: 64, day: 76), each: 6 * 3600))
        course.isActive = true
        return course
    }

    /// A day in a ward of somebody ill and stable, of four kinds in turn.
    package static func ill(_ index: UInt64) -> VitalCourse {
        var random = SeededGenerator(seed: 0x1117_0000 &+ index)
        let kind = illnesses[Int(index % UInt64(illnesses.count))]
        func near(_ value: Double, _ spread: Double) -> [VitalChannel.Point] { [.init(0, value + spread * (2 * random.uniform() - 1))] }
        var signs = WardSigns()
        signs.heartRate = near(kind.heartRate, 6)
        signs.heartRateDeviation = kind.heartRateDeviation
        signs.heartRateTimescale = kind.heartRateDeviation > 6 ? 4 : 60
        signs.saturation = near(kind.saturation, 0.8)
        signs.breathing = near(kind.breathing, 1.5)
        signs.temperature = near(kind.temperature, 0.3)
        signs.systolic = near(kind.systolic, 8)
        signs.diastolic = near(kind.diastolic, 5)
        signs.cuffInterval = 3600
        signs.oxygen = WardSigns.steady(kind.oxygen)
        let person = VitalCourse.Person(age: 58 + 28 * random.uniform(), usesScale2: kind.usesScale2)
        return signs.course(kind.name, person, hours: 24)
    }

    /// A day of somebody with diabetes and a glucose sensor: three meals, each with a steep way down that levels off
    /// above 80 mg/dL.
    package static func diabetes(_ index: UInt64) -> VitalCourse {
        var random = SeededGenerator(seed: 0xD1AB_0000 &+ index)
        let base = 92 + 30 * random.uniform()
        var path: [VitalChannel.Point] = [.init(0, base + 8)]
        for hour in [7.5, 12.5, 19] {
            let (start, rise) = ((hour + random.uniform()) * 3600, 50 + 70 * random.uniform())
            let shape = [(0.0, 0.0), (50, 1), (80, 0.75), (140, 0.2), (180, -0.1), (220, 0)]
            path += shape.map { .init(start + $0.0 * 60, base + rise * $0.1) }
        }
        return VitalCourse("diabetes", .init(age: 20 + 50 * random.uniform()), length: length, [.glucose(path)])
    }

    private struct Illness {
        var name: String
        var heartRate, heartRateDeviation, saturation, breathing, temperature, systolic, diastolic, oxygen: Double
        var usesScale2 = false
    }

    private static let illnesses = [
        Illness(
            name: "lung disease (COPD), scale 2", heartRate: 92, heartRateDeviation: 4, saturation: 90, breathing: 21, temperature: 37,
            systolic: 142, diastolic: 82, oxygen: 0, usesScale2: true),
        Illness(
            name: "heart failure with fibrillation", heartRate: 92, heartRateDeviation: 9, saturation: 94.5, breathing: 19,
            temperature: 36.6, systolic: 112, diastolic: 68, oxygen: 0),
        Illness(
            name: "pneumonia, recovering", heartRate: 98, heartRateDeviation: 4, saturation: 94.5, breathing: 21, temperature: 37.8,
            systolic: 122, diastolic: 72, oxygen: 0),
        Illness(
            name: "day after an operation", heartRate: 94, heartRateDeviation: 4, saturation: 96, breathing: 18, temperature: 37.6,
            systolic: 118, diastolic: 70, oxygen: 0),
    ]

    /// Night until seven, day until ten in the evening.
    private static func daily(night: Double, day: Double) -> [VitalChannel.Point] {
        [.init(0, night), .init(6 * 3600, night), .init(7.5 * 3600, day), .init(21.5 * 3600, day), .init(23 * 3600, night)]
    }
}
