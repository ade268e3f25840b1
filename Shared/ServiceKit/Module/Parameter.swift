import Observability
import SQLiteDatabase

/// One item of a service's exchange list: something to read, and perhaps to set, while the service runs.
package struct Parameter: Sendable {
    /// The way a value is to be understood.
    package enum Kind: String, Sendable, Codable { case boolean, integer, number, text, document }

    package let name: String
    /// The path in the service, with dots between the levels, for example `limits.batch-size`.
    package let keypath: String
    package let kind: Kind
    package let description: String
    /// Gives the present value.
    package let read: @Sendable () async throws -> ParameterValue
    /// Takes a new value, or throws what is wrong with it; nil where the parameter is read-only.
    package let write: (@Sendable (ParameterValue) async throws -> Void)?

    package init(
        name: String, keypath: String? = nil, kind: Kind, description: String,
        read: @escaping @Sendable () async throws -> ParameterValue,
        write: (@Sendable (ParameterValue) async throws -> Void)? = nil
    ) {
        self.name = name
        self.keypath = keypath ?? name
        self.kind = kind
        self.description = description
        self.read = read
        self.write = write
    }
}

/// A parameter's value as JSON has it.
package enum ParameterValue: Sendable, Hashable, Codable {
    case boolean(Bool)
    case number(Double)
    case text(String)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .boolean(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .text(let value): try container.encode(value)
        }
    }

    /// As a setting's text would be written.
    package var text: String {
        switch self {
        case .boolean(let value): String(value)
        case .number(let value): Int64(exactly: value).map { String($0) } ?? String(value)
        case .text(let value): value
        }
    }
}

/// The file that keeps parameters that were set while the service ran. It is made for the first one.
package actor ParameterStore {
    private let path: String?
    private var state: ServiceState?

    /// - Parameter path: the SQLite file; nil keeps values in memory, for tests.
    package init(path: String?) { self.path = path }

    func value(of name: String) async throws -> String? {
        try await opened().read { database in
            let row = try database.statement("SELECT value FROM parameters WHERE name = ?")
            defer { row.reset() }
            try row.bind(name, at: 1)
            return try row.step() ? row.text(0) : nil
        }
    }

    func set(_ name: String, _ value: String) async throws {
        try await opened().transaction { database in
            try database.run(
                "INSERT INTO parameters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [.text(name), .text(value)])
        }
    }

    private func opened() throws -> ServiceState {
        if let state { return state }
        let made = try ServiceState(
            path: path ?? ":memory:",
            migrations: [Migration(1, "CREATE TABLE parameters (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")])
        state = made
        return made
    }
}
