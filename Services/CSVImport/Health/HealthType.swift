import Foundation
import VigilSchema

/// The meaning of Apple Health's record types.
/// Source: Apple's HealthKit documentation, HKQuantityTypeIdentifier and HKCategoryTypeIdentifier.
enum HealthType {
    private static let quantities: [String: String] = [
        "HeartRate": "heart-rate", "RestingHeartRate": "resting-heart-rate", "HeartRateVariabilitySDNN": "heart-rate-variability-sdnn",
        "RespiratoryRate": "respiration-rate", "BodyTemperature": "body-temperature", "AppleSleepingWristTemperature": "skin-temperature",
        "OxygenSaturation": "oxygen-saturation", "BloodPressureSystolic": "systolic-pressure",
        "BloodPressureDiastolic": "diastolic-pressure", "BloodGlucose": "blood-glucose", "BodyMass": "body-weight", "Height": "body-height",
        "BodyMassIndex": "body-mass-index", "BodyFatPercentage": "body-fat", "StepCount": "steps", "DistanceWalkingRunning": "distance",
        "FlightsClimbed": "floors", "ActiveEnergyBurned": "energy", "AppleExerciseTime": "active-minutes",
        "ElectrodermalActivity": "skin-conductance", "PeripheralPerfusionIndex": "perfusion-index",
    ]

    /// The metric of a type: the catalogue's, or the type's own name in words with hyphens.
    static func metric(_ type: String) -> String {
        let name = shortName(type)
        return quantities[name] ?? hyphenated(name)
    }

    /// `HKQuantityTypeIdentifierHeartRate` → `HeartRate`; likewise categories' values.
    static func shortName(_ type: String) -> String {
        for prefix in ["HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKDataType", "HKCategoryValue"] where type.hasPrefix(prefix)
        {
            return String(type.dropFirst(prefix.count))
        }
        return type
    }

    /// `SleepAnalysisAsleepREM` → `sleep-analysis-asleep-rem`.
    static func hyphenated(_ name: String) -> String {
        var result = ""
        var previous: Character = "A"
        for character in name where character.isASCII && (character.isLetter || character.isNumber || character == "_") {
            if character.isUppercase, !previous.isUppercase, !result.isEmpty { result.append("-") }
            result.append(character == "_" ? "-" : Character(character.lowercased()))
            previous = character
        }
        return result.isEmpty ? "record" : String(result.prefix(Name.maximumLength))
    }

    /// The unit in which a type is kept that the catalogue lacks, and the factor: an account's setting changes from one export to the next, and a
    /// metric has one unit.
    static func kept(_ unit: String) -> (unit: String, scale: Double) {
        switch unit {
        case "fl_oz_us": ("mL", 29.573_529_562_5)
        case "fl_oz_imp": ("mL", 28.413_062_5)
        case "cup_us": ("mL", 236.588_236_5)
        case "cup_imp": ("mL", 284.130_625)
        case "pt_us": ("mL", 473.176_473)
        case "pt_imp": ("mL", 568.261_25)
        case "L": ("mL", 1000)
        case "Cal": ("kcal", 1)
        case "kJ": ("kcal", 1 / 4.184)
        default: (unit.isEmpty ? "1" : unit, 1)
        }
    }

    /// From a record's unit to the metric's: `count/min`, `mcS`, `mmol<180.1558800000541>/L`, and percentages that Apple gives as shares.
    static func conversion(_ unit: String, to metric: MetricDefinition) -> (scale: Double, offset: Double)? {
        if unit == "%", metric.unit == "%" { return (100, 0) }
        let spelling: String =
            switch unit {
            case "count/min": "/min"
            case "count/s": "/s"
            case "count": metric.unit
            case "mcS": "uS"
            case "ft": "[ft_i]"
            case "lb": "[lb_av]"
            default: unit.hasPrefix("mmol<") ? "mmol/L" : unit
            }
        return UnitConversion.from(spelling, to: metric).map { ($0.scale, $0.offset) }
    }
}

/// The description of the device in an Apple Health record.
enum DeviceText {
    /// The device's hardware, or its model, or its name: `Watch6,1`. The text as a whole starts with an object's address in memory
    /// (`<<HKDevice: 0x2829c0f50>, name:…`), which is another one in each export and must not get into an identity.
    static func name(_ text: String) -> String? {
        // Values hold commas themselves, so a field ends where another one's name begins.
        for key in ["hardware:", "model:", "name:"] {
            guard let start = text.range(of: ", \(key)")?.upperBound else { continue }
            let value = text[start...]
            let ends = [", name:", ", manufacturer:", ", model:", ", hardware:", ", firmware:", ", software:", ", localIdentifier:", ">"]
            let end = ends.compactMap { value.range(of: $0)?.lowerBound }.min() ?? value.endIndex
            if end > start { return String(value[..<end]) }
        }
        return nil
    }
}
