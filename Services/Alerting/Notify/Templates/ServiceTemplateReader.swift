import AlertRules
import Foundation
import HTTPClient
import JSON5
import VigilSchema

/// Reads a service's file, and names its mistakes with their place.
struct ServiceTemplateReader {
    private static let methods = ["GET", "POST", "PUT"]
    /// A member that a notifier of any kind has cannot be a parameter, too.
    private static let reserved = Set(
        ["id", "type", "service", "minimumSeverity", "groups", "kinds", "escalation", "groupBy", "groupWait", "groupInterval"]
            + [
                "repeatInterval", "tellResolved", "timeout", "names", "services", "answers", "language", "zone", "certificates",
                "otherwise",
            ])
    private static let mostElements = 100
    private let problems: JSON5Problems
    private var template: ServiceTemplate
    /// The names that texts may mention.
    private var known: Set<String> = ServiceMessage.names

    /// - Throws: `RuleError` with every mistake.
    static func read(_ file: RuleFile) throws(RuleError) -> ServiceTemplate {
        let problems = JSON5Problems()
        let name = URL(filePath: file.name).deletingPathExtension().lastPathComponent
        var template: ServiceTemplate?
        do {
            let value = try JSON5Parser.parse(file.text)
            if var object = JSON5Object(value, as: "a service's file", problems: problems), let empty = try? TemplateText("") {
                var reader = ServiceTemplateReader(problems: problems, template: ServiceTemplate(name: name, url: empty))
                template = reader.read(&object)
            }
        } catch {
            throw RuleError(entries: [RuleError.Entry(file: file.name, problem: error)])
        }
        guard problems.isEmpty, let template else {
            throw RuleError(entries: problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) })
        }
        return template
    }

    /// Whether a file describes a service, and no rules.
    static func isService(_ file: RuleFile) -> Bool {
        guard let value = try? JSON5Parser.parse(file.text), case .object(let members) = value.content else { return false }
        return members.contains { $0.name == "url" }
    }

    private init(problems: JSON5Problems, template: ServiceTemplate) {
        self.problems = problems
        self.template = template
    }

    private mutating func read(_ object: inout JSON5Object) -> ServiceTemplate {
        object.require("url")
        readParameters(&object)
        readDerived(&object)
        template.method = object.choice("method", of: Self.methods) ?? "POST"
        if let value = object.value("url"), let url = text(value, "\"url\"") {
            template.url = url
            checkAddress(url, at: value.position)
        }
        readHeaders(&object)
        readBody(&object)
        readAcceptance(&object)
        if var pause = object.object("pause") {
            pause.require("json")
            let unit = pause.choice("unit", of: ["s", "ms"]) == "ms" ? 0.001 : 1
            template.pause = pause.string("json").map { ServiceTemplate.Pause(path: $0, unit: unit) }
            pause.refuseUnknown()
        }
        template.reason = object.string("reason")
        template.groupBy = names("groupBy", &object, NotifierRoute.groupings)
        template.states = names("states", &object, ServiceTemplate.allStates)
        object.refuseUnknown()
        return template
    }

    private func names(_ member: String, _ object: inout JSON5Object, _ known: [String]) -> [String] {
        guard let position = object.value(member)?.position, let names = object.strings(member) else { return [] }
        for name in names where !known.contains(name) {
            problems.add("\"\(member)\" can hold \(known.joined(separator: ", "))", at: position)
        }
        return names
    }

    private mutating func readParameters(_ object: inout JSON5Object) {
        guard var parameters = object.object("parameters") else { return }
        for member in parameters.all() {
            guard var inner = JSON5Object(member.value, as: "a parameter", problems: problems) else { continue }
            let kind = inner.choice("kind", of: ServiceTemplate.Parameter.Kind.allCases.map(\.rawValue))
            let standard = inner.value("default").flatMap { literal($0) }
            let parameter = ServiceTemplate.Parameter(
                name: member.name, kind: kind.flatMap(ServiceTemplate.Parameter.Kind.init) ?? .text,
                isSecret: inner.bool("secret") ?? false,
                isOptional: inner.bool("optional") ?? (standard != nil), standard: standard)
            inner.refuseUnknown()
            if parameter.isSecret, standard != nil || parameter.kind == .list || parameter.kind == .number {
                problems.add("a secret comes from a file: it is a text or a url, without a default", at: member.value.position)
            }
            if Self.reserved.contains(parameter.member) || !Name.isValid(member.name) {
                problems.add("a parameter cannot be called \"\(member.name)\"", at: member.position)
            }
            define(member.name, at: member.position)
            template.parameters.append(parameter)
        }
    }

    private mutating func readDerived(_ object: inout JSON5Object) {
        guard var values = object.object("values") else { return }
        for member in values.all() {
            if let derived = derived(member) { template.derived.append(derived) }
            define(member.name, at: member.position)
        }
    }

    private mutating func define(_ name: String, at position: SourcePosition) {
        if !known.insert(name).inserted { problems.add("\"\(name)\" is the name of another value", at: position) }
    }

    private func derived(_ member: JSON5Member) -> ServiceTemplate.Derived? {
        if case .string = member.value.content {
            return text(member.value, "a value").map { ServiceTemplate.Derived(name: member.name, source: .text($0)) }
        }
        guard var choice = JSON5Object(member.value, as: "a value", problems: problems) else { return nil }
        choice.require("by")
        let position = choice.value("by")?.position ?? choice.position
        let by = choice.string("by") ?? ""
        if choice.has("by") { check([by], known, at: position) }
        var choices: [String: TemplateValue] = [:]
        for other in choice.all() where other.name != "by" { choices[other.name] = literal(other.value) }
        let other = choices.removeValue(forKey: "other")
        return ServiceTemplate.Derived(name: member.name, source: .choice(by: by, among: choices, other: other))
    }

    // MARK: The request

    private func checkAddress(_ url: TemplateText, at position: SourcePosition) {
        switch url.pieces.first {
        case .literal(let text) where text.hasPrefix("https://") || text.hasPrefix("http://"): break
        case .value(let name, _) where template.isURL(name): break
        default:
            problems.add("\"url\" must begin with https://, or with a parameter whose kind is url", at: position)
        }
    }

    private mutating func readHeaders(_ object: inout JSON5Object) {
        guard var headers = object.object("headers") else { return }
        for member in headers.all() {
            let isToken =
                !member.name.isEmpty
                && member.name.utf8.allSatisfy { byte in
                    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                        || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            if !isToken { problems.add("\"\(member.name)\" cannot be a header's name", at: member.position) }
            if let text = text(member.value, "a header") { template.headers.append(.init(name: member.name, text: text)) }
        }
    }

    private mutating func readBody(_ object: inout JSON5Object) {
        guard var body = object.object("body") else { return }
        let position = body.position
        let forms = ["json", "form", "text"].filter(body.has)
        if forms.count != 1 { problems.add("\"body\" is one of json, form and text", at: position) }
        if template.method == "GET" { problems.add("a GET has no body", at: position, suggestion: "put the values into \"url\"") }
        if let value = body.value("json") { template.body = node(value, known).map { .json($0) } ?? .none }
        if var form = body.object("form") {
            template.body = .form(
                form.all().compactMap { member in
                    text(member.value, "a field").map { ServiceTemplate.Field(name: member.name, text: $0) }
                })
        }
        if let value = body.value("text"), let text = text(value, "\"text\"") {
            let type = body.string("type") ?? "text/plain; charset=utf-8"
            if type.contains("json") { problems.add("JSON is written as json: {…}", at: value.position) }
            template.body = .text(text, type: type)
        }
        body.refuseUnknown()
    }

    private func node(_ value: JSON5Value, _ names: Set<String>) -> TemplateNode? {
        switch value.content {
        case .string: return text(value, "a text", names).map { .text($0) }
        case .array(let elements): return .list(elements.compactMap { node($0, names) })
        case .object(let members):
            if members.contains(where: { $0.name == "each" }) { return each(value, names) }
            return .object(members.compactMap { member in node(member.value, names).map { .init(name: member.name, node: $0) } })
        default: return literal(value).map { .literal($0) }
        }
    }

    private func each(_ value: JSON5Value, _ names: Set<String>) -> TemplateNode? {
        guard var object = JSON5Object(value, as: "\"each\"", problems: problems) else { return nil }
        object.require("of")
        let position = object.value("each")?.position ?? value.position
        let list = object.choice("each", of: ServiceMessage.lists.keys.sorted())
        let most = object.integer("most", in: 1...Self.mostElements) ?? Self.mostElements
        let inner = list.flatMap { ServiceMessage.lists[$0] } ?? []
        let element = object.value("of").flatMap { node($0, names.union(inner)) }
        object.refuseUnknown()
        guard let list, let element else {
            if !problems.isEmpty { return nil }
            problems.add("\"each\" needs a list and \"of\"", at: position)
            return nil
        }
        return .each(list, most: most, element)
    }

    private func text(_ value: JSON5Value, _ what: String, _ names: Set<String>? = nil) -> TemplateText? {
        guard case .string(let content) = value.content else {
            problems.add("\(what) must be a text, not \(value.kind)", at: value.position)
            return nil
        }
        do throws(TemplateText.Problem) {
            let text = try TemplateText(content)
            check(text.names, names ?? known, at: value.position)
            return text
        } catch {
            problems.add(error.description, at: value.position)
            return nil
        }
    }

    private func check(_ names: [String], _ known: Set<String>, at position: SourcePosition) {
        for name in names where !known.contains(name) {
            problems.add(
                "there is no value \"\(name)\"", at: position,
                suggestion: Spelling.suggestion(for: name, among: known.sorted()) ?? "known: \(known.sorted().joined(separator: ", "))")
        }
    }

    /// A value that holds no templates.
    private func literal(_ value: JSON5Value) -> TemplateValue? {
        switch value.content {
        case .null: return .null
        case .bool(let flag): return .flag(flag)
        case .number(let number) where number.isFinite: return .number(number)
        case .string(let text): return .text(text)
        case .array(let elements): return .list(elements.compactMap(literal))
        default:
            problems.add("a text, a number or a list is needed here, not \(value.kind)", at: value.position)
            return nil
        }
    }

    // MARK: The answer

    private mutating func readAcceptance(_ object: inout JSON5Object) {
        guard var accepted = object.object("accepted") else { return }
        for value in accepted.list("status") ?? [] {
            if case .number(let number) = value.content, let status = Int(exactly: number), (200...299).contains(status) {
                template.acceptance.statuses.insert(status)
            } else {
                problems.add("a status that means success is 200 to 299", at: value.position)
            }
        }
        if var json = accepted.object("json") {
            for member in json.all() { template.acceptance.json[member.name] = literal(member.value) }
        }
        template.acceptance.text = accepted.string("text")
        accepted.refuseUnknown()
    }
}
