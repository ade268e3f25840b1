import JSON5
import VigilSchema

/// Reads a comparison, its thresholds and its dead band.
struct LeafReader {
    static let comparisons = ["above", "atLeast", "below", "atMost", "outside", "inside", "equals", "oneOf", "noData"]
    var set: RuleSet
    let metric: Int
    let definition: MetricDefinition?
    let quantity: Quantity
    private var unit = LimitUnit.canonical

    init(set: RuleSet, metric: Int, definition: MetricDefinition?, quantity: Quantity) {
        self.set = set
        self.metric = metric
        self.definition = definition
        self.quantity = quantity
    }

    mutating func comparison(in object: inout JSON5Object) -> Comparison? {
        let present = Self.comparisons.filter(object.has)
        guard present.count == 1, let name = present.first else {
            object.problems.add("only one of \(present.joined(separator: ", ")) can stand here", at: object.position)
            for name in present { _ = object.value(name) }
            return nil
        }
        defer { for name in Self.comparisons { _ = object.value(name) } }
        readUnit(&object)
        checkKind(name, object)
        switch name {
        case "above", "atLeast": return threshold(name, &object).map { .above($0, orEqual: name == "atLeast") }
        case "below", "atMost": return threshold(name, &object).map { .below($0, orEqual: name == "atMost") }
        case "outside", "inside": return range(name, &object)
        case "noData": return silence(&object)
        default: return texts(name, &object)
        }
    }

    /// Reads `clear` or `hysteresis`: how far a value must come back.
    func slack(in object: inout JSON5Object, _ comparison: Comparison?) -> Double {
        let clear = object.number("clear").map(unit.value)
        let slack = (object.number("hysteresis") ?? 0) * unit.scale
        if slack < 0 { object.problems.add("\"hysteresis\" cannot be negative", at: object.position) }
        guard let clear else { return slack }
        switch comparison {
        case .above(let threshold, _) where clear <= threshold.standard: return threshold.standard - clear
        case .below(let threshold, _) where clear >= threshold.standard: return clear - threshold.standard
        default:
            object.problems.add(
                "\"clear\" lies on the wrong side of the threshold", at: object.value("clear")?.position ?? object.position,
                suggestion: "it is the value at which the alert may end")
            return 0
        }
    }

    private mutating func readUnit(_ object: inout JSON5Object) {
        guard let value = object.value("unit") else { return }
        let isDifference = !quantity.isOfTheMetricsRange
        if case .string(let name) = value.content, let definition, let unit = LimitUnit(name, of: definition, isDifference: isDifference) {
            self.unit = unit
        } else {
            object.problems.add(
                "\"unit\" is none of \"\(set.metrics[metric])\"", at: value.position,
                suggestion: definition.map { "its own unit is \($0.unit)" })
        }
    }

    private func checkKind(_ name: String, _ object: JSON5Object) {
        let isText = name == "equals" || name == "oneOf"
        guard name != "noData", let definition, isText != (definition.kind == .text) else { return }
        object.problems.add(
            "\"\(definition.name)\" is \(isText ? "a number" : "a text")", at: object.position,
            suggestion: isText ? "compare it with above, below, …" : "compare it with equals or oneOf")
    }

    private func silence(_ object: inout JSON5Object) -> Comparison? {
        let continuous = object.duration("afterContinuous") ?? 0
        let isExpected = object.bool("expected") ?? false
        let isBySource = object.bool("bySource") ?? false
        guard let after = object.span("noData") else { return nil }
        return .silent(Comparison.Silence(after: after, continuous: continuous, isExpected: isExpected, isBySource: isBySource))
    }

    private mutating func threshold(_ name: String, _ object: inout JSON5Object) -> Threshold? {
        object.value(name).flatMap { threshold($0, name, object.problems) }
    }

    private mutating func threshold(_ value: JSON5Value, _ name: String, _ problems: JSON5Problems) -> Threshold? {
        var threshold: Threshold
        if case .number(let number) = value.content, number.isFinite {
            threshold = Threshold(slot: set.thresholds.count, standard: unit.value(number))
        } else {
            guard case .object = value.content, var object = JSON5Object(value, as: "a threshold", problems: problems) else {
                problems.add("\"\(name)\" must be a number or an object with \"default\"", at: value.position)
                return nil
            }
            object.require("default")
            guard let read = self.threshold(in: &object) else { return nil }
            threshold = read
        }
        checkPlausible(threshold, name, value.position, problems)
        set.thresholds.append(threshold)
        return threshold
    }

    private mutating func threshold(in object: inout JSON5Object) -> Threshold? {
        defer { object.refuseUnknown() }
        // All are asked for, so that none of them is taken for unknown where the default is missing.
        let standard = object.number("default").map(unit.value)
        var threshold = Threshold(slot: set.thresholds.count, standard: standard ?? 0)
        for group in AgeGroup.allCases { threshold.byAge[group] = object.number(group.rawValue).map(unit.value) }
        threshold.underAge = underAge(&object)
        threshold.scale2 = object.number("saturationScale2").map(unit.value)
        threshold.percentile = percentile(&object)
        return standard == nil ? nil : threshold
    }

    /// `underAge: [{years: 0.25, limit: 181}, …]`, the youngest first.
    private func underAge(_ object: inout JSON5Object) -> [Threshold.UnderAge] {
        var limits: [Threshold.UnderAge] = []
        for value in object.list("underAge") ?? [] {
            guard var step = JSON5Object(value, as: "a limit under an age", problems: object.problems) else { continue }
            step.require("years")
            step.require("limit")
            let (years, limit) = (step.number("years"), step.number("limit"))
            if let years, let limit {
                if years <= limits.last?.years ?? 0 { object.problems.add("ages must rise", at: value.position) }
                limits.append(Threshold.UnderAge(years: years, limit: unit.value(limit)))
            }
            step.refuseUnknown()
        }
        return limits
    }

    private mutating func percentile(_ object: inout JSON5Object) -> Threshold.Percentile? {
        let (rank, half) = (object.number("percentile"), object.duration("halfLife") ?? 7 * 86_400 * 1_000_000)
        let readings = object.integer("minimumReadings", in: 10...1_000_000) ?? 1000
        let least = object.number("atLeast").map(unit.value) ?? -.greatestFiniteMagnitude
        let most = object.number("atMost").map(unit.value) ?? .greatestFiniteMagnitude
        guard let rank else { return nil }
        guard (0...100).contains(rank), least <= most else {
            object.problems.add("\"percentile\" must be 0 to 100, and \"atLeast\" not above \"atMost\"", at: object.position)
            return nil
        }
        guard let range = definition?.plausible else {
            object.problems.add("a percentile needs a metric with a plausible range in the catalogue", at: object.position)
            return nil
        }
        let plan = HistoryPlan(metric: metric, range: range, halfLife: half)
        let index = set.histories.firstIndex(of: plan) ?? set.histories.count
        if index == set.histories.count { set.histories.append(plan) }
        return Threshold.Percentile(rank: rank, halfLife: half, minimumReadings: readings, bounds: least...most, history: index)
    }

    private mutating func range(_ name: String, _ object: inout JSON5Object) -> Comparison? {
        guard let values = object.list(name) else { return nil }
        guard values.count == 2, let low = threshold(values[0], name, object.problems),
            let high = threshold(values[1], name, object.problems),
            low.standard < high.standard
        else {
            object.problems.add("\"\(name)\" must be a list of two numbers, the lower first", at: object.position)
            return nil
        }
        return name == "outside" ? .outside(low, high) : .inside(low, high)
    }

    private mutating func texts(_ name: String, _ object: inout JSON5Object) -> Comparison? {
        let texts = name == "oneOf" ? object.strings(name) ?? [] : object.string(name).map { [$0] } ?? []
        guard !texts.isEmpty else {
            object.problems.add("\"\(name)\" names no text", at: object.position)
            return nil
        }
        if texts == ["*"] { return .oneOf([]) }
        if let known = definition?.vocabulary, !known.isEmpty {
            for text in texts where !known.contains(text) {
                object.problems.add(
                    "\"\(definition?.name ?? "")\" is never \"\(text)\"", at: object.position,
                    suggestion: Spelling.suggestion(for: text, among: known) ?? "it can be \(known.joined(separator: ", "))")
            }
        }
        return .oneOf(texts.map { set.intern(text: $0) })
    }

    /// A limit that no believable reading passes would silence the rule without a word.
    private func checkPlausible(_ threshold: Threshold, _ name: String, _ position: SourcePosition, _ problems: JSON5Problems) {
        guard quantity.isOfTheMetricsRange, let definition, let range = definition.plausible else { return }
        for limit in threshold.all where !isPassable(limit, name, range) {
            let text = AlertTexts.number(limit)
            problems.add(
                "\"\(definition.name)\" lies between \(AlertTexts.number(range.lowerBound)) and \(AlertTexts.number(range.upperBound)) "
                    + "\(definition.unit): no reading passes a limit of \(text)",
                at: position, suggestion: Self.suggestion(limit, range, definition))
            return
        }
    }

    private func isPassable(_ limit: Double, _ name: String, _ range: ClosedRange<Double>) -> Bool {
        switch name {
        case "above": limit < range.upperBound && limit >= range.lowerBound
        case "below": limit > range.lowerBound && limit <= range.upperBound
        default: range.contains(limit)
        }
    }

    private static func suggestion(_ limit: Double, _ range: ClosedRange<Double>, _ definition: MetricDefinition) -> String? {
        if definition.name == "blood-glucose", range.contains(limit * 18) { return "for mmol/L write unit: \"mmol/L\"" }
        if definition.name == "body-temperature", range.contains((limit - 32) / 1.8) { return "for °F write unit: \"[degF]\"" }
        return range.contains(limit * 100) ? "did you mean \(AlertTexts.number(limit * 100))?" : nil
    }
}

/// The unit in which a rule's limits are written.
private struct LimitUnit {
    static let canonical = LimitUnit(scale: 1, offset: 0, isGlucose: false)
    /// The factor of differences.
    let scale: Double
    private let offset: Double
    private let isGlucose: Bool

    private init(scale: Double, offset: Double, isGlucose: Bool) {
        (self.scale, self.offset, self.isGlucose) = (scale, offset, isGlucose)
    }

    /// - Parameter isDifference: limits are differences, to which no offset belongs.
    init?(_ name: String, of metric: MetricDefinition, isDifference: Bool) {
        guard let conversion = UnitConversion.from(name, to: metric) else { return nil }
        if metric.name == "blood-glucose", name == "mmol/L" {
            self.init(scale: 18, offset: 0, isGlucose: !isDifference)
        } else {
            self.init(scale: conversion.scale, offset: isDifference ? 0 : conversion.offset, isGlucose: false)
        }
    }

    /// The limit in the metric's own unit.
    func value(_ limit: Double) -> Double { isGlucose ? GlucoseUnit.milligrams(limit) : limit * scale + offset }
}

extension Quantity {
    /// Its values are values of the metric, not differences of them or something of another unit.
    var isOfTheMetricsRange: Bool {
        switch self {
        case .value, .predicted: true
        case .window(let measure, _), .days(let measure, _): [.mean, .minimum, .maximum].contains(measure)
        case .deviation, .anchored, .computed: false
        }
    }
}
