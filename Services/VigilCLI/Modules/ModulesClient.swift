import Foundation
import MessageBus
import ServiceKit
import Settings
import VigilSchema

/// Reads and sets what the health modules know of persons, over the bus.
package struct ModulesClient: Sendable {
    private static let service = "vigil-modules"
    private let exchange: ParameterExchange

    init(requester: Requester, limit: Duration) {
        exchange = ParameterExchange(requester: requester, service: Self.service, timeout: limit)
    }

    /// A value or document; throws the service's words where there is none.
    func get(_ name: String, of participant: String) async throws -> JSONValue {
        try await ask(.moduleGet(service: Self.service), name, participant, nil)
    }

    /// Sets a parameter, and returns its value from then on.
    @discardableResult
    func set(_ name: String, _ value: ParameterValue, of participant: String) async throws -> JSONValue {
        try await ask(.moduleSet(service: Self.service), name, participant, value)
    }

    private func ask(_ topic: Topic, _ name: String, _ participant: String, _ value: ParameterValue?) async throws -> JSONValue {
        let answer = try await exchange.ask(topic, name, value, of: participant)
        if let error = answer.error { throw ModulesRefusal(description: error) }
        if let document = answer.document { return document }
        return switch answer.value {
        case .boolean(let value): .boolean(value)
        case .number(let value): .number(value)
        case .text(let value): .text(value)
        case nil: .null
        }
    }
}

/// The service's words for why a value was not read or set.
struct ModulesRefusal: Error, CustomStringConvertible, ExitCoded {
    let description: String
    var exitCode: ExitCode { .failure }
}

extension JSONValue {
    /// A member of an object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    var text: String? {
        switch self {
        case .text(let text): text
        case .boolean(let value): String(value)
        case .number(let value): Int64(exactly: value).map { String($0) } ?? String(value)
        default: nil
        }
    }

    var list: [JSONValue] {
        guard case .array(let list) = self else { return [] }
        return list
    }

    var isTrue: Bool { self == .boolean(true) }

    /// A text in a language, of an object with one for each; English where it has no other.
    func localized(_ language: String) -> String { self[language]?.text ?? self["en"]?.text ?? "" }

    /// As JSON to be read by people.
    var pretty: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
