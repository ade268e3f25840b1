/// Names for single measures.
package enum Categories {
    /// The classes of adults say nothing of children, whose own ask for sex and height, nor of pregnancy and the six weeks after birth.
    static let (noneForChildren, noneInPregnancy) = ("no-class-for-children", "no-class-in-pregnancy")

    /// A blood pressure of a person. From 13 years the limits of adolescents are those of ACC/AHA (AAP 2017, Pediatrics 140:e20171904).
    static func bloodPressure(
        systolic: Double, diastolic: Double, guideline: ScoreSettings.PressureGuideline, of profile: PersonFacts, at time: Int64
    ) -> String {
        if profile.isMaternal(at: time) { return noneInPregnancy }
        let age = profile.age(at: time) ?? 18
        if age < 13 { return noneForChildren }
        return bloodPressure(systolic: systolic, diastolic: diastolic, guideline: age < 18 ? .acc2017 : guideline)
    }

    /// A body-mass index of a person.
    static func bodyMassIndex(_ value: Double, of profile: PersonFacts, at time: Int64) -> String {
        if profile.isMaternal(at: time) { return noneInPregnancy }
        return profile.age(at: time) ?? 18 < 18 ? noneForChildren : bodyMassIndex(value)
    }

    /// The glucose readings in range, in mg/dL; in pregnancy 63–140 (international consensus on time in range, 2019).
    static func glucoseRange(of profile: PersonFacts) -> ClosedRange<Double> {
        profile.isPregnant && profile.delivered == nil ? 63...140 : 70...180
    }

    /// A blood pressure in mmHg; of the two values' categories the higher.
    ///
    /// ACC/AHA 2017: elevated 120–129 and under 80; stage 1 130–139 or 80–89; stage 2 from 140 or 90; crisis over 180 or 120.
    /// ESC 2024: elevated 120–139 or 70–89; hypertension from 140 or 90.
    package static func bloodPressure(
        systolic: Double, diastolic: Double, guideline: ScoreSettings.PressureGuideline
    ) -> String {
        let (systolic, diastolic) = (systolic.rounded(), diastolic.rounded())
        switch guideline {
        case .acc2017:
            if systolic > 180 || diastolic > 120 { return "crisis" }
            if systolic >= 140 || diastolic >= 90 { return "hypertension-stage-2" }
            if systolic >= 130 || diastolic >= 80 { return "hypertension-stage-1" }
            return systolic >= 120 ? "elevated" : "normal"
        case .esc2024:
            if systolic >= 140 || diastolic >= 90 { return "hypertension" }
            return systolic >= 120 || diastolic >= 70 ? "elevated" : "non-elevated"
        }
    }

    /// A blood glucose in mg/dL (American Diabetes Association, Standards of Care 2024, section 6; international consensus on time in range, 2019).
    /// - Parameter range: what counts as in range.
    package static func glucose(_ value: Double, range: ClosedRange<Double> = 70...180) -> String {
        switch value {
        case ..<54: "very-low"
        case ..<range.lowerBound: "low"
        case ...range.upperBound: "in-range"
        case ...250: "high"
        default: "very-high"
        }
    }

    /// A body-mass index in kg/m² (World Health Organization).
    package static func bodyMassIndex(_ value: Double) -> String {
        switch value {
        case ..<18.5: "underweight"
        case ..<25: "normal"
        case ..<30: "overweight"
        case ..<35: "obesity-class-1"
        case ..<40: "obesity-class-2"
        default: "obesity-class-3"
        }
    }

    /// A body temperature in °C, to a tenth: under 35.0 hypothermia, from 38.0 fever, over 41.0 hyperpyrexia.
    package static func temperature(_ celsius: Double) -> String {
        switch (celsius * 10).rounded() {
        case ..<350: "hypothermia"
        case ..<380: "normal"
        case ...410: "fever"
        default: "hyperpyrexia"
        }
    }
}

/// The share of glucose readings in range over the last 24 hours, by the hour.
struct TimeInRange: Hashable, Sendable {
    private static let hour: Int64 = 3600 * 1_000_000
    /// Hours at most.
    static let capacity = 24
    /// Hour number, readings, readings in range; at most `capacity`.
    private(set) var hours: [Hour] = []

    struct Hour: Hashable, Sendable {
        let number: Int64
        var readings: Int32
        var inRange: Int32
    }

    /// Takes a reading; gives the percentage when a new hour begins and at least 12 readings are there.
    mutating func add(_ value: Double, range: ClosedRange<Double> = 70...180, at time: Int64) -> Double? {
        let number = time / Self.hour
        let isInRange: Int32 = range.contains(value) ? 1 : 0
        if let index = hours.firstIndex(where: { $0.number == number }) {
            hours[index].readings += 1
            hours[index].inRange += isInRange
            return nil
        }
        guard number > hours.last?.number ?? .min else { return nil }
        // What is older than a day by now says nothing of the last day.
        hours.removeAll { $0.number < number - Int64(Self.capacity) }
        let result = percentage
        hours.removeAll { $0.number == number - Int64(Self.capacity) }
        hours.append(Hour(number: number, readings: 1, inRange: isInRange))
        return result
    }

    mutating func restore(_ hours: [Hour]) { self.hours = hours }

    private var percentage: Double? {
        let readings = hours.reduce(0) { $0 + $1.readings }
        guard readings >= 12 else { return nil }
        return Double(hours.reduce(0) { $0 + $1.inRange }) / Double(readings) * 100
    }
}

/// Blood glucose in the unit in which it was measured.
package enum GlucoseUnit {
    /// Converts mmol/L as clinical tables do: 10.0 are 180 mg/dL, 13.9 are 250.
    @Sendable static func milligrams(_ millimoles: Double) -> Double { (millimoles * 18).rounded() }

    /// Takes the conversion of a reading in mmol/L back to what the tables say of it.
    ///
    /// Readings come in mg/dL, converted with 18.016. A number that is no whole one but a tenth of mmol/L can only have been measured in mmol/L: it is
    /// judged by the limits of that unit, so that 10.0 mmol/L (180.16 mg/dL) is not above 180.
    static func judged(_ milligrams: Double) -> Double {
        guard milligrams != milligrams.rounded() else { return milligrams }
        let tenths = milligrams / 18.016 * 10
        guard abs(tenths - tenths.rounded()) < 0.001 else { return milligrams }
        return Self.milligrams(tenths.rounded() / 10)
    }
}
