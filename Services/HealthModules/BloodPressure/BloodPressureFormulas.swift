/// One measurement of blood pressure, in mmHg.
package struct PressureReading: Hashable, Sendable {
    package let systolic: Double
    package let diastolic: Double
    package let time: Double
    package let day: Int
    package let second: Int

    package init(systolic: Double, diastolic: Double, time: Double = 0, day: Int = 0, second: Int = 0) {
        (self.systolic, self.diastolic, self.time, self.day, self.second) = (systolic, diastolic, time, day, second)
    }

    /// Systolic less diastolic.
    package var pulsePressure: Double { systolic - diastolic }
    /// Diastolic and a third of the pulse pressure: an estimate for a resting heart rate (any textbook of physiology; e.g. Guyton & Hall, ch. 15).
    package var meanArterial: Double { diastolic + pulsePressure / 3 }

    /// Readings of both metrics of one device at one time; a systolic that is not above its diastolic is left out.
    static func pairs(_ systolic: [NumberReading], _ diastolic: [NumberReading]) -> [PressureReading] {
        var (pairs, next): ([PressureReading], Int) = ([], 0)
        for upper in systolic {
            while next < diastolic.count, diastolic[next].time < upper.time { next += 1 }
            var place = next
            while place < diastolic.count, diastolic[place].time == upper.time {
                let lower = diastolic[place]
                place += 1
                // Sources are numbered for each metric by itself: two devices at one microsecond are told apart by their order alone.
                guard upper.value > lower.value else { continue }
                pairs.append(
                    PressureReading(systolic: upper.value, diastolic: lower.value, time: upper.time, day: upper.day, second: upper.second))
                break
            }
        }
        return pairs
    }
}

/// Classes of blood pressure in adults.
package enum PressureCategory: String, Sendable, CaseIterable {
    case normal, elevated
    case stage1 = "stage-1"
    case stage2 = "stage-2"
    case severe
    case nonElevated = "non-elevated"
    case hypertension

    /// ACC/AHA 2017 (P. K. Whelton et al., Hypertension 71 (2018) e13, table 6); the higher of the two counts. Severe: above 180 or 120, the
    /// guideline's hypertensive crisis where organs suffer.
    package static func american(_ systolic: Double, _ diastolic: Double) -> PressureCategory {
        if systolic > 180 || diastolic > 120 { return .severe }
        if systolic >= 140 || diastolic >= 90 { return .stage2 }
        if systolic >= 130 || diastolic >= 80 { return .stage1 }
        return systolic >= 120 ? .elevated : .normal
    }

    /// ESC 2024, in the office (J. W. McEvoy et al., Eur Heart J 45 (2024) 3912, table 5): elevated from 120/70, hypertension from 140/90.
    package static func europeanOffice(_ systolic: Double, _ diastolic: Double) -> PressureCategory {
        if systolic >= 140 || diastolic >= 90 { return .hypertension }
        return systolic >= 120 || diastolic >= 70 ? .elevated : .nonElevated
    }

    /// ESC 2024, measured at home: elevated from 120/70, hypertension from 135/85.
    package static func europeanHome(_ systolic: Double, _ diastolic: Double) -> PressureCategory {
        if systolic >= 135 || diastolic >= 85 { return .hypertension }
        return systolic >= 120 || diastolic >= 70 ? .elevated : .nonElevated
    }

    package var text: LocalizedText {
        switch self {
        case .normal: LocalizedText("normal", de: "normal", ru: "нормальное")
        case .elevated: LocalizedText("elevated", de: "erhöht", ru: "повышенное")
        case .stage1: LocalizedText("hypertension, stage 1", de: "Hypertonie Grad 1 (ACC/AHA)", ru: "гипертония 1 стадии (ACC/AHA)")
        case .stage2: LocalizedText("hypertension, stage 2", de: "Hypertonie Grad 2 (ACC/AHA)", ru: "гипертония 2 стадии (ACC/AHA)")
        case .severe: LocalizedText("severely raised", de: "stark erhöht", ru: "резко повышенное")
        case .nonElevated: LocalizedText("not elevated", de: "nicht erhöht", ru: "не повышенное")
        case .hypertension: LocalizedText("hypertension", de: "Hypertonie", ru: "гипертония")
        }
    }
}

/// The average of a week measured at home.
///
/// Source: ESH practice guidelines for home monitoring (G. Parati et al., J Hum Hypertens 24 (2010) 779) and ESC 2024: two readings each
/// morning and evening for seven days, at least three; the first day is left out, the others are averaged.
package struct HomeAverage: Sendable {
    package let systolic: Double
    package let diastolic: Double
    /// The readings that count, and the days that they are of.
    package let readings: Int
    package let days: Int
    /// Mean of the mornings (before noon) and of the evenings (from 17 o'clock), where there are any.
    package let morning: (systolic: Double, diastolic: Double)?
    package let evening: (systolic: Double, diastolic: Double)?

    /// The week that ends with the last reading; nil where it has fewer than three days, or fewer than eight readings after the first.
    package init?(_ readings: [PressureReading]) {
        guard let last = readings.last else { return nil }
        let week = readings.filter { $0.day > last.day - 7 }
        guard let first = week.first?.day else { return nil }
        let counted = week.filter { $0.day > first }
        let days = Set(counted.map(\.day)).count
        guard days >= 2, counted.count >= 8, let mean = Self.mean(counted) else { return nil }
        (systolic, diastolic) = mean
        (self.readings, self.days) = (counted.count, days)
        morning = Self.mean(counted.filter { (4 * 3600..<12 * 3600).contains($0.second) })
        evening = Self.mean(counted.filter { $0.second >= 17 * 3600 })
    }

    private static func mean(_ readings: [PressureReading]) -> (systolic: Double, diastolic: Double)? {
        guard let systolic = Statistics.mean(readings.map(\.systolic)), let diastolic = Statistics.mean(readings.map(\.diastolic)) else {
            return nil
        }
        return (systolic, diastolic)
    }
}

/// The fall of the systolic pressure at night, in percent of the day's.
///
/// Source: ESH guidelines for ambulatory monitoring (E. O'Brien et al., J Hypertens 31 (2013) 1731): extreme above 20 %, dipping 10 to 20 %, reduced 0 to
/// 10 %, rising below 0. At least 20 readings by day and 7 at night.
package enum NightDip {
    package static func percent(day: [Double], night: [Double]) -> Double? {
        guard day.count >= 20, night.count >= 7, let awake = Statistics.mean(day), let asleep = Statistics.mean(night), awake > 0 else {
            return nil
        }
        return 100 * (1 - asleep / awake)
    }

    package static func pattern(_ percent: Double) -> String {
        percent > 20 ? "extreme" : percent > 10 ? "dipping" : percent >= 0 ? "reduced" : "rising"
    }
}

/// Average real variability: the mean of the differences between readings that follow each other (L. Mena et al., J Hypertens 23 (2005) 505).
package func averageRealVariability(_ values: [Double]) -> Double? {
    guard values.count > 1 else { return nil }
    return Statistics.mean(zip(values, values.dropFirst()).map { abs($1 - $0) })
}
