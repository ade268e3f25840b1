/// Keeps one person's newest vital signs and gives a score whenever it changes.
struct ScoreTracker: Hashable, Sendable {
    /// A score's or category's new value.
    struct Score {
        let metric: String
        let content: DerivedObservation.Content
    }

    static let inputs = NEWS2.Parameter.allCases.map(\.metric) + ["diastolic-pressure", "blood-glucose", "body-mass-index", "body-weight"]
    /// The place behind those of NEWS2.
    private static let diastolic = NEWS2.Parameter.allCases.count
    static let newestSlots = 8

    /// The newest value of each NEWS2 parameter and of the diastolic pressure, with the engine's clock when it came.
    var values: [Double] = Array(repeating: .nan, count: newestSlots)
    var arrivals: [Int64] = Array(repeating: .min, count: newestSlots)
    var times: [Int64] = Array(repeating: .min, count: newestSlots)
    var timeInRange = TimeInRange()
    /// What was said last, by metric: a score is only said when it changes.
    var said: [String: DerivedObservation.Content] = [:]

    /// Gives the rule set a place for every metric and text that scores read.
    static func intern(into rules: inout RuleSet) {
        for metric in inputs { _ = rules.intern(metric: metric) }
        rules.scoreInput = rules.metrics.map { inputs.firstIndex(of: $0) ?? -1 }
        _ = rules.intern(text: "alert")
    }

    mutating func take(_ reading: Reading, _ rules: RuleSet, profile: ParticipantProfile, clock: Int64) -> [Score] {
        let input = rules.scoreInput[reading.metric]
        guard input >= 0 else { return [] }
        if input < Self.newestSlots {
            guard reading.time >= times[input] || clock - arrivals[input] > 10_000_000 else { return [] }
            values[input] = reading.value
            arrivals[input] = clock
            times[input] = reading.time
        }
        var scores: [Score] = []
        if rules.scores.isNEWS2On, input < 7 { scores += news2(rules, profile, reading.time, clock) }
        scores += categories(input, reading, rules, profile)
        return scores.filter { said.updateValue($0.content, forKey: $0.metric) != $0.content }
    }

    private func news2(_ rules: RuleSet, _ profile: ParticipantProfile, _ time: Int64, _ clock: Int64) -> [Score] {
        guard !profile.isPregnant, profile.age(at: time) ?? 16 >= 16 else { return [] }
        let result = NEWS2.score(vitals(rules, profile, clock))
        var scores = [
            Score(metric: "news2-at-least", content: .number(Double(result.total))),
            Score(metric: "news2-highest-parameter", content: .number(Double(result.highest))),
            Score(metric: "news2-risk", content: .text(result.risk)),
            Score(
                metric: "news2-missing", content: .text(result.isComplete ? "none" : result.missing.map(\.metric).joined(separator: ","))),
        ]
        if result.isComplete { scores.append(Score(metric: "news2-score", content: .number(Double(result.total)))) }
        return scores
    }

    /// The vital signs that are not too old.
    func vitals(_ rules: RuleSet, _ profile: ParticipantProfile, _ clock: Int64) -> NEWS2.Vitals {
        func fresh(_ parameter: NEWS2.Parameter) -> Double? {
            let place = parameter.rawValue
            guard arrivals[place] != .min, clock - arrivals[place] <= rules.scores.staleAfter else { return nil }
            return values[place]
        }
        var vitals = NEWS2.Vitals()
        vitals.respiration = fresh(.respiration)
        vitals.saturation = fresh(.saturation)
        vitals.oxygen = fresh(.oxygen)
        vitals.systolic = fresh(.systolic)
        vitals.pulse = fresh(.pulse)
        vitals.isAlert = fresh(.consciousness).map { $0 == rules.code(ofText: "alert") }
        vitals.temperature = fresh(.temperature)
        vitals.usesScale2 = profile.usesScale2
        return vitals
    }

    /// Whether both values are there and belong together: they were measured at one time, give or take a minute.
    private func isOneMeasurement(_ one: Int, _ other: Int) -> Bool {
        guard arrivals[one] != .min, arrivals[other] != .min else { return false }
        return abs(times[one] - times[other]) <= 60_000_000
    }

    private mutating func categories(
        _ input: Int, _ reading: Reading, _ rules: RuleSet, _ profile: ParticipantProfile
    ) -> [Score] {
        let systolic = NEWS2.Parameter.systolic.rawValue
        switch Self.inputs[input] {
        case "systolic-pressure", "diastolic-pressure":
            guard rules.scores.isBloodPressureOn, isOneMeasurement(systolic, Self.diastolic) else { return [] }
            let name = Categories.bloodPressure(
                systolic: values[systolic], diastolic: values[Self.diastolic], guideline: rules.scores.pressureGuideline)
            return [Score(metric: "blood-pressure-category", content: .text(name))]
        case "blood-glucose" where rules.scores.isGlucoseOn:
            let share = timeInRange.add(reading.value, at: reading.time)
            return [Score(metric: "glucose-category", content: .text(Categories.glucose(reading.value)))]
                + (share.map { [Score(metric: "glucose-time-in-range", content: .number($0))] } ?? [])
        case "body-mass-index" where rules.scores.isBodyMassIndexOn:
            return [Score(metric: "body-mass-index-category", content: .text(Categories.bodyMassIndex(reading.value)))]
        case "body-weight" where rules.scores.isBodyMassIndexOn:
            guard let height = profile.height, height > 0 else { return [] }
            let index = reading.value / (height * height)
            return [Score(metric: "body-mass-index-category", content: .text(Categories.bodyMassIndex(index)))]
        case "body-temperature" where rules.scores.isTemperatureOn:
            return [Score(metric: "temperature-category", content: .text(Categories.temperature(reading.value)))]
        default: return []
        }
    }
}
