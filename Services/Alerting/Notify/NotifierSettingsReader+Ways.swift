import AlertRules
import Foundation
import HTTPClient
import JSON5
import VigilSchema

/// The ways of notifiers: services, mails, programs, web hooks and browsers.
extension NotifierSettingsReader {
    func way(_ object: inout JSON5Object) -> NotifierSettings.Way? {
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
        var reader = NotificationReader(language: object.choice("language", of: ["en", "de", "ru"]) ?? "en", zone: zone(&object))
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
}
