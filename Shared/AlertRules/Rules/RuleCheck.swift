import JSON5
import VigilSchema

/// Finds levels of which the worse begins before the milder: the milder would never be told.
struct LevelCheck {
    let set: RuleSet
    let problems: JSON5Problems
    let position: SourcePosition

    func check(_ levels: Range<Int>) {
        for (mild, worse) in zip(levels, levels.dropFirst()) {
            guard case .leaf(let first) = set.levels[mild].condition, case .leaf(let second) = set.levels[worse].condition else { continue }
            let (one, other) = (set.leaves[first], set.leaves[second])
            guard one.metric == other.metric, one.quantity == other.quantity else { continue }
            compare(one.comparison, other.comparison, set.levels[mild].severity, set.levels[worse].severity)
        }
    }

    private func compare(_ mild: Comparison, _ worse: Comparison, _ milder: Severity, _ severity: Severity) {
        switch (mild, worse) {
        case (.above(let one, _), .above(let other, _)): compare(one, other, sign: 1, milder, severity)
        case (.below(let one, _), .below(let other, _)): compare(one, other, sign: -1, milder, severity)
        case (.silent(let one), .silent(let other)) where other.after < one.after:
            problems.add("\(severity.name) begins after a shorter silence than \(milder.name)", at: position)
        default: break
        }
    }

    private func compare(_ mild: Threshold, _ worse: Threshold, sign: Double, _ milder: Severity, _ severity: Severity) {
        let ages =
            [nil] + Set((mild.underAge + worse.underAge).map { $0.years - 0.001 } + [0.5, 6, 15, 40, 80]).sorted().map(Optional.some)
        for age in ages {
            for scale2 in [false, true] {
                let (one, other) = (mild.limit(age: age, usesScale2: scale2), worse.limit(age: age, usesScale2: scale2))
                guard (other - one) * sign < 0 else { continue }
                problems.add(
                    "\(severity.name) begins at \(AlertTexts.number(other)), before \(milder.name) at \(AlertTexts.number(one))"
                        + (age.map { " (age \(AlertTexts.number($0)))" } ?? ""),
                    at: position, suggestion: "are the two limits exchanged?")
                return
            }
        }
    }
}

/// Finds delays that are meant to run out after a single reading and cannot: it is too old a moment before.
struct DelayCheck {
    let set: RuleSet
    let file: String
    let position: SourcePosition
    let lateness: Int64

    func warning(_ level: RuleLevel) -> RuleError.Entry? {
        let ages = level.condition.leaves.filter { !set.leaves[$0].isSilent }.map { set.leaves[$0].staleAfter }
        guard let staleAfter = ages.min(), level.delay > 0, level.delay <= staleAfter, staleAfter < level.delay + lateness else {
            return nil
        }
        func text(_ duration: Int64) -> String { DurationText.text(microseconds: duration) }
        let problem = JSON5Problem(
            position: position,
            message: "a reading is known for \(text(staleAfter)), and \"for\" with \"lateness\" lasts \(text(level.delay + lateness)): "
                + "one that nothing follows is never told",
            suggestion: "write a longer staleAfter")
        return RuleError.Entry(file: file, problem: problem)
    }
}

/// Finds what is wrong between rules once all are read: unknown names, circles, and what is milder keeping quiet what is worse.
struct RuleGraph {
    /// A rule's inhibitors as its file names them.
    struct Inhibition {
        let rule: Int
        let names: [(String, SourcePosition)]
        let file: String
    }

    private(set) var set: RuleSet
    private(set) var entries: [RuleError.Entry] = []
    /// The rules without effect because a file is missing.
    private(set) var warnings: [RuleError.Entry] = []
    /// The ids of the rules of each name that a file gives itself.
    private let names: [String: Set<String>]

    init(_ set: RuleSet, names: [String: Set<String>]) {
        self.set = set
        self.names = names
    }

    mutating func resolve(_ inhibitions: [Inhibition]) {
        for inhibition in inhibitions {
            for (name, position) in inhibition.names { resolve(name, of: inhibition.rule, inhibition.file, position) }
        }
        for inhibition in inhibitions {
            let circle = path(from: inhibition.rule, to: inhibition.rule) { set.rules[$0].inhibitors }
            guard let circle, let position = inhibition.names.first?.1 else { continue }
            let names = circle.map { set.rules[$0].id }.joined(separator: ", ")
            note(
                "the rules keep each other quiet, so that none would be heard: \(names)", inhibition.file, position,
                "let one of them inhibit the others")
        }
        resolveReferences()
    }

    /// `"rule"` must be there; `"file/rule"` names a rule of a file that may be loaded or not: without it there is one alarm more, never one less.
    private mutating func resolve(_ mention: String, of rule: Int, _ file: String, _ position: SourcePosition) {
        let parts = mention.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[parts.count - 1]
        if parts.count == 2, !isThere(name, of: parts[0], file, position) { return }
        guard let index = set.rule(named: name), index != rule else {
            return note("there is no other rule \"\(name)\"", file, position, Spelling.suggestion(for: name, among: set.rules.map(\.id)))
        }
        set.rules[rule].inhibitors.append(index)
        let (worst, own) = (set.rules[index].levels.last?.severity ?? .none, set.rules[rule].levels.last?.severity ?? .none)
        if worst < own {
            note(
                "\"\(name)\" is at most a \(worst.name) and must not keep a \(own.name) quiet", file, position,
                "for readings of bad quality write \"quality\"")
        } else if set.rules[index].kind == .technical, set.rules[rule].kind == .medical {
            note("a technical alarm must not keep a medical one quiet", file, position, "for readings of bad quality write \"quality\"")
        }
    }

    /// Tells whether a rule of another file is there, and where it is not, why.
    private mutating func isThere(_ name: String, of set: String, _ file: String, _ position: SourcePosition) -> Bool {
        guard let ids = names[set] else {
            let message = "no file named \"\(set)\" is loaded: its rule \"\(name)\" keeps nothing quiet here"
            let problem = JSON5Problem(
                position: position, message: message, suggestion: Spelling.suggestion(for: set, among: Array(names.keys)))
            warnings.append(RuleError.Entry(file: file, problem: problem))
            return false
        }
        if ids.contains(name) { return true }
        note("the file named \"\(set)\" has no rule \"\(name)\"", file, position, Spelling.suggestion(for: name, among: ids.sorted()))
        return false
    }

    private mutating func resolveReferences() {
        for (index, reference) in set.references.enumerated() {
            guard let rule = set.rule(named: reference.name) else {
                let suggestion = Spelling.suggestion(for: reference.name, among: set.rules.map(\.id))
                note("there is no rule \"\(reference.name)\"", reference.file, reference.position, suggestion)
                continue
            }
            set.references[index].rule = rule
            if let worst = set.rules[rule].levels.last?.severity, worst < reference.minimum {
                note("\"\(reference.name)\" is never worse than \(worst.name)", reference.file, reference.position, nil)
            }
        }
        for rule in set.rules.indices {
            let indices = set.rules[rule].levels.flatMap(\.condition.references)
            set.rules[rule].referred = indices.map { set.references[$0].rule }.filter { $0 >= 0 }
        }
        for rule in set.rules.indices {
            guard path(from: rule, to: rule, next: { set.rules[$0].referred }) != nil,
                let reference = set.rules[rule].levels.flatMap(\.condition.references).first.map({ set.references[$0] })
            else { continue }
            note("\"\(set.rules[rule].id)\" refers to itself in a circle", reference.file, reference.position, nil)
        }
    }

    /// The rules on a way from one to another, at least one step long.
    private func path(from start: Int, to end: Int, next: (Int) -> [Int]) -> [Int]? {
        var seen: Set<Int> = []
        var ways = [[start]]
        while let way = ways.popLast() {
            for index in next(way[way.count - 1]) {
                if index == end { return way }
                if seen.insert(index).inserted { ways.append(way + [index]) }
            }
        }
        return nil
    }

    private mutating func note(_ message: String, _ file: String, _ position: SourcePosition, _ suggestion: String?) {
        entries.append(RuleError.Entry(file: file, problem: JSON5Problem(position: position, message: message, suggestion: suggestion)))
    }
}
