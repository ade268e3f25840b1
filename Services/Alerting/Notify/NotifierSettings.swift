package import AlertRules
package import Foundation
import HTTPClient
import JSON5
import VigilSchema

/// The content of the notifier file.
package struct NotifierSettings: Sendable, Hashable {
    /// One receiver.
    package struct Entry: Sendable, Hashable {
        package var route: NotifierRoute
        package var way: Way
        /// The time limit of one delivery.
        package var timeout: Duration
        /// Whether people have the names from the file.
        package var showsNames = true
        /// Whether services have their names; nil: if the notifier gets technical alerts only.
        package var showsServices: Bool?
        /// Whether its messages hold links with which alarms are answered.
        package var mayAnswer = false
    }

    /// The channel of a notifier.
    package enum Way: Sendable, Hashable {
        case webhook(url: String, secretFile: String?)
        case mail(Mail)
        case command([String])
    }

    /// A mail notifier's server and readers.
    package struct Mail: Sendable, Hashable {
        package var server: String
        package var isEncrypted: Bool
        package var user: String?
        package var passwordFile: String?
        package var sender: String
        package var recipients: [String]
        package var language: String
        /// The zone of times if the person's own is unknown.
        package var zone: TimeZone?
    }

    /// The monitor of the heartbeat.
    package struct Heartbeat: Sendable, Hashable {
        package let url: String
        package let interval: Duration
    }

    /// The links with which receivers answer from a message.
    package struct Answers: Sendable, Hashable {
        /// The address of the pages, without a slash at its end.
        package let url: String
        /// The file of the key that the dashboard has too.
        package let keyFile: String
        /// The seconds for which a link is good.
        package let lifetime: Double
    }

    /// A person's name in messages.
    package struct Person: Sendable, Hashable {
        package var name: String?
        package var family: String?
    }

    package var notifiers: [Entry] = []
    /// The routes; nil: each notifier's own filter applies.
    package var routing: RoutingTree?
    /// By participant.
    package var people: [String: Person] = [:]
    /// The dead man's switch: an external monitor that raises the alarm when the heartbeat stops.
    package var heartbeat: Heartbeat?
    /// Nil: messages hold no links.
    package var answers: Answers?

    package init() {}
}

/// Reads the notifier file, and refuses settings that would notify nobody.
package struct NotifierSettingsReader {
    private static let languages = ["en", "de", "ru"]
    private let rules: RuleSet
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
        var reader = NotifierSettingsReader(rules: rules)
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

    private init(rules: RuleSet) { self.rules = rules }

    private mutating func read(_ object: inout JSON5Object) {
        for value in object.list("notifiers") ?? [] {
            guard var notifier = JSON5Object(value, as: "a notifier", problems: object.problems) else { continue }
            let before = object.problems.all.count
            var route = route(&notifier)
            let timeout = duration("timeout", &notifier, "1s", "5m") ?? 15_000_000
            let way = way(&notifier)
            let (showsNames, showsServices) = (notifier.bool("names") ?? true, notifier.bool("services"))
            let mayAnswer = notifier.bool("answers") ?? false
            notifier.refuseUnknown()
            // Better too many alerts than none.
            if object.problems.all.count > before, let narrow = route {
                let name = narrow.escalation.flatMap { name in
                    rules.rules.contains { $0.escalations.contains { $0.to == name } } ? name : nil
                }
                route = NotifierRoute(id: narrow.id, escalation: name)
            }
            guard let route, let way else { continue }
            if settings.notifiers.contains(where: { $0.route.id == route.id }) {
                object.problems.add("there is another notifier \"\(route.id)\"", at: value.position, suggestion: "give it another id")
            }
            guard !settings.notifiers.contains(where: { $0.route.id == route.id }) else { continue }
            settings.notifiers.append(
                NotifierSettings.Entry(
                    route: route, way: way, timeout: .microseconds(timeout), showsNames: showsNames, showsServices: showsServices,
                    mayAnswer: mayAnswer))
        }
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
        var reader = RoutingReader(&object, rules: rules, notifiers: Set(settings.notifiers.map(\.route.id)))
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
        if let names = names("groupBy", &object, of: ["participant", "group", "rule"], "a member") { route.groupBy = names }
        if let wait = duration("groupWait", &object, "0s", "1h") { route.groupWait = wait }
        if let interval = duration("groupInterval", &object, "0s", "1d") { route.groupInterval = interval }
        if let interval = duration("repeatInterval", &object, "1m", "7d") { route.repeatInterval = interval }
        if let tells = object.bool("tellResolved") { route.tellsResolved = tells }
        return route
    }

    private func way(_ object: inout JSON5Object) -> NotifierSettings.Way? {
        object.require("type")
        switch object.choice("type", of: ["webhook", "mail", "command"]) {
        case "webhook":
            object.require("url")
            let secret = file("secretFile", &object)
            return webAddress("url", &object).map { .webhook(url: $0, secretFile: secret) }
        case "mail": return mail(&object).map { .mail($0) }
        case "command": return command(&object)
        default: return nil
        }
    }

    private func command(_ object: inout JSON5Object) -> NotifierSettings.Way? {
        object.require("command")
        guard let value = object.value("command") else { return nil }
        guard let arguments = object.strings("command"), let program = arguments.first, program.hasPrefix("/") else {
            object.problems.add("\"command\" must be a list that begins with a program's full path", at: value.position)
            return nil
        }
        var isFolder: ObjCBool = false
        if !FileManager.default.fileExists(atPath: program, isDirectory: &isFolder) || isFolder.boolValue {
            object.problems.add("there is no program \(program)", at: value.position, suggestion: "nobody would be told")
        } else if !FileManager.default.isExecutableFile(atPath: program) {
            object.problems.add("\(program) cannot be run", at: value.position, suggestion: "chmod +x \(program)")
        }
        return .command(arguments)
    }

    private func mail(_ object: inout JSON5Object) -> NotifierSettings.Mail? {
        for name in ["server", "from", "to"] { object.require(name) }
        let (user, password) = (object.string("user"), file("passwordFile", &object))
        let language = object.choice("language", of: Self.languages) ?? "en"
        let isEncrypted = object.bool("encrypted") ?? true
        let zone = zone(&object)
        let server = checked("server", &object, "must begin with smtp:// or smtps://") {
            $0.hasPrefix("smtp://") || $0.hasPrefix("smtps://")
        }
        let sender = object.value("from").flatMap { address($0, "from", object.problems) }
        let recipients = recipients(&object)
        guard let server, let sender, let recipients else { return nil }
        return NotifierSettings.Mail(
            server: server, isEncrypted: isEncrypted, user: user, passwordFile: password, sender: sender, recipients: recipients,
            language: language, zone: zone)
    }

    private func recipients(_ object: inout JSON5Object) -> [String]? {
        guard let position = object.value("to")?.position, let recipients = object.strings("to") else { return nil }
        if recipients.isEmpty { object.problems.add("\"to\" is empty", at: position, suggestion: "nobody would be told") }
        let addresses = object.list("to")?.compactMap { address($0, "to", object.problems) } ?? []
        // All reachable recipients get it.
        return recipients.isEmpty || addresses.isEmpty ? nil : addresses
    }

    private func address(_ value: JSON5Value, _ member: String, _ problems: JSON5Problems) -> String? {
        guard case .string(let text) = value.content else { return nil }
        do throws(MailAddress.Problem) {
            return try MailAddress(text).text
        } catch {
            problems.add("\"\(member)\": \"\(text)\" is no mail address", at: value.position, suggestion: error.description)
            return nil
        }
    }

    private func zone(_ object: inout JSON5Object) -> TimeZone? {
        guard let position = object.value("zone")?.position, let name = object.string("zone") else { return nil }
        if let zone = TimeZone(identifier: name) { return zone }
        object.problems.add("there is no time zone \"\(name)\"", at: position, suggestion: "such as Europe/Berlin")
        return nil
    }

    /// An unknown text is refused, with the nearest known name.
    private func known(_ member: String, _ object: inout JSON5Object, of known: Set<String>, _ what: String) -> String? {
        guard let position = object.value(member)?.position, let name = object.string(member) else { return nil }
        if !known.contains(name) { refuse(member, name, position, object, known, what) }
        return name
    }

    private func names(_ member: String, _ object: inout JSON5Object, of known: Set<String>, _ what: String) -> [String]? {
        guard let position = object.value(member)?.position, let elements = object.list(member) else { return nil }
        if elements.isEmpty { object.problems.add("\"\(member)\" is empty", at: position, suggestion: "leave it out for all") }
        for element in elements {
            if case .string(let name) = element.content, !known.contains(name) {
                refuse(member, name, element.position, object, known, what)
            }
        }
        return object.strings(member)
    }

    private func refuse(
        _ member: String, _ name: String, _ position: SourcePosition, _ object: JSON5Object, _ known: Set<String>, _ what: String
    ) {
        let all = known.isEmpty ? "there is none" : "known: \(known.sorted().joined(separator: ", "))"
        object.problems.add(
            "\"\(member)\": there is no \(what.dropFirst(2)) \"\(name)\"", at: position,
            suggestion: Spelling.suggestion(for: name, among: known.sorted()) ?? all)
    }

    private func name(_ member: String, _ object: inout JSON5Object) -> String? {
        guard let position = object.value(member)?.position, let name = object.string(member) else { return nil }
        if Name.isValid(name) { return name }
        object.problems.add("\"\(member)\" has 1 to 64 of A-Z a-z 0-9 _ . -", at: position)
        return nil
    }

    private func checked(_ member: String, _ object: inout JSON5Object, _ problem: String, _ isRight: (String) -> Bool) -> String? {
        guard let position = object.value(member)?.position, let text = object.string(member) else { return nil }
        if isRight(text) { return text }
        object.problems.add("\"\(member)\" \(problem)", at: position)
        return nil
    }

    private func file(_ member: String, _ object: inout JSON5Object) -> String? {
        guard let position = object.value(member)?.position, let path = object.string(member) else { return nil }
        if !FileManager.default.isReadableFile(atPath: path) {
            object.problems.add("\"\(member)\": the file \(path) is missing or cannot be read", at: position)
        }
        return path
    }

    private func duration(_ member: String, _ object: inout JSON5Object, _ least: String, _ most: String) -> Int64? {
        guard let position = object.value(member)?.position, let duration = object.duration(member) else { return nil }
        guard let low = DurationText.microseconds(least), let high = DurationText.microseconds(most), !(low...high).contains(duration)
        else {
            return duration
        }
        object.problems.add("\"\(member)\" must lie between \(least) and \(most)", at: position)
        return nil
    }

    private func webAddress(_ member: String, _ object: inout JSON5Object) -> String? {
        guard let position = object.value(member)?.position, let url = object.string(member) else { return nil }
        do throws(TransferError) {
            try HTTPClient.check(url)
            return url
        } catch {
            object.problems.add("\"\(member)\": \(error.message)", at: position)
            return nil
        }
    }
}
