package import AlertRules
import HTTPClient
import JSON5
import VigilSchema

/// Reads the notifiers' file.
package enum NotifierSettingsReader {
    package static func read(_ file: RuleFile) throws(RuleError) -> NotifierSettings {
        let problems = JSON5Problems()
        var settings = NotifierSettings()
        do {
            let value = try JSON5Parser.parse(file.text)
            if var object = JSON5Object(value, as: "the notifiers' file", problems: problems) { read(&object, into: &settings) }
        } catch {
            throw RuleError(entries: [RuleError.Entry(file: file.name, problem: error)])
        }
        guard problems.isEmpty else { throw RuleError(entries: problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) }) }
        return settings
    }

    private static func read(_ object: inout JSON5Object, into settings: inout NotifierSettings) {
        for value in object.list("notifiers") ?? [] {
            guard var notifier = JSON5Object(value, as: "a notifier", problems: object.problems) else { continue }
            let route = route(&notifier)
            let way = way(&notifier)
            notifier.refuseUnknown()
            guard let route, let way else { continue }
            if settings.notifiers.contains(where: { $0.route.id == route.id }) {
                object.problems.add("there is another notifier \"\(route.id)\"", at: value.position, suggestion: "give it another id")
            }
            settings.notifiers.append((route, way))
        }
        if var heartbeat = object.object("heartbeat") {
            heartbeat.require("url")
            let interval = heartbeat.duration("every") ?? 60_000_000
            if let url = webAddress("url", &heartbeat) { settings.heartbeat = NotifierSettings.Heartbeat(url: url, interval: interval) }
            heartbeat.refuseUnknown()
        }
        object.refuseUnknown()
    }

    private static func route(_ object: inout JSON5Object) -> NotifierRoute? {
        object.require("id")
        guard let id = object.string("id"), Name.isValid(id) else { return nil }
        var route = NotifierRoute(id: id)
        if let name = object.choice("minimumSeverity", of: Severity.writable), let severity = Severity(name: name) {
            route.minimumSeverity = severity
        }
        if let groups = object.strings("groups") { route.groups = Set(groups) }
        if let kinds = object.strings("kinds") { route.kinds = Set(kinds) }
        route.escalation = object.string("escalation")
        if let names = object.strings("groupBy") { route.groupBy = names }
        if let wait = object.duration("groupWait") { route.groupWait = wait }
        if let interval = object.duration("groupInterval") { route.groupInterval = interval }
        if let interval = object.duration("repeatInterval") { route.repeatInterval = interval }
        if let tells = object.bool("tellResolved") { route.tellsResolved = tells }
        return route
    }

    private static func way(_ object: inout JSON5Object) -> NotifierSettings.Way? {
        object.require("type")
        switch object.choice("type", of: ["webhook", "mail", "command"]) {
        case "webhook":
            object.require("url")
            let secret = object.string("secretFile")
            return webAddress("url", &object).map { .webhook(url: $0, secretFile: secret) }
        case "mail": return mail(&object)
        case "command":
            object.require("command")
            guard let arguments = object.strings("command"), arguments.first?.hasPrefix("/") == true else {
                object.problems.add("\"command\" must be a list that begins with a program's full path", at: object.position)
                return nil
            }
            return .command(arguments)
        default: return nil
        }
    }

    private static func mail(_ object: inout JSON5Object) -> NotifierSettings.Way? {
        for name in ["server", "from", "to"] { object.require(name) }
        let (user, password) = (object.string("user"), object.string("passwordFile"))
        let language = object.string("language") ?? "en"
        let encrypted = object.bool("encrypted") ?? true
        guard let server = object.string("server"), let sender = object.string("from"), let recipients = object.strings("to") else {
            return nil
        }
        return .mail(
            server: server, encrypted: encrypted, user: user, passwordFile: password, sender: sender, recipients: recipients,
            language: language)
    }

    private static func webAddress(_ name: String, _ object: inout JSON5Object) -> String? {
        guard let url = object.string(name) else { return nil }
        do throws(TransferError) {
            try HTTPClient.check(url)
            return url
        } catch {
            object.problems.add("\"\(name)\": \(error.message)", at: object.position)
            return nil
        }
    }
}
