import JSON5
import VigilSchema

/// Reads a condition: `all`, `any`, `not`, `when`, or one comparison of one metric.
struct LeafReader {
    /// What a comparison takes over from its rule.
    struct Defaults {
        var metric: String?
        var metricPosition = SourcePosition(line: 1, column: 1)
        var staleAfter: Int64 = 300 * 1_000_000
        var quality: Leaf.Quality?
    }

    private static let comparisons = ["above", "atLeast", "below", "atMost", "outside", "inside", "equals", "oneOf", "noData"]
    var set: RuleSet
    let defaults: Defaults

    /// The condition that the object's members describe; what is wrong is noted.
    mutating func condition(in object: inout JSON5Object) -> Condition? {
        let joints = ["all", "any", "not", "when"].filter(object.has)
        let own = Self.comparisons.filter(object.has)
        guard joints.count + (own.isEmpty ? 0 : 1) == 1 else {
            // Asked for, so that the list of known names in other messages is whole.
            for name in ["all", "any", "not", "when"] + Self.comparisons { _ = object.value(name) }
            object.problems.add(
                joints.isEmpty && own.isEmpty
                    ? "nothing is compared" : "only one of \((joints + own).joined(separator: ", ")) can stand here",
                at: object.position, suggestion: "a comparison is one of \(Self.comparisons.joined(separator: ", "))")
            return nil
        }
        switch joints.first {
        case "all": return join(object.list("all"), object).map(Condition.all)
        case "any": return join(object.list("any"), object).map(Condition.any)
        case "not": return nested("not", &object).map(Condition.not)
        case "when": return nested("when", &object)
        default: return leaf(in: &object)
        }
    }

    private mutating func join(_ values: [JSON5Value]?, _ object: JSON5Object) -> [Condition]? {
        guard let values else { return nil }
        if values.isEmpty { object.problems.add("the list of conditions is empty", at: object.position) }
        var parts: [Condition] = []
        for value in values {
            guard var part = JSON5Object(value, as: "a condition", problems: object.problems) else { continue }
            if let condition = condition(in: &part) { parts.append(condition) }
            part.refuseUnknown()
        }
        return parts.count == values.count && !parts.isEmpty ? parts : nil
    }

    private mutating func nested(_ name: String, _ object: inout JSON5Object) -> Condition? {
        guard var part = object.object(name) else { return nil }
        let condition = condition(in: &part)
        part.refuseUnknown()
        return condition
    }

    private mutating func leaf(in object: inout JSON5Object) -> Condition? {
        guard let name = metricName(in: &object) else { return nil }
        let definition = MetricCatalogue.standard.definition(named: name)
        let metric = set.intern(metric: name)
        var thresholds = ThresholdReader(set: set, metric: metric, definition: definition)
        let comparison = thresholds.comparison(in: &object)
        set = thresholds.set
        let quantity = quantity(in: &object)
        let slack = slack(in: &object, comparison)
        let staleAfter = object.duration("staleAfter") ?? defaults.staleAfter
        guard let comparison else { return nil }
        var window: Int?
        if case .window(_, let over) = quantity {
            window = set.windows.count
            set.windows.append(over)
        }
        set.leaves.append(
            Leaf(
                metric: metric, quantity: quantity, comparison: comparison, slack: slack, staleAfter: staleAfter,
                quality: defaults.quality, window: window))
        return .leaf(set.leaves.count - 1)
    }

    private func metricName(in object: inout JSON5Object) -> String? {
        let name = object.string("metric") ?? defaults.metric
        let position = object.value("metric")?.position ?? defaults.metricPosition
        guard let name else {
            object.problems.add("\"metric\" is missing", at: object.position)
            return nil
        }
        let known = MetricCatalogue.standard.definitions.map(\.name) + TechnicalMetric.all
        if let kind = MetricCatalogue.standard.definition(named: name)?.kind, kind == .waveform {
            object.problems.add("\"\(name)\" is a waveform, which rules do not compare", at: position)
        } else if !known.contains(name), !name.hasPrefix("x-") {
            object.problems.add(
                "there is no metric \"\(name)\"", at: position,
                suggestion: Spelling.suggestion(for: name, among: known) ?? "a metric of your own begins with x-")
        }
        return name
    }

    private func quantity(in object: inout JSON5Object) -> Quantity {
        let take = object.choice("take", of: WindowMeasure.allCases.map(\.rawValue)).flatMap(WindowMeasure.init(rawValue:))
        let over = object.duration("over")
        if object.has("take") != object.has("over") {
            object.problems.add(
                "\"take\" and \"over\" belong together", at: object.position, suggestion: "write take: \"rise\", over: \"10m\"")
        }
        guard let take, let over, over > 0 else { return .value }
        return .window(take, over: over)
    }

    private func slack(in object: inout JSON5Object, _ comparison: Comparison?) -> Double {
        let clear = object.number("clear")
        let slack = object.number("hysteresis") ?? 0
        if slack < 0 { object.problems.add("\"hysteresis\" cannot be negative", at: object.position) }
        guard let clear else { return max(0, slack) }
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
}

/// Reads a comparison and its thresholds.
struct ThresholdReader {
    var set: RuleSet
    let metric: Int
    let definition: MetricDefinition?

    mutating func comparison(in object: inout JSON5Object) -> Comparison? {
        let single = ["above", "atLeast", "below", "atMost"]
        let all = single + ["outside", "inside", "equals", "oneOf", "noData"]
        let present = all.filter(object.has)
        guard present.count == 1, let name = present.first else {
            object.problems.add("only one of \(present.joined(separator: ", ")) can stand here", at: object.position)
            for name in present { _ = object.value(name) }
            return nil
        }
        defer { for name in all { _ = object.value(name) } }
        checkKind(name, object)
        switch name {
        case "above", "atLeast": return threshold(name, &object).map { .above($0, orEqual: name == "atLeast") }
        case "below", "atMost": return threshold(name, &object).map { .below($0, orEqual: name == "atMost") }
        case "outside", "inside": return range(name, &object)
        case "noData": return object.duration(name).map { .silent(after: $0) }
        default: return texts(name, &object)
        }
    }

    private func checkKind(_ name: String, _ object: JSON5Object) {
        let isText = name == "equals" || name == "oneOf"
        guard name != "noData", let definition, isText != (definition.kind == .text) else { return }
        object.problems.add(
            "\"\(definition.name)\" is \(isText ? "a number" : "a text")", at: object.position,
            suggestion: isText ? "compare it with above, below, …" : "compare it with equals or oneOf")
    }

    private mutating func threshold(_ name: String, _ object: inout JSON5Object) -> Threshold? {
        object.value(name).flatMap { threshold($0, name, object.problems) }
    }

    private mutating func threshold(_ value: JSON5Value, _ name: String, _ problems: JSON5Problems) -> Threshold? {
        if case .number(let number) = value.content, number.isFinite { return add(number) }
        guard case .object = value.content, var object = JSON5Object(value, as: "a threshold", problems: problems) else {
            problems.add("\"\(name)\" must be a number or an object with \"default\"", at: value.position)
            return nil
        }
        object.require("default")
        var byAge: [AgeGroup: Double] = [:]
        for group in AgeGroup.allCases { byAge[group] = object.number(group.rawValue) }
        let standard = object.number("default")
        let percentile = percentile(&object)
        object.refuseUnknown()
        return standard.map { add($0, byAge, percentile) }
    }

    private mutating func percentile(_ object: inout JSON5Object) -> Threshold.Percentile? {
        let (rank, half) = (object.number("percentile"), object.duration("halfLife") ?? 7 * 86_400 * 1_000_000)
        let readings = object.integer("minimumReadings", in: 10...1_000_000) ?? 1000
        let (least, most) = (object.number("atLeast") ?? -.greatestFiniteMagnitude, object.number("atMost") ?? .greatestFiniteMagnitude)
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
        let place = set.histories.firstIndex(of: plan) ?? set.histories.count
        if place == set.histories.count { set.histories.append(plan) }
        return Threshold.Percentile(rank: rank, halfLife: half, minimumReadings: readings, bounds: least...most, history: place)
    }

    private mutating func add(
        _ standard: Double, _ byAge: [AgeGroup: Double] = [:], _ percentile: Threshold.Percentile? = nil
    ) -> Threshold {
        let threshold = Threshold(slot: set.thresholds.count, standard: standard, byAge: byAge, percentile: percentile)
        set.thresholds.append(threshold)
        return threshold
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
        guard !texts.isEmpty else { return nil }
        if let known = definition?.vocabulary, !known.isEmpty {
            for text in texts where !known.contains(text) {
                object.problems.add(
                    "\"\(definition?.name ?? "")\" is never \"\(text)\"", at: object.position,
                    suggestion: Spelling.suggestion(for: text, among: known) ?? "it can be \(known.joined(separator: ", "))")
            }
        }
        return .oneOf(texts.map { set.intern(text: $0) })
    }
}
