package import AlertRules
import Foundation
import JSON5
import VigilSchema

/// Reads the notifier file, and refuses settings that would notify nobody.
package struct NotifierSettingsReader {
    private let rules: RuleSet
    /// The folder of the file.
    let folder: String
    private var settings = NotifierSettings()

    /// - Parameter rules: the rules whose groups and escalations the file may name.
    package static func read(_ file: RuleFile, rules: RuleSet) throws(RuleError) -> NotifierSettings {
        let (settings, error) = readUsable(file, rules: rules)
        if let error { throw error }
        return settings
    }

    /// Reads the usable part of a file. A notifier with a valid channel but a wrong filter gets every alert.
    /// - Returns: the usable part, and the mistakes; nil: none.
    package static func readUsable(_ file: RuleFile, rules: RuleSet) -> (NotifierSettings, RuleError?) {
        let problems = JSON5Problems()
        let folder = URL(filePath: file.name).deletingLastPathComponent().path
        var reader = NotifierSettingsReader(rules: rules, folder: folder)
        do {
            let value = try JSON5Parser.parse(file.text)
            if var object = JSON5Object(value, as: "the notifiers' file", problems: problems) { reader.read(&object) }
        } catch {
            return (reader.settings, RuleError(entries: [RuleError.Entry(file: file.name, problem: error)]))
        }
        guard problems.isEmpty else {
            return (reader.settings, RuleError(entries: problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) }))
        }
        return (reader.settings, nil)
    }

    private init(rules: RuleSet, folder: String) {
        self.rules = rules
        self.folder = folder
    }

    private mutating func read(_ object: inout JSON5Object) {
        var seconds: [(name: String, position: SourcePosition, of: String)] = []
        for value in object.list("notifiers") ?? [] {
            guard var notifier = JSON5Object(value, as: "a notifier", problems: object.problems) else { continue }
            let before = object.problems.all.count
            var route = route(&notifier)
            let timeout = duration("timeout", &notifier, "1s", "5m") ?? 15_000_000
            let way = way(&notifier)
            if let way { demandGroups(way.groupBy, &route, &notifier) }
            let (showsNames, showsServices) = (notifier.bool("names") ?? true, notifier.bool("services"))
            let mayAnswer = notifier.bool("answers") ?? false
            let otherwise = notifier.value("otherwise").flatMap { value in notifier.string("otherwise").map { ($0, value.position) } }
            notifier.refuseUnknown()
            // Better too many alerts than none.
            if object.problems.all.count > before, let narrow = route {
                let name = narrow.escalation.flatMap { name in
                    rules.rules.contains { $0.escalations.contains { $0.to == name } } ? name : nil
                }
                route = NotifierRoute(id: narrow.id, escalation: name)
                route?.requiredGroupBy = narrow.requiredGroupBy
            }
            guard let route, let way else { continue }
            if settings.notifiers.contains(where: { $0.route.id == route.id }) {
                object.problems.add("there is another notifier \"\(route.id)\"", at: value.position, suggestion: "give it another id")
            }
            guard !settings.notifiers.contains(where: { $0.route.id == route.id }) else { continue }
            settings.notifiers.append(
                NotifierSettings.Entry(
                    route: route, way: way, timeout: .microseconds(timeout), showsNames: showsNames, showsServices: showsServices,
                    mayAnswer: mayAnswer, otherwise: otherwise?.0))
            if let (name, position) = otherwise { seconds.append((name, position, route.id)) }
        }
        checkSeconds(seconds, object.problems)
        readRouting(&object)
        if var heartbeat = object.object("heartbeat") {
            heartbeat.require("url")
            let interval = duration("every", &heartbeat, "1s", "1h") ?? 60_000_000
            if let url = webAddress("url", &heartbeat) {
                settings.heartbeat = NotifierSettings.Heartbeat(url: url, interval: .microseconds(interval))
            }
            heartbeat.refuseUnknown()
        }
        readAnswers(&object)
        object.refuseUnknown()
        if settings.notifiers.isEmpty, settings.heartbeat == nil, object.problems.isEmpty {
            object.problems.add("the file names no notifier and no heartbeat", at: object.position, suggestion: "nobody would be told")
        }
    }

    /// A service may treat each alert as an incident of its own: then notifications must not hold several.
    private func demandGroups(_ wanted: [String], _ route: inout NotifierRoute?, _ notifier: inout JSON5Object) {
        guard !wanted.isEmpty else { return }
        route?.requiredGroupBy = wanted
        guard let position = notifier.value("groupBy")?.position else {
            route?.groupBy = wanted
            return
        }
        if let given = route?.groupBy, !Set(wanted).isSubset(of: given) {
            notifier.problems.add(
                "\"groupBy\" must hold \(wanted.joined(separator: " and ")): the service has an incident for each", at: position,
                suggestion: "leave it out")
        }
    }

    /// A second way must exist, and lead on to no way that was tried already.
    private mutating func checkSeconds(_ seconds: [(name: String, position: SourcePosition, of: String)], _ problems: JSON5Problems) {
        let known = settings.notifiers.map(\.route.id)
        for (name, position, notifier) in seconds {
            let isCircle = settings.ways(of: notifier).contains { $0.otherwise == notifier }
            guard isCircle || !known.contains(name) else { continue }
            let problem = isCircle ? "\"otherwise\" leads back to \"\(notifier)\"" : "\"otherwise\": there is no notifier \"\(name)\""
            problems.add(problem, at: position, suggestion: Spelling.suggestion(for: name, among: known))
            for index in settings.notifiers.indices where settings.notifiers[index].route.id == notifier {
                settings.notifiers[index].otherwise = nil
            }
        }
    }

    private mutating func readAnswers(_ object: inout JSON5Object) {
        guard var answers = object.object("answers") else { return }
        answers.require("url")
        answers.require("keyFile")
        let lifetime = duration("for", &answers, "10m", "7d") ?? 12 * 3600 * 1_000_000
        if var url = webAddress("url", &answers), let keyFile = answers.string("keyFile") {
            while url.hasSuffix("/") { url.removeLast() }
            settings.answers = NotifierSettings.Answers(url: url, keyFile: keyFile, lifetime: Double(lifetime) / 1e6)
        }
        answers.refuseUnknown()
    }

    /// Routes that are wrong in part are not used: then every notifier hears what its own members say.
    private mutating func readRouting(_ object: inout JSON5Object) {
        let before = object.problems.all.count
        var reader = RoutingReader(&object, rules: rules, notifiers: Set(settings.notifiers.map(\.route.id)), folder: folder)
        let tree = reader.read(&object)
        settings.people = reader.people
        if object.problems.all.count == before { settings.routing = tree }
    }

    private func route(_ object: inout JSON5Object) -> NotifierRoute? {
        object.require("id")
        guard let id = name("id", &object) else { return nil }
        var route = NotifierRoute(id: id)
        if let name = object.choice("minimumSeverity", of: Severity.writable), let severity = Severity(name: name) {
            route.minimumSeverity = severity
        }
        if let groups = names("groups", &object, of: Set(rules.rules.map(\.group)), "a rule with the group") { route.groups = Set(groups) }
        if let kinds = names("kinds", &object, of: Set(Rule.Kind.allCases.map(\.rawValue)), "a kind") { route.kinds = Set(kinds) }
        let addressees = Set(rules.rules.flatMap(\.escalations).map(\.to))
        route.escalation = known("escalation", &object, of: addressees, "a rule that escalates to")
        if let names = names("groupBy", &object, of: Set(NotifierRoute.groupings), "a member") { route.groupBy = names }
        if let wait = duration("groupWait", &object, "0s", "1h") { route.groupWait = wait }
        if let interval = duration("groupInterval", &object, "0s", "1d") { route.groupInterval = interval }
        if let interval = duration("repeatInterval", &object, "1m", "7d") { route.repeatInterval = interval }
        if let tells = object.bool("tellResolved") { route.tellsResolved = tells }
        return route
    }
}
