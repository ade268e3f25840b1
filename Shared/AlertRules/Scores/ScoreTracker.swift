/// Keeps one person's newest vital signs and works the scores out whenever one of them comes.
struct ScoreTracker: Hashable, Sendable {
    /// A score's or category's present value.
    struct Score {
        let metric: String
        let content: DerivedValue.Content
        /// The time of measurement of the newest of its parts.
        let time: Int64
        /// The value that it would have were no part too old; nil where that makes no difference.
        var held: Double?
        /// It differs from the one before, or is the first.
        var isNew = true
    }

    private static let remembered = NEWS2.Parameter.allCases.map(\.metric) + ["diastolic-pressure"]
    /// The place behind those of NEWS2.
    private static let diastolic = NEWS2.Parameter.allCases.count
    static let newestSlots = remembered.count

    /// The newest value of each NEWS2 parameter, of the diastolic pressure and of each further input of the rule files' own scores, with the engine's
    /// clock at which it was measured, and that time by its own clock, which may be ahead.
    var values: [Double]
    var measured: [Int64]
    var times: [Int64]
    var timeInRange = TimeInRange()
    /// The last published content, by metric: a score is published only when it changes.
    var said: [String: DerivedValue.Content] = [:]

    /// - Parameter slots: the number of inputs whose newest value is remembered.
    init(slots: Int = newestSlots) {
        values = Array(repeating: .nan, count: slots)
        measured = Array(repeating: .min, count: slots)
        times = Array(repeating: .min, count: slots)
    }

    /// Gives the rule set a place for every metric and text that scores read.
    static func intern(into rules: inout RuleSet) {
        let own = rules.scores.additive.flatMap { $0.inputs.map(\.metric) }
        let further = own.enumerated().filter { !remembered.contains($1) && own.firstIndex(of: $1) == $0 }.map(\.element)
        rules.scoreInputs = remembered + further + ["blood-glucose", "body-mass-index", "body-weight"].filter { !further.contains($0) }
        rules.scoreSlots = newestSlots + further.count
        let inputs = rules.scoreInputs
        for metric in inputs { _ = rules.intern(metric: metric) }
        rules.scoreInput = rules.metrics.map { inputs.firstIndex(of: $0) ?? -1 }
        _ = rules.intern(text: "alert")
        for score in rules.scores.additive.indices {
            for input in rules.scores.additive[score].inputs.indices {
                rules.scores.additive[score].inputs[input].slot =
                    inputs.firstIndex(of: rules.scores.additive[score].inputs[input].metric) ?? -1
            }
        }
        rules.ownScoreMetrics = Set(rules.scores.additive.flatMap { [$0.metric, $0.highestMetric] }.compactMap { rules.metric(named: $0) })
        if rules.scores.isNEWS2On || !rules.scores.additive.isEmpty { rules.coverScoreInputs() }
    }

    /// Takes what is remembered over to rules that have inputs and texts at other places.
    mutating func translate(from former: RuleSet, to rules: RuleSet) {
        let old = self
        self = ScoreTracker(slots: rules.scoreSlots)
        (timeInRange, said) = (old.timeInRange, old.said)
        let texts = Set(
            rules.scores.additive.flatMap { $0.inputs.filter(\.points.isText).map(\.slot) } + [NEWS2.Parameter.consciousness.rawValue])
        for (slot, metric) in rules.scoreInputs.prefix(rules.scoreSlots).enumerated() {
            guard let before = former.scoreInputs.firstIndex(of: metric), old.values.indices.contains(before), old.measured[before] != .min
            else { continue }
            values[slot] = texts.contains(slot) ? rules.code(old.values[before], from: former) : old.values[before]
            (measured[slot], times[slot]) = (old.measured[before], old.times[before])
        }
    }

    mutating func take(_ reading: Reading, _ rules: RuleSet, profile: PersonFacts, clock: Int64) -> [Score] {
        let input = rules.scoreInput[reading.metric]
        guard input >= 0 else { return [] }
        if values.indices.contains(input) {
            // Late data are not the present, unless what is known is too old itself.
            guard !isLate(reading, input, clock) || clock - measured[input] > rules.scores.staleAfter else { return [] }
            values[input] = reading.value
            measured[input] = clock - max(0, reading.received - reading.time)
            times[input] = reading.time
        }
        var scores: [Score] = []
        if rules.scores.isNEWS2On, input < 7 { scores += news2(rules, profile, clock, until: reading.received) }
        let own = additive(input, rules, profile, clock, until: reading.received)
        scores += own.sums + categories(input, reading, rules, profile)
        for index in scores.indices {
            scores[index].isNew = said.updateValue(scores[index].content, forKey: scores[index].metric) != scores[index].content
        }
        if rules.scores.isNEWS2On, rules.readsPoints, input < 7 { scores += points(input, rules, profile, clock, until: reading.received) }
        return scores + own.highest
    }

    /// The rule files' own scores that an input is of: their sums, and the highest points of one input of each, which are only judged.
    private func additive(
        _ input: Int, _ rules: RuleSet, _ profile: PersonFacts, _ clock: Int64, until received: Int64
    ) -> (sums: [Score], highest: [Score]) {
        guard !rules.scores.additive.isEmpty else { return ([], []) }
        var (sums, highest): ([Score], [Score]) = ([], [])
        for score in rules.scores.additive where score.inputs.contains(where: { $0.slot == input }) {
            let fresh = score.inputs.filter { isFresh($0, clock) }
            guard let newest = fresh.map({ times[$0.slot] }).max() else { continue }
            let time = min(newest, received)
            guard score.isFor(profile, at: time) else { continue }
            let age = profile.age(at: time)
            let result = score.result(age: age) { isFresh($0, clock) ? values[$0.slot] : nil }
            let held = score.result(age: age) { measured[$0.slot] != .min ? values[$0.slot] : nil }
            guard result.known >= score.minimumInputs else { continue }
            func value(_ metric: String, _ points: KeyPath<AdditiveScore.Result, Int>, isNew: Bool) -> Score {
                Score(
                    metric: metric, content: .number(Double(result[keyPath: points])), time: time,
                    held: held[keyPath: points] > result[keyPath: points] ? Double(held[keyPath: points]) : nil, isNew: isNew)
            }
            sums.append(value(score.metric, \.total, isNew: true))
            highest.append(value(score.highestMetric, \.highest, isNew: false))
        }
        return (sums, highest)
    }

    private func isFresh(_ input: AdditiveScore.Input, _ clock: Int64) -> Bool {
        measured[input.slot] != .min && clock - measured[input.slot] <= input.staleAfter
    }

    /// The points of the parameters that a reading decides, and of those that are far off, which hold as long as they are known. They are only judged.
    private func points(_ input: Int, _ rules: RuleSet, _ profile: PersonFacts, _ clock: Int64, until received: Int64) -> [Score] {
        guard let (result, vitals, time) = result(rules, profile, clock, until: received) else { return [] }
        return NEWS2.Parameter.allCases.compactMap { parameter in
            // A saturation whose points hang on an unknown oxygen has none for certain: it is not as far off as it may have been before.
            let least = parameter == .saturation && vitals.saturation != nil ? 0 : nil
            guard let points = result.points[parameter] ?? least else { return nil }
            // On scale 2 the saturation's points depend on the oxygen.
            let isDecided = parameter.rawValue == input || parameter == .saturation && input == NEWS2.Parameter.oxygen.rawValue
            guard isDecided || points == 3 else { return nil }
            return Score(metric: parameter.pointsMetric, content: .number(Double(points)), time: time, isNew: false)
        }
    }

    /// Tells whether a reading was measured before the one that is known. What a clock that was ahead has measured counts from when it came.
    private func isLate(_ reading: Reading, _ input: Int, _ clock: Int64) -> Bool {
        guard measured[input] != .min, reading.time < times[input] else { return false }
        let present = measured[input] + (reading.received - clock)
        return times[input] - present <= AlertEngine.clockTolerance || reading.time < present
    }

    /// The score of what is known, what it is made of, and when the newest of that was measured; nil for those for whom it is not.
    private func result(
        _ rules: RuleSet, _ profile: PersonFacts, _ clock: Int64, until received: Int64
    ) -> (NEWS2.Result, NEWS2.Vitals, time: Int64)? {
        let (vitals, newest) = vitals(rules, profile, clock)
        guard let time = newest.map({ min($0, received) }), NEWS2.isFor(profile, at: time) else { return nil }
        return (NEWS2.score(vitals), vitals, time)
    }

    private func news2(_ rules: RuleSet, _ profile: PersonFacts, _ clock: Int64, until received: Int64) -> [Score] {
        guard let (result, vitals, time) = result(rules, profile, clock, until: received) else { return [] }
        // Mostly nothing is too old: the score is what it would be then.
        let known = self.vitals(rules, profile, clock, isHeld: true).vitals
        let held = known == vitals ? result : NEWS2.score(known)
        var scores = [
            Score(
                metric: "news2-at-least", content: .number(Double(result.total)), time: time,
                held: held.total > result.total ? Double(held.total) : nil),
            Score(
                metric: "news2-highest-parameter", content: .number(Double(result.highest)), time: time,
                held: held.highest > result.highest ? Double(held.highest) : nil),
            Score(metric: "news2-risk", content: .text(result.risk), time: time),
            Score(metric: "news2-missing", content: .text(result.missingText), time: time),
        ]
        if result.isComplete { scores.append(Score(metric: "news2-score", content: .number(Double(result.total)), time: time)) }
        return scores
    }

    /// The vital signs that are not too old, or were ever known, and when the newest of them was measured.
    private func vitals(
        _ rules: RuleSet, _ profile: PersonFacts, _ clock: Int64, isHeld: Bool = false
    ) -> (vitals: NEWS2.Vitals, time: Int64?) {
        var newest: Int64?
        let latest = measured[..<NEWS2.Parameter.allCases.count].max() ?? .min
        func fresh(_ parameter: NEWS2.Parameter) -> Double? {
            let index = parameter.rawValue
            guard measured[index] != .min,
                isHeld || (clock - measured[index] <= rules.scores.staleAfter && latest - measured[index] <= rules.scores.spread)
            else { return nil }
            newest = max(newest ?? .min, times[index])
            return values[index]
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
        return (vitals, newest)
    }

    /// Tells whether both values are there and belong together: they were measured at one time, give or take a minute.
    private func isOneMeasurement(_ one: Int, _ other: Int) -> Bool {
        guard measured[one] != .min, measured[other] != .min else { return false }
        return abs(times[one] - times[other]) <= 60_000_000
    }

    private mutating func categories(
        _ input: Int, _ reading: Reading, _ rules: RuleSet, _ profile: PersonFacts
    ) -> [Score] {
        let systolic = NEWS2.Parameter.systolic.rawValue
        let time = min(reading.time, reading.received)
        func score(_ metric: String, _ text: String) -> [Score] { [Score(metric: metric, content: .text(text), time: time)] }
        switch rules.scoreInputs[input] {
        case "systolic-pressure", "diastolic-pressure":
            guard rules.scores.isBloodPressureOn, isOneMeasurement(systolic, Self.diastolic) else { return [] }
            return score(
                "blood-pressure-category",
                Categories.bloodPressure(
                    systolic: values[systolic], diastolic: values[Self.diastolic], guideline: rules.scores.pressureGuideline, of: profile,
                    at: time))
        case "blood-glucose" where rules.scores.isGlucoseOn:
            let range = Categories.glucoseRange(of: profile)
            let share = timeInRange.add(reading.value, range: range, at: time)
            return score("glucose-category", Categories.glucose(reading.value, range: range))
                + (share.map { [Score(metric: "glucose-time-in-range", content: .number($0), time: time)] } ?? [])
        case "body-mass-index" where rules.scores.isBodyMassIndexOn:
            return score("body-mass-index-category", Categories.bodyMassIndex(reading.value, of: profile, at: time))
        case "body-weight" where rules.scores.isBodyMassIndexOn:
            guard let height = profile.height, height > 0 else { return [] }
            return score("body-mass-index-category", Categories.bodyMassIndex(reading.value / (height * height), of: profile, at: time))
        case "body-temperature" where rules.scores.isTemperatureOn:
            return score("temperature-category", Categories.temperature(reading.value))
        default: return []
        }
    }
}
