import JSON5
import VigilSchema

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
