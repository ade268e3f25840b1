import Foundation
import SQLiteDatabase
package import ServiceKit
import VigilSchema

/// The modules' values and parameters of each person on the service's exchange: `weight.target`; for each module
/// `weight.available`, `weight.page` and `weight.message`; for the person `person.quiet-hours` and others.
package struct ModuleExchange: ParticipantExchange {
    /// The age in seconds after which a result is computed again before it is returned, because some values change by
    /// the clock alone.
    private static let freshFor = 900.0
    private static let person = ResultWriter.person

    private let host: ModuleHost
    private let own: [ModuleParameter]

    package init(host: ModuleHost) {
        self.host = host
        own = Self.personParameters
    }

    private static let personParameters: [ModuleParameter] = [
        .setting(
            "quiet-hours",
            .text(longest: 11, example: "22:00-07:00") { QuietHours($0) == nil ? "hours such as 22:00-07:00, or nothing" : nil },
            LocalizedText(
                "Hours of the day in which no reminder is sent.", de: "Stunden des Tages, in denen keine Erinnerung kommt.",
                ru: "Часы, когда напоминания не приходят.")),
        .setting(
            "language", .choice(["en", "de", "ru"]), initial: .text("en"),
            LocalizedText(
                "The language of the messages that the timeline keeps.", de: "Die Sprache der Nachrichten in der Zeitleiste.",
                ru: "Язык сообщений на временной шкале.")),
        .setting(
            "rebuild", .boolean, initial: .boolean(false),
            LocalizedText(
                "Set to true, has everything read from the timeline again.",
                de: "Auf true gesetzt: alles wird neu aus der Zeitleiste gelesen.",
                ru: "При значении true всё заново читается с временной шкалы.")),
    ]

    package var list: [ParticipantParameter] {
        let modules = host.registry.modules.flatMap { module in
            module.parameters.map { item(module.id, $0) } + [
                item(module.id, "available", .boolean, "Whether the module is switched on for the person."),
                item(module.id, "message", .document, "What the module has to say to the person; empty where it has nothing to say."),
                item(module.id, "page", .document, "What the module shows: rows, charts, and what it found."),
            ]
        }
        return modules + own.map { item(Self.person, $0) } + [
            item(
                Self.person, "modules", .document, "The modules with names, icons and whether they are switched on, in the person's order.")
        ]
    }

    package func value(of name: String, participant: String) async throws -> ExchangeContent {
        let (module, parameter) = try parts(of: name)
        if module == Self.person { return try await personValue(parameter, name, participant) }
        guard let module = host.registry[module] else { throw unknown(name) }
        switch parameter {
        case "available": return .value(.boolean(try await isAvailable(module, participant)))
        case "page": return .document(try Self.json(PersonPage(module, try await result(of: module, participant))))
        case "message":
            let message = try await result(of: module, participant)?.result.message
            return .document(try message.map(Self.json) ?? .object([:]))
        default: return .value(try await value(parameter, of: module, name, participant))
        }
    }

    package func set(_ name: String, _ value: ParameterValue, participant: String) async throws {
        let (id, parameter) = try parts(of: name)
        if let found = (id == Self.person ? own : host.registry[id]?.parameters ?? []).first(where: { $0.name == parameter }) {
            let kept = try found.checked(value, name: name)
            if name == "\(Self.person).rebuild" {
                if kept == .boolean(true) { try await host.state.rebuild(participant, before: host.now(), at: host.now()) }
                return
            }
            let due = id == Self.person ? host.registry.modules.map(\.id) : [id]
            try await host.set(name, kept, of: participant, due: due)
            if id != Self.person { try await host.evaluate([id], participant: participant) }
            host.wake()
        } else {
            guard list.contains(where: { $0.name == name }) else { throw unknown(name) }
            throw ExchangeError.readOnly(name: name)
        }
    }

    private func value(
        _ parameter: String, of module: any HealthModule, _ name: String, _ participant: String
    ) async throws -> ParameterValue {
        guard let found = module.parameters.first(where: { $0.name == parameter }) else { throw unknown(name) }
        if found.accepts != nil {
            guard let value = try await host.state.setting(name, of: participant) ?? found.initial else {
                throw ExchangeError.notKnown(name: name, reason: "it was not set")
            }
            return value
        }
        guard try await isAvailable(module, participant) else {
            throw ExchangeError.notKnown(name: name, reason: "the module is not switched on for \(participant)")
        }
        switch try await result(of: module, participant)?.result.findings[parameter] {
        case .value(let value): return value
        case .unknown(let reason): throw ExchangeError.notKnown(name: name, reason: reason.en)
        case nil:
            let reason = try await host.state.failure(of: module.id, participant)
            throw ExchangeError.notKnown(
                name: name, reason: reason.map { "the module was stopped: \($0)" } ?? "nothing is known of \(participant)")
        }
    }

    /// The module's latest values, computed again if something has changed or they are too old.
    private func result(of module: any HealthModule, _ participant: String) async throws -> StoredResult? {
        let now = host.now()
        if try await host.state.isStale(module.id, of: participant, now: now, freshFor: Self.freshFor) {
            try await host.evaluate([module.id], participant: participant)
        }
        return try await host.state.result(of: module.id, participant)
    }

    private func isAvailable(_ module: any HealthModule, _ participant: String) async throws -> Bool {
        host.registry.enabled(try await host.state.profile(of: participant)).contains { $0.id == module.id }
    }

    private func personValue(_ parameter: String, _ name: String, _ participant: String) async throws -> ExchangeContent {
        if parameter == "modules" {
            let enabled = host.registry.enabled(try await host.state.profile(of: participant))
            let others = host.registry.modules.filter { module in !enabled.contains { $0.id == module.id } }
            return .document(
                try Self.json(enabled.map { ListedModule($0, isAvailable: true) } + others.map { ListedModule($0, isAvailable: false) }))
        }
        guard let found = own.first(where: { $0.name == parameter }) else { throw unknown(name) }
        if parameter == "rebuild" { return .value(.boolean(try await host.state.isRebuilding(participant))) }
        guard let value = try await host.state.setting(name, of: participant) ?? found.initial else {
            throw ExchangeError.notKnown(name: name, reason: "it was not set")
        }
        return .value(value)
    }

    private func parts(of name: String) throws(ExchangeError) -> (module: String, parameter: String) {
        guard let dot = name.firstIndex(of: ".") else { throw unknown(name) }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }

    private func unknown(_ name: String) -> ExchangeError { .unknown(name: name, suggestion: nil) }

    private func item(_ module: String, _ parameter: ModuleParameter) -> ParticipantParameter {
        ParticipantParameter(
            name: "\(module).\(parameter.name)", keypath: "\(module).\(parameter.name)", kind: parameter.kind, unit: parameter.unit,
            isReadOnly: parameter.accepts == nil, description: parameter.description.en)
    }

    private func item(_ module: String, _ name: String, _ kind: Parameter.Kind, _ description: String) -> ParticipantParameter {
        ParticipantParameter(
            name: "\(module).\(name)", keypath: "\(module).\(name)", kind: kind, unit: nil, isReadOnly: true, description: description)
    }

    private static func json(_ value: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }
}

/// A module's page for a person.
private struct PersonPage: Encodable {
    /// A result with its texts.
    struct Value: Encodable {
        let name: String
        let value: ParameterValue?
        let unknown: LocalizedText?
        let unit: String?
        let description: LocalizedText
    }

    let module: String
    let name: LocalizedText
    let evaluated: Double?
    let message: ModuleMessage?
    let rows: [PageRow]
    let charts: [PageChart]
    let values: [Value]

    init(_ module: any HealthModule, _ stored: StoredResult?) {
        self.module = module.id
        name = module.identity.name
        evaluated = stored?.evaluated
        message = stored?.result.message
        rows = stored?.result.rows ?? []
        charts = stored?.result.charts ?? []
        values = module.parameters.filter { $0.accepts == nil }.map { parameter in
            var (value, unknown): (ParameterValue?, LocalizedText?) = (nil, nil)
            switch stored?.result.findings[parameter.name] {
            case .value(let found): value = found
            case .unknown(let reason): unknown = reason
            case nil: break
            }
            return Value(
                name: parameter.name, value: value, unknown: unknown, unit: parameter.unit, description: parameter.description)
        }
    }
}

/// A module in the list of a person's modules.
private struct ListedModule: Encodable {
    struct Item: Encodable {
        let name: String
        let type: Parameter.Kind
        let unit: String?
        let readonly: Bool
        let description: LocalizedText
        /// A description of the accepted values, with valid and invalid examples.
        let accepts: String?
        let examples: [ParameterValue]?
        let refused: [ParameterValue]?
    }

    let id: String
    let identifier: String
    let available: Bool
    let version: String
    let name: LocalizedText
    let description: LocalizedText
    let icon: String
    let inputs: [String]
    let outputs: [String]
    let parameters: [Item]

    init(_ module: any HealthModule, isAvailable: Bool) {
        let identity = module.identity
        (id, identifier, available, version) = (identity.id, "vigil.\(identity.id)", isAvailable, identity.version)
        (name, description, icon) = (identity.name, identity.description, identity.icon)
        inputs = module.inputs.map(\.metric)
        outputs = module.outputs
        parameters = module.parameters.map {
            Item(
                name: $0.name, type: $0.kind, unit: $0.unit, readonly: $0.accepts == nil, description: $0.description,
                accepts: $0.accepts?.words, examples: $0.accepts?.examples, refused: $0.accepts?.refused)
        }
    }
}
