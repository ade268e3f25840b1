import JSON5
import VigilSchema

/// Reads a condition: conditions joined, another rule's alert, or one comparison of one quantity.
struct ConditionReader {
    /// The defaults that a comparison inherits from its rule.
    struct Defaults {
        var metric: String?
        var metricPosition = SourcePosition(line: 1, column: 1)
        var staleAfter: Int64 = 300 * 1_000_000
        var quality: Leaf.Quality?
        var isEvent = false
    }

    private static let joints = ["all", "any", "not", "when", "of", "alert", "predict"]
    var set: RuleSet
    let defaults: Defaults
    let file: String

    /// Reads the condition that the object's members describe; what is wrong is noted.
    mutating func condition(in object: inout JSON5Object) -> Condition? {
        let joints = Self.joints.filter(object.has)
        let own = LeafReader.comparisons.filter(object.has).filter { $0 != "atLeast" || !object.has("of") }
        guard joints.count + (own.isEmpty ? 0 : 1) == 1 else {
            // Asked for, so that the list of known names in other messages is whole.
            for name in Self.joints + LeafReader.comparisons + ["metric", "expression"] { _ = object.value(name) }
            object.problems.add(
                joints.isEmpty && own.isEmpty
                    ? "nothing is compared" : "only one of \((joints + own).joined(separator: ", ")) can stand here",
                at: object.position, suggestion: "a comparison is one of \(LeafReader.comparisons.joined(separator: ", "))")
            return nil
        }
        switch joints.first {
        case "all": return join(object.list("all"), object).map(Condition.all)
        case "any": return join(object.list("any"), object).map(Condition.any)
        case "of": return count(in: &object)
        case "not": return nested("not", &object).map(Condition.not)
        case "when": return nested("when", &object)
        case "alert": return alert(in: &object)
        case "predict": return predicted(in: &object)
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

    /// `{atLeast: 2, of: […]}`
    private mutating func count(in object: inout JSON5Object) -> Condition? {
        let values = object.list("of")
        object.require("atLeast")
        let count = object.integer("atLeast", in: 1...max(1, values?.count ?? 1))
        guard let parts = join(values, object), let count else { return nil }
        return .atLeast(count, parts)
    }

    private mutating func nested(_ name: String, _ object: inout JSON5Object) -> Condition? {
        guard var part = object.object(name) else { return nil }
        let condition = condition(in: &part)
        part.refuseUnknown()
        return condition
    }

    /// `{alert: "fever", minimum: "warning"}`
    private mutating func alert(in object: inout JSON5Object) -> Condition? {
        guard let value = object.value("alert") else { return nil }
        let minimum = object.choice("minimum", of: Severity.writable).flatMap(Severity.init(name:)) ?? .notice
        guard case .string(let name) = value.content else {
            object.problems.add("\"alert\" must be the id of another rule", at: value.position)
            return nil
        }
        set.references.append(AlertReference(name: name, minimum: minimum, file: file, position: value.position))
        return .alert(set.references.count - 1)
    }

    /// `{predict: {metric: "blood-glucose", in: "20m", below: 70}}`
    private mutating func predicted(in object: inout JSON5Object) -> Condition? {
        guard var inner = object.object("predict") else { return nil }
        inner.require("in")
        let ahead = inner.duration("in") ?? 0
        let over = inner.span("over") ?? max(ahead, 900_000_000)
        let condition = leaf(in: &inner, quantity: .predicted(ahead: ahead, over: over))
        inner.refuseUnknown()
        return condition
    }

    private mutating func leaf(in object: inout JSON5Object, quantity given: Quantity? = nil) -> Condition? {
        guard let (metric, definition, computed) = metric(in: &object) else { return nil }
        let quantity = given ?? computed ?? quantity(in: &object)
        let staleAfter = object.duration("staleAfter") ?? defaults.staleAfter
        checkWindow(quantity, staleAfter, object)
        var reader = LeafReader(set: set, metric: metric, definition: definition, quantity: quantity)
        let comparison = reader.comparison(in: &object)
        let slack = reader.slack(in: &object, comparison)
        set = reader.set
        guard let comparison else { return nil }
        set.leaves.append(
            Leaf(
                metric: metric, quantity: quantity, comparison: comparison, slack: slack, staleAfter: staleAfter,
                quality: defaults.quality, memory: set.memory(for: quantity), isEvent: defaults.isEvent))
        return .leaf(set.leaves.count - 1)
    }

    /// The metric that is compared, or the one that an expression's result is called.
    private mutating func metric(in object: inout JSON5Object) -> (index: Int, MetricDefinition?, Quantity?)? {
        guard object.has("expression") else {
            guard let name = metricName(in: &object) else { return nil }
            return (set.intern(metric: name), MetricCatalogue.standard.definition(named: name), nil)
        }
        let value = object.value("expression")
        let name = object.string("as") ?? "computed"
        let within = object.duration("within") ?? 300 * 1_000_000
        guard case .string(let text) = value?.content, var expression = Expression(text) else {
            object.problems.add(
                "\"expression\" is no arithmetic over metrics", at: value?.position ?? object.position,
                suggestion: "write it as \"heart-rate / systolic-pressure\", signs between spaces")
            return nil
        }
        if !Name.isValid(name) { object.problems.add("\"as\" must be a name such as \"shock-index\"", at: object.position) }
        for metric in expression.names { check(metric: metric, at: value?.position ?? object.position, object) }
        expression.metrics = expression.names.map { set.intern(metric: $0) }
        expression.within = within
        expression.first = set.inputCount
        set.inputCount += expression.metrics.count
        set.expressions.append(expression)
        return (set.intern(metric: name), nil, .computed(set.expressions.count - 1))
    }

    private func metricName(in object: inout JSON5Object) -> String? {
        let name = object.string("metric") ?? defaults.metric
        let position = object.value("metric")?.position ?? defaults.metricPosition
        guard let name else {
            object.problems.add("\"metric\" is missing", at: object.position)
            return nil
        }
        check(metric: name, at: position, object)
        return name
    }

    private func check(metric name: String, at position: SourcePosition, _ object: JSON5Object) {
        let derived = [RuleSet.uncoveredMetric] + NEWS2.Parameter.pointsMetrics.keys.sorted()
        let known = MetricCatalogue.standard.definitions.map(\.name) + TechnicalMetric.all + derived
        if let kind = MetricCatalogue.standard.definition(named: name)?.kind, kind == .waveform {
            object.problems.add("\"\(name)\" is a waveform, which rules do not compare", at: position)
        } else if !known.contains(name), !name.hasPrefix("x-") {
            object.problems.add(
                "there is no metric \"\(name)\"", at: position,
                suggestion: Spelling.suggestion(for: name, among: known) ?? "a metric of your own begins with x-")
        }
    }

    private mutating func quantity(in object: inout JSON5Object) -> Quantity {
        let take = object.choice("take", of: WindowMeasure.allCases.map(\.rawValue)).flatMap(WindowMeasure.init(rawValue:))
        let spans = ["over", "days", "after"].filter(object.has)
        guard object.has("take") || !spans.isEmpty else { return .value }
        guard spans.count == 1, let take else {
            for name in ["over", "days", "after"] { _ = object.value(name) }
            object.problems.add(
                "\"take\" belongs together with one of \"over\", \"days\" and \"after\"", at: object.position,
                suggestion: "write take: \"rise\", over: \"10m\"")
            return .value
        }
        switch spans[0] {
        case "days": return days(take, &object)
        case "after": return anchored(take, &object)
        default: return window(take, &object)
        }
    }

    private func window(_ take: WindowMeasure, _ object: inout JSON5Object) -> Quantity {
        if take == .deviation {
            object.problems.add("a deviation is one from calendar days", at: object.position, suggestion: "write days: 14 instead of over")
        }
        guard let over = object.span("over"), over > 0 else { return .value }
        return .window(take, over: over)
    }

    private func days(_ take: WindowMeasure, _ object: inout JSON5Object) -> Quantity {
        let days = object.integer("days", in: 1...DayValues.capacity) ?? 1
        let minimum = object.integer("minimumDays", in: 1...days) ?? min(days, take == .deviation ? max(3, days / 2) : 1)
        let offset = object.integer("utcOffset", in: -14...14) ?? 0
        if take == .deviation, minimum < 3 {
            object.problems.add("a deviation needs at least 3 days", at: object.position)
        } else if take == .slope || take == .trend {
            object.problems.add("a slope is taken over a while", at: object.position, suggestion: "write over: \"72h\" instead of days")
        }
        let plan = DayPlan(days: days, minimum: minimum, offset: offset * 3600)
        return take == .deviation ? .deviation(plan) : .days(take, plan)
    }

    /// `{metric, take: "fall", after: {metric: "x-posture", equals: "standing"}, within: "3m", atLeast: 20}`
    private mutating func anchored(_ take: WindowMeasure, _ object: inout JSON5Object) -> Quantity {
        object.require("within")
        let within = object.span("within")
        if ![WindowMeasure.change, .rise, .fall].contains(take) {
            object.problems.add("after an event only a change, rise or fall can be taken", at: object.position)
        }
        guard var event = object.object("after") else { return .value }
        let condition = leaf(in: &event)
        event.refuseUnknown()
        guard case .leaf(let leaf) = condition, let within else { return .value }
        if set.leaves[leaf].quantity != .value || set.leaves[leaf].isSilent {
            object.problems.add("an event is a comparison of one reading", at: event.position)
        }
        return .anchored(take, leaf: leaf, within: within)
    }

    private func checkWindow(_ quantity: Quantity, _ staleAfter: Int64, _ object: JSON5Object) {
        let over: Int64
        switch quantity {
        case .window(_, let length), .predicted(_, let length): over = length
        default: return
        }
        guard over > staleAfter else { return }
        object.problems.add(
            "\"over\" is longer than \"staleAfter\": with readings so far apart it would always begin anew", at: object.position,
            suggestion: "write staleAfter: \"\(DurationText.text(microseconds: over))\" or longer")
    }
}
