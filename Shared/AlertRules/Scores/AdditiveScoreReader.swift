import JSON5
import VigilSchema

/// Reads the scores that a rule file defines itself.
struct AdditiveScoreReader {
    private static let day: Int64 = 86_400 * 1_000_000
    private(set) var set: RuleSet

    init(_ set: RuleSet) { self.set = set }

    /// `{name: "qsofa", ages: ["adult"], staleAfter: "4h", minimumInputs: 2, inputs: [{metric, bands}, {metric, texts, other}]}`
    mutating func read(_ value: JSON5Value, _ problems: JSON5Problems) {
        guard var object = JSON5Object(value, as: "a score", problems: problems) else { return }
        for name in ["name", "inputs"] { object.require(name) }
        let name = object.string("name")
        _ = object.string("source")
        let (ages, profiles) = (object.ageGroups(), object.profileFilter())
        let staleAfter = object.duration("staleAfter") ?? Self.day / 2
        let inputs = (object.list("inputs") ?? []).compactMap { input($0, staleAfter, problems) }
        let minimum = object.integer("minimumInputs", in: 1...max(1, inputs.count)) ?? 1
        object.refuseUnknown()
        guard let name, !inputs.isEmpty else { return }
        if !Name.isValid(name) || name.utf8.count > 40 {
            problems.add("a score's \"name\" has 1 to 40 letters, digits, \"-\", \"_\" or \".\"", at: object.position)
        } else if set.scores.additive.contains(where: { $0.name == name }) {
            problems.add("there is another score \"\(name)\"", at: object.position)
        } else if Set(inputs.map(\.metric)).count < inputs.count {
            problems.add("an input stands there twice", at: object.position)
        } else {
            set.scores.additive.append(
                AdditiveScore(name: name, ages: ages, profiles: profiles, minimumInputs: minimum, inputs: inputs))
        }
    }

    private mutating func input(_ value: JSON5Value, _ staleAfter: Int64, _ problems: JSON5Problems) -> AdditiveScore.Input? {
        guard var object = JSON5Object(value, as: "an input of a score", problems: problems) else { return nil }
        object.require("metric")
        let metric = object.string("metric")
        let staleAfter = object.duration("staleAfter") ?? staleAfter
        let points = object.has("texts") ? texts(&object) : bands(&object)
        object.refuseUnknown()
        guard let metric, let points else { return nil }
        check(metric, isText: points.isText, object)
        return AdditiveScore.Input(metric: metric, staleAfter: staleAfter, points: points)
    }

    private func check(_ metric: String, isText: Bool, _ object: JSON5Object) {
        guard let definition = MetricCatalogue.standard.definition(named: metric) else {
            if metric.hasPrefix("x-") { return }
            let known = MetricCatalogue.standard.definitions.map(\.name)
            return object.problems.add(
                "there is no metric \"\(metric)\"", at: object.position, suggestion: Spelling.suggestion(for: metric, among: known))
        }
        if definition.kind == .waveform || isText != (definition.kind == .text) {
            object.problems.add(
                "\"\(metric)\" is \(definition.kind == .text ? "a text: write texts" : "no text: write bands")", at: object.position)
        }
    }

    /// `bands: [{below: 9, points: 2}, {atMost: 14, points: 0}, {points: 3}]`, and `underAge: [{years: 1, bands}]` for those who are younger.
    private func bands(_ object: inout JSON5Object) -> AdditiveScore.Points? {
        object.require("bands")
        let step = object.number("step")
        if let step, step <= 0 { object.problems.add("\"step\" must be more than 0", at: object.position) }
        var ages: [AdditiveScore.AgeBands] = []
        for value in object.list("underAge") ?? [] {
            guard var younger = JSON5Object(value, as: "bands under an age", problems: object.problems) else { continue }
            for name in ["years", "bands"] { younger.require(name) }
            let (years, bands) = (younger.number("years"), younger.list("bands").map { self.bands($0, younger) })
            if let years, years <= ages.last?.underAge ?? 0 { younger.problems.add("ages must rise", at: value.position) }
            younger.refuseUnknown()
            if let years, let bands { ages.append(AdditiveScore.AgeBands(underAge: years, bands: bands)) }
        }
        guard let own = object.list("bands") else { return nil }
        return .bands(ages + [AdditiveScore.AgeBands(underAge: nil, bands: bands(own, object))], step: step)
    }

    private func bands(_ values: [JSON5Value], _ object: JSON5Object) -> [AdditiveScore.Band] {
        var bands: [AdditiveScore.Band] = []
        for value in values {
            guard var band = JSON5Object(value, as: "a band", problems: object.problems) else { continue }
            band.require("points")
            let (below, atMost, points) = (band.number("below"), band.number("atMost"), band.integer("points", in: 0...100))
            band.refuseUnknown()
            if below != nil, atMost != nil { band.problems.add("a band ends \"below\" or \"atMost\"", at: value.position) }
            let limit = below ?? atMost ?? .infinity
            if let last = bands.last, limit <= last.limit {
                band.problems.add("the limits of bands must rise, and only the last has none", at: value.position)
            }
            bands.append(AdditiveScore.Band(limit: limit, includesLimit: below == nil, points: points ?? 0))
        }
        if bands.last?.limit != .infinity {
            object.problems.add("the last of the bands has no limit, so that every value has points", at: object.position)
        }
        return bands
    }

    /// `texts: [{oneOf: ["alert"], points: 0}], other: 3`
    private mutating func texts(_ object: inout JSON5Object) -> AdditiveScore.Points? {
        object.require("other")
        var points: [Int: Int] = [:]
        for value in object.list("texts") ?? [] {
            guard var group = JSON5Object(value, as: "texts of a score", problems: object.problems) else { continue }
            for name in ["oneOf", "points"] { group.require(name) }
            let given = group.integer("points", in: 0...100)
            for text in group.strings("oneOf") ?? [] { points[set.intern(text: text)] = given ?? 0 }
            group.refuseUnknown()
        }
        return object.integer("other", in: 0...100).map { .texts(points, other: $0) }
    }
}
