import Foundation
import HTTPClient

/// A service that notifications are sent through, as its file describes it: the request, and which answer is a success.
///
/// Another service is another file, in `deploy/notifiers/services` or beside the notifiers' file.
struct ServiceTemplate: Hashable, Sendable {
    /// Something that a notifier says of its service: a topic, a token.
    struct Parameter: Hashable, Sendable {
        enum Kind: String, Hashable, Sendable, CaseIterable { case text, url, number, list }

        let name: String
        let kind: Kind
        /// Whether its value comes from a file that the notifier names as `<name>File`.
        let isSecret: Bool
        let isOptional: Bool
        let standard: TemplateValue?

        /// The member of the notifier that says it.
        var member: String { isSecret ? "\(name)File" : name }
    }

    /// A value that is made of others.
    struct Derived: Hashable, Sendable {
        enum Source: Hashable, Sendable {
            case text(TemplateText)
            /// Chosen by another value; nil under `other`: none.
            case choice(by: String, among: [String: TemplateValue], other: TemplateValue?)
        }

        let name: String
        let source: Source
    }

    /// The body, whose form decides how inserted values are escaped.
    enum Body: Hashable, Sendable {
        case none
        case json(TemplateNode)
        case form([Field])
        /// Escaped where the type is one of XML or HTML.
        case text(TemplateText, type: String)
    }

    struct Field: Hashable, Sendable {
        let name: String
        let text: TemplateText
    }

    /// The answer that means that the service has taken a notification.
    struct Acceptance: Hashable, Sendable {
        /// Empty: 200 to 299.
        var statuses: Set<Int> = []
        /// The values of an answer in JSON, by path such as `result.ok`.
        var json: [String: TemplateValue] = [:]
        /// The whole answer.
        var text: String?
    }

    /// The member of an answer in JSON that says how long to wait. The header `Retry-After` goes before it.
    struct Pause: Hashable, Sendable {
        let path: String
        /// Seconds in its unit.
        let unit: Double
    }

    /// What a notification may say of its alerts.
    static let allStates = ["firing", "acknowledged", "resolved", "test"]

    let name: String
    var parameters: [Parameter] = []
    var derived: [Derived] = []
    var method = "POST"
    var url: TemplateText
    var headers: [Field] = []
    var body = Body.none
    var acceptance = Acceptance()
    var pause: Pause?
    /// The member of an answer in JSON with the reason of a refusal, which is shown for tests only.
    var reason: String?
    /// The members by which a notifier must group alerts.
    var groupBy: [String] = []
    /// The states that it is told of; empty: all.
    var states: [String] = []
}

/// A part of a JSON body.
indirect enum TemplateNode: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        let name: String
        let node: TemplateNode
    }

    case literal(TemplateValue)
    case text(TemplateText)
    case list([TemplateNode])
    case object([Member])
    /// A node for each element of a list of objects, whose members are values within. Within a list its nodes are the list's own.
    case each(String, most: Int, TemplateNode)

    /// The value; nil where it has none, and is left out.
    func value(_ values: [String: TemplateValue]) -> TemplateValue? {
        switch self {
        case .literal(let value): return value
        case .text(let text): return text.value(values)
        case .list(let nodes):
            return .list(
                nodes.flatMap { node -> [TemplateValue] in
                    guard let value = node.value(values) else { return [] }
                    if case .each = node, case .list(let elements) = value { return elements }
                    return [value]
                })
        case .object(let members):
            let left = members.reduce(into: [:]) { $0[$1.name] = $1.node.value(values) }
            return left.isEmpty && !members.isEmpty ? nil : .object(left)
        case .each(let name, let most, let node):
            guard case .list(let elements) = values[name], !elements.isEmpty else { return nil }
            return .list(
                elements.prefix(most).compactMap { element in
                    guard case .object(let members) = element else { return nil }
                    return node.value(values.merging(members) { $1 })
                })
        }
    }
}

/// A request that a template makes.
struct ServiceRequest: Hashable, Sendable {
    var method: String
    var url: String
    var headers: [HTTPHeader]
    /// Nil: none, as of GET.
    var body: [UInt8]?
    var contentType: String

    /// - Parameter values: those of the message and the parameters.
    /// - Throws: `ChannelError` where the address has no value, or is none.
    init(_ template: ServiceTemplate, _ values: [String: TemplateValue]) throws(ChannelError) {
        let values = template.derived.reduce(into: values) { $0[$1.name] = $1.value($0) }
        method = template.method
        headers = template.headers.compactMap { field in
            guard let value = field.text.value(values)?.words else { return nil }
            return HTTPHeader(field.name, String(value.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : Character($0) }))
        }
        let first = template.isURL(template.url.names.first)
        let address = template.url.value(values) { text, position in position == 0 && first ? text : PercentEncoding.encode(text) }
        guard let address = address?.words, (try? HTTPClient.check(address)) != nil else {
            throw ChannelError("the service \(template.name) has no valid address")
        }
        url = address
        (body, contentType) = Self.body(template.body, values)
    }

    private static func body(_ body: ServiceTemplate.Body, _ values: [String: TemplateValue]) -> ([UInt8]?, String) {
        switch body {
        case .none: return (nil, "")
        case .json(let node):
            let value = (node.value(values) ?? .null).json
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
            return (Array((try? JSONSerialization.data(withJSONObject: value, options: options)) ?? Data("{}".utf8)), "application/json")
        case .form(let fields):
            let pairs = fields.flatMap { field -> [String] in
                guard let value = field.text.value(values) else { return [] }
                let all: [TemplateValue] = if case .list(let list) = value { list } else { [value] }
                return all.map { "\(PercentEncoding.encode(field.name))=\(PercentEncoding.encode($0.words))" }
            }
            return (Array(pairs.joined(separator: "&").utf8), "application/x-www-form-urlencoded")
        case .text(let text, let type):
            let isMarkup = type.contains("xml") || type.contains("html")
            let words = text.value(values) { text, _ in isMarkup ? TemplateFilter.entities(text) : text }?.words ?? ""
            return (Array(words.utf8), type)
        }
    }
}

extension ServiceTemplate.Derived {
    func value(_ values: [String: TemplateValue]) -> TemplateValue? {
        switch source {
        case .text(let text): text.value(values)
        case .choice(let name, let choices, let other): values[name].map(\.words).flatMap { choices[$0] } ?? other
        }
    }
}

extension ServiceTemplate {
    /// Whether the operator gives a whole address under a name, which is inserted as it is where it begins the address.
    func isURL(_ name: String?) -> Bool { parameters.contains { $0.name == name && $0.kind == .url } }
}
