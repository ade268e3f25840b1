package import AlertRules
import Foundation
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
        /// The notifier that gets what this one cannot deliver.
        package var otherwise: String?
    }

    /// The channel of a notifier.
    package enum Way: Sendable, Hashable {
        case webhook(url: String, secretFile: String?)
        case mail(Mail)
        case command([String])
        case service(Service)
        case push(Push)
    }

    /// The browsers of a person, and who sends to them.
    package struct Push: Sendable, Hashable {
        /// The subscriptions as the browsers give them.
        let subscriptionFile: String
        /// The secret of the pages' key (VAPID).
        let keyFile: String
        let contact: String
        let reader: NotificationReader
    }

    /// The service of a notifier that a file describes, with what the notifier says of it.
    package struct Service: Sendable, Hashable {
        let template: ServiceTemplate
        /// By parameter, without secrets.
        let parameters: [String: TemplateValue]
        /// The files of secrets, by parameter.
        let secretFiles: [String: String]
        let reader: NotificationReader
        /// A file of trusted certificates instead of the system's.
        let certificates: String?
    }

    /// A mail notifier's server and readers.
    package struct Mail: Sendable, Hashable {
        package var server: String
        package var isEncrypted: Bool
        package var user: String?
        package var passwordFile: String?
        package var sender: String
        package var recipients: [String]
        package var reader: NotificationReader
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

    /// A notifier and those that take its place, in order.
    func ways(of notifier: String) -> [Entry] {
        var (ways, next) = ([Entry](), Optional(notifier))
        while let name = next, let entry = notifiers.first(where: { $0.route.id == name }), !ways.contains(where: { $0.route.id == name }) {
            ways.append(entry)
            next = entry.otherwise
        }
        return ways
    }
}

/// Reads the notifier file, and refuses settings that would notify nobody.
package struct NotifierSettingsReader {
    private static let languages = ["en", "de", "ru"]
    private let rules: RuleSet
    /// The folder of the file.
    private let folder: String
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
        if let names = names("groupBy", &object, of: ["participant", "group", "rule"], "a member") { route.groupBy = names }
        if let wait = duration("groupWait", &object, "0s", "1h") { route.groupWait = wait }
        if let interval = duration("groupInterval", &object, "0s", "1d") { route.groupInterval = interval }
        if let interval = duration("repeatInterval", &object, "1m", "7d") { route.repeatInterval = interval }
        if let tells = object.bool("tellResolved") { route.tellsResolved = tells }
        return route
    }

    private func way(_ object: inout JSON5Object) -> NotifierSettings.Way? {
        if object.has("service") { return service(&object).map { .service($0) } }
        object.require("type")
        switch object.choice("type", of: ["webhook", "mail", "command", "push"]) {
        case "webhook":
            object.require("url")
            let secret = file("secretFile", &object)
            return webAddress("url", &object).map { .webhook(url: $0, secretFile: secret) }
        case "mail": return mail(&object).map { .mail($0) }
        case "command": return command(&object)
        case "push": return push(&object).map { .push($0) }
        default: return nil
        }
    }

    private func service(_ object: inout JSON5Object) -> NotifierSettings.Service? {
        guard let position = object.value("service")?.position, let name = object.string("service") else { return nil }
        let template: ServiceTemplate
        do throws(RuleError) {
            template = try ServiceFiles.read(name, in: ServiceFiles.folders(beside: folder))
        } catch {
            for entry in error.entries { object.problems.add("\"service\": \(entry)", at: position) }
            // The parameters are those of a file that cannot be read.
            _ = object.all()
            return nil
        }
        var (parameters, secretFiles) = ([String: TemplateValue](), [String: String]())
        for parameter in template.parameters {
            if !parameter.isOptional { object.require(parameter.member) }
            if parameter.isSecret {
                secretFiles[parameter.name] = file(parameter.member, &object)
            } else {
                parameters[parameter.name] = value(parameter, &object) ?? parameter.standard
            }
        }
        let service = NotifierSettings.Service(
            template: template, parameters: parameters, secretFiles: secretFiles,
            reader: reader(&object), certificates: file("certificates", &object))
        return template.parameters.contains { !$0.isOptional && !object.has($0.member) } ? nil : service
    }

    private func push(_ object: inout JSON5Object) -> NotifierSettings.Push? {
        for name in ["subscriptionFile", "keyFile", "contact"] { object.require(name) }
        let (subscriptions, key) = (file("subscriptionFile", &object), file("keyFile", &object))
        let contact = checked("contact", &object, "must begin with mailto: or https://") {
            $0.hasPrefix("mailto:") || $0.hasPrefix("https://")
        }
        let reader = reader(&object)
        guard let subscriptions, let key, let contact else { return nil }
        return NotifierSettings.Push(subscriptionFile: subscriptions, keyFile: key, contact: contact, reader: reader)
    }

    private func value(_ parameter: ServiceTemplate.Parameter, _ object: inout JSON5Object) -> TemplateValue? {
        switch parameter.kind {
        case .text: object.string(parameter.name).map { .text($0) }
        case .number: object.number(parameter.name).map { .number($0) }
        case .list: object.strings(parameter.name).map { .list($0.map { .text($0) }) }
        case .url: webAddress(parameter.name, &object).map { .text($0.hasSuffix("/") ? String($0.dropLast()) : $0) }
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
        let reader = reader(&object)
        let isEncrypted = object.bool("encrypted") ?? true
        let server = checked("server", &object, "must begin with smtp:// or smtps://") {
            $0.hasPrefix("smtp://") || $0.hasPrefix("smtps://")
        }
        let sender = object.value("from").flatMap { address($0, "from", object.problems) }
        let recipients = recipients(&object)
        guard let server, let sender, let recipients else { return nil }
        return NotifierSettings.Mail(
            server: server, isEncrypted: isEncrypted, user: user, passwordFile: password, sender: sender, recipients: recipients,
            reader: reader)
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

    /// The language, the zone and the units of whoever reads its messages.
    private func reader(_ object: inout JSON5Object) -> NotificationReader {
        var reader = NotificationReader(language: object.choice("language", of: Self.languages) ?? "en", zone: zone(&object))
        guard var units = object.object("units") else { return reader }
        for member in units.all() {
            guard case .string(let unit) = member.value.content, let metric = MetricCatalogue.standard.definition(named: member.name),
                UnitConversion.from(unit, to: metric) != nil
            else {
                object.problems.add(
                    "\"units\": \(member.name) has no such unit", at: member.value.position,
                    suggestion: "such as {\"body-temperature\": \"°F\"}")
                continue
            }
            reader.units[member.name] = unit
        }
        return reader
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
