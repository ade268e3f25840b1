/// Parameters that every participant has of their own, read and set like a service's own with the participant named in the request.
package protocol ParticipantExchange: Sendable {
    /// The parameters, the same for every participant.
    var list: [ParticipantParameter] { get }

    /// Reads a participant's value. Throws what keeps it from being known, in words.
    func value(of name: String, participant: String) async throws -> ExchangeContent

    /// Sets a participant's value, unless it is unknown, read-only, or does not accept the value.
    func set(_ name: String, _ value: ParameterValue, participant: String) async throws
}

/// A parameter that every participant has a value of.
package struct ParticipantParameter: Sendable {
    package let name: String
    /// The place in the service, with dots between the levels.
    package let keypath: String
    package let kind: Parameter.Kind
    /// The UCUM unit, where the value has one.
    package let unit: String?
    package let isReadOnly: Bool
    package let description: String

    package init(name: String, keypath: String, kind: Parameter.Kind, unit: String?, isReadOnly: Bool, description: String) {
        self.name = name
        self.keypath = keypath
        self.kind = kind
        self.unit = unit
        self.isReadOnly = isReadOnly
        self.description = description
    }
}

/// The content of an exchange answer.
package enum ExchangeContent: Sendable, Hashable {
    case value(ParameterValue)
    case document(JSONValue)
}

/// A JSON value of any shape.
package enum JSONValue: Sendable, Hashable, Codable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// A service without parameters of participants.
struct NoParticipantExchange: ParticipantExchange {
    let list: [ParticipantParameter] = []

    func value(of name: String, participant: String) throws -> ExchangeContent {
        throw ExchangeError.request("this service has no parameters of participants")
    }

    func set(_ name: String, _ value: ParameterValue, participant: String) throws {
        throw ExchangeError.request("this service has no parameters of participants")
    }
}
