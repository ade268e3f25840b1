import VigilSchema

/// The question of a column's unit, if several are usual. The whole column answers it, or the user.
///
/// A unit is possible if the numbers are plausible in it and agree with a dependent column: a body-mass index, or the
/// steps of a distance. If the assumed unit is the only possible one, the column is imported. Anything else is not
/// guessed.
struct UnitQuestion: Hashable, Sendable {
    /// A column that distinguishes the units, by its index.
    enum Evidence: Hashable, Sendable {
        case bodyMassIndex(Int)
        case steps(Int)
    }

    let header: String
    let definition: MetricDefinition
    /// The unit that applies unless the numbers contradict it.
    let assumed: String
    /// Whether the file, a profile or the user gives the unit.
    let isNamed: Bool
    let evidence: Evidence?
    /// Other possible metrics of the header; empty: it is unambiguous.
    var alternatives: [String] = []

    /// The usual units of a metric, including its own; empty for metrics with one unit.
    static func usualUnits(of metric: String) -> [String] {
        switch metric {
        case "blood-glucose": ["mg/dL", "mmol/L"]
        case "body-temperature", "skin-temperature", "ambient-temperature": ["Cel", "[degF]"]
        case "body-weight": ["kg", "[lb_av]"]
        case "body-height": ["cm", "[in_i]", "m"]
        case "distance": ["m", "km", "[mi_i]"]
        case "energy": ["kcal", "kJ"]
        default: []
        }
    }

    /// Unusual units that are considered if the numbers make no sense in the metric's own.
    static func possibleUnits(of definition: MetricDefinition) -> [String] {
        let usual = usualUnits(of: definition.name)
        if !usual.isEmpty { return usual }
        switch definition.unit {
        case "%": return ["%", "1"]
        case "ms": return ["ms", "s"]
        default: return [definition.unit]
        }
    }

    /// The range that nearly all numbers must have for this metric; nil: the header is unambiguous.
    ///
    /// A column `temp` is a body temperature only if it looks like one: skin, rooms and beds are colder.
    var typical: ClosedRange<Double>? {
        alternatives.isEmpty ? nil : definition.name == "body-temperature" ? 34...43 : definition.plausible
    }

    var candidates: [String] {
        var units = UnitQuestion.possibleUnits(of: definition)
        if !units.contains(assumed) { units.insert(assumed, at: 0) }
        return units
    }
}

/// A summary of the numbers of a column whose unit is open.
struct UnitStatistics: Sendable {
    private struct Candidate {
        let unit: String
        let conversion: UnitConversion
        var believable = 0
    }

    /// The share of plausible numbers that makes a unit possible.
    private static let believableShare = 0.98
    private static let mostRatios = 2000
    private static let fewestRatios = 3

    let question: UnitQuestion
    private var candidates: [Candidate]
    private var count = 0
    private var least = Double.infinity
    private var greatest = -Double.infinity
    /// The ratio to the other column, for each row that has both.
    private var ratios: [Double] = []

    init(_ question: UnitQuestion) {
        self.question = question
        candidates = question.candidates.compactMap { unit in
            UnitConversion.from(unit, to: question.definition).map { Candidate(unit: unit, conversion: $0) }
        }
    }

    /// Adds a number as the cell has it, and the number of the dependent column.
    mutating func add(_ value: Double, beside other: Double?) {
        count += 1
        least = min(least, value)
        greatest = max(greatest, value)
        if let plausible = question.typical ?? question.definition.plausible {
            for index in candidates.indices where plausible.contains(candidates[index].conversion(value)) {
                candidates[index].believable += 1
            }
        }
        if let other, other > 0, value > 0, ratios.count < UnitStatistics.mostRatios { ratios.append(value / other) }
    }

    /// The question to the user, or the remark about what was found.
    enum Verdict: Hashable {
        case settled(note: String?)
        case open(String)
    }

    var verdict: Verdict {
        guard count > 0, question.definition.plausible != nil, !(least == 0 && greatest == 0) else { return .settled(note: nil) }
        let possible = possibleUnits
        if !question.alternatives.isEmpty { return possible.contains(question.assumed) ? .settled(note: note) : .open(message(possible)) }
        if question.isNamed {
            return possible.isEmpty || possible.contains(question.assumed) ? .settled(note: nil) : .open(message(possible))
        }
        if possible.isEmpty { return .settled(note: nil) }
        guard possible == [question.assumed] else { return .open(message(possible)) }
        return .settled(
            note: "column \(question.header) names no unit; taken as \(question.assumed), the only one in which its numbers can be believed"
        )
    }

    /// The remark on a header with several meanings.
    private var note: String {
        let unit = "names no unit; taken as \(question.assumed), the only one in which its numbers can be believed, and"
        return
            "column \(question.header) \(question.isNamed ? "does not say of what, and is taken" : unit) as \(question.definition.name), "
            + "of which its numbers are typical"
    }

    private var possibleUnits: [String] {
        let believable = candidates.filter { Double($0.believable) >= Double(count) * UnitStatistics.believableShare }
        guard question.evidence != nil, ratios.count >= UnitStatistics.fewestRatios else { return believable.map(\.unit) }
        let agreeing = believable.filter(agrees)
        return (agreeing.isEmpty ? believable : agreeing).map(\.unit)
    }

    /// Returns whether the dependent column fits: an adult's height from weight and body-mass index, or a step's
    /// length.
    private func agrees(_ candidate: Candidate) -> Bool {
        let median = candidate.conversion(ratios.sorted()[ratios.count / 2])
        switch question.evidence {
        case .bodyMassIndex: return (1.3...2.3).contains(median.squareRoot())
        case .steps: return (0.45...1.2).contains(median)
        case nil: return true
        }
    }

    /// The possible units, with the meaning and plausibility of the numbers.
    var choices: [(unit: String, words: String, isPossible: Bool)] {
        let possible = possibleUnits
        if !question.alternatives.isEmpty, possible.isEmpty { return alternatives }
        return candidates.map { candidate in
            let (low, high) = (candidate.conversion(least), candidate.conversion(greatest))
            let words = "from \(UnitStatistics.text(low)) to \(UnitStatistics.text(high)) \(question.definition.unit)"
            return (candidate.unit, words, possible.contains(candidate.unit))
        }
    }

    /// The possible metrics of the header, each in its assumed unit.
    private var alternatives: [(unit: String, words: String, isPossible: Bool)] {
        ([question.definition.name] + question.alternatives).map { metric in
            let definition = MetricCatalogue.standard.definition(named: metric)
            let conversion = definition.flatMap { UnitConversion.from(question.assumed, to: $0) }
            let (low, high) = (conversion?(least) ?? least, conversion?(greatest) ?? greatest)
            let range = metric == question.definition.name ? question.typical : definition?.plausible
            let words = "from \(UnitStatistics.text(low)) to \(UnitStatistics.text(high)) \(definition?.unit ?? question.assumed)"
            return (metric, words, range.map { $0.contains(low) && $0.contains(high) } ?? true)
        }
    }

    private func message(_ possible: [String]) -> String {
        if !question.alternatives.isEmpty, possible.isEmpty { return openMetric }
        let readings = choices.map { "as \($0.unit) \($0.words)\($0.isPossible ? "" : " (not believable)")" }
        let why =
            question.isNamed
            ? "is said to be in \(question.assumed), which its numbers contradict" : "names no unit, and its numbers leave more than one"
        return "column \"\(question.header)\" (\(question.definition.name)) \(why): \(readings.joined(separator: "; ")). "
            + "Say which by --unit '\(question.header)=\(possible.first ?? question.assumed)', or in a profile"
    }

    private var openMetric: String {
        let readings = alternatives.map { "as \($0.unit) \($0.words)\($0.isPossible ? "" : " (not typical)")" }.joined(separator: "; ")
        let likely = alternatives.first { $0.isPossible && $0.unit != question.definition.name }?.unit ?? question.alternatives[0]
        return "column \"\(question.header)\" does not say of what it is, and its numbers leave more than one: \(readings). "
            + "Say which by --metric '\(question.header)=\(likely)', and the unit by --unit where it is another, or in a profile"
    }

    private static func text(_ value: Double) -> String { ((value * 100).rounded() / 100).short }
}
