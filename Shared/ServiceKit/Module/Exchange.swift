import Observability
package import Settings
import Synchronization
import VigilSchema

/// A service's exchange list: its parameters by name, with those that were set kept over restarts.
///
/// Threading: from anywhere. Parameters are added before the service's members run; the list is published then.
package final class Exchange: Sendable {
    private let parameters = Mutex<[Parameter]>([])
    private let store: ParameterStore
    private let participants = Mutex<any ParticipantExchange>(NoParticipantExchange())
    private let isSpeaker = Mutex(true)
    private let shared = Mutex<(any SharedParameters)?>(nil)
    /// The settings that can be set while the service runs, by name.
    private let settings = Mutex<[String: LiveSetting]>([:])

    /// A Boolean value that indicates whether this process answers what is asked of the service and of no instance in particular: of replicas one does.
    package var answersForAll: Bool { isSpeaker.withLock { $0 } }

    /// Makes this process the one that answers, or another.
    func answerForAll(_ answers: Bool) { isSpeaker.withLock { $0 = answers } }

    /// - Parameter store: where values that were set are kept.
    package init(store: ParameterStore) { self.store = store }

    /// In the order in which they were added.
    package var list: [Parameter] { parameters.withLock { $0 } }

    /// The parameters that every participant has of their own.
    package var participantExchange: any ParticipantExchange { participants.withLock { $0 } }

    /// Offers parameters that every participant has of their own; called before the service's members run.
    package func offer(_ exchange: any ParticipantExchange) { participants.withLock { $0 = exchange } }

    /// Has settings that are set for all replicas kept where each of them finds them; called before the service's members run.
    package func share(_ parameters: any SharedParameters) { shared.withLock { $0 = parameters } }

    /// Adds a parameter; one with the same name is replaced.
    package func add(_ parameter: Parameter) {
        parameters.withLock { parameters in
            parameters.removeAll { $0.name == parameter.name }
            parameters.append(parameter)
        }
    }

    /// Adds a setting as a parameter that can be set while the service runs; what was set survives restarts and then goes
    /// before the flag and the environment.
    /// - Returns: the present value; read it at each use.
    package func live<Value: Sendable>(_ setting: Setting<Value>, _ configuration: Configuration) async throws -> LiveValue<Value> {
        let name = setting.declaration.name
        let format = setting.format
        let kept = try await store.value(of: name).flatMap(format.read)
        let live = LiveValue(try kept ?? configuration[setting])
        let store = store
        let checked = { @Sendable (text: String) throws(ExchangeError) in
            guard let value = format.read(text) else { throw .malformed(name: name, accepts: format.accepts) }
            return value
        }
        let change = LiveSetting(plain: { text throws(ExchangeError) in format.write(try checked(text)) }) { text in
            let value = try checked(text)
            try await store.set(name, format.write(value))
            live.set(value)
        }
        settings.withLock { $0[name] = change }
        add(
            Parameter(
                name: name, kind: Self.kind(of: Value.self), description: setting.declaration.help,
                read: { Self.value(live.current, format) }, write: { try await change.set($0.text) }))
        return live
    }

    /// Reads a parameter.
    package func value(of name: String) async throws -> ParameterValue { try await parameter(name).read() }

    /// Sets a parameter, unless it is unknown, read-only, or does not accept the value.
    /// - Parameter forAll: false where one replica alone is meant.
    package func set(_ name: String, _ value: ParameterValue, forAll: Bool = true) async throws {
        guard let write = try parameter(name).write else { throw ExchangeError.readOnly(name: name) }
        guard forAll, let shared = shared.withLock({ $0 }), let setting = settings.withLock({ $0[name] }) else {
            return try await write(value)
        }
        // First of all: a value that one process has alone is gone with it.
        let number = try await shared.keep(name, try setting.plain(value.text))
        try await write(value)
        try await store.set(Self.seen(name), "\(number)")
    }

    /// Takes over what was set for all replicas, unless it was taken over before: what was set here alone since then stays.
    /// - Parameters:
    ///   - number: as `SharedParameters` gave it.
    ///   - last: the highest number that it has given, where it may count anew, as after a backup of it was restored: what was taken over under a
    ///     higher one is not there any more.
    package func adopt(_ name: String, _ text: String, number: Int64, last: Int64 = .max) async throws {
        let known = try await store.value(of: Self.seen(name)).flatMap { Int64($0) } ?? 0
        guard number > known || known > last, let setting = settings.withLock({ $0[name] }) else { return }
        try await setting.set(text)
        try await store.set(Self.seen(name), "\(number)")
    }

    /// The name in the store of the number up to which a parameter was taken over. No setting has a slash in its name.
    private static func seen(_ name: String) -> String { "shared/\(name)" }

    private func parameter(_ name: String) throws(ExchangeError) -> Parameter {
        let all = list
        guard let found = all.first(where: { $0.name == name }) else {
            throw .unknown(name: name, suggestion: Spelling.nearest(to: name, among: all.map(\.name)))
        }
        return found
    }

    private static func kind(of type: Any.Type) -> Parameter.Kind {
        switch type {
        case is Bool.Type: .boolean
        case is Int.Type: .integer
        case is Double.Type: .number
        default: .text
        }
    }

    private static func value<Value>(_ value: Value, _ format: ValueFormat<Value>) -> ParameterValue {
        switch value {
        case let value as Bool: .boolean(value)
        case let value as Int: .number(Double(value))
        case let value as Double: .number(value)
        default: .text(format.write(value))
        }
    }
}

/// Keeps what is set for all replicas of a service.
package protocol SharedParameters: Sendable {
    /// Keeps a value.
    /// - Returns: its number, which is higher than those of all values that were kept before.
    func keep(_ name: String, _ value: String) async throws -> Int64
}

/// A setting that can be set while its service runs.
private struct LiveSetting: Sendable {
    /// Gives a text as it is kept, or what is wrong with it.
    let plain: @Sendable (String) throws(ExchangeError) -> String
    let set: @Sendable (String) async throws -> Void
}

/// The reason why a parameter was not read or set.
package enum ExchangeError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknown(name: String, suggestion: String?)
    case readOnly(name: String)
    case malformed(name: String, accepts: String)
    /// A value that is not known, and why.
    case notKnown(name: String, reason: String)
    /// The request itself cannot be read.
    case request(String)

    package var description: String {
        switch self {
        case .unknown(let name, let suggestion):
            "there is no parameter \(name)" + (suggestion.map { "; did you mean \($0)?" } ?? "")
        case .readOnly(let name): "\(name) can only be read"
        case .malformed(let name, let accepts): "\(name) accepts \(accepts)"
        case .notKnown(let name, let reason): "\(name) is not known: \(reason)"
        case .request(let problem): "the request is malformed: \(problem)"
        }
    }
}

/// A setting's present value where it can be changed while the service runs. Threading: from anywhere.
package final class LiveValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    /// The value now.
    package var current: Value { state.withLock { $0 } }

    func set(_ value: Value) { state.withLock { $0 = value } }
}
