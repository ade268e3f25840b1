import AlertRules
import Foundation
import ServiceKit
package import Settings
import VigilSchema

/// `vigil alerts routes`: who would hear of an alert, when, by what and why.
package enum RouteCommand {
    private static let person = Setting("person", .text, default: "person", help: "The person whom the alert is about.")
    private static let severity = Setting("severity", .text, default: "warning", help: "The severity: notice, warning or critical.")
    private static let at = Setting.optional(
        "at", .text, help: "The moment: 03:00, 2026-03-29T02:30 or 2026-03-29T02:30:00+02:00; now by default. Without an offset in --zone.")
    private static let zone = Setting("zone", .text, default: "UTC", help: "The time zone of --at.")
    private static let rule = Setting.optional("rule", .text, help: "The rule, which implies group, kind and metric.")
    private static let metric = Setting.optional("metric", .text, help: "The metric that caused the alert.")
    private static let kind = Setting.optional("kind", .text, help: "The kind: medical or technical.")
    private static let group = Setting.optional("group", .text, help: "The rule's group.")
    private static let profile = Setting("profile", .list(of: .text), default: [], help: "Facts of the person's profile, such as pregnant.")
    private static let source = Setting("source", .list(of: .text), default: [], help: "The sensors that measure it.")
    private static let escalation = Setting("escalated-to", .list(of: .text), default: [], help: "The names to which it was escalated.")

    package static let command = Command(
        name: "routes", summary: "explains who would be notified of an alert, when, how and why",
        details: """
            Reads the notifier file and the rules; needs neither broker nor service. The exit code is 1 if \
            nobody would be notified.
            """,
        settings: [
            AlertService.notifiers, AlertService.rules, person, severity, at, zone, rule, metric, kind, group, profile, source, escalation,
        ]
    ) { invocation in
        guard let path = try invocation[AlertService.notifiers] else {
            throw CommandError(.usage, "--notifiers says which file is asked")
        }
        let rules = try AlertTools.rules(try RuleFolder.read(try invocation[AlertService.rules]))
        let file = try RuleFolder.read(path)[0]
        let settings = try AlertTools.reading { () throws(RuleError) in try NotifierSettingsReader.read(file, rules: rules) }
        let lines = RouteExplanation(settings).lines(
            try subject(invocation, rules), escalations: try invocation[escalation], at: try moment(invocation))
        print(lines.joined(separator: "\n"))
        if lines == [RouteExplanation.nobody] { throw CommandError(.failure, "nobody would hear of it") }
    }

    private static func subject(_ invocation: Invocation, _ rules: RuleSet) throws -> RouteSubject {
        var subject = RouteSubject(person: try invocation[person], severity: try invocation[severity])
        guard Severity(name: subject.severity) != nil else { throw CommandError(.usage, "--severity is notice, warning or critical") }
        if let id = try invocation[rule] {
            guard let known = rules.rules.first(where: { $0.id == id }) else { throw CommandError(.usage, "there is no rule \(id)") }
            (subject.rule, subject.group, subject.kind) = (id, known.group, known.kind.rawValue)
        }
        subject.metric = try invocation[metric]
        subject.kind = try invocation[kind] ?? subject.kind
        subject.group = try invocation[group] ?? subject.group
        subject.profile = Set(try invocation[profile])
        subject.sources = Set(try invocation[source].map(Reading.source))
        return subject
    }

    private static func moment(_ invocation: Invocation) throws -> Int64 {
        let name = try invocation[zone]
        guard let zone = TimeZone(identifier: name) else { throw CommandError(.usage, "there is no time zone \(name)") }
        let now = Timestamp.now.microseconds
        guard let text = try invocation[at] else { return now }
        guard let moment = RouteMoment.read(text, zone, now: now) else {
            throw CommandError(.usage, "--at is a time of day such as 03:00, or a day and a time such as 2026-03-29T02:30")
        }
        return moment
    }
}

/// A moment as people write it.
enum RouteMoment {
    /// `03:00` of the day that is now, `2026-03-29T02:30` in the zone, or with an offset of its own.
    static func read(_ text: String, _ zone: TimeZone, now: Int64) -> Int64? {
        if let minute = RoutingReader.minute(text) { return LocalTime.first(day: LocalTime(now, zone).day, minute: minute, zone) }
        if let local = RoutingReader.local(text) { return LocalTime.first(day: local.day, minute: local.minute, zone) }
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        return Int64(date.timeIntervalSince1970) * 1_000_000
    }
}

/// Who hears of an alert, in words.
struct RouteExplanation {
    static let nobody = "nobody"
    private let settings: NotifierSettings

    init(_ settings: NotifierSettings) { self.settings = settings }

    /// The notifiers that hear of it, with what decided.
    func targets(_ subject: RouteSubject, escalations: [String], at time: Int64) -> [RoutingTree.Target] {
        var subject = subject
        subject.family = subject.family ?? settings.people[subject.person]?.family
        let known = Set(settings.notifiers.map(\.route.id))
        let tree = settings.routing ?? RoutingTree(flat: settings.notifiers.map(\.route))
        return tree.targets(subject, escalations: escalations, at: time).filter { known.contains($0.notifier) }
    }

    func lines(_ subject: RouteSubject, escalations: [String], at time: Int64) -> [String] {
        let targets = targets(subject, escalations: escalations, at: time)
        return targets.isEmpty ? [Self.nobody] : targets.map { line($0, subject, time) }
    }

    private func line(_ target: RoutingTree.Target, _ subject: RouteSubject, _ time: Int64) -> String {
        let entry = settings.notifiers.first { $0.route.id == target.notifier }
        let route = entry.map { target.timing.applied(to: $0.route) }
        let why = [
            settings.routing == nil ? "its own members" : "route \(target.branch)", target.rotation.map { "on call in \($0)" },
            target.escalation.map { "escalated to \($0)" },
        ]
        let parts =
            [target.notifier, entry?.way.words ?? "", when(target, route, subject, time)] + [why.compactMap(\.self).joined(separator: ", ")]
        return parts.joined(separator: "  ")
    }

    private func when(_ target: RoutingTree.Target, _ route: NotifierRoute?, _ subject: RouteSubject, _ time: Int64) -> String {
        if target.isMuted { return "muted" }
        guard let route, Severity(name: subject.severity) != .critical || target.escalation != nil else { return "at once" }
        return route.groupWait == 0 ? "at once" : "after \(route.groupWait / 1_000_000) s"
    }
}

extension RoutingTree {
    /// The tree that the flat form stands for: a root with a child for each notifier, each of which lets the next have the alert too.
    package init(flat routes: [NotifierRoute]) {
        let severities = Severity.allCases.dropFirst()
        let branches = routes.enumerated().map { index, route in
            var match = ["severity": Set(severities.filter { $0 >= route.minimumSeverity }.map(\.name))]
            if !route.groups.isEmpty { match["group"] = route.groups }
            if !route.kinds.isEmpty { match["kind"] = route.kinds }
            return Branch(
                path: "\(index + 1)", match: match, escalation: Set([route.escalation].compactMap(\.self)), continues: true, to: [route.id])
        }
        self.init(branches: branches)
    }
}

extension NotifierSettings.Way {
    /// The members by which its service must have alerts grouped.
    var groupBy: [String] { if case .service(let service) = self { service.template.groupBy } else { [] } }

    /// The way in words.
    var words: String {
        switch self {
        case .webhook(let url, _): "webhook \(url)"
        case .mail(let mail): "mail to \(mail.recipients.joined(separator: ", "))"
        case .command(let arguments): "program \(arguments.first ?? "")"
        case .push: "push to browsers"
        case .service(let service): "service \(service.template.name)"
        }
    }
}
