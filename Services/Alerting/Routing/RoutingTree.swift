package import VigilSchema

/// The facts about an alert that routes look at.
package struct RouteSubject: Hashable, Sendable {
    package var person: String
    package var family: String?
    package var group: String
    package var rule: String
    package var metric: String?
    package var severity: String
    package var kind: String
    /// The service that a technical alert is about.
    package var module: String?
    /// Words of the person's profile: the age group, `pregnant`, `scale-2`.
    package var profile: Set<String>
    /// The sensors that measure what the alert is about, by their numbers.
    package var sources: Set<UInt32> = []

    package init(
        person: String, family: String? = nil, group: String = "", rule: String = "", metric: String? = nil, severity: String = "warning",
        kind: String = "medical", module: String? = nil, profile: Set<String> = []
    ) {
        self.person = person
        self.family = family
        self.group = group
        self.rule = rule
        self.metric = metric
        self.severity = severity
        self.kind = kind
        self.module = module
        self.profile = profile
    }

    /// The service that a technical participant, `_module.<service>.<instance>`, stands for.
    private static func module(of participant: String) -> String? {
        let parts = participant.split(separator: ".")
        return participant.hasPrefix("_") && parts.count > 1 ? String(parts[1]) : nil
    }

    package init(_ alert: LoggedAlert, family: String?) {
        self.init(alert.message, family: family, profile: alert.profile)
        sources = alert.sources
    }

    package init(_ message: AlertMessage, family: String?, profile: Set<String> = []) {
        self.init(
            person: message.participant, family: family, group: message.group, rule: message.rule, metric: message.metric,
            severity: message.severity, kind: message.kind, module: Self.module(of: message.participant), profile: profile)
    }
}

/// A tree of routes: which notifiers hear of an alert at a moment, and when.
///
/// An alert takes the first of a branch's children that matches it and is open, and the next ones too where that one says `continue`. A branch of which
/// no child takes an alert takes it itself. An alert that was escalated is told by the usual branches as before and besides by those for that escalation.
package struct RoutingTree: Hashable, Sendable {
    /// The waits of a branch; nil: as the notifier has them.
    package struct Timing: Hashable, Sendable {
        package var groupBy: [String]?
        package var groupWait: Int64?
        package var groupInterval: Int64?
        package var repeatInterval: Int64?

        package init() {}

        /// What this does not say, the other does.
        func over(_ other: Timing) -> Timing {
            var timing = self
            timing.groupBy = groupBy ?? other.groupBy
            timing.groupWait = groupWait ?? other.groupWait
            timing.groupInterval = groupInterval ?? other.groupInterval
            timing.repeatInterval = repeatInterval ?? other.repeatInterval
            return timing
        }

        /// A notifier's route with these waits.
        package func applied(to route: NotifierRoute) -> NotifierRoute {
            var route = route
            route.groupBy = groupBy ?? route.groupBy
            route.groupWait = groupWait ?? route.groupWait
            route.groupInterval = groupInterval ?? route.groupInterval
            route.repeatInterval = repeatInterval ?? route.repeatInterval
            return route
        }
    }

    /// A branch with its children.
    package struct Branch: Hashable, Sendable {
        /// Where it stands: `2.1` is the first child of the second branch.
        package var path: String
        /// By member of `RouteSubject`; each must hold one of the values.
        package var match: [String: Set<String>]
        /// The name of the escalation that it is for; nil: for alerts as they are raised.
        package var escalation: Set<String>
        /// Open only within one of them; empty: always.
        package var active: [RouteHours]
        /// Kept for later within one of them.
        package var muted: [RouteHours]
        package var continues: Bool
        /// Notifiers and rotations.
        package var to: [String]
        package var timing: Timing
        package var children: [Branch]

        package init(
            path: String = "", match: [String: Set<String>] = [:], escalation: Set<String> = [], active: [RouteHours] = [],
            muted: [RouteHours] = [], continues: Bool = false, to: [String] = [], timing: Timing = Timing(), children: [Branch] = []
        ) {
            self.path = path
            self.match = match
            self.escalation = escalation
            self.active = active
            self.muted = muted
            self.continues = continues
            self.to = to
            self.timing = timing
            self.children = children
        }
    }

    /// A notifier that hears of an alert, and by which branch.
    package struct Target: Hashable, Sendable {
        package let notifier: String
        package let branch: String
        package let timing: Timing
        /// The rotation that the notifier is on call in.
        package let rotation: String?
        /// The escalation by which it hears; nil: as the alert was raised.
        package let escalation: String?
        /// True while the branch keeps what it has for later.
        package let isMuted: Bool
    }

    package var branches: [Branch]
    package var rotations: [String: Rotation]

    package init(branches: [Branch], rotations: [String: Rotation] = [:]) {
        self.branches = branches
        self.rotations = rotations
    }

    /// The notifiers that hear of an alert at a moment, each once, by the first branch that leads to it.
    /// - Parameters:
    ///   - escalations: the names that it was escalated to.
    ///   - time: wall time in microseconds since 1970.
    package func targets(_ subject: RouteSubject, escalations: [String] = [], at time: Int64) -> [Target] {
        var targets: [Target] = []
        for stage in [nil] + escalations.map(Optional.some) {
            let walk = Walk(tree: self, subject: subject, stage: stage, time: time)
            var found: [Target] = []
            _ = walk.visit(branches, Inherited(isFor: stage == nil), &found)
            // A rotation or a notifier that has the escalation's name needs no branch of its own.
            if let stage, found.isEmpty, !escalationNames.contains(stage) {
                found = walk.targets(Branch(path: "escalation", to: [stage]), Inherited(isFor: true))
            }
            for target in found where !targets.contains(where: { $0.notifier == target.notifier }) { targets.append(target) }
        }
        return targets
    }

    /// The names of escalations that branches are for.
    package var escalationNames: Set<String> { Self.escalations(branches) }

    private static func escalations(_ branches: [Branch]) -> Set<String> {
        branches.reduce(into: []) { $0.formUnion($1.escalation.union(escalations($1.children))) }
    }

    /// Whether a branch looks at what only the engine knows: profiles, or the sensors of an alert.
    var readsEngine: Bool { Self.reads("profile", branches) || Self.reads("source", branches) }

    private static func reads(_ member: String, _ branches: [Branch]) -> Bool {
        branches.contains { $0.match[member] != nil || reads(member, $0.children) }
    }
}

/// What a branch has from those above it.
private struct Inherited {
    /// Indicates whether the branches above are for the escalation that is looked for.
    var isFor: Bool
    var to: [String] = []
    var timing = RoutingTree.Timing()
    var isMuted = false
}

/// One alert's way through the tree at one moment.
private struct Walk {
    let tree: RoutingTree
    let subject: RouteSubject
    let stage: String?
    let time: Int64

    /// Returns whether one of the branches has taken it.
    func visit(_ branches: [RoutingTree.Branch], _ above: Inherited, _ found: inout [RoutingTree.Target]) -> Bool {
        var isTaken = false
        for branch in branches where isOpen(branch) {
            guard take(branch, above, &found) else { continue }
            isTaken = true
            if !branch.continues { break }
        }
        return isTaken
    }

    private func take(_ branch: RoutingTree.Branch, _ above: Inherited, _ found: inout [RoutingTree.Target]) -> Bool {
        var here = above
        if !branch.escalation.isEmpty {
            guard let stage, branch.escalation.contains(stage) else { return false }
            here.isFor = true
        }
        here.to = branch.to.isEmpty ? above.to : branch.to
        here.timing = branch.timing.over(above.timing)
        here.isMuted = above.isMuted || branch.muted.contains { $0.contains(time) }
        if visit(branch.children, here, &found) { return true }
        guard here.isFor else { return false }
        found += targets(branch, here)
        return true
    }

    /// The notifiers that a branch itself leads to.
    func targets(_ branch: RoutingTree.Branch, _ here: Inherited) -> [RoutingTree.Target] {
        (branch.to.isEmpty ? here.to : branch.to).compactMap { name in
            let rotation = tree.rotations[name]
            guard let notifier = rotation.map({ $0.person(at: time) }) ?? name else { return nil }
            return RoutingTree.Target(
                notifier: notifier, branch: branch.path, timing: here.timing, rotation: rotation == nil ? nil : name, escalation: stage,
                isMuted: here.isMuted)
        }
    }

    private func isOpen(_ branch: RoutingTree.Branch) -> Bool {
        guard branch.active.isEmpty || branch.active.contains(where: { $0.contains(time) }) else { return false }
        return branch.match.allSatisfy { member, values in !values.isDisjoint(with: subject.values(member)) }
    }
}

extension RouteSubject {
    /// The members that a branch can match.
    package static let members = ["person", "family", "group", "rule", "metric", "severity", "kind", "module", "profile", "source"]

    func values(_ member: String) -> Set<String> {
        switch member {
        case "person": [person]
        case "family": Set([family].compactMap(\.self))
        case "group": [group]
        case "rule": [rule]
        case "metric": Set([metric].compactMap(\.self))
        case "severity": [severity]
        case "kind": [kind]
        case "module": Set([module].compactMap(\.self))
        case "profile": profile
        case "source": Set(sources.map(String.init))
        default: []
        }
    }
}

extension RoutingTree {
    /// The longest that is looked ahead, in minutes.
    private static let lookahead = 1_560

    /// The next whole minute at which the tree may lead elsewhere; a day and two hours later at the latest.
    package func nextChange(after time: Int64) -> Int64 {
        let minute: Int64 = 60_000_000
        let hours = Self.hours(branches)
        let first = (time / minute + 1) * minute
        let before = state(hours, at: time)
        for step in 0..<Self.lookahead {
            let moment = first + Int64(step) * minute
            if state(hours, at: moment) != before { return moment }
        }
        return first + Int64(Self.lookahead) * minute
    }

    private func state(_ hours: [RouteHours], at time: Int64) -> [String] {
        hours.map { $0.contains(time) ? "1" : "0" } + rotations.sorted { $0.key < $1.key }.map { $0.value.person(at: time) ?? "" }
    }

    private static func hours(_ branches: [Branch]) -> [RouteHours] {
        Array(Set(branches.flatMap { $0.active + $0.muted + hours($0.children) }))
    }
}
