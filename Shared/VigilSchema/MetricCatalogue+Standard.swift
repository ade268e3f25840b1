extension MetricCatalogue {
    static let standardDefinitions: [MetricDefinition] =
        vitalSigns + laboratoryAndBody + laboratory + activity + waveforms + stress + rhythm + scores + modules + reports

    private static let vitalSigns = [
        value("heart-rate", "Heart rate", "/min", loinc("8867-4"), 20...300),
        value("resting-heart-rate", "Resting heart rate", "/min", loinc("40443-4"), 20...300),
        value("pulse-rate", "Pulse rate", "/min", loinc("8889-8"), 20...300),
        value("rr-interval", "RR interval", "ms", loinc("8637-1"), 200...3000),
        value("heart-rate-variability-sdnn", "Heart-rate variability (SDNN)", "ms", loinc("80404-7"), 0...500),
        value("heart-rate-variability-rmssd", "Heart-rate variability (RMSSD)", "ms", nil, 0...500),
        value("walking-heart-rate", "Mean heart rate while walking", "/min", nil, 20...300),
        value("heart-rate-minimum", "Lowest heart rate of an interval", "/min", loinc("8883-7"), 20...300),
        value("heart-rate-maximum", "Highest heart rate of an interval", "/min", loinc("8873-8"), 20...300),
        value("respiration-rate", "Respiration rate", "/min", loinc("9279-1"), 2...120),
        value("respiration-rate-minimum", "Lowest respiration rate of an interval", "/min", nil, 2...120),
        value("respiration-rate-maximum", "Highest respiration rate of an interval", "/min", nil, 2...120),
        value("body-temperature", "Body temperature", "Cel", loinc("8310-5"), 25...45),
        value("body-temperature-minimum", "Lowest body temperature of an interval", "Cel", nil, 25...45),
        value("body-temperature-maximum", "Highest body temperature of an interval", "Cel", nil, 25...45),
        value("skin-temperature", "Skin temperature", "Cel", loinc("39106-0"), 10...45),
        value("oxygen-saturation", "Oxygen saturation", "%", loinc("59408-5"), 50...100),
        value("oxygen-saturation-minimum", "Lowest oxygen saturation of an interval", "%", nil, 50...100),
        value("oxygen-saturation-maximum", "Highest oxygen saturation of an interval", "%", nil, 50...100),
        value("perfusion-index", "Perfusion index", "%", loinc("61006-3"), 0...30),
        value("systolic-pressure", "Systolic blood pressure", "mm[Hg]", loinc("8480-6"), 40...300),
        value("diastolic-pressure", "Diastolic blood pressure", "mm[Hg]", loinc("8462-4"), 20...200),
        value("systolic-pressure-minimum", "Lowest systolic blood pressure of an interval", "mm[Hg]", nil, 40...300),
        value("systolic-pressure-maximum", "Highest systolic blood pressure of an interval", "mm[Hg]", nil, 40...300),
        value("diastolic-pressure-minimum", "Lowest diastolic blood pressure of an interval", "mm[Hg]", nil, 20...200),
        value("diastolic-pressure-maximum", "Highest diastolic blood pressure of an interval", "mm[Hg]", nil, 20...200),
        text("consciousness", "Level of consciousness", loinc("80288-4"), ["alert", "confusion", "voice", "pain", "unresponsive"]),
        value("supplemental-oxygen", "Supplemental oxygen (0 air, 1 oxygen)", "1", nil, 0...1),
    ]

    private static let laboratoryAndBody = [
        value("blood-glucose", "Blood glucose", "mg/dL", loinc("41653-7"), 10...800),
        value("blood-glucose-minimum", "Lowest blood glucose of an interval", "mg/dL", nil, 10...800),
        value("blood-glucose-maximum", "Highest blood glucose of an interval", "mg/dL", nil, 10...800),
        value("body-weight", "Body weight", "kg", loinc("29463-7"), 1...400),
        value("body-weight-minimum", "Lowest body weight of an interval", "kg", nil, 1...400),
        value("body-weight-maximum", "Highest body weight of an interval", "kg", nil, 1...400),
        value("body-height", "Body height", "cm", loinc("8302-2"), 30...260),
        value("body-mass-index", "Body-mass index", "kg/m2", loinc("39156-5"), 8...90),
        value("body-fat", "Body fat", "%", loinc("41982-0"), 1...75),
        value("body-water", "Body water", "%", nil, 10...90),
        value("fat-mass", "Fat mass", "kg", loinc("73708-0"), 0.5...300),
        value("muscle-mass", "Muscle mass", "kg", loinc("73964-9"), 1...200),
        value("bone-mass", "Bone mass", "kg", nil, 0.1...20),
        value("lean-body-mass", "Lean body mass", "kg", loinc("91557-9"), 1...300),
        value("visceral-fat", "Visceral fat level", "1", nil, 0...60),
        value("body-impedance", "Body impedance", "Ohm", nil, 50...5000),
        value("basal-metabolic-rate", "Basal metabolic rate, a day", "kcal", loinc("69429-9"), 300...6000),
        value("blood-ketones", "Ketones in the blood (beta-hydroxybutyrate)", "mmol/L", nil, 0...20),
        total("insulin", "Insulin given", "[iU]", nil, 0...500),
        total("carbohydrates", "Carbohydrates eaten", "g", loinc("9059-7"), 0...2000),
    ]

    private static let activity = [
        total("steps", "Steps", "{steps}", loinc("55423-8"), 0...200_000),
        total("distance", "Distance", "m", loinc("55430-3"), 0...500_000),
        total("floors", "Floors climbed", "{floors}", loinc("100304-5"), 0...5000),
        total("energy", "Energy burned", "kcal", loinc("41981-2"), 0...30_000),
        total("active-energy", "Energy burned by activity", "kcal", loinc("55424-6"), 0...30_000),
        total("basal-energy", "Energy burned at rest", "kcal", nil, 0...30_000),
        total("active-minutes", "Active minutes", "min", loinc("55411-3"), 0...1440),
        total("sedentary-minutes", "Sedentary minutes", "min", nil, 0...1440),
        total("sleep-minutes", "Minutes asleep", "min", loinc("93832-4"), 0...1440),
        value("vo2-max", "Maximal oxygen uptake", "mL/kg/min", loinc("94122-9"), 5...100),
        value("ambient-temperature", "Temperature around the person", "Cel", nil, -60...80),
        value("relative-humidity", "Relative humidity around the person", "%", nil, 0...100),
        value("vehicle-speed", "Vehicle speed", "km/h", nil, 0...400),
    ]

    private static let waveforms = [
        waveform("ecg", "Electrocardiogram", "mV", .init(system: "urn:iso:std:iso:11073:10101", code: "131328"), -10...10),
        waveform("airflow", "Airflow", "1", nil, nil),
        waveform("respiration", "Respiration (impedance or belt)", "1", nil, nil),
        waveform("blood-volume-pulse", "Blood-volume pulse", "1", nil, nil),
        waveform("acceleration-x", "Acceleration, x axis", "m/s2", nil, -400...400),
        waveform("acceleration-y", "Acceleration, y axis", "m/s2", nil, -400...400),
        waveform("acceleration-z", "Acceleration, z axis", "m/s2", nil, -400...400),
    ]

    private static let stress = [
        value("skin-conductance", "Skin conductance", "uS", nil, 0...100),
        value("skin-resistance", "Skin resistance", "Ohm", nil, 0...100_000_000),
        value("skin-conductance-level", "Skin-conductance level (tonic)", "uS", nil, 0...100),
        value("scr-rate", "Skin-conductance response rate", "/min", nil, 0...60),
        value("scr-amplitude", "Skin-conductance response amplitude", "uS", nil, 0...100),
        value("stress-level", "Stress level (arousal index)", "1", nil, 0...1),
        value("stress-heart-component", "Stress: heart component", "1", nil, 0...1),
        value("stress-skin-component", "Stress: skin component", "1", nil, 0...1),
        value("stress-breathing-component", "Stress: breathing component", "1", nil, 0...1),
        value("stress-calibrated", "Stress calibrated (0 no, 1 yes)", "1", nil, 0...1),
        text("stress-status", "What the stress analysis can say", nil, []),
        value("ecg-quality", "ECG signal quality", "1", nil, 0...1),
        value("respiration-quality", "Breathing signal quality", "1", nil, 0...1),
        value("ecg-pause", "Time without a heart beat in the ECG", "s", nil, 0...86_400),
        value("ecg-flat", "Time without a signal of a body in the ECG after heart beats", "s", nil, 0...86_400),
        value("respiration-pause", "Time without a breath", "s", nil, 0...86_400),
        value("respiration-flat", "Time without a signal of a body in the breathing after breaths", "s", nil, 0...86_400),
        value("respiration-rate-estimate", "Respiration rate by heart beats", "/min", nil, 4...50),
        value("respiration-estimate-quality", "Respiration estimate quality", "1", nil, 0...1),
        value("skin-conductance-quality", "Skin-conductance signal quality", "1", nil, 0...1),
        value("lf-power", "HRV low-frequency power", "ms2", nil, 0...100_000),
        value("hf-power", "HRV high-frequency power", "ms2", nil, 0...100_000),
        value("lf-hf-ratio", "HRV LF/HF ratio", "1", nil, 0...1000),
        value("pnn50", "HRV pNN50", "%", nil, 0...100),
        value("baevsky-index", "Baevsky stress index", "1/s2", nil, 0...100_000),
        value("dfa-alpha1", "HRV DFA alpha 1", "1", nil, 0...3),
    ]

    /// The rhythm of each minute of an electrocardiogram.
    private static let rhythm = [
        text(
            "rhythm", "Rhythm of a minute, from one lead", nil,
            ["regular", "early-beats", "suspected-atrial-fibrillation", "unknown"]),
        total("beats-judged", "Heart beats whose rhythm was judged", "{beats}", nil, 0...500),
        total("ventricular-beats", "Heart beats of a strange, broad shape", "{beats}", nil, 0...500),
        total("supraventricular-beats", "Early heart beats of the usual shape", "{beats}", nil, 0...500),
        total("fibrillation-suspected", "Time with suspected atrial fibrillation", "s", nil, 0...86_400),
        text("heart-rhythm", "Rhythm of the heart, from when it was recognised", loinc("8884-9"), heartRhythms),
        text("heart-rhythm-interval", "Rhythm of the heart over a time, from one lead", nil, heartRhythms),
        value("pr-interval", "PR interval", "ms", loinc("8625-6"), 60...400),
        value("qrs-duration", "QRS duration", "ms", loinc("8633-0"), 40...240),
        value("qt-interval", "QT interval", "ms", loinc("8634-8"), 180...700),
        value("qtc-interval", "QT interval at 60/min (Fridericia)", "ms", loinc("76634-5"), 200...700),
        value(
            "st-level", "ST level", "mV", .init(system: "urn:iso:std:iso:11073:10101", code: "131840"), -2...2
        ),
        value("st-change", "ST level against the wearer's own", "mV", nil, -2...2),
        value("beat-interval-quality", "Beat interval quality", "1", nil, 0...1),
        value("ventricular-burden-hour", "Share of ventricular-like beats in an hour", "%", nil, 0...100),
        value("supraventricular-burden-hour", "Share of supraventricular-like beats in an hour", "%", nil, 0...100),
        value("ventricular-burden", "Share of ventricular-like beats in a day", "%", nil, 0...100),
        value("supraventricular-burden", "Share of supraventricular-like beats in a day", "%", nil, 0...100),
    ]

    private static let heartRhythms = [
        "regular", "bradycardia", "tachycardia", "suspected-atrial-fibrillation", "supraventricular-run", "ventricular-run",
        "sustained-ventricular-run", "idioventricular-rhythm", "ventricular-bigeminy", "ventricular-trigeminy",
        "ventricular-couplet", "pause", "long-pause", "asystole", "wave-without-beats", "unknown",
    ]

    private static let scores = [
        value("news2-score", "NEWS2 score", "{score}", loinc("88330-6"), 0...20),
        text("news2-risk", "NEWS2 clinical risk", nil, ["low", "low-medium", "medium", "high", "incomplete"]),
        value("news2-at-least", "NEWS2 score of the parameters that are known", "{score}", nil, 0...20),
        value("news2-highest-parameter", "NEWS2 points of the worst parameter", "{score}", nil, 0...3),
        text("news2-missing", "NEWS2 parameters that are missing", nil, []),
        text("blood-pressure-category", "Blood-pressure category", nil, []),
        text("glucose-category", "Glucose category", nil, []),
        value("glucose-time-in-range", "Glucose time in range", "%", loinc("97510-2"), 0...100),
        text("body-mass-index-category", "Body-mass index class", nil, []),
        text("temperature-category", "Temperature category", nil, []),
    ]

    /// The metrics that health modules read beside the others, and those that they derive, by module.
    private static let modules = [
        value("waist-circumference", "Waist circumference", "cm", loinc("8280-0"), 20...250),
        value("hip-circumference", "Hip circumference", "cm", nil, 20...250),
        text("medication-dose", "Dose of a medication taken: the medication's name", nil, []),
        text("training-set", "Set of an exercise: squat 8x60", nil, []),
        value("mean-arterial-pressure", "Mean arterial pressure", "mm[Hg]", loinc("8478-0"), 20...260),
        value("pulse-pressure", "Pulse pressure", "mm[Hg]", nil, 0...250),
        value("glucose-management-indicator", "Glucose management indicator", "%", loinc("97506-0"), 3...25),
        value("glucose-variation", "Glucose coefficient of variation", "%", nil, 0...200),
        value("training-load", "Training load of a day (TRIMP)", "1", nil, 0...5000),
        value("training-load-ratio", "Acute to chronic training load", "1", nil, 0...10),
        value("maximal-oxygen-uptake", "Maximal oxygen uptake, estimated", "mL/min/kg", nil, 5...120),
        value("medication-adherence", "Doses taken of those due in 30 days", "%", nil, 0...100),
        text("medication-missed", "Dose of a medication that was due and not taken", nil, []),
        text("test-result-flag", "Laboratory result outside its reference range", nil, []),
        value("readiness", "Morning readiness", "1", nil, 0...100),
        value("weight-trend", "Body weight, trend", "kg", nil, 1...400),
        value("weight-rate", "Body weight, change in a week", "kg/wk", nil, -50...50),
        text("module-message", "Message of a health module", nil, []),
    ]

    private static let reports = [
        value("pain", "Pain", "1", loinc("72514-3"), 0...10),
        value("mood", "Mood", "1", nil, 0...10),
        value("energy-level", "Energy level", "1", nil, 0...10),
        value("phq9-score", "PHQ-9 score (depression)", "{score}", loinc("44261-6"), 0...27),
        value("phq9-self-harm", "PHQ-9 item 9 (thoughts of death or self-harm)", "{score}", loinc("44260-8"), 0...3),
        value("gad7-score", "GAD-7 score (anxiety)", "{score}", loinc("70274-6"), 0...21),
        value("body-position", "Body position code", "1", nil, 0...10),
        text("note", "Note", nil, []),
        value("help-call", "Call for help (1: called)", "1", nil, 0...1),
        value("fall-detected", "Fall detected (1: yes)", "1", nil, 0...1),
        value("bed-exit", "Bed left (1: yes)", "1", nil, 0...1),
        value("door-exit", "Gone out (1: yes)", "1", nil, 0...1),
        value("battery-level", "Battery level of a device", "%", nil, 0...100),
    ]

    static func value(
        _ name: String, _ title: String, _ unit: String, _ code: MetricDefinition.Code?, _ plausible: ClosedRange<Double>?
    ) -> MetricDefinition {
        .init(name: name, title: title, kind: .value, unit: unit, code: code, plausible: plausible, vocabulary: [])
    }

    private static func total(
        _ name: String, _ title: String, _ unit: String, _ code: MetricDefinition.Code?, _ plausible: ClosedRange<Double>?
    ) -> MetricDefinition {
        .init(name: name, title: title, kind: .total, unit: unit, code: code, plausible: plausible, vocabulary: [])
    }

    private static func waveform(
        _ name: String, _ title: String, _ unit: String, _ code: MetricDefinition.Code?, _ plausible: ClosedRange<Double>?
    ) -> MetricDefinition {
        .init(name: name, title: title, kind: .waveform, unit: unit, code: code, plausible: plausible, vocabulary: [])
    }

    private static func text(
        _ name: String, _ title: String, _ code: MetricDefinition.Code?, _ vocabulary: [String]
    ) -> MetricDefinition {
        .init(name: name, title: title, kind: .text, unit: "1", code: code, plausible: nil, vocabulary: vocabulary)
    }

    static func loinc(_ code: String) -> MetricDefinition.Code { .init(system: "http://loinc.org", code: code) }
}
